// expect: project would refer to a temporary container
#include <warpfold/reduce.hpp>

#include "compile/read_only_owner.hpp"

auto call() {
  return warpfold::project(read_only{}, [](float x) { return x; });
}
