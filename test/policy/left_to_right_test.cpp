// wf::baseline::left_to_right under the contract of policies, and its strict order.
#include <warpfold/policy/left_to_right.hpp>

#include <numeric>

#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::baseline::left_to_right; }
};

using some = std::tuple<signed char, unsigned short, int, unsigned long long, float, double>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<fixture, some>);
TEST_CASE_TEMPLATE_APPLY(products, test::subjects<fixture, some>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<fixture, some>);
TEST_CASE_TEMPLATE_INVOKE(bits, test::subject<fixture, unsigned short>);
TEST_CASE_TEMPLATE_INVOKE(logic, test::subject<fixture, unsigned char>);
TEST_CASE_TEMPLATE_APPLY(rounding, test::subjects<fixture, test::floats>);
TEST_CASE_TEMPLATE_APPLY(signs_and_nans, test::subjects<fixture, test::floats>);
TEST_CASE_TEMPLATE_INVOKE(forms, fixture);
TEST_CASE_TEMPLATE_INVOKE(asynchronous, fixture);
TEST_CASE_TEMPLATE_INVOKE(empty_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(bad_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(user_ops, fixture);
TEST_CASE_TEMPLATE_INVOKE(views, fixture);

TEST_CASE("strictly from the first element to the last, after the init") {
  const std::vector<int> values = {100, 30, 7, 2};
  const auto minus = [](int a, int b) { return a - b; };
  CHECK(wf::reduce(wf::baseline::left_to_right, values, minus) == 100 - 30 - 7 - 2);
  CHECK(wf::reduce(wf::baseline::left_to_right, values, 1000, minus) == 1000 - 100 - 30 - 7 - 2);
}

TEST_CASE("the bits of std::accumulate") {
  const auto values = test::real_data<float>(10001);
  const float sum = std::accumulate(values.begin(), values.end(), 0.5f);
  CHECK(test::same_bits(wf::reduce(wf::baseline::left_to_right, values, 0.5f, wf::plus{}), sum));
  CHECK(!test::same_bits(wf::reduce(wf::seq, values, 0.5f, wf::plus{}), sum));
}
