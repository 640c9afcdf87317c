// Folds of lists of ranges with the host policies.
// needs: tbb cccl
#include <warpfold/reduce_many.hpp>

#include <deque>

#include "contract/many_contract.hpp"

#include "calls/host_segments.hpp"

using par = test::segments_par;
using seq = test::segments_seq;

TEST_CASE_TEMPLATE_INVOKE(many_lists, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_nan, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_inits, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_outputs, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_order, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_divided, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_divided_large, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_divided_results, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_listed, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_listed_errors, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_errors, seq, par);
TEST_CASE_TEMPLATE_INVOKE(many_short, test::segment_fold<seq, int, wf::maximum, int>,
                          test::segment_fold<par, float, wf::plus, float>);
TEST_CASE_TEMPLATE_INVOKE(many_mixed, test::segment_fold<seq, float, wf::plus, float>,
                          test::segment_fold<par, float, wf::plus, float>,
                          test::segment_fold<par, double, wf::compensated_plus, double>,
                          test::segment_fold<par, float, test::several_ops, test::several_results>);
TEST_CASE_TEMPLATE_INVOKE(many_ranges, test::segment_fold<seq, short, wf::moments_op, wf::moments>,
                          test::segment_fold<par, signed char, wf::plus, long long>);

TEST_CASE("lists that hold their ranges, or compute spans") {
  const std::vector<int> v{1, 2, 3, 4, 5};
  const std::span whole(v);
  const std::deque<std::span<const int>> pieces{whole.first(2), {}, whole.subspan(2, 1)};
  std::vector<int> out(3);
  wf::reduce_many(wf::par, pieces, wf::plus{}, out);
  CHECK(out == std::vector<int>{3, 0, 3});
  const auto prefixes = wf::project(wf::counting(std::size_t{2}, 3),
                                    [&](std::size_t n) { return std::span(v).first(n); });
  wf::reduce_many(wf::seq, prefixes, wf::plus{}, out);
  CHECK(out == std::vector<int>{3, 6, 10});
  const int row[3] = {4, 5, 6};
  wf::reduce_many(wf::seq, {std::span(row), std::span(row)}, wf::plus{}, std::span(out).first(2));
  CHECK(out == std::vector<int>{15, 15, 10});
}

TEST_CASE("several threads fold a long range, as they fold it alone") {
  std::vector<float> values(300000), out(2);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<float>(i + 1);
  const std::span all(values);
  wf::reduce_many(wf::par, {all.first(7), all}, wf::plus{}, out);
  CHECK(out[1] == wf::reduce(wf::par, values));
}

TEST_CASE("exceptions of the op reach the caller") {
  const std::vector<std::vector<int>> lists(10, std::vector<int>(10000, 1));
  std::vector<int> out(10);
  const auto bad = [](int a, int b) {
    if (a > 50) throw 5;
    return a + b;
  };
  CHECK_THROWS_AS(wf::reduce_many(wf::par, lists, bad, out), int);
}

TEST_CASE("a list that the policy reads: an empty range without a result is refused") {
  const std::vector<int> v{1, 2};
  const std::vector<const int*> pointers{v.data(), v.data()};
  const std::vector<int> sizes{2, 0};
  std::vector<int> out(2, -1);
  const auto larger = [](int a, int b) { return a < b ? b : a; };
  CHECK(test::fails_with<wf::empty_range>(
      [&] { wf::reduce_many(wf::par, wf::ranges_at(pointers, sizes), larger, out); },
      "range 1 of the list is empty: the op has no identity and no init was given"));
  CHECK(out == std::vector<int>{-1, -1});
}
