// sum and product by the policies of the host, and compensated sums.
// needs: tbb
#include "calls/host_policies.hpp"
#include "contract/everyday_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(everyday_compensated, test::seq, test::par, test::std_par);

TEST_CASE("integers add up and multiply in 64 bits, modulo 2^64") {
  static_assert(std::is_same_v<decltype(wf::sum(wf::seq, std::vector<signed char>{})), long long>);
  static_assert(
      std::is_same_v<decltype(wf::product(wf::seq, std::vector<unsigned>{})), unsigned long long>);
  CHECK(wf::sum(wf::seq, std::vector<int>(5, 1 << 30)) == 5ll << 30);
  CHECK(wf::sum(wf::par, std::vector<unsigned char>(70'000, 255)) == 70'000ull * 255);
  CHECK(wf::sum(wf::seq, std::vector<std::uint64_t>(2, std::uint64_t{1} << 63)) == 0);
  CHECK(wf::product(wf::seq, std::vector<short>{-300, 300, 300}) == -27'000'000);
  CHECK(wf::product(wf::par, std::vector<int>(64, 2)) == 0);
  CHECK(wf::product(wf::seq, std::vector<unsigned>(40, 3)) == 12157665459056928801ull);
}

TEST_CASE("sums of floats are floats; an empty range has the sum 0 and the product 1") {
  static_assert(std::is_same_v<decltype(wf::sum(wf::seq, std::vector<float>{})), float>);
  static_assert(std::is_same_v<decltype(wf::product(wf::seq, std::vector<double>{})), double>);
  CHECK(wf::sum(wf::seq, std::vector<double>{}) == 0);
  CHECK(wf::product(wf::par, std::vector<float>{}) == 1);
  CHECK(wf::sum(wf::seq, std::vector<double>{1.5, -4}) == -2.5);
  CHECK(wf::product(wf::seq, std::vector<double>{1.5, -4}) == -6);
}
