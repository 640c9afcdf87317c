// Names of the GPU's results, as nvcc sees them.
// needs: boost
// expect: ok
#include <span>

#include <warpfold/named.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>

namespace wf = warpfold;

struct summary {
  BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (wf::indexed<float>, least));
};

std::size_t place_of_least(std::span<const float> v) {
  using namespace wf::literals;
  const auto result = wf::reduce(wf::device, v, wf::all(wf::plus{}, wf::arg(wf::minimum{})));
  const auto r = wf::named(result, "sum"_s, "least"_s);
  return wf::named<summary>(result).least.index + r["least"_s].index;
}
