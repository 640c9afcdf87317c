// wf::par: the contract of policies, and bits that do not depend on the number of threads.
// needs: tbb
#include <warpfold/policy/par.hpp>

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
  CHECK(std::fabs(wf::reduce(wf::seq, tenths) - want) > 1e-3 * want);
}

TEST_CASE("par halves no part of up to min_part elements, nor a range that one thread folds") {
  using sum = wf::reduction<wf::contiguous_view<const float>, wf::plus>;
  constexpr std::size_t part = wf::par_policy::min_part_of<sum>;
  static_assert(part * sizeof(float) == wf::par_policy::min_part_bytes);
  const auto values = test::real_data<float>(4 * part);
  const std::span<const float> all(values);
  const auto folded = [](std::span<const float> part_of_all) {
    return wf::reduce(wf::par, part_of_all);
  };
  const auto halves = [&](std::span<const float> whole) {
    const std::size_t half = whole.size() / 2;
    return folded(whole.first(half)) + folded(whole.last(half));
  };
  const auto two = all.first(2 * part - 1000);  // half of it is no multiple of a run
  CHECK(test::same_bits(folded(two),
                        wf::host::interleaved_fold(sum{wf::as_view(two), {}, {}}, 0, two.size())));
  CHECK_FALSE(test::same_bits(folded(two), halves(two)));
  const float left = halves(all.first(2 * part)), right = halves(all.last(2 * part));
  CHECK(test::same_bits(folded(all), left + right));
}

TEST_CASE("par takes shorter parts of what a function of the caller's computes") {
  const auto twice = [](float x) { return 2 * x; };
  using view = wf::transform_view<wf::contiguous_view<const float>, decltype(twice)>;
  constexpr std::size_t part = wf::par_policy::min_part;
  static_assert(wf::par_policy::min_part_of<wf::reduction<view, wf::plus>> == part);
  const auto values = test::real_data<float>(2 * part);
  const std::span<const float> all(values);
  const auto folded = [&](std::span<const float> part_of_all) {
    return wf::reduce(wf::par, wf::project(part_of_all, twice));
  };
  const float left = folded(all.first(part)), right = folded(all.last(part));
  CHECK(test::same_bits(folded(all), left + right));
}

TEST_CASE("par rejects a null output") {
  const std::vector<int> values(10, 1);
  long long* const nowhere = nullptr;
  test::check_throws<wf::invalid_range>(
      [&] { wf::reduce_async(wf::par, values, wf::plus{}, nowhere); }, "the output");
}
