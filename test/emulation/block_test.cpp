// emulation::block: the order in which threads run, their indices, blocks of any number of threads,
// and what CUDA leaves undefined: it is an error that says where, and the next launch is sound.
// needs: boost_context
#include <warpfold/emulation/block.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <warpfold/collective/memory_order.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using collective::global_array;
using collective::shared_array;

/// What is wrong with `f`; empty if nothing is.
template <class F>
std::string complaint_of(test::emulated_launch& on, const launch_shape& shape, const F& f) {
  try {
    on.run(shape, f);
  } catch (const emulation_error& e) {
    CHECK(test::has(e.file(), "block_test.cpp"));
    CHECK(e.line() > 0);
    CHECK(e.thread() < shape.block.count());
    // Sound afterwards: no thread, lock or shared memory is left as it was.
    const std::vector<int> values(5000, 3);
    CHECK(wf::reduce(wf::emulated, values) == 15000);
    return e.what();
  }
  return "";
}
template <class F>
std::string complaint_of(const launch_shape& shape, const F& f) {
  test::emulated_launch on;
  return complaint_of(on, shape, f);
}

/// Runs `f` in one block of any number of threads.
template <class F>
void run_block(unsigned threads, const F& f) {
  emulation::launch_state launch;
  launch.launch = {"tested", {1, threads}};
  emulation::block(launch).run(emulation::any_body::of(test::lambda_body<F>{f}), 0);
}

std::vector<unsigned> numbers(unsigned n) {
  std::vector<unsigned> v(n);
  std::iota(v.begin(), v.end(), 0u);
  return v;
}

}  // namespace

TEST_CASE("threads run one after another, each until it must wait") {
  for (const unsigned threads : {1u, 31u, 32u, 33u, 96u, 1024u}) {
    INFO(threads, " threads");
    std::vector<unsigned> first, second, third;
    run_block(threads, [&] {
      first.push_back(threadIdx.x);
      first.push_back(threadIdx.x);
      __syncthreads();
      CHECK(first.size() == 2 * threads);  // all of them were here
      second.push_back(threadIdx.x);
      __syncwarp();
      third.push_back(threadIdx.x);
    });
    CHECK(second == numbers(threads));
    CHECK(third == numbers(threads));
    for (unsigned t = 0; t < threads; ++t) {
      CHECK(first[2 * t] == t);
      CHECK(first[2 * t + 1] == t);
    }
  }
}

TEST_CASE("indices of blocks and threads in three dimensions, x the fastest") {
  std::vector<unsigned> seen(12 * 64);
  std::vector<unsigned> extents(6);
  test::emulated_launch on;
  const auto out = on.array(seen), of = on.array(extents);
  on.run({{3, 2, 2}, {8, 4, 2}}, [=] {
    const unsigned block = blockIdx.x + 3 * (blockIdx.y + 2 * blockIdx.z);
    const unsigned thread = threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z);
    out.store(block * 64 + thread, out.load(block * 64 + thread) + 1);
    if (block != 5 || thread != 0) return;
    const unsigned all[] = {gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z};
    for (unsigned i = 0; i < 6; ++i) of.store(i, all[i]);
  });
  CHECK(seen == std::vector<unsigned>(12 * 64, 1));
  CHECK(extents == std::vector<unsigned>{3, 2, 2, 8, 4, 2});
}

TEST_CASE("the indices of the host are as before a launch") {
  index3* const indices[] = {&threadIdx, &blockIdx, &blockDim, &gridDim};
  for (unsigned i = 0; i < 4; ++i) *indices[i] = {10 * i + 7, 10 * i + 8, 10 * i + 9};
  run_block(64, [] { __syncthreads(); });
  for (unsigned i = 0; i < 4; ++i) {
    CHECK(indices[i]->x == 10 * i + 7);
    CHECK(indices[i]->y == 10 * i + 8);
    CHECK(indices[i]->z == 10 * i + 9);
    *indices[i] = {};
  }
  CHECK(emulation::current_thread == nullptr);
}

