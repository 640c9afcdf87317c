/// @file
/// A kernel by the names of CUDA C++'s execution model, as emulation/execution_model.hpp gives them
/// to both compilers, and what each of its threads must see.
#pragma once

#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/core/launch_shape.hpp>
#include <warpfold/emulation/execution_model.hpp>

namespace test {

/// What one thread has seen.
struct seen_by_thread {
  unsigned thread;     ///< number in the grid
  unsigned of_lane_5;  ///< by shuffles: of the warp's lane 5,
  unsigned of_next;    ///< of the next lane,
  unsigned of_before;  ///< of the lane before,
  unsigned of_other;   ///< and of the lane that differs in bits 0 and 4
  unsigned odd;        ///< a bit for each lane with an odd number
  int any, all;        ///< votes
  int block_all;       ///< the vote of a barrier
  unsigned before;     ///< the counter before this thread added one
};

/// Two blocks of 8 x 4 x 2 threads, two warps each.
struct execution_model_body {
  static constexpr int max_block = 64;
  static constexpr bool calls_user_functions = false;
  static constexpr unsigned blocks = 2, threads = 64;

  seen_by_thread* out;
  unsigned* counter;

  WARPFOLD_DEVICE void operator()() const {
    using namespace warpfold;  // the emulation's names
    constexpr unsigned mask = 0xffffffffu;
    const unsigned in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const unsigned lane = in_block % 32;
    seen_by_thread s{};
    s.thread = blockIdx.x * blockDim.x * blockDim.y * blockDim.z + in_block;
    s.of_lane_5 = __shfl_sync(mask, s.thread, 5);
    s.of_next = __shfl_down_sync(mask, s.thread, 1);
    s.of_before = __shfl_up_sync(mask, s.thread, 1);
    s.of_other = __shfl_xor_sync(mask, s.thread, 17);
    s.odd = __ballot_sync(mask, lane % 2 == 1);
    s.any = __any_sync(mask, lane == 31) != 0 ? 1 : 0;
    s.all = __all_sync(mask, lane != 31) != 0 ? 1 : 0;
    s.block_all = __syncthreads_and(in_block < 63 || blockIdx.x == 0) != 0 ? 1 : 0;
    __syncwarp();
    s.before = atomicAdd(counter, 1u);
    __threadfence();
    __syncthreads();
    out[s.thread] = s;
    if (s.thread == 0) {
      (void)atomicCAS(counter + 1, 5u, 6u);
      (void)atomicExch(counter + 2, 9u);
    }
  }

  static warpfold::launch_shape shape() { return {blocks, {8, 4, 2}}; }
};

/// `counters` were {0, 5, 0} before the launch.
inline void check_execution_model(const std::vector<seen_by_thread>& seen,
                                  const std::vector<unsigned>& counters) {
  constexpr unsigned n = execution_model_body::blocks * execution_model_body::threads;
  REQUIRE(seen.size() == n);
  std::vector<int> drawn(n);
  for (unsigned t = 0; t < n; ++t) {
    INFO("thread ", t);
    const seen_by_thread& s = seen[t];
    const unsigned lane = t % 32, first = t - lane;
    CHECK(s.thread == t);
    CHECK(s.of_lane_5 == first + 5);
    CHECK(s.of_next == (lane == 31 ? t : t + 1));
    CHECK(s.of_before == (lane == 0 ? t : t - 1));
    CHECK(s.of_other == first + (lane ^ 17));
    CHECK(s.odd == 0xaaaaaaaau);
    CHECK(s.any == 1);
    CHECK(s.all == 0);
    CHECK(s.block_all == (t < 64 ? 1 : 0));
    REQUIRE(s.before < n);
    ++drawn[s.before];
  }
  CHECK(drawn == std::vector<int>(n, 1));
  CHECK(counters == std::vector<unsigned>{n, 6, 9});
}

}  // namespace test
