/// @file
/// needs: cuda
/// Plain kernels that normalize segments in one launch, as one writes them first. A warp, or a
/// block of 256 threads, reads each segment to fold it, and once more to write it. Peers of the
/// benchmarks.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include <warpfold/op/normalization.hpp>
#include <warpfold/op/softmax.hpp>
#include <warpfold/transform_segments.hpp>

namespace plain {

namespace wf = warpfold;

struct share {
  static constexpr const char* name = "share";
  using op = wf::plus;
  WARPFOLD_HD float operator()(float x, float sum) const { return x / sum; }
};
// The results of these ops are functions of an element.
struct softmax : wf::detail::call_fold {
  static constexpr const char* name = "softmax";
  using op = wf::softmax_op;
};
struct layer_norm : wf::detail::call_fold {
  static constexpr const char* name = "layer norm";
  using op = wf::layer_norm_op;
};
template <class F>
auto function_of() {
  if constexpr (std::is_base_of_v<wf::detail::call_fold, F>) {
    return wf::detail::call_fold{};
  } else {
    return F{};
  }
}

/// The state of the plain kernels: of a sum, of a maximum and a sum, or of two sums.
struct pair {
  float a, b;
};
template <class F>
__device__ pair start() {
  return {std::is_same_v<F, softmax> ? -INFINITY : 0.f, 0};
}
template <class F>
__device__ pair add(pair p, float x) {
  if constexpr (std::is_same_v<F, share>) {
    return {p.a + x, 0};
  } else if constexpr (std::is_same_v<F, softmax>) {
    if (x <= p.a) return {p.a, p.b + __expf(x - p.a)};
    return {x, p.b * __expf(p.a - x) + 1};
  } else {
    return {p.a + x, p.b + x * x};
  }
}
template <class F>
__device__ pair merge(pair p, pair q) {
  if constexpr (std::is_same_v<F, softmax>) {
    const float m = fmaxf(p.a, q.a);
    if (m == -INFINITY) return {m, 0};
    return {m, p.b * __expf(p.a - m) + q.b * __expf(q.a - m)};
  } else {
    return {p.a + q.a, p.b + q.b};
  }
}
template <class F>
__device__ float result(float x, pair p, float n) {
  if constexpr (std::is_same_v<F, share>) {
    return x / p.a;
  } else if constexpr (std::is_same_v<F, softmax>) {
    return __expf(x - p.a) / p.b;
  } else {
    const float mean = p.a / n;
    return (x - mean) * rsqrtf(p.b / n - mean * mean + 1e-5f);
  }
}
/// A warp, or all 8 of a block, for each segment.
template <class F, unsigned Warps>
__global__ void by_warps(const float* x, const int* offsets, float* out, std::size_t segments) {
  __shared__ pair states[8];
  const std::size_t s =
      Warps == 8 ? blockIdx.x : (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (s >= segments) return;
  const int thread = static_cast<int>(threadIdx.x % (Warps * 32)), step = Warps * 32;
  const int begin = offsets[s], end = offsets[s + 1];
  pair p = start<F>();
  for (int i = begin + thread; i < end; i += step) p = add<F>(p, x[i]);
  for (unsigned apart = 16; apart > 0; apart /= 2) {
    p = merge<F>(
        p, {__shfl_xor_sync(0xffffffffu, p.a, apart), __shfl_xor_sync(0xffffffffu, p.b, apart)});
  }
  if constexpr (Warps == 8) {
    if (threadIdx.x % 32 == 0) states[threadIdx.x / 32] = p;
    __syncthreads();
    p = states[0];
    for (int w = 1; w < 8; ++w) p = merge<F>(p, states[w]);
  }
  const float n = static_cast<float>(end - begin);
  for (int i = begin + thread; i < end; i += step) out[i] = result<F>(x[i], p, n);
}

}  // namespace plain
