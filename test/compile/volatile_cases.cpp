// Wrong uses of volatile elements.
#include <span>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>

#include "compile/any_mdspan.hpp"

// expect: the range.s elements are volatile; copy them
namespace axis_volatile {
using volatile_matrix = any_mdspan<volatile float>;

void call(const volatile_matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, out);
}
}  // namespace axis_volatile

// expect: the output's elements are const or volatile
namespace axis_volatile_output {
void call(const matrix& m, const any_mdspan<volatile float, 1>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, out);
}
}  // namespace axis_volatile_output

// expect: the range.s elements are volatile; copy them
namespace matrix_volatile {
using volatile_matrix = any_mdspan<volatile float>;

float call(const volatile_matrix& m) {
  return warpfold::reduce(warpfold::seq, m, warpfold::plus{});
}
}  // namespace matrix_volatile

// expect: the output.s elements are const or volatile
// Volatile memory to write to.
namespace volatile_output {
volatile float out[8];

void call(const std::vector<float>& v) { warpfold::copy(warpfold::seq, v, out); }
}  // namespace volatile_output

// expect: the range.s elements are volatile
// errors: 2
// Volatile elements behind a span.
namespace volatile_span {
auto total(std::span<volatile float> v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::plus{}) +
         warpfold::reduce(warpfold::seq, v.data(), v.data() + v.size());
}
}  // namespace volatile_span
