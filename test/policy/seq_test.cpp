// wf::seq: the contract of policies, and how often it calls the op.
// slow: runs for seconds
#include "contract/policy_contract.hpp"

#include "contract/elements.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::seq; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<fixture, test::numbers>);
TEST_CASE_TEMPLATE_APPLY(products, test::subjects<fixture, test::numbers>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<fixture, test::numbers>);
TEST_CASE_TEMPLATE_APPLY(bits, test::subjects<fixture, test::integers>);
TEST_CASE_TEMPLATE_APPLY(logic, test::subjects<fixture, test::numbers>);
TEST_CASE_TEMPLATE_APPLY(rounding, test::subjects<fixture, test::floats>);
TEST_CASE_TEMPLATE_APPLY(signs_and_nans, test::subjects<fixture, test::floats>);
TEST_CASE_TEMPLATE_INVOKE(forms, fixture);
TEST_CASE_TEMPLATE_INVOKE(asynchronous, fixture);
TEST_CASE_TEMPLATE_INVOKE(empty_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(bad_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(user_ops, fixture);
TEST_CASE_TEMPLATE_INVOKE(views, fixture);
TEST_CASE_TEMPLATE_INVOKE(exceptions, fixture);

TEST_CASE("seq folds neighbors, and the init first") {
  const std::vector<int> values = {100, 30, 7, 2};
  const auto minus = [](int a, int b) { return a - b; };
  CHECK(wf::reduce(wf::seq, values, minus) == (100 - 30) - (7 - 2));
  CHECK(wf::reduce(wf::seq, values, 1000, minus) == 1000 - ((100 - 30) - (7 - 2)));
}

TEST_CASE("seq calls the op once less than there are elements, and once for an init") {
  const std::vector<int> values(1000, 1);
  int calls = 0;
  const auto count = [&calls](int a, int b) {
    ++calls;
    return a + b;
  };
  CHECK(wf::reduce(wf::seq, values, count) == 1000);
  CHECK(calls == 999);
  calls = 0;
  CHECK(wf::reduce(wf::seq, values, 5, count) == 1005);
  CHECK(calls == 1000);
}

TEST_CASE("seq rejects a null output") {
  const std::vector<int> values = {1, 2};
  CHECK_THROWS_AS(wf::reduce_async(wf::seq, values, wf::plus{}, static_cast<long long*>(nullptr)),
                  wf::invalid_range);
}
