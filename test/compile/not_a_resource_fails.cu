// A type that does not allocate is not a memory resource.
// expect: no instance of overloaded function
#include <warpfold/reduce.hpp>

auto policy() {
  static int nothing = 0;
  return warpfold::device.with(nothing);
}
