// Thrust's own copy and transform of elements of this library still compile beside the drop-in:
// argument-dependent lookup finds this library's functions in Thrust's.
// expect: ok
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/transform.h>

#include <warpfold/copy.hpp>
#include <warpfold/drop_in/thrust.hpp>
#include <warpfold/op/arg.hpp>

using element = warpfold::indexed<float>;

struct doubled {
  __host__ __device__ element operator()(const element& x) const { return {2 * x.value, x.index}; }
};

bool call(const thrust::device_vector<element>& in, thrust::device_vector<element>& out) {
  return thrust::copy(thrust::device, in.begin(), in.end(), out.begin()) == out.end() &&
         thrust::transform(thrust::device, in.begin(), in.end(), out.begin(), doubled{}) ==
             out.end();
}
