// wf::par beside the policies' contract: other threads take part, and folds along an axis in pieces
// write only their results.
// needs: tbb cccl
#include <warpfold/policy/par.hpp>

#include <atomic>
#include <chrono>
#include <span>
#include <thread>
#include <vector>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <doctest/doctest.h>

#include <warpfold/reduce_axis.hpp>
#include <warpfold/transform.hpp>

#include "policy/small_ints.hpp"

namespace wf = warpfold;

namespace {

/// Whether other threads than the caller's take part, in one of a few tries: `call(visit)` visits
/// elements.
template <class Call>
bool leaves_caller(const Call& call) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 4);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> left = false;
  std::atomic<int> calls = 0;
  const auto visit = [&] {
    if (left.load(std::memory_order_relaxed)) return;
    if (std::this_thread::get_id() != caller) {
      left.store(true, std::memory_order_relaxed);
    } else if (calls.fetch_add(1, std::memory_order_relaxed) % 1024 == 0) {
      // Now and then the caller makes room, for the other threads of a busy machine to come.
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  };
  tbb::task_arena arena(4);
  arena.execute([&] {
    for (int run = 0; run < 50 && !left; ++run) call(visit);
  });
  return left.load();
}

}  // namespace

TEST_CASE("folds a long row in pieces, and writes only its result") {
  for (const std::size_t n : {16384u, 32768u, 40000u, 49152u}) {
    INFO("a row of ", n);
    const auto values = test::small_ints(n);
    long long sum = 0;
    for (const int x : values) sum += x;
    std::vector<long long> out(3, -77);
    wf::reduce_axis<1>(wf::par, test::int_matrix(values.data(), 1, n), wf::plus{},
                       std::span(out).first(1));
    CHECK(out == std::vector<long long>{sum, -77, -77});
  }
}

TEST_CASE("transforms long ranges on other threads") {
  const std::vector<int> values(1'000'003, 1);
  std::vector<int> out(values.size());
  CHECK(leaves_caller([&](const auto& visit) {
    wf::transform(wf::par, values, out, [&](int x) {
      visit();
      return x;
    });
  }));
}

TEST_CASE("folds many rows on other threads, and each row once") {
  const auto values = test::small_ints(1000 * 1000);
  std::vector<int> out(1000);
  CHECK(leaves_caller([&](const auto& visit) {
    wf::reduce_axis<1>(
        wf::par, test::int_matrix(values.data(), 1000, 1000),
        [&](int a, int b) {
          visit();
          return a + b;
        },
        out);
  }));

  std::atomic<int> calls = 0;
  wf::reduce_axis<1>(
      wf::par, test::int_matrix(values.data(), 10, 100),
      [&](int a, int b) {
        ++calls;
        return a + b;
      },
      std::span(out).first(10));
  CHECK(calls <= 1000);
}
