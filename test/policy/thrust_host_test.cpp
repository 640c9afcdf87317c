// Thrust's host systems under the contract of policies.
// needs: cccl
// flags: -O1
#include <warpfold/policy/thrust_host.hpp>

#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory {
  static auto policy() { return Policy{}; }
  static constexpr bool repeatable = false;
};

using seq = fixture<std::remove_const_t<decltype(wf::baseline::thrust_seq)>>;
using some = std::tuple<signed char, int, float>;
// Each call starts and stops threads, which takes milliseconds on machines with few cores.
using few = std::tuple<int, float>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<seq, some>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<seq, some>);
TEST_CASE_TEMPLATE_INVOKE(rounding, test::subject<seq, float>);
TEST_CASE_TEMPLATE_INVOKE(signs_and_nans, test::subject<seq, double>);
TEST_CASE_TEMPLATE_INVOKE(forms, seq);
TEST_CASE_TEMPLATE_INVOKE(asynchronous, seq);
TEST_CASE_TEMPLATE_INVOKE(empty_ranges, seq);
TEST_CASE_TEMPLATE_INVOKE(bad_ranges, seq);
TEST_CASE_TEMPLATE_INVOKE(user_ops, seq);
TEST_CASE_TEMPLATE_INVOKE(views, seq);

#if defined(_OPENMP)
using omp = fixture<std::remove_const_t<decltype(wf::baseline::thrust_omp)>>;
TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<omp, few>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<omp, few>);
TEST_CASE_TEMPLATE_INVOKE(rounding, test::subject<omp, float>);
TEST_CASE_TEMPLATE_INVOKE(empty_ranges, omp);
TEST_CASE_TEMPLATE_INVOKE(bad_ranges, omp);
TEST_CASE_TEMPLATE_INVOKE(user_ops, omp);
TEST_CASE_TEMPLATE_INVOKE(views, omp);
#endif

#if __has_include(<tbb/parallel_reduce.h>)
using tbb_system = fixture<std::remove_const_t<decltype(wf::baseline::thrust_tbb)>>;
TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<tbb_system, some>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<tbb_system, some>);
TEST_CASE_TEMPLATE_INVOKE(rounding, test::subject<tbb_system, float>);
TEST_CASE_TEMPLATE_INVOKE(empty_ranges, tbb_system);
TEST_CASE_TEMPLATE_INVOKE(bad_ranges, tbb_system);
TEST_CASE_TEMPLATE_INVOKE(user_ops, tbb_system);
TEST_CASE_TEMPLATE_INVOKE(views, tbb_system);
#endif

TEST_CASE("Thrust's policies reject a null output") {
  const std::vector<int> values(10, 1);
  long long* const nowhere = nullptr;
  test::check_throws<wf::invalid_range>(
      [&] { wf::reduce_async(wf::baseline::thrust_seq, values, wf::plus{}, nowhere); },
      "the output");
}
