// The array of a braced list is destroyed at the end of the statement.
// expect: project would refer to a temporary container
#include <initializer_list>

#include <warpfold/reduce.hpp>

auto dangling() {
  return warpfold::project(std::initializer_list<int>{1, 2, 3}, [](int x) { return -x; });
}
