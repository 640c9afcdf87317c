// transform, copy and transform_reduce by wf::emulated, thread by thread.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include "contract/transform_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(transformed, test::conversions<fixture>);
TEST_CASE_TEMPLATE_INVOKE(transformed_views, fixture);
TEST_CASE_TEMPLATE_INVOKE(transformed_in_place, fixture);
TEST_CASE_TEMPLATE_INVOKE(transformed_forms, fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_reduced, fixture);
TEST_CASE_TEMPLATE_INVOKE(bad_transformations, fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_exceptions, fixture);

namespace {

/// An output that writes one element too far.
struct too_far : wf::contiguous_output<int> {
  using wf::contiguous_output<int>::contiguous_output;
  template <class Stores>
  void store_at(std::size_t i, int value, const Stores& stores) const {
    wf::contiguous_output<int>::store_at(i + 1, value, stores);
  }
};
static_assert(wf::output_view<too_far>);

}  // namespace

TEST_CASE("the emulation finds an output view that writes outside its memory") {
  const std::vector<int> in = {1, 2, 3};
  std::vector<int> out(8);
  test::check_throws<wf::emulation_error>(
      [&] { wf::transform(wf::emulated, in, too_far(out.data(), 3), test::plus_one{}); },
      "outside every array");
}