TEST_CASE("lanes beyond the end of a block are not waited for") {
  for (const unsigned threads : {1u, 31u, 33u, 40u}) {
    INFO(threads, " threads");
    std::vector<int> sums(threads);
    run_block(threads, [&] {
      sums[threadIdx.x] = static_cast<int>(__reduce_add_sync(0xffffffffu, 1u));
      __syncwarp();
      CHECK(__any_sync(0xffffffffu, threadIdx.x % 32 == 0) != 0);
    });
    for (unsigned t = 0; t < threads; ++t) {
      CHECK(sums[t] == static_cast<int>(std::min(32u, threads - t / 32 * 32)));
    }
  }
}

TEST_CASE("a barrier with a vote is true in all threads if it is in each") {
  for (const unsigned odd : {0u, 40u, 95u, 96u}) {
    std::vector<int> votes(96);
    run_block(96, [&] { votes[threadIdx.x] = __syncthreads_and(threadIdx.x != odd); });
    CHECK(votes == std::vector<int>(96, odd == 96));
  }
}

TEST_CASE("a barrier must be reached by all threads of the block, and be the same one") {
  const auto in_a_branch = [] {
    WARPFOLD_SHARED shared_array<int, 64> values;
    values.store(threadIdx.x, 1);
    __syncthreads();
    for (unsigned width = 32; width > 0; width /= 2) {
      if (threadIdx.x < width) {
        values.store(threadIdx.x, values.load(threadIdx.x) + values.load(threadIdx.x + width));
        __syncthreads();
      }
    }
  };
  CHECK_ERROR(complaint_of({1, 64}, in_a_branch),
              "waits at a barrier that not all threads reach: thread 32 has returned");
  const auto two_barriers = [] {
    if (threadIdx.x < 32) {
      __syncthreads();
    } else {
      __syncthreads();
    }
  };
  CHECK_ERROR(complaint_of({1, 64}, two_barriers),
              "thread 32 waits at a barrier that not all threads reach: thread 0 waits at "
              "block_test.cpp:");
  // The same one, for different numbers of rounds.
  CHECK_ERROR(complaint_of({1, 64},
                           [] {
                             for (unsigned i = 0; i <= threadIdx.x / 32; ++i) __syncthreads();
                           }),
              "thread 32 waits at a barrier that not all threads reach: thread 0 has returned");
}

TEST_CASE("all lanes in a mask must come") {
  CHECK_ERROR(complaint_of({1, 64},
                           [] {
                             if (threadIdx.x % 2 == 0) (void)__shfl_down_sync(~0u, 1.0f, 1);
                           }),
              "waits at a shuffle with an inactive lane in its mask: lane 1 has returned");
  CHECK_ERROR(complaint_of({1, 64},
                           [] {
                             if (threadIdx.x != 7) (void)__ballot_sync(~0u, 1);
                           }),
              "waits at a vote with an inactive lane in its mask: lane 7 has returned");
  CHECK_ERROR(complaint_of({1, 32},
                           [] {
                             if (threadIdx.x != 3) (void)__reduce_add_sync(~0u, 1u);
                           }),
              "waits at a reduction by its warp with an inactive lane in its mask: lane 3");
  CHECK_ERROR(complaint_of({1, 32},
                           [] {
                             if (threadIdx.x != 3) __syncwarp();
                           }),
              "waits at __syncwarp with an inactive lane in its mask: lane 3 has returned");
  CHECK_ERROR(complaint_of({1, 32},
                           [] {
                             if (threadIdx.x < 16) (void)__shfl_xor_sync(~0u, 1, 1);
                             __syncthreads();
                           }),
              "in its mask: lane 16 waits at block_test.cpp:");
  CHECK_ERROR(complaint_of({1, 32}, [] { __syncwarp(0xfffffffeu); }),
              "thread 0 is not in the mask, 0xfffffffe, that it passes");
  CHECK_ERROR(complaint_of({1, 32},
                           [] {
                             if (threadIdx.x < 16) (void)__shfl_sync(0xffffu, 1, 20);
                           }),
              "takes a value from lane 20, which is not in the mask");
}

