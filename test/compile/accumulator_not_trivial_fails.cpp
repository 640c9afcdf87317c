// What the op gives is neither trivially copyable nor made of an element, nor does the op take it:
// one error.
// expect: the op's accumulator is not trivially copyable
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>

void call(const std::vector<float>& v) {
  const auto names = [](float a, float b) { return std::to_string(a) + std::to_string(b); };
  (void)warpfold::reduce(warpfold::seq, v, names);
}
