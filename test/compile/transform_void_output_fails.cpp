// expect: this output type is not writable
#include <vector>

#include <warpfold/transform.hpp>

void call(const std::vector<float>& v, void* out) {
  warpfold::transform(warpfold::seq, v, out, [](float x) { return -x; });
}
