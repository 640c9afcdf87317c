// Elements that own memory: one error, without a second one about conversions.
// expect: the elements of the range or of the output are not trivially copyable
#include <vector>

#include <warpfold/copy.hpp>

void call(const std::vector<std::vector<float>>& v, std::vector<float>& out) {
  warpfold::copy(warpfold::seq, v, out);
}
