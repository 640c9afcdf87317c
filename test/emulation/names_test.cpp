// The names of CUDA C++ in the emulation: shuffles of each form and width, votes, reductions of a
// warp, and atomics, for whole warps and parts of them; and what each says to its block.
// needs: boost_context
#include <warpfold/emulation/names.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "contract/emulated_launch.hpp"
#include "contract/recorded_thread.hpp"

namespace {

using namespace warpfold;

/// `f(lane)` in each lane of a warp.
template <class T, class F>
std::vector<T> of_lanes(const F& f) {
  std::vector<T> results(32);
  test::emulated_launch on;
  const auto out = on.array(results);
  on.run({1, 32}, [=] { out.store(threadIdx.x, f(threadIdx.x)); });
  return results;
}

constexpr unsigned all = 0xffffffffu;

}  // namespace

TEST_CASE("shuffles in groups of each width") {
  for (const unsigned width : {1u, 2u, 4u, 8u, 16u, 32u}) {
    for (const unsigned n : {0u, 1u, 3u, 9u, 31u}) {
      INFO("width ", width, ", ", n);
      const auto w = static_cast<int>(width);
      const auto from = of_lanes<unsigned>(
          [=](unsigned lane) { return __shfl_sync(all, lane, static_cast<int>(n), w); });
      const auto down =
          of_lanes<unsigned>([=](unsigned lane) { return __shfl_down_sync(all, lane, n, w); });
      const auto up =
          of_lanes<unsigned>([=](unsigned lane) { return __shfl_up_sync(all, lane, n, w); });
      const auto across = of_lanes<unsigned>(
          [=](unsigned lane) { return __shfl_xor_sync(all, lane, static_cast<int>(n), w); });
      for (unsigned lane = 0; lane < 32; ++lane) {
        INFO("lane ", lane);
        const unsigned first = lane / width * width;
        CHECK(from[lane] == first + n % width);
        CHECK(down[lane] == (lane + n < first + width ? lane + n : lane));
        CHECK(up[lane] == (lane >= first + n ? lane - n : lane));
        // As CUDA says: from this group and those before it, its own value otherwise.
        CHECK(across[lane] == ((lane ^ n) < first + width ? lane ^ n : lane));
      }
    }
  }
}

TEST_CASE("shuffles of each size of number") {
  const auto check = []<class T>(T base) {
    const auto got = of_lanes<T>([=](unsigned lane) {
      return __shfl_down_sync(all, static_cast<T>(base + static_cast<T>(lane)), 1);
    });
    for (unsigned lane = 0; lane < 31; ++lane) {
      CHECK(got[lane] == static_cast<T>(base + static_cast<T>(lane + 1)));
    }
  };
  check(static_cast<signed char>(-20));
  check(static_cast<short>(-300));
  check(-70000);
  check(1.5f);
  check(-1e300);
  check(std::int64_t{-5} << 40);
}

TEST_CASE("votes of all lanes and of some") {
  const auto third = [](unsigned lane) { return lane % 3 == 0; };
  unsigned expected = 0;
  for (unsigned lane = 0; lane < 32; lane += 3) expected |= 1u << lane;
  for (const unsigned x :
       of_lanes<unsigned>([=](unsigned lane) { return __ballot_sync(all, third(lane)); })) {
    CHECK(x == expected);
  }
  for (const int x : of_lanes<int>([=](unsigned lane) {
         return 100 * __any_sync(all, lane == 31) + 10 * __all_sync(all, lane < 31) +
                __all_sync(all, lane < 32) + 1000 * __any_sync(all, 0);
       })) {
    CHECK(x == 101);
  }
  // Each half of the warp by itself.
  const auto halves = of_lanes<unsigned>([](unsigned lane) {
    const unsigned mask = lane < 16 ? 0xffffu : 0xffff0000u;
    return __ballot_sync(mask, lane % 2 == 0) + (__all_sync(mask, lane < 16) != 0 ? 1 : 0);
  });
  for (unsigned lane = 0; lane < 32; ++lane) {
    CHECK(halves[lane] == (lane < 16 ? 0x5555u + 1 : 0x55550000u));
  }
}

