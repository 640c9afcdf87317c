// Folds of segments with the host policies: bounds, inits, outputs, errors and order.
// needs: tbb cccl
#include <warpfold/reduce_segments.hpp>

#include "contract/segments_contract.hpp"

#include "calls/host_segments.hpp"

using test::par;
using test::seq;

TEST_CASE_TEMPLATE_INVOKE(segment_inits, seq, par);
TEST_CASE_TEMPLATE_INVOKE(segment_outputs, seq, par);
TEST_CASE_TEMPLATE_INVOKE(segment_errors, seq, par);
TEST_CASE_TEMPLATE_INVOKE(segment_repeats, seq, par);

TEST_CASE("seq folds strictly in order, with ops that are neither associative nor commutative") {
  const std::vector<int> values{1, 2, 3, 4, 5}, offsets{0, 3, 5};
  const auto digits = [](int a, int b) { return a * 10 + b; };
  std::vector<int> out(2);
  wf::reduce_segments(wf::seq, values, offsets, digits, out);
  CHECK(out == std::vector<int>{123, 45});
  wf::reduce_segments(wf::seq, values, offsets, digits, 9, out);
  CHECK(out == std::vector<int>{9123, 945});
}

TEST_CASE("exceptions of the op reach the caller") {
  const std::vector<int> values(100000, 1);
  std::vector<int> out(10);
  const auto bad = [](int a, int b) {
    if (a > 50) throw 5;
    return a + b;
  };
  CHECK_THROWS_AS(wf::reduce_segments(wf::par, values, wf::segments_of_size(10000), bad, out), int);
}
