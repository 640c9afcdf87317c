// race_checker and block_clocks: races of kernels that lack a barrier, none of those that have it,
// accesses that one memory has through several types, and what orders two accesses.
// needs: boost_context
#include <warpfold/emulation/race_checker.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/shared_array.hpp>

#include "contract/emulated_launch.hpp"

namespace {

using namespace warpfold;
using collective::global_array;
using collective::shared_array;
using emulation::access;
using emulation::block_clocks;
using emulation::race_checker;

}  // namespace

TEST_CASE("sum += a[threadIdx.x] into one place is a race") {
  std::vector<int> a(64, 1), sum(1);
  test::emulated_launch on;
  const auto in = on.array(a), out = on.array(sum);
  CHECK_ERROR(
      on.error_of({1, 64}, [=] { out.store(0, out.load(0) + in.load(threadIdx.x)); }),
      "thread 1 reads what another thread writes, without a barrier between: global memory");
  CHECK_ERROR(on.error_of({1, 64},
                          [=] {
                            WARPFOLD_SHARED shared_array<int, 1> total;
                            if (threadIdx.x == 0) total.store(0, 0);
                            __syncthreads();
                            total.store(0, total.load(0) + in.load(threadIdx.x));
                          }),
              "thread 1 reads what another thread writes, without a barrier between: element 0 of "
              "a shared array; the other is thread 0 at race_checker_test.cpp:");
  CHECK_ERROR(on.error_of({1, 32},
                          [] {
                            WARPFOLD_SHARED shared_array<unsigned, 1> last;
                            last.store(0, threadIdx.x);
                          }),
              "thread 1 writes what another thread writes, without a barrier between");
  CHECK_ERROR(on.error_of({1, 32},
                          [=] {
                            (void)in.load(0);
                            if (threadIdx.x == 9) in.store(0, 1);
                          }),
              "thread 9 writes what another thread reads, without a barrier between");
}

TEST_CASE("the last warp needs __syncwarp") {
  const auto last_warp = [](bool synchronized, const global_array<int>& a,
                            const global_array<int>& sum) {
    return [=] {
      WARPFOLD_SHARED shared_array<int, 64> values;
      const unsigned t = threadIdx.x;
      values.store(t, a.load(t));
      __syncthreads();
      if (t >= 32) return;
      for (unsigned width = 32; width > 0; width /= 2) {
        const int both = values.load(t) + values.load(t + width);
        if (synchronized) __syncwarp();
        values.store(t, both);
        if (synchronized) __syncwarp();
      }
      if (t == 0) sum.store(0, values.load(0));
    };
  };
  std::vector<int> a(64, 1), sum(1);
  test::emulated_launch on;
  const auto in = on.array(a), out = on.array(sum);
  CHECK(on.error_of({1, 64}, last_warp(true, in, out)) == "");
  CHECK(sum[0] == 64);
  CHECK_ERROR(on.error_of({1, 64}, last_warp(false, in, out)), "without a barrier between");
}

TEST_CASE("the mirrored tile needs its barrier") {
  const auto mirrored_tile = [](bool synchronized, const global_array<float>& picture) {
    return [=] {
      WARPFOLD_SHARED shared_array<float, 256> tile;
      const unsigned x = threadIdx.x + blockIdx.x * 16, y = threadIdx.y + blockIdx.y * 16;
      tile.store(threadIdx.y * 16 + threadIdx.x, static_cast<float>(x * y));
      if (synchronized) __syncthreads();
      picture.store(y * 64 + x, tile.load((15 - threadIdx.y) * 16 + 15 - threadIdx.x));
    };
  };
  std::vector<float> picture(64 * 64);
  test::emulated_launch on;
  const auto out = on.array(picture);
  const launch_shape shape{{4, 4}, {16, 16}};
  CHECK(on.error_of(shape, mirrored_tile(true, out)) == "");
  CHECK(picture[0] == 15 * 15);
  CHECK(picture[64 * 17 + 20] == 30 * 27);
  CHECK_ERROR(on.error_of(shape, mirrored_tile(false, out)), "of a shared array");
}

