// The identity of a part of wf::all lacks __device__.
// expect: calling a __host__ function
// errors: 2
#include <span>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>

struct longest {
  int identity() const { return 3; }
  __host__ __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

auto call(std::span<const int> v) {
  return warpfold::reduce(warpfold::device, v, warpfold::all(warpfold::plus{}, longest{}));
}
