// Wrong uses of masks.
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/where.hpp>

// expect: a fold along an axis cannot take a range with a mask
namespace axis_of_a_mask {
void call(const std::vector<float>& v, const std::vector<unsigned>& bits, std::vector<float>& out) {
  using namespace warpfold;
  reduce_axis<0>(seq, where(v, bits), plus{}, out);
}
}  // namespace axis_of_a_mask

// expect: a range with a mask cannot be combined with another range
// errors: 4
// A range with a mask beside another range: one error each.
namespace mask_of_one_of_two {
float add(float a, float b);

void call(const std::vector<float>& v, const std::vector<unsigned>& bits, std::vector<float>& out) {
  using namespace warpfold;
  const auto some = where(v, bits);
  (void)dot(seq, some, v);
  (void)inner_product(seq, v, some, 0.0f);
  (void)reduce(seq, zip(v, some));
  transform(seq, v, some, out, add);
}
}  // namespace mask_of_one_of_two

// expect: the call cannot take a range with a mask
// A range with a mask.
namespace segments_with_a_mask {
void call(const std::vector<float>& v, const std::vector<unsigned>& bits,
          const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, warpfold::where(v, bits), offsets, warpfold::plus{},
                            out);
}
}  // namespace segments_with_a_mask

// expect: transform and copy cannot take a range with a mask
// errors: 1
// Only reductions leave elements out.
namespace transform_where {
void call(const std::vector<int>& v, const std::vector<unsigned>& bits, std::vector<int>& out) {
  warpfold::transform(warpfold::seq, warpfold::where(v, bits), out, [](int x) { return x; });
}
}  // namespace transform_where

// expect: the range is a view of a range with a mask; call where last
namespace where_not_last {
float call(const std::vector<float>& v, const std::vector<unsigned>& bits) {
  const auto some = warpfold::where(v, bits);
  return warpfold::reduce(warpfold::seq, warpfold::reverse(some), warpfold::plus{});
}
}  // namespace where_not_last

// expect: the mask of where is not contiguous unsigned integers
namespace where_of_bools {
float call(const std::vector<float>& v, const std::vector<bool>& is) {
  return warpfold::reduce(warpfold::seq, warpfold::where(v, is), warpfold::plus{});
}
}  // namespace where_of_bools

// expect: the function cannot be called with an element of the range
namespace where_projection_takes_no_elements {
float call(const std::vector<float>& v, const std::vector<unsigned>& bits) {
  const auto size = [](const std::vector<int>& x) { return x.size(); };
  return warpfold::reduce(warpfold::seq, warpfold::project(warpfold::where(v, bits), size));
}
}  // namespace where_projection_takes_no_elements

// expect: where was given a range that has a mask
namespace where_twice {
float call(const std::vector<float>& v, const std::vector<unsigned>& bits) {
  const auto some = warpfold::where(v, bits);
  return warpfold::reduce(warpfold::seq, warpfold::where(some, bits), warpfold::plus{});
}
}  // namespace where_twice
