// CUB's and Thrust's policies where there is no GPU: what they check before they call the other
// library. Runs everywhere: a GPU that is there is hidden first.
#include <warpfold/policy/cub.hpp>

#include <cstdlib>

#include <warpfold/policy/thrust.hpp>
#include <warpfold/transform.hpp>

#include "contract/policy_contract.hpp"

namespace {

// Before the first CUDA call, which reads it.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

struct twice {
  WARPFOLD_HD int operator()(int x) const { return 2 * x; }
};

}  // namespace

TEST_CASE_TEMPLATE("a GPU baseline checks the work, then the GPU", Policy, wf::baseline::cub_policy,
                   wf::baseline::thrust_policy) {
  REQUIRE(hidden);
  const Policy policy;
  const std::vector<int> values = {1, 2, 3};
  const std::vector<int> none;
  std::vector<int> out(2);
  test::check_throws<wf::empty_range>([&] { (void)wf::reduce(policy, none, test::add_only{}); },
                                      "no identity");
  test::check_throws<wf::invalid_range>([&] { wf::transform(policy, values, out, twice{}); },
                                        "the output has 2 elements");
  test::check_throws<wf::no_device>([&] { (void)wf::reduce(policy, values); }, "driver");
  out.resize(3);
  test::check_throws<wf::no_device>([&] { wf::transform(policy, values, out, twice{}); }, "driver");
  CHECK(out == std::vector<int>(3));
}
