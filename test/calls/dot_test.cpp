// dot and inner_product by the policies of the host.
// needs: tbb
#include "calls/host_policies.hpp"
#include "contract/everyday_contract.hpp"

namespace {

enum color { red = 1 << 30 };

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(everyday_compensated_products, test::seq, test::par, test::std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_products, test::seq, test::par, test::std_par);

TEST_CASE("products in a type that holds them") {
  const std::vector<signed char> a = {-1, -2};
  const std::vector<unsigned char> b = {3, 4};
  static_assert(std::is_same_v<decltype(wf::dot(wf::seq, a, b)),
                               long long>);  // -11 is equal to itself without a sign
  CHECK(wf::dot(wf::seq, a, b) == -11);
  CHECK(wf::dot(wf::seq, b, a) == -11);
  CHECK(wf::dot(wf::seq, std::vector<int>{-1}, std::vector<unsigned>{1}) == -1);
  CHECK(wf::dot(wf::par, std::vector<color>(4, red), std::vector<color>(4, red)) == 1ll << 62);
  using complex = std::complex<double>;
  const std::vector<complex> z = {{1, 2}, {0, -1}};
  CHECK(wf::dot(wf::seq, z, z) == complex(6, 0));
  CHECK(wf::inner_product(wf::seq, z, z, complex{}) == complex(-4, 4));
}