TEST_CASE("a shuffle does not order memory") {
  const auto pass_on = [](bool synchronized) {
    return [=] {
      WARPFOLD_SHARED shared_array<unsigned, 32> values;
      values.store(threadIdx.x, 1);
      (void)__shfl_down_sync(0xffffffffu, 1, 1);
      if (synchronized) __syncwarp();
      (void)values.load(31 - threadIdx.x);
    };
  };
  test::emulated_launch on;
  CHECK_ERROR(on.error_of({1, 32}, pass_on(false)), "without a barrier between");
  CHECK(on.error_of({1, 32}, pass_on(true)) == "");
}

TEST_CASE("races are found across different types of access") {
  test::emulated_launch on;
  CHECK_ERROR(on.error_of({1, 32, 128},
                          [] {
                            const auto wide = collective::dynamic_shared<double>(16);
                            const auto narrow = collective::dynamic_shared<float>(32);
                            if (threadIdx.x == 0) wide.store(3, 1.0);
                            if (threadIdx.x == 1) (void)narrow.load(7);
                          }),
              "without a barrier between");
  std::vector<double> numbers(1);
  const auto whole = on.array(numbers);
  CHECK_ERROR(on.error_of({1, 32},
                          [=] {
                            if (threadIdx.x == 0) whole.store(0, 1.0);
                            if (threadIdx.x != 1) return;
                            auto* const halves = reinterpret_cast<float*>(whole.data);
                            (void)global_array<float>{halves, 2}.load(1);
                          }),
              "without a barrier between");
  CHECK_ERROR(on.error_of({1, 32},
                          [=] {
                            auto* const ints = reinterpret_cast<int*>(whole.data);
                            auto* const shorts = reinterpret_cast<short*>(whole.data);
                            if (threadIdx.x == 0) global_array<int>{ints, 1}.store(0, 1);
                            if (threadIdx.x == 1) global_array<short>{shorts, 2}.store(1, 1);
                          }),
              "without a barrier between");
}

TEST_CASE("neighbors of one or two bytes share a word without a race") {
  std::vector<short> shorts(64);
  std::vector<signed char> chars(64);
  test::emulated_launch on;
  const auto two = on.array(shorts);
  const auto of_chars = on.array(chars);
  CHECK(on.error_of({1, 64}, [=] {
    WARPFOLD_SHARED shared_array<signed char, 64> own;
    own.store(threadIdx.x, 1);
    two.store(threadIdx.x, 1);
    of_chars.store(threadIdx.x, own.load(threadIdx.x));
  }) == "");
  CHECK_ERROR(on.error_of({1, 64}, [=] { two.store(threadIdx.x / 2, 1); }),
              "writes what another thread writes");
}

TEST_CASE("bytes of what was words are followed one by one") {
  const auto bytes_after_words = [](bool synchronized) {
    return [=] {
      const auto words = collective::dynamic_shared<int>(8);
      const auto bytes = collective::dynamic_shared<signed char>(32);
      if (threadIdx.x < 8) words.store(threadIdx.x, 1);
      if (synchronized) __syncwarp();
      bytes.store(threadIdx.x, 2);
      __syncwarp();
      (void)bytes.load(31 - threadIdx.x);
    };
  };
  test::emulated_launch on;
  CHECK(on.error_of({1, 32, 32}, bytes_after_words(true)) == "");
  CHECK_ERROR(on.error_of({1, 32, 32}, bytes_after_words(false)),
              "writes what another thread writes, without a barrier between");
}

TEST_CASE("races are not looked for where the launcher says so") {
  test::emulated_launch on;
  on.launcher().let_races_happen();
  CHECK(on.error_of({1, 32}, [] {
    WARPFOLD_SHARED shared_array<unsigned, 2> last;
    (void)last.load(1);
    last.store(0, threadIdx.x);
  }) == "");
}

TEST_CASE("a block barrier orders all threads of a block") {
  block_clocks clocks;
  clocks.start_block(96);
  const auto before = clocks.now(5);
  CHECK(clocks.is_ordered(before, 5));  // a thread's own accesses are in order
  CHECK(!clocks.is_ordered(before, 6));
  CHECK(!clocks.is_ordered(before, 70));
  clocks.pass_block_barrier();
  CHECK(clocks.phase() == 1);
  CHECK(clocks.is_ordered(before, 6));
  CHECK(clocks.is_ordered(before, 70));
  CHECK(!clocks.is_ordered(clocks.now(5), 6));
}

