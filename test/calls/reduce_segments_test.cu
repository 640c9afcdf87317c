// Folds of segments on the GPU.
#include <warpfold/reduce_segments.hpp>

#include "contract/device_memory.hpp"
#include "contract/segments_contract.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(segment_results, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(segment_many, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(segment_shapes, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(segment_sizes, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_INVOKE(segment_size_forms, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_offset_types, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_views, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_inits, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_order, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_wrong_bounds, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_range_index, fixture);
