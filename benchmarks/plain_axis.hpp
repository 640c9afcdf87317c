/// @file
/// needs: cuda
/// Plain kernels that sum an array along an axis, as one writes them first. Peers of the
/// benchmarks.
#pragma once

#include <algorithm>
#include <cstddef>

#include "plain_segments.hpp"

namespace plain {

/// An array of `outer` x `length` x `inner` elements, folded along the middle.
struct axis_shape {
  std::size_t outer, length, inner;
  std::size_t outputs() const { return outer * inner; }
  __device__ std::size_t first_of(std::size_t output) const {
    return output / inner * length * inner + output % inner;
  }
  __device__ std::size_t at(std::size_t output, std::size_t k) const {
    return first_of(output) + k * inner;
  }
};

/// An array of `first` x `kept` x `last` elements, folded along the first and the last dimension.
struct ends_shape {
  std::size_t first, kept, last, length = first * last;
  std::size_t outputs() const { return kept; }
  __device__ std::size_t at(std::size_t output, std::size_t k) const {
    return (k / last * kept + output) * last + k % last;
  }
};

/// Sums of floats that are integers, for references: a thread for each output and 1024 elements.
template <class Shape>
__global__ void integer_sums(const float* x, Shape s, std::size_t outputs, int* sums) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t output = i % outputs, first = i / outputs * 1024;
  if (first >= s.length) return;
  const std::size_t last = first + 1024 < s.length ? first + 1024 : s.length;
  int sum = 0;
  for (std::size_t k = first; k < last; ++k) sum += static_cast<int>(x[s.at(output, k)]);
  atomicAdd(sums + output, sum);
}
template <class Shape>
void sum_integers(const float* x, const Shape& s, int* sums, cudaStream_t stream) {
  const std::size_t threads = s.outputs() * ((s.length + 1023) / 1024);
  cudaMemsetAsync(sums, 0, s.outputs() * sizeof(int), stream);
  integer_sums<<<blocks_of(threads, 1), 256, 0, stream>>>(x, s, s.outputs(), sums);
}

static __global__ void axis_by_threads(const float* x, axis_shape s, std::size_t outputs,
                                       float* out) {
  const std::size_t output = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (output >= outputs) return;
  const float* const at = x + s.first_of(output);
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
/// neighbors; gridDim.y warps share the axis, and then add atomically.
static __global__ void axis_by_slabs(const float* x, axis_shape s, float* out) {
  const std::size_t outer = std::size_t{blockIdx.x} * blockDim.y + threadIdx.y;
  const auto inner = static_cast<unsigned>(s.inner), at_once = 32 / inner;
  const unsigned lane = threadIdx.x;
  const std::size_t each = (s.length + gridDim.y - 1) / gridDim.y, first = blockIdx.y * each;
  const std::size_t last = first + each < s.length ? first + each : s.length;
  float sum = 0;
  if (outer < s.outer && lane < at_once * inner) {
    const float* const at = x + outer * s.length * inner + lane % inner;
    for (std::size_t k = first + lane / inner; k < last; k += at_once) sum += at[k * inner];
  }
  float total = sum;
  for (unsigned r = 1; r < at_once; ++r) {
    total += __shfl_sync(0xffffffffu, sum, static_cast<int>((lane + r * inner) % 32));
  }
  if (outer >= s.outer || lane >= inner) return;
  if (gridDim.y == 1) {
    out[outer * inner + lane] = total;
  } else {
    atomicAdd(out + outer * inner + lane, total);
  }
}

/// The sum over a block of 256 threads, in thread 0.
inline __device__ float sum_of_block(float sum) {
  __shared__ float sums[8];
  for (unsigned apart = 16; apart > 0; apart /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, apart);
  }
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) sum += sums[w];
  }
  return sum;
}

/// For `inner` 1: gridDim.x blocks share a row and add atomically.
static __global__ void axis_by_pieces(const float* x, std::size_t length, float* out) {
  const std::size_t each = (length + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each;
  const std::size_t last = first + each < length ? first + each : length;
  const float* const at = x + std::size_t{blockIdx.y} * length;
  float sum = 0;
  for (std::size_t k = first + threadIdx.x; k < last; k += 256) sum += at[k];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) atomicAdd(out + blockIdx.y, sum);
}

