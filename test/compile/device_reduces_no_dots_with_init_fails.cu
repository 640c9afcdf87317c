// reduce_axis, which folds segments of one size on the GPU, has no init for several arrays.
// expect: this policy does not reduce segments yet
#include <warpfold/reduce_segments.hpp>
#include <warpfold/runtime/buffer.hpp>

struct product {
  __host__ __device__ float operator()(float x, float y) const { return x * y; }
};

void call(const warpfold::device_buffer<float>& v, warpfold::device_buffer<float>& out) {
  warpfold::reduce_segments(warpfold::device, warpfold::project(warpfold::zip(v, v), product{}),
                            warpfold::segments_of_size(4), warpfold::plus{}, 1.0f, out);
}
