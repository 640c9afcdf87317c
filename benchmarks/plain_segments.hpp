/// @file
/// needs: cuda
/// Plain kernels that fold segments, as one writes them first. Some lanes of a warp, or a block,
/// fold each segment, and take its elements in turns. Peers of the benchmarks.
///
/// - `Bounds`: `begin(s)` and `end(s)` of segment `s`.
/// - `Fold`: a `state` of 4-byte members; `start()`; `add(state, i, s)` with element `i`;
///   `merge(a, b)`; `finish(state, begin, length)`.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>

namespace plain {

/// Segments by offsets.
struct offsets_at {
  const int* at;
  __device__ int begin(std::size_t s) const { return at[s]; }
  __device__ int end(std::size_t s) const { return at[s + 1]; }
};
/// Segments of one size: rows of a matrix.
struct rows_of {
  int size;
  __device__ int begin(std::size_t s) const { return static_cast<int>(s) * size; }
  __device__ int end(std::size_t s) const { return begin(s) + size; }
};

struct sum_of {
  const float* x;
  using state = float;
  __device__ float start() const { return 0; }
  __device__ float add(float sum, int i, std::size_t) const { return sum + x[i]; }
  __device__ float merge(float a, float b) const { return a + b; }
  __device__ float finish(float sum, int, int) const { return sum; }
};

struct dot_of : sum_of {
  const float* y;
  __device__ float add(float sum, int i, std::size_t) const { return sum + x[i] * y[i]; }
};

/// Sums of separate arrays. Their bounds are `sizes_at`.
struct sum_of_arrays : sum_of {
  const float* const* arrays;
  __device__ float add(float sum, int i, std::size_t s) const { return sum + arrays[s][i]; }
};
struct norm_of_arrays : sum_of_arrays {
  __device__ float add(float sum, int i, std::size_t s) const {
    return sum + arrays[s][i] * arrays[s][i];
  }
  __device__ float finish(float sum, int, int) const { return sqrtf(sum); }
};
struct sizes_at {
  const int* at;
  __device__ int begin(std::size_t) const { return 0; }
  __device__ int end(std::size_t s) const { return at[s]; }
};

/// The variance by two sums. It loses digits by cancellation.
struct variance_of {
  const float* x;
  struct state {
    float sum, squares;
  };
  __device__ state start() const { return {0, 0}; }
  __device__ state add(state s, int i, std::size_t) const {
    const float v = x[i];
    return {s.sum + v, s.squares + v * v};
  }
  __device__ state merge(state a, state b) const { return {a.sum + b.sum, a.squares + b.squares}; }
  __device__ float finish(state s, int, int length) const {
    const float n = static_cast<float>(length), mean = s.sum / n;
    return s.squares / n - mean * mean;
  }
};

/// The index within its segment of the first of the greatest elements.
struct argmax_of {
  const float* x;
  struct state {
    float value;
    int index;
  };
  __device__ state start() const { return {-INFINITY, 0x7fffffff}; }
  __device__ state add(state s, int i, std::size_t) const {
    const float v = x[i];
    return v > s.value || s.index == 0x7fffffff ? state{v, i} : s;
  }
  __device__ state merge(state a, state b) const {
    return b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a;
  }
  __device__ int finish(state s, int begin, int) const { return s.index - begin; }
};

/// The logarithm of the sum of exponentials, in one read.
struct log_sum_exp_of {
  const float* x;
  struct state {
    float top, sum;
  };
  __device__ state start() const { return {-INFINITY, 0}; }
  __device__ state add(state s, int i, std::size_t) const {
    const float v = x[i];
    if (v <= s.top) return {s.top, s.sum + __expf(v - s.top)};
    return {v, s.sum * __expf(s.top - v) + 1};
  }
  __device__ state merge(state a, state b) const {
    const float top = fmaxf(a.top, b.top);
    if (top == -INFINITY) return {top, 0};
    return {top, a.sum * __expf(a.top - top) + b.sum * __expf(b.top - top)};
  }
  __device__ float finish(state s, int, int) const { return s.top + __logf(s.sum); }
};

/// `__shfl_down_sync` of a state.
template <class T>
__device__ T from_lane_below(const T& value, unsigned apart) {
  static_assert(sizeof(T) % 4 == 0);
  unsigned words[sizeof(T) / 4];
  memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) word = __shfl_down_sync(0xffffffffu, word, apart);
  T result;
  memcpy(&result, words, sizeof(T));
  return result;
}

/// `Threads` lanes of a warp for each segment.
template <unsigned Threads, class Fold, class Bounds, class Out>
__global__ void by_lanes(Fold fold, Bounds bounds, Out* out, std::size_t segments) {
  const std::size_t s = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / Threads;
  const int lane = static_cast<int>(threadIdx.x % Threads);
  auto state = fold.start();
  int begin = 0, end = 0;
  if (s < segments) {
    begin = bounds.begin(s), end = bounds.end(s);
    for (int i = begin + lane; i < end; i += static_cast<int>(Threads)) {
      state = fold.add(state, i, s);
    }
  }
  for (unsigned apart = Threads / 2; apart > 0; apart /= 2) {
    state = fold.merge(state, from_lane_below(state, apart));
  }
  if (s < segments && lane == 0) out[s] = fold.finish(state, begin, end - begin);
}

/// A block of `Threads` threads for each segment.
template <unsigned Threads, class Fold, class Bounds, class Out>
__global__ void by_block(Fold fold, Bounds bounds, Out* out) {
  __shared__ typename Fold::state states[Threads / 32];
  auto state = fold.start();
  const std::size_t s = blockIdx.x;
  const int begin = bounds.begin(s), end = bounds.end(s);
  for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += static_cast<int>(Threads)) {
    state = fold.add(state, i, s);
  }
  for (unsigned apart = 16; apart > 0; apart /= 2) {
    state = fold.merge(state, from_lane_below(state, apart));
  }
  if (threadIdx.x % 32 == 0) states[threadIdx.x / 32] = state;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned w = 1; w < Threads / 32; ++w) state = fold.merge(state, states[w]);
  out[s] = fold.finish(state, begin, end - begin);
}

/// Blocks of 256 threads, of which each segment takes `each`.
inline unsigned blocks_of(std::size_t segments, std::size_t each) {
  return static_cast<unsigned>((segments * each + 255) / 256);
}

}  // namespace plain
