// needs: boost
// expect: named was given a name twice
#include <vector>

#include <warpfold/named.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>

namespace wf = warpfold;

using namespace wf::literals;

float least_of(const std::vector<float>& v) {
  const auto r =
      wf::named(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{})), "sum"_s, "sum"_s);
  return r["sum"_s];
}
