// Folds of segments with the host policies: bounds, inits, outputs, errors and order.
// needs: tbb cccl
#include <warpfold/reduce_segments.hpp>

#include "contract/segments_contract.hpp"

#include "calls/host_segments.hpp"

using par = test::segments_par;
using seq = test::segments_seq;

TEST_CASE_TEMPLATE_INVOKE(segment_inits, seq, par);
TEST_CASE_TEMPLATE_INVOKE(segment_outputs, seq, par);
TEST_CASE_TEMPLATE_INVOKE(segment_errors, seq, par);
TEST_CASE_TEMPLATE_INVOKE(segment_wrong_bounds, seq, par);
TEST_CASE_TEMPLATE_INVOKE(segment_range_index, seq, par);
TEST_CASE_TEMPLATE_INVOKE(segment_repeats, seq, par);

TEST_CASE("the op and the init in any order, also if the op lifts elements") {
  const std::vector<float> values{1, 2, 3, 4, 5};
  const std::vector<int> offsets{0, 3, 5};
  const auto minus = [](float a, float b) { return a - b; };
  std::vector<float> out(2);
  wf::reduce_segments(wf::seq, values, offsets, 9.0f, minus, out);
  CHECK(out == std::vector<float>{9 - (1 - 2 - 3), 9 - (4 - 5)});
  wf::reduce_segments(wf::seq, values, offsets, wf::compensated_sum<float>{10, 0},
                      wf::plus{}.compensated(), out);
  CHECK(out == std::vector<float>{16, 19});
  std::vector<int> at(2);
  wf::reduce_segments(wf::seq, values, offsets, wf::indexed<float>{4, 100}, wf::arg(wf::maximum{}),
                      at);
  CHECK(at == std::vector<int>{100, 1});
}

TEST_CASE("several threads fold a long segment, as they fold a range") {
  std::vector<float> values(300000), out(2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<float>(i + 1);
  const std::vector<int> offsets{0, 7, 300000};
  wf::reduce_segments(wf::par, values, offsets, wf::plus{}, out);
  const auto as_one = wf::reduce(wf::par, std::span(values).subspan(7));
  CHECK(out[1] == as_one);
}

TEST_CASE("an init in the output, which segments would overwrite, is refused") {
  const std::vector<int> v(6, 1), offsets{0, 2, 4, 6};
  std::vector<int> out{10, 0, 0};
  CHECK_THROWS_WITH_AS(
      wf::reduce_segments(wf::seq, v, offsets, wf::plus{}, wf::value_at(out.data()), out),
      doctest::Contains("overlaps the input"), wf::invalid_range);
  const std::vector<int> one{0, 6};
  std::vector<int> sum{10};
  wf::reduce_segments(wf::seq, v, one, wf::plus{}, wf::value_at(sum.data()), sum);
  CHECK(sum[0] == 16);
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
