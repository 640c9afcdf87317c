// Wrong uses of aligned, packed and wide views.
#include <deque>
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/view/wide.hpp>

// expect: aligned takes elements that lie side by side in memory
namespace aligned_not_contiguous {
auto call(const std::deque<double>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::aligned<8>(v), warpfold::plus{});
}
}  // namespace aligned_not_contiguous

// expect: the elements that aligned was given are not trivially copyable
namespace aligned_not_trivial {
auto call(const std::vector<std::string>& v) { return warpfold::aligned<8>(v); }
}  // namespace aligned_not_trivial

// expect: the size of the elements is not a multiple of aligned's words
// Twelve bytes are not a multiple of a word.
namespace aligned_size {
struct point {
  float x, y, z;
};

auto call(const std::vector<point>& v) { return warpfold::aligned<8>(v); }
}  // namespace aligned_size

// expect: aligned loads words of 8 or 16 bytes
namespace aligned_to_twelve {
auto call(const std::vector<double>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::aligned<12>(v), warpfold::plus{});
}
}  // namespace aligned_to_twelve

// expect: packed takes elements of one or two bytes
namespace packed_of_ints {
int smallest(const std::vector<int>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::packed(v), warpfold::minimum{});
}
}  // namespace packed_of_ints

// expect: wide takes elements of 4, 8 or 16 bytes
namespace wide_of_chars {
int smallest(const std::vector<signed char>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::wide(v), warpfold::minimum{});
}
}  // namespace wide_of_chars
