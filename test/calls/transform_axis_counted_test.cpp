// Transformations along axes of arrays whose rows memory counts, with the host policies and in the
// emulation.
// needs: tbb boost_context cccl
// slow: runs for seconds
#include "calls/emulated_segments.hpp"
#include "calls/host_segments.hpp"
#include "contract/counted_rows_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(counted_rows_softmax, test::segments_seq, test::segments_par,
                          test::emulated_segments, test::small_emulated_segments);
TEST_CASE_TEMPLATE_INVOKE(counted_rows_transformed, test::segments_seq, test::segments_par,
                          test::emulated_segments, test::small_emulated_segments);
TEST_CASE_TEMPLATE_INVOKE(counted_rows_expressions, test::segments_seq, test::segments_par,
                          test::emulated_segments, test::small_emulated_segments);
