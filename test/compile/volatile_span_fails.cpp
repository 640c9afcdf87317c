// Volatile elements behind a span.
// expect: the range.s elements are volatile
// errors: 2
#include <span>

#include <warpfold/reduce.hpp>

auto total(std::span<volatile float> v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::plus{}) +
         warpfold::reduce(warpfold::seq, v.data(), v.data() + v.size());
}
