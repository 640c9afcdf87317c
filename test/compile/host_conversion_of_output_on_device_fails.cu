// What accumulate(out) holds, which only the host converts to the accumulator; and results.
// expect: calling a __host__ function
// errors: 4
// needs: cccl
#include <cuda/std/mdspan>
#include <span>

#include <warpfold/reduce_axis.hpp>

// Converts from a number and to one on the host only.
struct item {
  float value;
  item() = default;
  explicit item(float x) : value(x) {}
  explicit operator float() const { return value; }
};

void call(cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m, std::span<item> out) {
  warpfold::reduce_axis<0>(warpfold::device, m, warpfold::plus{}, warpfold::accumulate(out));
}
