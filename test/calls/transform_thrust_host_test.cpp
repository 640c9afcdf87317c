// transform and copy with Thrust's host systems.
// needs: cccl
// flags: -fopenmp
// (Compiled by the compiler of the build: the OpenMP of Clang needs another library.)
#include <warpfold/policy/thrust_host.hpp>

#include "contract/transform_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return Policy{}; }
};
using seq = fixture<std::remove_const_t<decltype(wf::baseline::thrust_seq)>>;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(transformed, test::conversion<seq, char, int>);
TEST_CASE_TEMPLATE_INVOKE(transformed_views, seq);
TEST_CASE_TEMPLATE_INVOKE(transformed_forms, seq);
TEST_CASE_TEMPLATE_INVOKE(bad_transformations, seq);

#if defined(_OPENMP)
// Each call starts and stops threads, which takes milliseconds on machines with few cores.
using omp = fixture<std::remove_const_t<decltype(wf::baseline::thrust_omp)>>;
TEST_CASE_TEMPLATE_INVOKE(transformed_forms, omp);
#endif

#if __has_include(<tbb/parallel_reduce.h>)
using tbb_system = fixture<std::remove_const_t<decltype(wf::baseline::thrust_tbb)>>;
TEST_CASE_TEMPLATE_INVOKE(transformed_views, tbb_system);
TEST_CASE_TEMPLATE_INVOKE(transformed_forms, tbb_system);
#endif
