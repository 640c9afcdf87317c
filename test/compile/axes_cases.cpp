// Wrong uses of folds along axes.
#include <vector>

#include <warpfold/explain_axis.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/transform_axis.hpp>

#include "compile/any_mdspan.hpp"

// expect: accumulate.out. is an init, and the function.s result must be a fold
// A mean cannot be combined with a mean.
namespace accumulate_mean {
void call(const std::vector<float>& v, float* out) {
  warpfold::mean_async(warpfold::seq, v, warpfold::accumulate(out));
}
}  // namespace accumulate_mean

// expect: reduce_axes names an axis twice
namespace axes_named_twice {
void call(const any_mdspan<float, 3>& m, std::vector<float>& out) {
  warpfold::reduce_axes<2, 2>(warpfold::seq, m, warpfold::plus{}, out);
}
}  // namespace axes_named_twice

// expect: and this file is not compiled by nvcc
namespace axis_device_in_cpp {
void call(const matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::device, m, warpfold::plus{}, out);
}
}  // namespace axis_device_in_cpp

// expect: the axis is missing; call reduce_axis<0>.*the axis is missing; call reduce_axes<0, 1>
// errors: 4
// Without a template argument: one error each.
namespace axis_missing {
void call(any_mdspan<float, 2> m, std::vector<float>& out) {
  using namespace warpfold;
  reduce_axis(seq, m, plus{}, out);
  reduce_axis_async(seq, m, plus{}, out);
  reduce_axes<>(seq, m, plus{}, out);
  reduce_axes_async(seq, m, plus{}, out);
}
}  // namespace axis_missing

// expect: a fold along an axis takes an mdspan
// Any mdspan will do; this one stands for CUDA's, whose headers compile tests do not have.
namespace axis_of_a_vector {
void call(const std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, v, warpfold::plus{}, out);
}
}  // namespace axis_of_a_vector

// expect: wf::all has several results for each output; pass zip\(output1, output2\)
namespace axis_of_all_to_a_vector {
void call(any_mdspan<float, 2> m, std::vector<float>& out) {
  using namespace warpfold;
  reduce_axis<0>(seq, m, all(plus{}, maximum{}), out);
}
}  // namespace axis_of_all_to_a_vector

// expect: the array has no such axis
namespace axis_of_another_rank {
void call(const matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<2>(warpfold::seq, m, warpfold::plus{}, out);
}
}  // namespace axis_of_another_rank

// expect: an array stands where the op goes; the op comes before the output
namespace axis_output_before_op {
void call(any_mdspan<float, 2> m, std::vector<float>& out) {
  warpfold::reduce_axis<0>(warpfold::seq, m, out, warpfold::plus{});
}
}  // namespace axis_output_before_op

// expect: the output's rank is not the number of dimensions that are kept
namespace axis_output_of_another_rank {
void call(const any_mdspan<float, 4>& m, const any_mdspan<float, 3>& out) {
  warpfold::reduce_axes<0, 3>(warpfold::seq, m, warpfold::plus{}, out);
}
}  // namespace axis_output_of_another_rank

// expect: the op has not as many results as there are outputs
namespace axis_too_many_outputs {
void call(const matrix& m, const any_mdspan<float, 1>& a, const any_mdspan<float, 1>& b) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, warpfold::zip(a, b));
}
}  // namespace axis_too_many_outputs

// expect: the array has no such axis
namespace explain_axis_of_another_rank {
warpfold::plan call(const matrix& m) {
  return warpfold::explain_axis<2>(warpfold::seq, m, warpfold::plus{});
}
}  // namespace explain_axis_of_another_rank

// expect: matrix takes an mdspan of rank 2
// Any mdspan will do; this one stands for CUDA's, whose headers compile tests do not have.
namespace matrix_of_rank_three {
struct cube {
  using element_type = float;
  using data_handle_type = float*;
  using reference = float&;
  static constexpr int rank() { return 3; }
  static constexpr bool is_always_strided() { return true; }
  static constexpr bool is_always_exhaustive() { return true; }
  data_handle_type data_handle() const { return nullptr; }
  int mapping() const { return 0; }
  int extent(int) const { return 0; }
};

float call(const cube& m) {
  return warpfold::reduce(warpfold::seq, warpfold::matrix(m), warpfold::plus{});
}
}  // namespace matrix_of_rank_three

// expect: an mdspan that is a range has a rank of 0 to 8
namespace mdspan_of_rank_nine {
float call(const any_mdspan<float, 9>& m) {
  return warpfold::reduce(warpfold::seq, m, warpfold::plus{});
}
}  // namespace mdspan_of_rank_nine

// expect: the function cannot be called with an element and the fold of its axis
namespace transform_axis_function_of_one {
void call(any_mdspan<float, 2> m, std::vector<float>& out) {
  warpfold::transform_axis<1>(warpfold::seq, m, warpfold::plus{}, out, [](float x) { return x; });
}
}  // namespace transform_axis_function_of_one
