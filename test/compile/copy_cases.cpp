// Wrong uses of copy.
#include <vector>

#include <warpfold/copy.hpp>

// expect: cannot be converted to the output's elements
namespace copy_not_convertible {
struct point {
  int x, y;
};

void call(const std::vector<point>& in, std::vector<int>& out) {
  warpfold::copy(warpfold::seq, in, out);
}
}  // namespace copy_not_convertible

// expect: the elements of the range or of the output are not trivially copyable
// Elements that own memory: one error, without a second one about conversions.
namespace copy_vector_of_vectors {
void call(const std::vector<std::vector<float>>& v, std::vector<float>& out) {
  warpfold::copy(warpfold::seq, v, out);
}
}  // namespace copy_vector_of_vectors
