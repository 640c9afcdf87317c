// Folds of segments with wf::emulated.
// needs: boost_context cccl
// alone: compiles for 10 to 20 s
#include <warpfold/reduce_segments.hpp>

#include "calls/emulated_segments.hpp"
#include "contract/segments_contract.hpp"

using fixture = test::emulated_segments;
using small_fixture = test::small_emulated_segments;

TEST_CASE_TEMPLATE_APPLY(segment_sizes, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_INVOKE(segment_size_forms, fixture);
TEST_CASE_TEMPLATE_APPLY(segment_few, test::segment_folds<small_fixture>);
TEST_CASE_TEMPLATE_INVOKE(
    segment_many, test::segment_fold<fixture, float, wf::plus, float>,
    test::segment_fold<fixture, test::three_floats, test::add_parts, test::three_floats>,
    test::segment_fold<fixture, float, wf::arg_op<wf::minimum>, wf::indexed<float>>,
    test::segment_fold<fixture, signed char, wf::plus, long long>);
TEST_CASE_TEMPLATE_INVOKE(segment_offset_types, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_views, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_inits, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_order, fixture);

TEST_CASE("segments of one size run the kernels of reduce_axis") {
  const std::vector<float> values(64 * 1000, 1);
  std::vector<float> sums(1000);
  const auto counting = wf::emulated.counting();
  wf::reduce_segments(counting, values, wf::segments_of_size(64), wf::plus{}, sums);
  CHECK(sums == std::vector<float>(1000, 64));
  REQUIRE(counting.report().launches.size() == 1);
  CHECK(counting.report().launches[0].launch.kernel == std::string("ordered_rows"));
}
