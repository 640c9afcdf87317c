// An identity without __device__ would be compiled to nothing on the GPU, and the result would be
// wrong without a message.
// expect: calling a __host__ function
// errors: 2
#include <span>

#include <warpfold/reduce.hpp>

struct longest {
  template <class T>
  T identity() const {
    return T{3};
  }
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

int call(std::span<const int> v) { return warpfold::reduce(warpfold::device, v, longest{}); }