TEST_CASE("lanes meet at one operation, on values of one size") {
  CHECK_ERROR(complaint_of({1, 32},
                           [] {
                             if (threadIdx.x < 16) {
                               (void)__shfl_down_sync(~0u, 1, 1);
                             } else {
                               (void)__shfl_up_sync(~0u, 1, 1);
                             }
                           }),
              "waits at a shuffle with an inactive lane");
  CHECK_ERROR(complaint_of({1, 32},
                           [] {
                             if (threadIdx.x < 16) {
                               (void)__shfl_down_sync(~0u, 1, 1);
                             } else {
                               (void)__shfl_down_sync(~0u, 1.0, 1);
                             }
                           }),
              "waits at a shuffle with an inactive lane");
  CHECK_ERROR(complaint_of({1, 32},
                           [] {
                             if (threadIdx.x < 16) {
                               (void)__reduce_min_sync(~0u, 1u);
                             } else {
                               (void)__reduce_max_sync(~0u, 1u);
                             }
                           }),
              "waits at a reduction by its warp with an inactive lane");
}

TEST_CASE("a part of a warp may synchronize alone") {
  std::vector<int> results(1);
  test::emulated_launch on;
  const auto out = on.array(results);
  CHECK(complaint_of(on, {1, 32}, [=] {
          if (threadIdx.x >= 16) return;
          int x = static_cast<int>(threadIdx.x);
          for (unsigned delta = 8; delta > 0; delta /= 2) {
            x += __shfl_down_sync(0xffffu, x, delta, 16);
          }
          if (threadIdx.x == 0) out.store(0, x);
        }) == "");
  CHECK(results[0] == 120);
}

TEST_CASE("accesses must be to memory of the launch, and aligned") {
  std::vector<int> a(100);
  test::emulated_launch on;
  on.array(a);
  const global_array<int> too_long{a.data(), 128};
  CHECK_ERROR(complaint_of(on, {4, 32}, [=] { too_long.store(threadIdx.x + blockIdx.x * 32, 1); }),
              "block 3, thread 4 writes 4 bytes");
  const auto load_word = [data = a.data()](unsigned first) {
    return [=] { (void)global_loads(caching::keep).load_word(data + first); };
  };
  CHECK(complaint_of(on, {1, 32}, load_word(4)) == "");
  CHECK_ERROR(complaint_of(on, {1, 32}, load_word(5)), "which must be a multiple of 16");
}

TEST_CASE("loads of a range that hides its memory are allowed; other accesses are not") {
  std::vector<int> a(32);
  test::emulated_launch on;
  const auto load_word = [data = a.data()] { (void)global_loads(caching::keep).load_word(data); };
  const auto load = [=, all = global_array<int>{a.data(), 32}] { (void)all.load(0); };
  CHECK_ERROR(complaint_of(on, {1, 32}, load_word), "outside every array of the launch");
  on.launcher().allow_all_loads();
  CHECK(complaint_of(on, {1, 32}, load_word) == "");
  CHECK_ERROR(complaint_of(on, {1, 32}, load), "outside every array of the launch");
}

TEST_CASE("a kernel must not write the range") {
  const std::vector<int> a(64);
  test::emulated_launch on;
  const global_array<int> array{const_cast<int*>(on.read_only(a)), 64};
  CHECK(complaint_of(on, {2, 32}, [=] { (void)array.load(threadIdx.x); }) == "");
  CHECK_ERROR(complaint_of(on, {2, 32}, [=] { array.store(threadIdx.x + blockIdx.x * 32, 1); }),
              "writes 4 bytes of the range");
  CHECK_ERROR(complaint_of(on, {2, 32}, [=] { array.store(threadIdx.x, 1); }),
              "which is only read");
}

