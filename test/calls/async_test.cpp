// Functions that write their results, by the policies of the host.
// needs: tbb
#include <warpfold/view/where.hpp>

#include "calls/host_policies.hpp"
#include "contract/async_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(async_folds, test::par);
TEST_CASE_TEMPLATE_INVOKE(async_finished, test::seq, test::std_par);
TEST_CASE_TEMPLATE_INVOKE(async_empty, test::seq);
TEST_CASE_TEMPLATE_INVOKE(async_stored, test::seq, test::par, test::std_par);
TEST_CASE_TEMPLATE_INVOKE(waiting_stored, test::seq, test::par);
TEST_CASE_TEMPLATE_INVOKE(async_chained, test::par);

TEST_CASE("third and fourth moments, and what is written for too few elements") {
  const std::vector<float> v = {1, 2, 3, 9};
  const auto written = [](const auto& write) { return test::written<test::par, double>(write); };
  CHECK(written([&](double* out) { wf::skewness_async(wf::par, v, out); }) ==
        wf::skewness(wf::seq, v));
  CHECK(written([&](double* out) {
          wf::skewness_async(wf::par, v.data(), 3, wf::variance_of::sample, out);
        }) == wf::skewness(wf::seq, v.data(), 3, wf::variance_of::sample));
  CHECK(written([&](double* out) { wf::kurtosis_async(wf::par, v, out); }) ==
        wf::kurtosis(wf::seq, v));
  CHECK(written([&](double* out) {
          wf::kurtosis_async(wf::par, v, wf::variance_of::sample, out);
        }) == wf::kurtosis(wf::seq, v, wf::variance_of::sample));
  double out = 0;
  CHECK_THROWS_WITH_AS(wf::kurtosis_async(wf::seq, v.data(), 3, wf::variance_of::sample, &out),
                       doctest::Contains("kurtosis of a sample needs at least 4 elements"),
                       wf::empty_range);
  // A mask that selects nothing is known when the result is made.
  const std::vector<unsigned char> none = {0};
  const auto is_nan = [&](const auto& write) { return std::isnan(written(write)); };
  CHECK(is_nan([&](double* to) { wf::mean_async(wf::par, wf::where(v, none), to); }));
  CHECK(is_nan([&](double* to) { wf::stddev_async(wf::par, wf::where(v, none), to); }));
  CHECK(is_nan([&](double* to) { wf::skewness_async(wf::par, wf::where(v, none), to); }));
}
