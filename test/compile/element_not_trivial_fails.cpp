// Elements that own memory cannot travel to a GPU, nor anywhere else.
// expect: not trivially copyable
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>

auto longest(const std::vector<std::string>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::maximum{});
}
