// Iterators that are not random-access.
// expect: the iterators are not random-access.*copy the elements into a std::vector
#include <list>

#include <warpfold/reduce.hpp>

auto total(const std::list<float>& v) {
  return warpfold::reduce(warpfold::seq, v.begin(), v.end()) +
         warpfold::reduce(warpfold::seq, v.begin(), v.end(), 0.0f, warpfold::plus{});
}
