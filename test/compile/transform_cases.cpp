// Wrong uses of transform.
#include <set>
#include <vector>

#include <warpfold/transform.hpp>

#include "compile/any_mdspan.hpp"

// expect: output's elements are const
namespace transform_const_output {
void call(const std::vector<int>& in, const std::vector<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int x) { return x; });
}
}  // namespace transform_const_output

// expect: an expression is written to an mdspan, a span or a container
namespace transform_expression_to_a_pointer {
struct sum {
  float operator()(float x, float y) const { return x + y; }
};

void call(const matrix& m, const std::vector<float>& v, float* out) {
  warpfold::transform(warpfold::seq, warpfold::zip(m, warpfold::broadcast<0>(v)), out, sum{});
}
}  // namespace transform_expression_to_a_pointer

// expect: returns nothing
namespace transform_gives_nothing {
void call(const std::vector<int>& in, std::vector<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int) {});
}
}  // namespace transform_gives_nothing

// expect: this output type is not writable; pass a span
// A set is not writable.
namespace transform_no_output {
void call(const std::vector<int>& in, std::set<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int x) { return x; });
}
}  // namespace transform_no_output

// expect: cannot be converted to the output's elements
namespace transform_result_not_convertible {
struct point {
  int x, y;
};

void call(const std::vector<int>& in, std::vector<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int x) { return point{x, x}; });
}
}  // namespace transform_result_not_convertible

// expect: cannot be called with an element of the range
namespace transform_takes_no_elements {
void call(const std::vector<int>& in, std::vector<int>& out) {
  warpfold::transform(warpfold::seq, in, out, [](int* x) { return *x; });
}
}  // namespace transform_takes_no_elements

// expect: the output's rank is not that of the expression
namespace transform_to_another_rank {
struct same {
  float operator()(float x) const { return x; }
};

void call(const matrix& m, const any_mdspan<float, 3>& out) {
  warpfold::transform(warpfold::seq, m, out, same{});
}
}  // namespace transform_to_another_rank

// expect: this output type is not writable
namespace transform_void_output {
void call(const std::vector<float>& v, void* out) {
  warpfold::transform(warpfold::seq, v, out, [](float x) { return -x; });
}
}  // namespace transform_void_output
