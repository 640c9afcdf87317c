// Floats have no bits to combine.
// expect: bit_and, bit_or and bit_xor are for integers
#include <vector>

#include <warpfold/reduce.hpp>

auto bits(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::bit_and{});
}
