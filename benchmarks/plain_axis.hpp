/// @file
/// needs: cuda
/// Plain kernels that sum an array along an axis, as one writes them first. Peers of the
/// benchmarks.
#pragma once

#include <cstddef>

namespace plain {

/// An array of `outer` x `length` x `inner` elements, folded along the middle.
struct axis_shape {
  std::size_t outer, length, inner;
  std::size_t outputs() const { return outer * inner; }
};

inline __device__ std::size_t first_of(const axis_shape& s, std::size_t output) {
  return output / s.inner * s.length * s.inner + output % s.inner;
}

static __global__ void axis_by_threads(const float* x, axis_shape s, std::size_t outputs,
                                       float* out) {
  const std::size_t output = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (output >= outputs) return;
  const float* const at = x + first_of(s, output);
  float sum = 0;
  for (std::size_t k = 0; k < s.length; ++k) sum += at[k * s.inner];
  out[output] = sum;
}

/// Blocks of 32 x 8 threads for 32 neighbors of `inner`; gridDim.z blocks share the axis, and then
/// add atomically.
static __global__ void axis_by_tiles(const float* x, axis_shape s, float* out) {
  __shared__ float sums[8][33];
  const std::size_t column = std::size_t{blockIdx.x} * 32 + threadIdx.x;
  const std::size_t each = (s.length + gridDim.z - 1) / gridDim.z, first = blockIdx.z * each;
  const std::size_t last = first + each < s.length ? first + each : s.length;
  float sum = 0;
  if (column < s.inner) {
    const float* const at = x + std::size_t{blockIdx.y} * s.length * s.inner + column;
    for (std::size_t k = first + threadIdx.y; k < last; k += 8) sum += at[k * s.inner];
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= s.inner) return;
  for (int y = 1; y < 8; ++y) sum += sums[y][threadIdx.x];
  float* const to = out + std::size_t{blockIdx.y} * s.inner + column;
  if (gridDim.z == 1) {
    *to = sum;
  } else {
    atomicAdd(to, sum);
  }
}

/// For `inner` up to 16: a warp for each outer index reads whole rows of `inner` elements that are
/// neighbors.
static __global__ void axis_by_slabs(const float* x, axis_shape s, float* out) {
  const std::size_t outer = std::size_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const auto inner = static_cast<unsigned>(s.inner), at_once = 32 / inner;
  const unsigned lane = threadIdx.x;
  float sum = 0;
  if (outer < s.outer && lane < at_once * inner) {
    const float* const at = x + outer * s.length * inner + lane % inner;
    for (std::size_t k = lane / inner; k < s.length; k += at_once) sum += at[k * inner];
  }
  float total = sum;
  for (unsigned r = 1; r < at_once; ++r) {
    total += __shfl_sync(0xffffffffu, sum, static_cast<int>((lane + r * inner) % 32));
  }
  if (outer < s.outer && lane < inner) out[outer * inner + lane] = total;
}

/// For `inner` 1: gridDim.x blocks share a row and add atomically.
static __global__ void axis_by_pieces(const float* x, std::size_t length, float* out) {
  __shared__ float sums[8];
  const std::size_t each = (length + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each;
  const std::size_t last = first + each < length ? first + each : length;
  const float* const at = x + std::size_t{blockIdx.y} * length;
  float sum = 0;
  for (std::size_t k = first + threadIdx.x; k < last; k += 256) sum += at[k];
  for (unsigned apart = 16; apart > 0; apart /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, apart);
  }
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < 8; ++w) sum += sums[w];
  atomicAdd(out + blockIdx.y, sum);
}

}  // namespace plain
