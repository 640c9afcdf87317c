// wf::emulated with the library's choice of kernel, under the contract of policies.
// needs: boost_context
// flags: -O1
#include <warpfold/policy/emulated.hpp>

#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
};

}  // namespace

using some = std::tuple<signed char, unsigned short, int, unsigned long long, float, double>;
TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<fixture, some>);
TEST_CASE_TEMPLATE_APPLY(products, test::subjects<fixture, some>);
TEST_CASE_TEMPLATE_APPLY(extrema, test::subjects<fixture, some>);
TEST_CASE_TEMPLATE_APPLY(bits, test::subjects<fixture, std::tuple<unsigned char, int>>);
TEST_CASE_TEMPLATE_APPLY(logic, test::subjects<fixture, std::tuple<unsigned char, int>>);
TEST_CASE_TEMPLATE_APPLY(rounding, test::subjects<fixture, test::floats>);
TEST_CASE_TEMPLATE_APPLY(signs_and_nans, test::subjects<fixture, test::floats>);
TEST_CASE_TEMPLATE_INVOKE(forms, fixture);
TEST_CASE_TEMPLATE_INVOKE(asynchronous, fixture);
TEST_CASE_TEMPLATE_INVOKE(empty_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(bad_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(user_ops, fixture);
TEST_CASE_TEMPLATE_INVOKE(views, fixture);
TEST_CASE_TEMPLATE_INVOKE(exceptions, fixture);
