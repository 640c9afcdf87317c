// Wrong uses of reduce_many.
#include <deque>
#include <span>
#include <vector>

#include <warpfold/reduce_many.hpp>

// expect: a braced list copies its containers
// A braced list of containers, which would be copied.
namespace many_braced_containers {
void call(const std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, {v, v}, warpfold::plus{}, out);
}
}  // namespace many_braced_containers

// expect: the range is a braced list, or missing
// A braced list of ranges of two types.
namespace many_braced_types {
void call(const std::vector<float>& v, std::span<const float> w, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, {w, v}, warpfold::plus{}, out);
}
}  // namespace many_braced_types

// expect: reading this list makes copies of its containers
// A list whose containers would be copied when it is read.
namespace many_copied_containers {
void call(const std::deque<std::vector<float>>& lists, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, lists, warpfold::plus{}, out);
}
}  // namespace many_copied_containers

// expect: the ranges of a list have no contiguous elements in memory
// A list of ranges without a pointer to their elements.
namespace many_not_contiguous {
void call(const std::vector<std::deque<float>>& lists, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, lists, warpfold::plus{}, out);
}
}  // namespace many_not_contiguous

// expect: reduce_many takes a list of ranges, but the list's elements are not ranges
// A range where a list of ranges goes.
namespace many_ranges_of_numbers {
void call(const std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_many(warpfold::seq, v, warpfold::plus{}, out);
}
}  // namespace many_ranges_of_numbers

// expect: ranges_at takes raw pointers to the first elements
// Spans where pointers go.
namespace ranges_at_spans {
void call(const std::vector<std::span<float>>& spans, const std::vector<int>& sizes) {
  (void)warpfold::ranges_at(spans, sizes);
}
}  // namespace ranges_at_spans

// expect: the sizes of ranges_at are not integers
// Pointers to the ends where sizes go.
namespace ranges_at_ends {
void call(const std::vector<const float*>& pointers, const std::vector<const float*>& ends) {
  (void)warpfold::ranges_at(pointers, ends);
}
}  // namespace ranges_at_ends