TEST_CASE("a warp barrier orders the lanes of its mask, and what they know of others") {
  block_clocks clocks;
  clocks.start_block(64);
  const auto first = clocks.now(0), other_warp = clocks.now(40);
  clocks.pass_warp_barrier(0, 0x3);  // lanes 0 and 1
  CHECK(clocks.is_ordered(first, 1));
  CHECK(!clocks.is_ordered(first, 2));
  CHECK(!clocks.is_ordered(clocks.now(0), 1));  // after the barrier
  clocks.pass_warp_barrier(0, 0x6);             // lane 1 tells lane 2 what it has learned of lane 0
  CHECK(clocks.is_ordered(first, 2));
  CHECK(!clocks.is_ordered(first, 3));
  clocks.pass_warp_barrier(0, 0xffffffffu);
  CHECK(clocks.is_ordered(first, 31));
  CHECK(!clocks.is_ordered(other_warp, 0));
  // Another block begins anew.
  clocks.start_block(64);
  CHECK(!clocks.is_ordered(clocks.now(0), 1));
}

namespace {

/// One checker and clock, and the complaints about an array of eight ints.
class checked_array {
 public:
  checked_array() {
    clocks.start_block(64);
    checker.start_block();
  }
  /// What is wrong if `thread` accesses element `i`.
  std::string touch(unsigned thread, std::size_t i, access what) {
    std::string complaint;
    checker.touch({values_, 8, 4, 4}, i, 1, what, thread, {"some.cu", static_cast<int>(thread)},
                  clocks, [&](const char* text, const race_checker::mark* other) {
                    complaint = text;
                    if (other != nullptr) complaint += " " + std::to_string(other->at.line);
                  });
    return complaint;
  }
  std::string touch_global(unsigned thread, std::size_t i, access what) {
    std::string complaint;
    checker.touch_global(values_ + i, 4, what, thread, {"some.cu", static_cast<int>(thread)},
                         clocks, [&](const char* text, const race_checker::mark* other) {
                           complaint = text;
                           if (other != nullptr) complaint += " " + std::to_string(other->at.line);
                         });
    return complaint;
  }

  block_clocks clocks;
  race_checker checker;

 private:
  alignas(16) int values_[8] = {};
};

}  // namespace

TEST_CASE("the other access of a race is named") {
  checked_array a;
  CHECK(a.touch(3, 1, access::load) == "reads shared memory that nobody has written");
  CHECK(a.touch(3, 1, access::store) == "");
  CHECK(a.touch(3, 1, access::load) == "");
  CHECK(a.touch(4, 2, access::store) == "");  // another element
  CHECK(a.touch(5, 1, access::load) ==
        "reads what another thread writes, without a barrier between 3");
  a.clocks.pass_block_barrier();
  CHECK(a.touch(5, 1, access::load) == "");
  CHECK(a.touch(6, 1, access::load) == "");  // two that read
  CHECK(a.touch(7, 1, access::store) ==
        "writes what another thread reads, without a barrier between 6");
  a.clocks.pass_block_barrier();
  CHECK(a.touch(7, 1, access::store) == "");
  // The next block has a memory of its own.
  a.checker.start_block();
  a.clocks.start_block(64);
  CHECK(a.touch(8, 1, access::store) == "");
}

TEST_CASE("global memory is followed until the block's first atomic") {
  checked_array a;
  CHECK(a.touch_global(1, 0, access::load) == "");  // it may be the range
  CHECK(a.touch_global(1, 0, access::store) == "");
  CHECK(a.touch_global(2, 0, access::load) ==
        "reads what another thread writes, without a barrier between 1");
  CHECK(a.touch_global(2, 0, access::load_of_range) ==
        "reads what another thread writes, without a barrier between 1");
  CHECK(a.touch_global(3, 5, access::atomic) == "");
  CHECK(a.touch_global(2, 0, access::load) == "");
  a.checker.start_block();
  a.clocks.start_block(64);
  CHECK(a.touch_global(1, 0, access::store) == "");
  CHECK(a.touch_global(2, 0, access::store) ==
        "writes what another thread writes, without a barrier between 1");
}
