// The array behind a braced list is gone when the statement ends.
// expect: project would refer to a temporary container
#include <initializer_list>

#include <warpfold/reduce.hpp>

auto dangling() {
  return warpfold::project(std::initializer_list<int>{1, 2, 3}, [](int x) { return -x; });
}
