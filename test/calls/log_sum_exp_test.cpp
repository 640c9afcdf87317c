// log_sum_exp by the policies of the host and in the emulation: of ranges, views, rows and
// segments. The softmax of rows.
// needs: boost_context cccl tbb
#include <warpfold/log_sum_exp.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/op/softmax.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform_axis.hpp>

namespace wf = warpfold;

namespace {

std::vector<float> numbers(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = static_cast<float>(static_cast<int>(i * 7919 % 2003)) / 20 - 50;
  }
  return v;
}

}  // namespace

TEST_CASE("the same bits by all policies") {
  for (const std::size_t n : {0u, 1u, 31u, 1000u, 100'003u}) {
    const auto v = numbers(n);
    const float expected = wf::log_sum_exp(wf::seq, v);
    CAPTURE(n);
    CHECK(wf::log_sum_exp(wf::par, v) == expected);
    CHECK(wf::log_sum_exp(wf::emulated, v) == expected);
    float written = 0;
    wf::exponential_sum sum{};
    wf::log_sum_exp_async(wf::par, v, &written);
    wf::log_sum_exp_async(wf::emulated, v, &sum);
    CHECK(written == expected);
    CHECK(static_cast<float>(sum.log()) == expected);
  }
  static_assert(std::is_same_v<decltype(wf::log_sum_exp(wf::seq, std::vector<int>{})), double>);
  CHECK(wf::log_sum_exp(wf::seq, std::vector<float>{1000, 1000}) ==
        doctest::Approx(1000 + std::log(2)));
}

TEST_CASE("projections, rows and segments") {
  const auto v = numbers(6000);
  const auto tenth = [] WARPFOLD_HD(float x) { return x / 10; };
  std::vector<float> scaled;
  for (const float x : v) scaled.push_back(x / 10);
  CHECK(wf::log_sum_exp(wf::par, v, tenth) == wf::log_sum_exp(wf::seq, scaled));
  const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(v.data(), 60, 100);
  std::vector<double> rows(60), rows_emulated(60), segments(60);
  std::vector<int> offsets{0};
  for (int r = 0; r < 60; ++r) offsets.push_back(100 * (r + 1));
  wf::reduce_axis<1>(wf::par, m, wf::log_sum_exp_op{}, rows);
  wf::reduce_axis<1>(wf::emulated, m, wf::log_sum_exp_op{}, rows_emulated);
  wf::reduce_segments(wf::seq, v, offsets, wf::log_sum_exp_op{}, segments);
  for (std::size_t r = 0; r < 60; ++r) {
    const double expected =
        wf::reduce(wf::seq, std::span(v).subspan(100 * r, 100), wf::log_sum_exp_op{});
    CHECK(rows[r] == expected);
    CHECK(rows_emulated[r] == expected);
    CHECK(segments[r] == expected);
  }
}

TEST_CASE("segments of any length have the bits of reduce, also with elements that terms refuse") {
  for (const unsigned longest : {12u, 40u, 66u, 700u, 5000u}) {
    for (const int special : {0, 1, 2, 3}) {
      INFO("up to ", longest, ", ", special);
      std::vector<int> offsets{0};
      for (unsigned s = 0; s < 70 && offsets.back() < 40000; ++s) {
        offsets.push_back(offsets.back() + static_cast<int>(s * 2654435761u % (longest + 1)));
      }
      auto v = numbers(static_cast<std::size_t>(offsets.back()));
      for (std::size_t i = 0; i < v.size(); i += 97) {
        if (special == 1) v[i] = 300;  // above the terms
        if (special == 2) v[i] = i % 2 == 0 ? NAN : INFINITY;
        if (special == 3) v[i] = -1e9f;  // a mask
      }
      if (special == 3) std::fill_n(v.begin(), v.size() / 2, -INFINITY);
      std::vector<double> expected(offsets.size() - 1), found(offsets.size() - 1);
      wf::reduce_segments(wf::seq, v, offsets, wf::log_sum_exp_op{}, expected);
      wf::reduce_segments(wf::emulated, v, offsets, wf::log_sum_exp_op{}, found);
      CHECK(std::memcmp(found.data(), expected.data(), found.size() * sizeof(double)) == 0);
    }
  }
}

TEST_CASE("the softmax of rows by all policies, with masks") {
  auto v = numbers(6000);
  for (std::size_t i = 0; i < v.size(); i += 3) v[i] = i % 2 == 0 ? -1e9f : -INFINITY;
  v[4] = 300;
  const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(v.data(), 60, 100);
  const auto of_row = [] WARPFOLD_HD(float x, const wf::softmax_term& row) { return row(x); };
  std::vector<float> expected(6000), found(6000);
  wf::transform_axis<1>(wf::seq, m, wf::softmax_op{}, expected, of_row);
  wf::transform_axis<1>(wf::par, m, wf::softmax_op{}, found, of_row);
  CHECK(found == expected);
  wf::transform_axis<1>(wf::emulated, m, wf::softmax_op{}, found, of_row);
  CHECK(found == expected);
  CHECK(expected[4] == 1);
  CHECK(expected[0] == 0);
  CHECK(std::accumulate(expected.begin(), expected.end(), 0.0) == doctest::Approx(60));
}
