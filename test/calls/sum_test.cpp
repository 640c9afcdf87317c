// sum and product by the policies of the host, and compensated sums.
// needs: tbb
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/exact.hpp>

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

TEST_CASE("sums by an op, of every form of a range") {
  constexpr auto exact = wf::plus{}.exact();
  const std::vector<float> v{1e20f, 1, -1e20f, 0x1p-30f};
  const auto half = [](float x) { return x / 2; };
  static_assert(std::is_same_v<decltype(wf::sum(wf::seq, v, wf::plus{}.exact<double>())), double>);
  CHECK(wf::sum(wf::seq, v, exact) == 1);
  CHECK(wf::sum(wf::par, v, wf::plus{}.exact<double>()) == 1 + 0x1p-30);
  CHECK(wf::sum(wf::seq, v.begin(), v.end(), exact) == 1);
  CHECK(wf::sum(wf::seq, v.data(), 4, exact) == 1);
  CHECK(wf::sum(wf::seq, v, exact, half) == 0.5f);
  CHECK(wf::sum(wf::seq, v.data(), 4, wf::plus{}.exact<double>(), half) == 0.5 + 0x1p-31);
  CHECK(wf::sum(wf::seq, std::vector<double>{1, 2}, wf::plus{}) == 3);
  CHECK(wf::sum(wf::seq, std::vector<double>{1, 0x1p-60, -1}, wf::plus{}.compensated()) == 0x1p-60);
  CHECK(wf::sum(wf::seq, std::vector<double>{}, exact) == 0);
  float out = 0;
  wf::sum_async(wf::seq, v, exact, &out);
  CHECK(out == 1);
  wf::sum_async(wf::par, v.data(), 4, exact, half, &out);
  CHECK(out == 0.5f);
  wf::exact_sum<float> state;
  wf::sum_async(wf::seq, v, exact, &state);
  CHECK(state.rounded<double>() == 1 + 0x1p-30);
}
