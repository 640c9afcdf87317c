// wf::baseline::std_par under the contract of policies.
// needs: tbb
// slow: runs for seconds
#include <warpfold/policy/std_par.hpp>

#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::baseline::std_par; }
  static constexpr bool repeatable = false;
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

TEST_CASE("std_par rejects a null output") {
  const std::vector<int> values(10, 1);
  long long* const nowhere = nullptr;
  test::check_throws<wf::invalid_range>(
      [&] { wf::reduce_async(wf::baseline::std_par, values, wf::plus{}, nowhere); }, "the output");
}
