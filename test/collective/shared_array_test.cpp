// shared_array, shared_span and dynamic_shared: elements are where they were stored, for every
// thread of the block behind a barrier; runs of elements; and the errors that the emulation finds.
// needs: boost_context
#include <warpfold/collective/shared_array.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "contract/emulated_launch.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;
using emulation::traffic;

/// Without a default constructor and an assignment.
struct number {
  explicit number(double y) : x(y) {}
  number(const number&) = default;
  number& operator=(const number&) = delete;
  double x;
};
struct alignas(64) line {
  int x;
};

}  // namespace

TEST_CASE("each thread of a block reads what another has stored") {
  for (const unsigned threads : {32u, 96u, 1024u}) {
    INFO(threads, " threads");
    std::vector<double> results(threads);
    test::emulated_launch on;
    const auto out = on.array(results);
    on.run({3, threads}, [=] {
      WARPFOLD_SHARED shared_array<number, 1024> values;
      const unsigned t = threadIdx.x;
      values.store(t, number(t * 0.5 + blockIdx.x));
      __syncthreads();
      const double x = values.load(threads - 1 - t).x - blockIdx.x;
      if (blockIdx.x == 2) out.store(t, x);
    });
    for (unsigned t = 0; t < threads; ++t) CHECK(results[t] == (threads - 1 - t) * 0.5);
  }
}

TEST_CASE("an array is aligned for words, or as its elements are") {
  static_assert(alignof(shared_array<char, 3>) == 16);
  static_assert(alignof(shared_array<double, 3>) == 16);
  static_assert(alignof(shared_array<line, 3>) == 64);
  static_assert(sizeof(shared_array<float, 8>) == 32);
}

TEST_CASE("a run of elements is one load") {
  std::vector<float> results(32);
  test::emulated_launch on;
  const auto out = on.array(results);
  const auto& counts = on.run({1, 32}, [=] {
    WARPFOLD_SHARED shared_array<float, 35> values;
    for (unsigned i = threadIdx.x; i < 35; i += 32) values.store(i, static_cast<float>(i));
    __syncthreads();
    const shared_span<float> all = values;
    CHECK(all.size() == 35);
    const auto run = all.load_run<4>(threadIdx.x);
    out.store(threadIdx.x, run(0) + 10 * run(1) + 100 * run(3));
  });
  for (unsigned t = 0; t < 32; ++t) {
    const auto x = static_cast<float>(t);
    CHECK(results[t] == x + 10 * (x + 1) + 100 * (x + 3));
  }
  const auto loads = counts.total(traffic::shared_load);
  CHECK(loads.requests == 1);
  CHECK(loads.bytes_used == 32 * 16);
}

TEST_CASE("dynamic shared memory is one memory, as large as the launch's") {
  std::vector<double> results(64);
  test::emulated_launch on;
  const auto out = on.array(results);
  on.run({1, 64, 64 * sizeof(double)}, [=] {
    const auto values = dynamic_shared<double>(64);
    values.store(threadIdx.x, threadIdx.x * 1.5);
    __syncthreads();
    out.store(threadIdx.x, dynamic_shared<double>(64).load(63 - threadIdx.x));
  });
  for (unsigned t = 0; t < 64; ++t) CHECK(results[t] == (63 - t) * 1.5);
  const auto taking = [](unsigned n) { return [=] { (void)dynamic_shared<double>(n); }; };
  CHECK_ERROR(on.error_of({1, 32, 255}, taking(32)),
              "takes 256 bytes of dynamic shared memory, and the launch has 255 "
              "(shared_array_test.cpp:");
  CHECK(on.error_of({1, 32, 256}, taking(32)) == "");
}

TEST_CASE("accesses beyond the end, before a barrier and of unwritten elements are errors") {
  test::emulated_launch on;
  CHECK_ERROR(on.error_of({1, 32},
                          [] {
                            WARPFOLD_SHARED shared_array<int, 32> values;
                            values.store(threadIdx.x + 1, 1);
                          }),
              "thread 31 writes element 32 of a shared array that has 32");
  CHECK_ERROR(on.error_of({1, 32},
                          [] {
                            WARPFOLD_SHARED shared_array<int, 32> values;
                            values.store(threadIdx.x, 1);
                            __syncthreads();
                            const shared_span<int> all = values;
                            if (threadIdx.x == 7) (void)all.load_run<4>(29);
                          }),
              "thread 7 reads element 32 of a shared array that has 32");
  CHECK_ERROR(on.error_of({1, 64},
                          [] {
                            WARPFOLD_SHARED shared_array<int, 64> values;
                            values.store(threadIdx.x, 1);
                            (void)values.load(threadIdx.x & ~1u);
                          }),
              "reads what another thread writes, without a barrier between");
  CHECK_ERROR(on.error_of({1, 32},
                          [] {
                            WARPFOLD_SHARED shared_array<int, 32> values;
                            if (threadIdx.x < 31) values.store(threadIdx.x, 1);
                            __syncthreads();
                            (void)values.load(threadIdx.x);
                          }),
              "thread 31 reads shared memory that nobody has written");
}

TEST_CASE("a block does not see what the one before it has stored") {
  test::emulated_launch on;
  const auto error = on.error_of({2, 32}, [] {
    WARPFOLD_SHARED shared_array<int, 32> values;
    if (blockIdx.x == 0) values.store(threadIdx.x, 1);
    __syncthreads();
    if (blockIdx.x == 1) (void)values.load(threadIdx.x);
  });
  CHECK_ERROR(error, "block 1, thread 0 reads shared memory that nobody has written");
}

TEST_CASE("atomic updates by all threads of a block") {
  test::emulated_launch on;
  std::vector<unsigned> result(2);
  const auto out = on.array(result);
  on.run({1, 64}, [=] {
    WARPFOLD_SHARED shared_array<unsigned, 2> values;
    if (threadIdx.x < 2) values.store(threadIdx.x, 5);
    __syncthreads();
    const shared_span<unsigned> all = values;
    shared_counters(all, 0, 1).increment(0);
    all.raise(1, threadIdx.x * 7 % 64);
    __syncthreads();
    if (threadIdx.x < 2) out.store(threadIdx.x, values.load(threadIdx.x));
  });
  CHECK(result == std::vector<unsigned>{69, 63});
}
