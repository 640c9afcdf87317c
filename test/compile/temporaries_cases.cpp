// Wrong uses of ranges and outputs that would refer to temporaries.
#include <array>
#include <initializer_list>
#include <ranges>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/view/aligned.hpp>
#include <warpfold/view/field.hpp>
#include <warpfold/view/packed.hpp>
#include <warpfold/view/staged.hpp>
#include <warpfold/view/wide.hpp>
#include <warpfold/view/zip.hpp>

#include "compile/any_mdspan.hpp"
#include "compile/read_only_owner.hpp"

// expect: aligned would refer to a temporary container
namespace aligned_temporary {
double call() {
  const auto view = warpfold::aligned<8>(std::vector<double>(3));  // dangles
  return warpfold::reduce(warpfold::seq, view, warpfold::plus{});
}
}  // namespace aligned_temporary

// expect: the output is a temporary container
// The result would go to memory that is gone when the call returns.
namespace async_temporary_output {
void call(const std::vector<float>& v) {
  warpfold::sum_async(warpfold::seq, v, std::vector<float>(1));
}
}  // namespace async_temporary_output

// expect: the output is a temporary container
namespace axis_temporary_array_output {
void call(const matrix& m) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, std::array<float, 3>{});
}
}  // namespace axis_temporary_array_output

// expect: the output is a temporary container
namespace axis_temporary_output {
void call(const matrix& m) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, std::vector<float>(3));
}
}  // namespace axis_temporary_output

// expect: broadcast would refer to a temporary container
namespace broadcast_of_a_temporary {
auto call() { return warpfold::broadcast<1>(std::vector<float>(3)); }
}  // namespace broadcast_of_a_temporary

// expect: field would refer to a temporary container
namespace field_of_temporary {
struct particle {
  float mass;
};

float call() {
  const auto view = warpfold::field<&particle::mass>(std::vector<particle>(3));  // dangles
  return warpfold::reduce(warpfold::seq, view, warpfold::plus{});
}
}  // namespace field_of_temporary

// expect: project would refer to a temporary
// The iterators of std::views::transform refer to the view, which is gone when project returns.
namespace projection_of_temporary_transform {
int call(const std::vector<int>& v) {
  const auto half = [](int x) { return x / 2; };
  const auto all = warpfold::project(std::views::transform(v, half), half);
  return static_cast<int>(warpfold::reduce(warpfold::seq, all));
}
}  // namespace projection_of_temporary_transform

// expect: segments_between would refer to a temporary container
// Bounds that are gone when the call returns.
namespace segments_between_temporary {
void call(const std::vector<int>& ends) {
  (void)warpfold::segments_between(std::vector<int>(3), ends);
}
}  // namespace segments_between_temporary

// expect: the output is a temporary container
// An output that is gone when the call returns.
namespace segments_output_temporary {
void call(const std::vector<float>& v, const std::vector<int>& offsets) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, warpfold::plus{}, std::vector<float>(3));
}
}  // namespace segments_output_temporary

// expect: aligned would refer to a temporary
namespace temporary_array_aligned {
struct point {
  double x, y;
};

std::size_t call() { return warpfold::aligned<16>(std::array<point, 2>{}).size(); }
}  // namespace temporary_array_aligned

// expect: the output is a temporary
namespace temporary_array_copied_to {
void call(const std::vector<int>& in) { warpfold::copy(warpfold::seq, in, std::array<int, 3>{}); }
}  // namespace temporary_array_copied_to

// expect: field would refer to a temporary
namespace temporary_array_field {
struct point {
  int x, y;
};

std::size_t call() { return warpfold::field<&point::x>(std::array<point, 2>{}).size(); }
}  // namespace temporary_array_field

// expect: packed would refer to a temporary
namespace temporary_array_packed {
std::size_t call() { return warpfold::packed(std::array<char, 3>{1, 2, 3}).size(); }
}  // namespace temporary_array_packed

// expect: project would refer to a temporary
namespace temporary_array_projected {
long long call() {
  const auto view = warpfold::project(std::array{1, 2, 3}, [](int x) { return x; });  // dangles
  return warpfold::reduce(warpfold::seq, view, warpfold::plus{});
}
}  // namespace temporary_array_projected

