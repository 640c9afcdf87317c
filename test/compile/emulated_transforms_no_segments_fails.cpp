// The emulation has no kernel that transforms segments.
// expect: this policy does not run transform_segments; use wf::seq or wf::par
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/transform_segments.hpp>

void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::transform_segments(warpfold::emulated, v, offsets, v, out,
                               [](float x, float y) { return x + y; });
}