TEST_CASE("reductions of a warp: sums wrap, extrema have the sign of their type") {
  const auto sums =
      of_lanes<unsigned>([](unsigned lane) { return __reduce_add_sync(all, lane + 0xf0000000u); });
  for (const unsigned x : sums) CHECK(x == 496);
  const auto value_of = [](unsigned lane) { return lane == 9 ? ~0u : lane == 20 ? 5u : 70u; };
  for (const unsigned x :
       of_lanes<unsigned>([=](unsigned lane) { return __reduce_min_sync(all, value_of(lane)); })) {
    CHECK(x == 5);
  }
  for (const unsigned x :
       of_lanes<unsigned>([=](unsigned lane) { return __reduce_max_sync(all, value_of(lane)); })) {
    CHECK(x == ~0u);
  }
  const auto signed_value = [=](unsigned lane) { return static_cast<int>(value_of(lane)); };
  for (const int x :
       of_lanes<int>([=](unsigned lane) { return __reduce_min_sync(all, signed_value(lane)); })) {
    CHECK(x == -1);
  }
  for (const int x :
       of_lanes<int>([=](unsigned lane) { return __reduce_max_sync(all, signed_value(lane)); })) {
    CHECK(x == 70);
  }
  using limits = std::numeric_limits<int>;
  for (const int x : of_lanes<int>([](unsigned lane) {
         return __reduce_min_sync(all, lane == 3 ? limits::min() : limits::max());
       })) {
    CHECK(x == limits::min());
  }
}

TEST_CASE("atomics of all threads of a grid, each of which has the value before") {
  constexpr unsigned n = 40 * 96;
  std::vector<unsigned> counter(1), seen(n);
  std::vector<double> sum(1);
  std::vector<int> largest(1, -1);
  test::emulated_launch on;
  on.array(counter);
  on.array(sum);
  on.array(largest);
  const auto out = on.array(seen);
  on.run({40, 96}, [=, c = counter.data(), s = sum.data(), m = largest.data()] {
    const unsigned before = atomicAdd(c, 1u);
    out.store(before, out.load(before) + 1);
    atomicAdd(s, 0.5);
    const auto own = static_cast<int>(blockIdx.x * 96 + threadIdx.x);
    for (int now = atomicAdd(m, 0); now < own;) {
      const int found = atomicCAS(m, now, own);
      if (found == now) break;
      now = found;
    }
  });
  CHECK(counter[0] == n);
  CHECK(seen == std::vector<unsigned>(n, 1));
  CHECK(sum[0] == n * 0.5);
  CHECK(largest[0] == static_cast<int>(n) - 1);
}

TEST_CASE("an exchange returns what was there, and a swap writes only what was expected") {
  std::vector<int> value(1, 5), seen(3);
  test::emulated_launch on;
  on.array(value);
  const auto out = on.array(seen);
  on.run({1, 32}, [=, p = value.data()] {
    if (threadIdx.x != 0) return;
    out.store(0, atomicExch(p, 6));
    out.store(1, atomicCAS(p, 5, 7));
    out.store(2, atomicCAS(p, 6, 8));
  });
  CHECK(seen == std::vector<int>{5, 6, 6});
  CHECK(value[0] == 8);
}

TEST_CASE("each name says its form, its mask and its line") {
  test::recorded_thread thread;
  thread.answer = 1;
  const int line = __LINE__ + 1;
  __syncthreads();
  CHECK(__syncthreads_and(5) == 1);
  __syncwarp(0xff);
  CHECK(__any_sync(0x3, 0) == 1);
  CHECK(__all_sync(0x3, 4) == 0);  // one of two lanes
  CHECK(__reduce_add_sync(0x7, 9u) == 1);
  const char* const members[] = {"sync_block", "sync_block_and", "sync_warp",
                                 "vote",       "vote",           "reduce"};
  const unsigned masks[] = {0, 0, 0xff, 0x3, 0x3, 0x7};
  const unsigned values[] = {0, 1, 0, 0, 1, 9};
  REQUIRE(thread.calls.size() == 6);
  for (int i = 0; i < 6; ++i) {
    const auto& call = thread.calls[static_cast<std::size_t>(i)];
    CHECK(call.member == members[i]);
    CHECK(call.mask == masks[i]);
    CHECK(call.value == values[i]);
    CHECK(call.at == site{__FILE__, line + i});
  }
}

TEST_CASE("shuffles of another form or size are other operations") {
  test::recorded_thread thread;
  (void)__shfl_down_sync(all, 1, 1);
  (void)__shfl_up_sync(all, 1, 1);
  (void)__shfl_xor_sync(all, 1, 1);
  (void)__shfl_sync(all, 1, 1);
  (void)__shfl_down_sync(all, 1.0, 1);
  for (std::size_t i = 0; i < thread.calls.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) CHECK(thread.calls[i].form != thread.calls[k].form);
  }
  (void)__shfl_down_sync(all, 5u, 2);
  CHECK(thread.calls.back().form == thread.calls.front().form);
}

TEST_CASE("an atomic is reported as one, aligned as its type") {
  test::recorded_thread thread;
  double x = 1;
  CHECK(atomicAdd(&x, 2) == 1);
  CHECK(x == 3);
  REQUIRE(thread.calls.size() == 1);
  CHECK(thread.calls[0].what == emulation::access::atomic);
  CHECK(thread.calls[0].bytes == 8);
  CHECK(thread.calls[0].alignment == 8);
  CHECK(thread.calls[0].p == &x);
}