TEST_CASE("ranges may overlap, and the output may lie inside one") {
  std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto product = [](const auto& p) { return wf::get<0>(p) * wf::get<1>(p); };
  const std::span<const float> first(a.data(), 6), second(a.data() + 4, 6);
  CHECK(wf::reduce(wf::emulated, wf::project(wf::zip(first, second), product)) ==
        wf::reduce(wf::seq, wf::project(wf::zip(first, second), product)));
  wf::reduce_async(wf::emulated, std::span<const float>(a), wf::plus{}, a.data() + 3);
  CHECK(a[3] == 55);
}

TEST_CASE("an exception of the op ends the launch, also while other threads wait") {
  std::vector<int> values(1 << 20);
  std::iota(values.begin(), values.end(), 0);
  for (const int bad : {0, 77777, (1 << 20) - 1}) {
    const auto refuse = [bad](int x) -> long long {
      if (x == bad) throw std::string("refused");
      return x;
    };
    CHECK_THROWS_AS((void)wf::reduce(wf::emulated, wf::project(values, refuse)), std::string);
    CHECK(wf::reduce(wf::emulated, values) == (std::int64_t{1} << 19) * ((1 << 20) - 1));
  }
}

TEST_CASE("a block that waits for another ends when that one fails") {
  std::vector<collective::post> none(1);
  std::atomic<bool> waits = false;
  test::emulated_launch on;
  on.array(none);
  const auto never_posted = [&waits, posts = none.data()] {
    if (blockIdx.x == 0) {
      // Where one host thread runs all blocks, the second has not begun.
      for (int i = 0; i < 100 && !waits.load(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      (void)collective::dynamic_shared<int>(256);
    }
    waits.store(true);
    collective::post read[1];
    collective::await_posts(posts, read, [](const collective::post& p, int) { return p.high; });
  };
  CHECK_ERROR(complaint_of(on, {16, 32}, never_posted),
              "takes 1024 bytes of dynamic shared memory, and the launch has 0");
}

namespace {

/// Launches itself, so many times.
struct nested {
  int depth;
  void operator()() const {
    if (depth == 0) return;
    emulation::launch_state launch;
    launch.launch = {"nested", {1, 32}};
    emulation::block(launch).run(emulation::any_body::of(nested{depth - 1}), 0);
  }
};

}  // namespace

TEST_CASE("a kernel cannot be launched by a thread of itself, but by one of another kernel") {
  const auto launch_nested = [](int depth) { return [=] { nested{depth}(); }; };
  CHECK_NOTHROW(run_block(32, launch_nested(1)));
  CHECK_THROWS_WITH_AS(run_block(32, launch_nested(2)),
                       "warpfold: kernel nested was launched by a thread of the same kernel on the "
                       "same types; the emulation cannot nest those",
                       unsupported_kernel);
  CHECK_NOTHROW(run_block(32, launch_nested(1)));
}

namespace {

struct delivers_nothing {
  static constexpr const char* name() { return "delivers_nothing"; }
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction&, const collective::result_sink<Out>&, Launcher&) const {}
};
struct scratch_twice {
  static constexpr const char* name() { return "scratch_twice"; }
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction&, const collective::result_sink<Out>&, Launcher& on) const {
    (void)on.template scratch<int>(1);
    (void)on.template scratch<int>(1);
  }
};

}  // namespace

TEST_CASE("shapes that no GPU takes, and kernels that do not do what they must") {
  test::emulated_launch on;
  const auto nothing = [] {};
  CHECK_THROWS_AS(on.run({{65536, 65536}, 32}, nothing), unsupported_kernel);
  CHECK_THROWS_AS(on.run({1, 32, 1 << 20}, nothing), unsupported_kernel);
  CHECK_NOTHROW(on.run({{100, 2, 2}, {8, 2, 2}}, nothing));
  const std::vector<int> values(10, 1);
  CHECK_THROWS_AS((void)wf::reduce(wf::emulated.with_kernel(delivers_nothing{}), values), error);
  CHECK_THROWS_AS((void)wf::reduce(wf::emulated.with_kernel(scratch_twice{}), values), error);
  CHECK(wf::reduce(wf::emulated, values) == 10);
}
