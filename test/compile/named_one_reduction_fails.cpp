// needs: boost
// expect: named takes the result of a reduction with wf::all
#include <vector>

#include <warpfold/named.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>

namespace wf = warpfold;

struct summary {
  BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (float, least));
};

summary all_of(const std::vector<float>& v) {
  return wf::named<summary>(wf::reduce(wf::seq, v, wf::plus{}));
}
