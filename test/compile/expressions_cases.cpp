// Wrong uses of expressions of several arrays.
#include <deque>
#include <vector>

#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

// expect: the dimensions of broadcast are from 0 to 7, each one once
namespace broadcast_along_one_dimension_twice {
auto call(const matrix& m) { return warpfold::broadcast<1, 1>(m); }
}  // namespace broadcast_along_one_dimension_twice

// expect: broadcast takes an mdspan or a contiguous range
namespace broadcast_of_a_list {
auto call(const std::deque<float>& v) { return warpfold::broadcast<1>(v); }
}  // namespace broadcast_of_a_list

// expect: needs one dimension for each of the mdspan's
namespace broadcast_of_another_rank {
auto call(const matrix& m) { return warpfold::broadcast<1>(m); }
}  // namespace broadcast_of_another_rank

// expect: the arrays of an expression differ in rank
namespace expression_of_two_ranks {
void call(const matrix& m, const any_mdspan<float, 3>& cube, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, warpfold::zip(m, cube), warpfold::plus{}, out);
}
}  // namespace expression_of_two_ranks
