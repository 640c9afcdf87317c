// norm_1, norm_2, norm_infinity and norm_p by the policies of the host.
// needs: tbb
#include <complex>

#include "calls/host_policies.hpp"
#include "contract/everyday_contract.hpp"

namespace {

// Any class of both parts is a complex number, and no other class.
struct imaginary_first {
  float y, x;
  float real() const { return x; }
  float imag() const { return y; }
};
struct with_more {
  float x, y, more;
  float real() const { return x; }
  float imag() const { return y; }
};
static_assert(wf::complex_number<imaginary_first>);
static_assert(!wf::complex_number<with_more>);
static_assert(!wf::complex_number<std::complex<int>>);
static_assert(!wf::complex_number<double>);

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(everyday_norms, test::seq, test::par, test::std_par);
TEST_CASE_TEMPLATE_APPLY(everyday_complex_norms, test::everyday_complex<test::seq>);
TEST_CASE_TEMPLATE_APPLY(everyday_complex_norms, test::everyday_complex<test::par>);
TEST_CASE_TEMPLATE_INVOKE(everyday_complex_norms,
                          test::everyday<test::std_par, std::complex<float>>);

TEST_CASE("norms of complex types of other libraries") {
  const std::vector<imaginary_first> v = {{3, -4}, {0, 12}};
  CHECK(wf::norm_1(wf::seq, v) == 17);
  CHECK(wf::norm_2(wf::par, v) == 13);
  CHECK(wf::norm_infinity(wf::par, v) == 12);
}
