// The host does not know the result type of a __device__ lambda, but needs it for the accumulator
// of each part.
// expect: the host does not know the type that this __device__ lambda returns
#include <span>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

void sum(std::span<const int> v) {
  (void)wf::reduce(
      wf::device, v,
      wf::all(wf::plus{}, wf::projected(wf::plus{}, [] __device__(int x) { return -x; })));
}
