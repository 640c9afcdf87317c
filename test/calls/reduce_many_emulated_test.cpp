// Folds of lists of ranges with wf::emulated.
// needs: boost_context cccl
// flags: -O1
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_many.hpp>

#include "contract/many_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(many_short, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_INVOKE(
    many_mixed, test::segment_fold<fixture, float, wf::plus, float>,
    test::segment_fold<fixture, int, wf::maximum, int>,
    test::segment_fold<fixture, signed char, wf::plus, long long>,
    test::segment_fold<fixture, test::three_floats, test::add_parts, test::three_floats>,
    test::segment_fold<fixture, float, test::several_ops, test::several_results>);
TEST_CASE_TEMPLATE_INVOKE(
    many_ranges, test::segment_fold<fixture, float, wf::arg_op<wf::minimum>, wf::indexed<float>>);
TEST_CASE_TEMPLATE_INVOKE(many_lists, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_nan, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_inits, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_order, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_divided, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_divided_large, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_divided_results, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_listed, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_listed_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_errors, fixture);

TEST_CASE("a list that the policy reads: an empty range without a result is refused") {
  const std::vector<int> v{1, 2};
  const std::vector<const int*> pointers{v.data(), v.data()};
  const std::vector<int> sizes{2, 0};
  std::vector<int> out(2, -1);
  const auto larger = [](int a, int b) { return a < b ? b : a; };
  CHECK(test::fails_with<wf::empty_range>(
      [&] { wf::reduce_many(wf::emulated, wf::ranges_at(pointers, sizes), larger, out); },
      "range 1 of the list is empty: the op has no identity and no init was given"));
  CHECK(out == std::vector<int>{-1, -1});
}
