// wf::par: the contract of policies, and bits that do not depend on the number of threads.
// needs: tbb
// slow: runs for seconds
#include <warpfold/explain.hpp>
#include <warpfold/policy/left_to_right.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::par; }
};

constexpr std::size_t lengths[] = {wf::par_policy::min_part, wf::par_policy::min_part + 1, 1000003};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<fixture, test::numbers>);
TEST_CASE_TEMPLATE_APPLY(products, test::subjects<fixture, test::numbers>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<fixture, test::numbers>);
TEST_CASE_TEMPLATE_APPLY(bits, test::subjects<fixture, test::integers>);
TEST_CASE_TEMPLATE_APPLY(logic, test::subjects<fixture, test::numbers>);
TEST_CASE_TEMPLATE_APPLY(rounding, test::subjects<fixture, test::floats>);
TEST_CASE_TEMPLATE_APPLY(repeated_runs, test::subjects<fixture, test::floats>);
TEST_CASE_TEMPLATE_APPLY(signs_and_nans, test::subjects<fixture, test::floats>);
TEST_CASE_TEMPLATE_INVOKE(forms, fixture);
TEST_CASE_TEMPLATE_INVOKE(asynchronous, fixture);
TEST_CASE_TEMPLATE_INVOKE(empty_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(bad_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(user_ops, fixture);
TEST_CASE_TEMPLATE_INVOKE(views, fixture);
TEST_CASE_TEMPLATE_INVOKE(exceptions, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_elements, fixture);

TEST_CASE("par gives the same bits with any number of threads and at any address") {
  const auto values = test::real_data<float>(1000003);
  for (const std::size_t n : lengths) {
    float first = 0;
    for (const int threads : {1, 2, 3, 7, 16}) {
      const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 16);
      tbb::task_arena arena(threads);
      for (const std::size_t offset : {0, 4, 12}) {
        const fixture::array<float> placed(values, offset);
        const float sum = arena.execute(
            [&] { return wf::reduce(wf::par, test::range_of<fixture, float>(placed, n)); });
        if (threads == 1 && offset == 0) first = sum;
        INFO(n, " elements, ", threads, " threads, offset ", offset);
        CHECK(test::same_bits(sum, first));
      }
    }
  }
}

TEST_CASE("par stays on the caller's thread where the range is short, and only there") {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 4);
  const auto leaves_caller = [](std::size_t n) {
    const std::vector<int> ones(n, 1);
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> left = false;
    int calls = 0;  // of the caller's
    const auto op = [&](int a, int b) {
      if (std::this_thread::get_id() != caller) {
        left.store(true, std::memory_order_relaxed);
      } else if (++calls % 1024 == 0 && !left.load(std::memory_order_relaxed)) {
        // The caller sleeps at intervals, so that the other threads of a busy machine can start.
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
      return a + b;
    };
    tbb::task_arena arena(4);
    arena.execute([&] {
      for (int run = 0; run < 50 && !left; ++run) (void)wf::reduce(wf::par, ones, op);
    });
    return left.load();
  };
  CHECK_FALSE(leaves_caller(wf::par_policy::min_part));
  CHECK(leaves_caller(1000003));
}

TEST_CASE("par takes the threads of the arena, or fewer if a global_control limits them") {
  const tbb::global_control four(tbb::global_control::max_allowed_parallelism, 4);
  tbb::task_arena arena(4), one(1);
  const std::vector<int> ones(1000003, 1);
  const auto threads = [&] { return wf::explain(wf::par, ones).threads; };
  CHECK(arena.execute(threads) == 4);
  CHECK(one.execute(threads) == 1);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
  CHECK(arena.execute(threads) == 1);
  const std::vector<int> offsets{0, 500000, 1000003};
  std::vector<int> out(2);
  arena.execute([&] { wf::reduce_segments(wf::par, ones, offsets, wf::plus{}, out); });
  CHECK(out == std::vector<int>{500000, 500003});
}

TEST_CASE("par from many threads at once") {
  const auto values = test::whole_data<wf::plus, int>(200001);
  const long long sum = wf::reduce(wf::seq, values);
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) wrong += wf::reduce(wf::par, values) != sum;
      });
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("par rounds less than a plain loop") {
  const std::vector<float> tenths(10000000, 0.1f);
  const double want = 0.1f * 1e7;
  CHECK(std::fabs(wf::reduce(wf::par, tenths) - want) < 1e-5 * want);
  CHECK(std::fabs(wf::reduce(wf::baseline::left_to_right, tenths) - want) > 1e-3 * want);
}

TEST_CASE("the bits of seq, for sizes around those of parts") {
  using sum = wf::reduction<wf::contiguous_view<const float>, wf::plus>;
  constexpr std::size_t part = wf::par_policy::min_part_of<sum>;
  static_assert(part * sizeof(float) == wf::par_policy::min_part_bytes);
  const auto values = test::real_data<float>(5 * part);
  const auto twice = [](float x) { return 2 * x; };
  using view = wf::transform_view<wf::contiguous_view<const float>, decltype(twice)>;
  static_assert(wf::par_policy::min_part_of<wf::reduction<view, wf::plus>> ==
                wf::par_policy::min_part);
  for (const std::size_t n : {part, 2 * part, 2 * part + 1, 3 * part - 1, 4 * part, 5 * part}) {
    const std::span<const float> range(values.data(), n);
    CHECK(test::same_bits(wf::reduce(wf::par, range), wf::reduce(wf::seq, range)));
    CHECK(test::same_bits(wf::variance(wf::par, range), wf::variance(wf::seq, range)));
    const auto doubled = wf::project(range, twice);
    CHECK(test::same_bits(wf::reduce(wf::par, doubled), wf::reduce(wf::seq, doubled)));
  }
}

TEST_CASE("an exception of the op reaches the caller, wherever the op throws") {
  const std::vector<int> values(700000, 1);
  for (const int last : {5, 400000, 699997, 699998, 699999}) {
    std::atomic<int> calls{0};
    const auto add = [&](int a, int b) {
      if (++calls == last) throw std::runtime_error("op");
      return a + b;
    };
    CHECK_THROWS_AS(wf::reduce(wf::par, values, add), std::runtime_error);
  }
}

TEST_CASE("par rejects a null output") {
  const std::vector<int> values(10, 1);
  long long* const nowhere = nullptr;
  test::check_throws<wf::invalid_range>(
      [&] { wf::reduce_async(wf::par, values, wf::plus{}, nowhere); }, "the output");
}