/// A block for each output; gridDim.y blocks share one and add atomically. `ByRows`: each warp
/// takes rows of the last dimension. Otherwise each thread takes single elements.
template <bool ByRows>
__global__ void ends_by_blocks(const float* x, ends_shape s, float* out) {
  const std::size_t output = blockIdx.x;
  float sum = 0;
  if constexpr (ByRows) {
    for (std::size_t r = blockIdx.y * 8 + threadIdx.x / 32; r < s.first; r += gridDim.y * 8) {
      const float* const at = x + (r * s.kept + output) * s.last;
      for (std::size_t k = threadIdx.x % 32; k < s.last; k += 32) sum += at[k];
    }
  } else {
    const auto length = static_cast<unsigned>(s.length), last = static_cast<unsigned>(s.last);
    for (unsigned k = blockIdx.y * 256 + threadIdx.x; k < length; k += gridDim.y * 256) {
      sum += x[(k / last * s.kept + output) * last + k % last];
    }
  }
  sum = sum_of_block(sum);
  if (threadIdx.x != 0) return;
  if (gridDim.y == 1) {
    out[output] = sum;
  } else {
    atomicAdd(out + output, sum);
  }
}

/// Calls `add(name, call)` for each kernel that suits the shape. `call()` enqueues it on `stream`.
template <class Add>
void add_axis_kernels(const float* x, axis_shape s, float* out, cudaStream_t stream,
                      const Add& add) {
  const std::size_t outputs = s.outputs();
  const auto outer = static_cast<unsigned>(s.outer);
  const auto clear = [=] { cudaMemsetAsync(out, 0, outputs * sizeof(float), stream); };
  if (s.length <= (s.inner > 1 ? 16384 : 4096)) {
    add("a thread an output",
        [=] { axis_by_threads<<<blocks_of(outputs, 1), 256, 0, stream>>>(x, s, outputs, out); });
  }
  if (s.inner == 1) {
    const rows_of bounds{static_cast<int>(s.length)};
    if (s.length <= std::size_t{1} << 20) {
      add("a warp a row", [=] {
        by_lanes<32><<<blocks_of(outputs, 32), 256, 0, stream>>>(sum_of{x}, bounds, out, outputs);
      });
    }
    add("a block a row", [=] { by_block<256><<<outer, 256, 0, stream>>>(sum_of{x}, bounds, out); });
    if (s.outer < 1056) {
      const dim3 blocks(1056 / outer, outer);
      add("blocks a row, atomics", [=] {
        clear();
        axis_by_pieces<<<blocks, 256, 0, stream>>>(x, s.length, out);
      });
    }
  } else if (s.inner <= 16) {
    if (s.length <= 65536) {
      add("a warp a slab",
          [=] { axis_by_slabs<<<(outer + 7) / 8, dim3(32, 8), 0, stream>>>(x, s, out); });
    }
    const std::size_t pieces = std::min(2112 / s.outer, s.length / 64);
    if (pieces > 1) {
      const dim3 blocks(outer, static_cast<unsigned>(pieces));
      add("warps a slab, atomics", [=] {
        clear();
        axis_by_slabs<<<blocks, 32, 0, stream>>>(x, s, out);
      });
    }
  } else if (s.outer < 65536) {
    const auto columns = static_cast<unsigned>((s.inner + 31) / 32);
    add("a block 32 columns",
        [=] { axis_by_tiles<<<dim3(columns, outer), dim3(32, 8), 0, stream>>>(x, s, out); });
    const std::size_t pieces = std::min(528 / (columns * s.outer), s.length / 8);
    if (pieces > 1) {
      const dim3 blocks(columns, outer, static_cast<unsigned>(pieces));
      add("blocks 32 columns, atomics", [=] {
        clear();
        axis_by_tiles<<<blocks, dim3(32, 8), 0, stream>>>(x, s, out);
      });
    }
  }
}
template <class Add>
void add_axis_kernels(const float* x, ends_shape s, float* out, cudaStream_t stream,
                      const Add& add) {
  const std::size_t outputs = s.outputs();
  const auto blocks = static_cast<unsigned>(outputs);
  const auto add_both = [&](const char* by_rows, const char* by_elements, unsigned pieces) {
    const auto call = [=](auto kernel) {
      return [=] {
        if (pieces > 1) cudaMemsetAsync(out, 0, outputs * sizeof(float), stream);
        kernel<<<dim3(blocks, pieces), 256, 0, stream>>>(x, s, out);
      };
    };
    add(by_rows, call(ends_by_blocks<true>));
    add(by_elements, call(ends_by_blocks<false>));
  };
  add_both("a block an output, by rows", "a block an output", 1);
  const std::size_t pieces = std::min(1056 / outputs, s.length / 1024);
  if (pieces > 1) {
    add_both("blocks an output, by rows, atomics", "blocks an output, atomics",
             static_cast<unsigned>(pieces));
  }
}

}  // namespace plain
