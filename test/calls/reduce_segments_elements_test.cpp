// Folds of segments with the host policies: types of elements, ops, views and bounds.
// needs: tbb cccl
#include <warpfold/reduce_segments.hpp>

#include "contract/segments_contract.hpp"

#include "calls/host_segments.hpp"

using par = test::segments_par;
using seq = test::segments_seq;

TEST_CASE_TEMPLATE_APPLY(segment_results, test::segment_folds<par>);
TEST_CASE_TEMPLATE_INVOKE(segment_results, test::segment_fold<seq, float, wf::plus, float>,
                          test::segment_fold<seq, float, test::several_ops, test::several_results>);
TEST_CASE_TEMPLATE_INVOKE(segment_shapes, test::segment_fold<seq, int, wf::plus, long long>,
                          test::segment_fold<par, int, wf::plus, long long>);
TEST_CASE_TEMPLATE_INVOKE(segment_sizes, test::segment_fold<seq, int, wf::plus, long long>,
                          test::segment_fold<par, float, wf::plus, float>);
TEST_CASE_TEMPLATE_INVOKE(segment_size_forms, seq, par);
TEST_CASE_TEMPLATE_INVOKE(segment_offset_types, par);
TEST_CASE_TEMPLATE_INVOKE(segment_views, par);
