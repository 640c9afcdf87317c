// needs: boost
// expect: names are strings of Boost.Hana
#include <vector>

#include <warpfold/named.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>

namespace wf = warpfold;

using namespace wf::literals;

float least_of(const std::vector<float>& v) {
  const auto r =
      wf::named(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{})), "sum", "least");
  return r["least"];
}
