// wf::device on floating-point numbers (also 16-bit ones), small vectors and complex numbers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cuda/std/complex>

#include "contract/device_memory.hpp"
#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

using scalars = std::tuple<float, double, __half, __nv_bfloat16>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<fixture, scalars>);
TEST_CASE_TEMPLATE_APPLY(
    sums,
    test::subjects<fixture, std::tuple<float2, float3, float4, double3, int4,
                                       cuda::std::complex<float>, cuda::std::complex<double>>>);
TEST_CASE_TEMPLATE_APPLY(products, test::subjects<fixture, scalars>);
TEST_CASE_TEMPLATE_APPLY(products,
                         test::subjects<fixture, std::tuple<float3, cuda::std::complex<float>>>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<fixture, scalars>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<fixture, std::tuple<float3, int4>>);
TEST_CASE_TEMPLATE_APPLY(rounding, test::subjects<fixture, scalars>);
TEST_CASE_TEMPLATE_APPLY(repeated_runs, test::subjects<fixture, std::tuple<float, __half>>);
TEST_CASE_TEMPLATE_APPLY(signs_and_nans, test::subjects<fixture, scalars>);
