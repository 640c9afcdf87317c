// needs: boost
// expect: name them with BOOST_HANA_DEFINE_STRUCT
#include <vector>

#include <warpfold/named.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>

namespace wf = warpfold;

struct summary {
  double sum;
  float least;
};

summary all_of(const std::vector<float>& v) {
  return wf::named<summary>(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{})));
}
