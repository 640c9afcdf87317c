// expect: ok
// architecture: 100
// generates: ld\.global\.nc\.L2::cache_hint\.v8\.b32
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/view/wide.hpp>

float sum(const warpfold::device_buffer<float>& v) {
  return warpfold::reduce(warpfold::device, warpfold::wide(v), warpfold::plus{});
}
