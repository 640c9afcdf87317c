/// @file
/// needs: cuda
/// Plain kernels that count bytes and sum values by their labels, with atomics. Peers of the
/// benchmarks.
#pragma once

#include <cstddef>

namespace plain {

/// A plain histogram of bytes: counts of a block in shared memory, 16 bytes a load.
static __global__ void count_in_shared(const uint4* labels, std::size_t words, int* counts) {
  __shared__ int own[256];
  for (unsigned c = threadIdx.x; c < 256; c += blockDim.x) own[c] = 0;
  __syncthreads();
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words;
       i += threads) {
    const uint4 w = labels[i];
    const unsigned fours[] = {w.x, w.y, w.z, w.w};
#pragma unroll
    for (int k = 0; k < 16; ++k) atomicAdd(own + (fours[k / 4] >> k % 4 * 8 & 255), 1);
  }
  __syncthreads();
  for (unsigned c = threadIdx.x; c < 256; c += blockDim.x) {
    if (own[c] != 0) atomicAdd(counts + c, own[c]);
  }
}

/// Adds the values of each label, `value(i, part)`, to `Parts` sums of it. T is int for references.
template <unsigned Parts, class T, class Value>
__global__ void add_globally(const int* labels, Value value, unsigned n, T* sums) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    for (unsigned part = 0; part < Parts; ++part) {
      atomicAdd(sums + static_cast<unsigned>(labels[i]) * Parts + part,
                static_cast<T>(value(i, part)));
    }
  }
}
/// The same with the sums of a block in shared memory. `size`: the number of all sums.
template <unsigned Parts, class Value>
__global__ void add_in_shared(const int* labels, Value value, unsigned n, unsigned size,
                              float* sums) {
  extern __shared__ float own[];
  for (unsigned c = threadIdx.x; c < size; c += blockDim.x) own[c] = 0;
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    for (unsigned part = 0; part < Parts; ++part) {
      atomicAdd(own + static_cast<unsigned>(labels[i]) * Parts + part, value(i, part));
    }
  }
  __syncthreads();
  for (unsigned c = threadIdx.x; c < size; c += blockDim.x) {
    if (own[c] != 0) atomicAdd(sums + c, own[c]);
  }
}

struct one_value {
  const float* x;
  __device__ float operator()(unsigned i, unsigned) const { return x[i]; }
};
struct point_value {
  const float *x, *y;
  __device__ float operator()(unsigned i, unsigned part) const {
    return part == 0 ? x[i] : part == 1 ? y[i] : 1;
  }
};

}  // namespace plain