// expect: staged would refer to a temporary
namespace temporary_array_staged {
std::size_t call() { return warpfold::staged(std::array{1, 2, 3}).size(); }
}  // namespace temporary_array_staged

// expect: zip would refer to a temporary
namespace temporary_array_zipped {
std::size_t call(const std::vector<int>& v) { return warpfold::zip(v, std::array{1, 2, 3}).size(); }
}  // namespace temporary_array_zipped

// expect: project would refer to a temporary container
// The array of a braced list is destroyed at the end of the statement.
namespace temporary_initializer_list {
auto dangling() {
  return warpfold::project(std::initializer_list<int>{1, 2, 3}, [](int x) { return -x; });
}
}  // namespace temporary_initializer_list

// expect: temporary container
namespace temporary_projected {
long long call() {
  const auto view =
      warpfold::project(std::vector<int>{1, 2, 3}, [](int x) { return x; });  // dangles
  return warpfold::reduce(warpfold::seq, view, warpfold::plus{});
}
}  // namespace temporary_projected

// expect: aligned would refer to a temporary container
namespace temporary_read_only_aligned {
struct pair {
  float a, b;
};
struct read_only_pairs {
  alignas(8) pair at[4];
  const pair* data() const { return at; }
  std::size_t size() const { return 4; }
};

auto call() { return warpfold::aligned<8>(read_only_pairs{}); }
}  // namespace temporary_read_only_aligned

// expect: the output.s elements are const
// A temporary that is also read-only: one error.
namespace temporary_read_only_axis_output {
void call(const matrix& m) {
  warpfold::reduce_axis<0>(warpfold::seq, m, warpfold::plus{}, read_only{});
}
}  // namespace temporary_read_only_axis_output

// expect: the output.s elements are const
// A temporary that is also read-only: one error.
namespace temporary_read_only_copied_to {
void call(const std::vector<float>& v) { warpfold::copy(warpfold::seq, v, read_only{}); }
}  // namespace temporary_read_only_copied_to

// expect: field would refer to a temporary container
namespace temporary_read_only_field {
struct point {
  float x, y;
};
struct read_only_points {
  point at[4];
  const point* begin() const { return at; }
  const point* end() const { return at + 4; }
};

auto call() { return warpfold::field<&point::x>(read_only_points{}); }
}  // namespace temporary_read_only_field

// expect: packed would refer to a temporary container
namespace temporary_read_only_packed {
struct text {
  char at[32];
  const char* data() const { return at; }
  std::size_t size() const { return 32; }
};

auto call() { return warpfold::packed(text{}); }
}  // namespace temporary_read_only_packed

// expect: project would refer to a temporary container
namespace temporary_read_only_projected {
auto call() {
  return warpfold::project(read_only{}, [](float x) { return x; });
}
}  // namespace temporary_read_only_projected

// expect: zip would refer to a temporary container
namespace temporary_read_only_zipped {
auto call(const std::vector<float>& v) { return warpfold::zip(v, read_only{}); }
}  // namespace temporary_read_only_zipped

// expect: staged would refer to a temporary container
namespace temporary_staged {
auto dangling() { return warpfold::staged(std::vector<float>{1, 2, 3}); }
}  // namespace temporary_staged

// expect: the output is a temporary container, which is destroyed when the call returns
namespace transform_axis_temporary_output {
void call(any_mdspan<float, 2> m) {
  warpfold::transform_axis<1>(warpfold::seq, m, warpfold::plus{}, std::vector<float>(6),
                              [](float x, float sum) { return x / sum; });
}
}  // namespace transform_axis_temporary_output

// expect: output is a temporary container
namespace transform_temporary_output {
void call(const std::vector<int>& in) {
  warpfold::transform(warpfold::seq, in, std::vector<int>(10), [](int x) { return x; });
}
}  // namespace transform_temporary_output

// expect: temporary container
namespace where_temporary_mask {
float call(const std::vector<float>& v) {
  const auto some = warpfold::where(v, std::vector<unsigned>{5});  // dangles
  return warpfold::reduce(warpfold::seq, some, warpfold::plus{});
}
}  // namespace where_temporary_mask

// expect: wide would refer to a temporary container
namespace wide_temporary {
auto dangling() { return warpfold::wide(std::vector<float>{1, 2, 3}); }
}  // namespace wide_temporary
