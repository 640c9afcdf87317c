// expect: aligned takes elements that lie side by side in memory
#include <deque>

#include <warpfold/reduce.hpp>

auto call(const std::deque<double>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::aligned<8>(v), warpfold::plus{});
}
