// expect: the range is a view of a range with a mask; call where last
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/view/reverse.hpp>

float call(const std::vector<float>& v, const std::vector<unsigned>& bits) {
  const auto some = warpfold::where(v, bits);
  return warpfold::reduce(warpfold::seq, warpfold::reverse(some), warpfold::plus{});
}
