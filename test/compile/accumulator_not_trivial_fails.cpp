// The op's result is not trivially copyable, cannot be made from an element, and is not an argument
// of the op: one error.
// expect: the op's accumulator is not trivially copyable
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>

void call(const std::vector<float>& v) {
  const auto names = [](float a, float b) { return std::to_string(a) + std::to_string(b); };
  (void)warpfold::reduce(warpfold::seq, v, names);
}
