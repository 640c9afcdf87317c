// Named reductions on the GPU with wf::device and with CUB.
#include <thrust/complex.h>

#include <cuda/std/complex>

#include <warpfold/policy/cub.hpp>

#include "contract/device_memory.hpp"
#include "contract/everyday_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::device_memory {
  static auto policy() { return Policy{}; }
};
using device_fixture = fixture<wf::device_policy<>>;
using cub_fixture = fixture<wf::baseline::cub_policy>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(everyday_extrema, test::everyday_numbers<device_fixture>);
TEST_CASE_TEMPLATE_INVOKE(everyday_extrema, test::everyday<cub_fixture, float>);
TEST_CASE_TEMPLATE_INVOKE(everyday_nan, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_compensated, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_compensated_products, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_counts, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_products, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_norms, device_fixture);
// The complex types of the standard library (whose members only the host can call), CCCL and
// Thrust.
TEST_CASE_TEMPLATE_APPLY(everyday_complex_norms, test::everyday_complex<device_fixture>);
TEST_CASE_TEMPLATE_APPLY(everyday_complex_norms,
                         test::everyday_complex<device_fixture, cuda::std::complex>);
TEST_CASE_TEMPLATE_APPLY(everyday_complex_norms,
                         test::everyday_complex<device_fixture, thrust::complex>);
TEST_CASE_TEMPLATE_INVOKE(everyday_statistics, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_numpy, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_forms, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_projected, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_arg_of_class, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_fused, device_fixture);
