// Wrong uses of counted ranges.
// needs: cccl
#include <span>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/policy/across.hpp>
#include <warpfold/policy/thread_ranks.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/view/strided.hpp>

namespace {
using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
}  // namespace

// expect: the count of counted is not an integer in memory; pass a raw pointer to an integer
// errors: 2
// A count that is not the address of an integer: one error each.
namespace counted_by_a_container {
void call(const std::vector<float>& v, const std::vector<int>& counts, const float* number) {
  (void)warpfold::sum(warpfold::seq, warpfold::counted(v, counts));
  (void)warpfold::sum(warpfold::seq, warpfold::counted(v, number));
}
}  // namespace counted_by_a_container

// expect: the count of counted is a number, not its address
// errors: 1
// A count in the place of its address.
namespace counted_number {
auto call(const std::vector<int>& v) {
  return warpfold::sum(warpfold::seq, warpfold::counted(v, 2));
}
}  // namespace counted_number

// expect: a counted range may have no element
// errors: 1
// A counted range may have no element.
namespace counted_without_identity {
struct least {
  int operator()(int a, int b) const { return a < b ? a : b; }
};

int call(const std::vector<int>& v, const int* count) {
  return warpfold::reduce(warpfold::seq, warpfold::counted(v, count), least{});
}
}  // namespace counted_without_identity

// expect: strided was given a counted range
// errors: 1
// A step through a counted range would lose the count.
namespace strided_counted {
auto call(const std::vector<int>& v, const int* count) {
  return warpfold::sum(warpfold::seq, warpfold::strided(warpfold::counted(v, count), 2));
}
}  // namespace strided_counted

// expect: axis 0 of a counted array is the one that is counted
// errors: 2
// A fold along the counted axis: one error each.
namespace folded_along_counted_axis {
void call(const matrix& m, const int* count, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, warpfold::counted(m, count), warpfold::plus{}, out);
  warpfold::reduce_axes<1, 0>(warpfold::seq, warpfold::counted(m, count), warpfold::plus{}, out);
}
}  // namespace folded_along_counted_axis

// expect: the arrays of an expression have several counts
// errors: 1
// Two counts in one expression.
namespace counted_twice {
void call(const matrix& m, const int* count, std::vector<float>& out) {
  warpfold::reduce_axis<1>(warpfold::seq,
                           warpfold::zip(warpfold::counted(m, count), warpfold::counted(m, count)),
                           warpfold::plus{}, out);
}
}  // namespace counted_twice

// expect: a counted array is no range
// errors: 1
// Counted rows where elements are expected.
namespace sum_of_counted_rows {
auto call(const matrix& m, const int* count) {
  return warpfold::sum(warpfold::seq, warpfold::counted(m, count));
}
}  // namespace sum_of_counted_rows

// expect: the count of counted is a number, not its address
// errors: 1
// A number of rows in the place of its address.
namespace counted_number_of_rows {
void call(const matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<1>(warpfold::seq, warpfold::counted(m, 2), warpfold::plus{}, out);
}
}  // namespace counted_number_of_rows

// expect: this policy cannot read the size of a counted range
// errors: 1
// Ranks divide the axis, and would not agree on the rows.
namespace counted_rows_of_ranks {
void call(warpfold::thread_ranks& ranks, const matrix& m, const int* count,
          std::vector<float>& out) {
  warpfold::reduce_axis<1>(warpfold::across(ranks[0]), warpfold::counted(m, count),
                           warpfold::plus{}, out);
}
}  // namespace counted_rows_of_ranks
