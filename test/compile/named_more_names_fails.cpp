// needs: boost
// expect: one name, or one member, for each part
#include <vector>

#include <warpfold/named.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>

namespace wf = warpfold;

using namespace wf::literals;

float least_of(const std::vector<float>& v) {
  const auto r = wf::named(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{})), "sum"_s,
                           "least"_s, "greatest"_s);
  return r["least"_s];
}
