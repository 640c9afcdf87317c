// The declared order of moments in the emulation and on host threads.
// needs: tbb boost_context cccl
// slow: runs for seconds
#include "contract/statistics_order_contract.hpp"

#include <oneapi/tbb/task_arena.h>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/statistics.hpp>

#include "contract/policy_contract.hpp"

namespace {

struct emulated : test::host_memory {
  static auto policy() { return wf::emulated; }
};
struct threads : test::host_memory {
  static auto policy() { return wf::par; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(statistics_order_of_ranges, emulated, threads);
TEST_CASE_TEMPLATE_INVOKE(statistics_order_of_views, emulated, threads);
TEST_CASE_TEMPLATE_INVOKE(statistics_order_of_groups, emulated, threads);
TEST_CASE_TEMPLATE_INVOKE(statistics_of_complex_numbers, emulated, threads);

TEST_CASE("statistics have the same bits by any number of threads, and in the emulation") {
  const auto check = [](const std::vector<float>& v, const auto& call) {
    const float expected = call(wf::seq, v);
    CHECK(test::same_bits(call(wf::emulated, v), expected));
    for (const int count : {1, 3}) {
      tbb::task_arena arena(count);
      arena.execute([&] { CHECK(test::same_bits(call(wf::par, v), expected)); });
    }
  };
  for (const std::size_t n : {4u, 100u, 4097u, 300'001u}) {
    INFO(n, " elements");
    const auto v = test::statistics_elements<float>(n);
    check(v, [](const auto& policy, const auto& x) { return wf::mean(policy, x); });
    check(v, [](const auto& policy, const auto& x) { return wf::variance(policy, x); });
    check(v, [](const auto& policy, const auto& x) { return wf::stddev(policy, x); });
    check(v, [](const auto& policy, const auto& x) { return wf::skewness(policy, x); });
    check(v, [](const auto& policy, const auto& x) { return wf::kurtosis(policy, x); });
  }
}
