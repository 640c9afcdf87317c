// mean, variance and stddev of floating-point numbers by the policies of the host.
// needs: tbb
// slow: runs for seconds
#include "calls/host_policies.hpp"
#include "contract/everyday_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(everyday_statistics, test::seq, test::par, test::std_par);

TEST_CASE("means of many floats do not stop moving") {
  std::vector<float> v(30'000'000, 0.0f);
  std::fill(v.begin() + 10'000'000, v.end(), 1.0f);
  CHECK(wf::mean(wf::seq, v) == doctest::Approx(2.0 / 3).epsilon(1e-6));
  CHECK(wf::variance(wf::seq, v) == doctest::Approx(2.0 / 9).epsilon(1e-6));
  CHECK(wf::stddev(wf::par, std::vector<float>{-1e30f, 1e30f}) == 1e30f);
}

TEST_CASE("variances of long runs whose first element is far from all others") {
  // Of the squares of deviations from that one, all but a n-th cancel; of equal ones all roundings
  // go one way.
  for (const double far : {9.0509465604565875, 158528.35696635535, 698641436686394.0}) {
    for (const std::size_t n : {std::size_t{5000}, std::size_t{65537}}) {
      INFO(n, " elements, the second ", far);
      std::vector<double> v(n, 0.16577472761101042);
      v[1] = far;
      const long double apart = static_cast<long double>(v[1]) - v[0];
      const auto size = static_cast<long double>(n);
      const auto variance = static_cast<double>(apart * apart * (size - 1) / (size * size));
      CHECK(wf::variance(wf::seq, v) == doctest::Approx(variance).epsilon(1e-12));
      CHECK(wf::variance(wf::par, v) == doctest::Approx(variance).epsilon(1e-12));
    }
  }
}
