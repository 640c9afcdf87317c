// A sparse matrix times a vector, the softmax of its rows, and sums by key.
#include <cmath>
#include <iostream>
#include <vector>

#include <warpfold/op/softmax.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform_segments.hpp>

namespace wf = warpfold;

int main() {
  // 1 0 2     Row r has the values from rows[r] up to rows[r + 1].
  // 0 0 0
  // 0 3 4
  const std::vector<double> values{1, 2, 3, 4};
  const std::vector<int> columns{0, 2, 1, 2}, rows{0, 2, 2, 4};
  const std::vector<double> x{10, 100, 1000};
  std::vector<double> y(3);
  // With wf::par instead of wf::seq, threads share the values evenly, whatever the rows' lengths.
  const auto times = [at = x.data()](double value, int column) { return value * at[column]; };
  wf::reduce_segments(wf::seq, wf::project(wf::zip(values, columns), times), rows, wf::plus{}, y);

  // The index of the greatest value within each row that has values.
  std::vector<int> place{-1, -1, -1};
  const std::vector<int> begins{0, 2}, ends{2, 4};
  wf::reduce_segments(wf::seq, values, wf::segments_between(begins, ends), wf::arg(wf::maximum{}),
                      std::span(place).first(2));

  // The softmax of each row.
  std::vector<double> shares(values.size());
  wf::transform_segments(wf::seq, values, rows, wf::softmax_op{}, shares);

  // Sales of each day; a day's sales are adjacent.
  const std::vector<int> days{1, 1, 3, 3, 3};
  const std::vector<float> sales{5, 6, 1, 2, 3};
  std::vector<int> day(days.size()), count(days.size());
  std::vector<float> total(days.size());
  const auto n = wf::reduce_by_key(wf::seq, days, sales, wf::plus{}, day, total);
  wf::run_lengths(wf::seq, days, day, count);

  std::cout << y[0] << ' ' << y[1] << ' ' << y[2] << ", " << n << " days: " << total[0] << " of "
            << count[0] << ", " << total[1] << " of " << count[1] << '\n';
  return y[0] == 2010 && y[1] == 0 && y[2] == 4300 && place[1] == 1 &&
                 std::abs(shares[2] + shares[3] - 1) < 1e-12 && shares[2] < shares[3] && n == 2 &&
                 total[1] == 6 && count[1] == 3
             ? 0
             : 1;
}
