// Computes several reductions in one read of the data, and accesses the results by name.
// needs: boost
#include <iostream>
#include <vector>

#include <warpfold/named.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>

namespace wf = warpfold;

// Hana lists the members in the order of the ops. Each result is converted to its member's type.
struct summary {
  BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (float, least), (wf::indexed<float>, greatest));
};

int main() {
  const std::vector<float> v = {3, -4, 12, 0};
  const auto ops = wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{}));

  const auto s = wf::named<summary>(wf::reduce(wf::seq, v, ops));

  // Without a struct.
  using namespace wf::literals;
  const auto r = wf::named(wf::reduce(wf::seq, v, ops), "sum"_s, "least"_s, "greatest"_s);

  std::cout << "sum " << s.sum << ", least " << r["least"_s] << ", greatest at " << s.greatest.index
            << '\n';
  return s.sum == 11 && s.greatest.index == 2 && r["sum"_s] == 11 && r["least"_s] == -4 ? 0 : 1;
}
