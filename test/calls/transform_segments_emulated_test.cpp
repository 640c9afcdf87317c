// Functions of elements and of a value of their segment, with wf::emulated.
// needs: boost_context
#include <warpfold/transform_segments.hpp>

#include "calls/emulated_segments.hpp"
#include "contract/transform_segments_contract.hpp"

using fixture = test::emulated_segments;
using small_fixture = test::small_emulated_segments;

TEST_CASE_TEMPLATE_INVOKE(transform_segments_folds, fixture, small_fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_results, fixture, small_fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_bounds, fixture, small_fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_wrong_bounds, fixture, small_fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_views, fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_forms, fixture);
