// expect: ok
// architecture: 100
// generates: ld\.global\.L2::cache_hint\.v8\.b32
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/wide.hpp>

// The loads in the plan.
using wide_view = warpfold::wide_view<const float>;
static_assert(warpfold::widest_load<wide_view>(100) == 32 &&
              warpfold::widest_load<wide_view>(90) == 16);
static_assert(warpfold::widest_load<warpfold::transform_view<wide_view, float (*)(float)>>(103) ==
              32);

float sum(const warpfold::device_buffer<float>& v) {
  return warpfold::reduce(warpfold::device, warpfold::wide(v), warpfold::plus{});
}
