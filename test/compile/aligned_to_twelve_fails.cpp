// expect: aligned loads words of 8 or 16 bytes
#include <vector>

#include <warpfold/reduce.hpp>

auto call(const std::vector<double>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::aligned<12>(v), warpfold::plus{});
}
