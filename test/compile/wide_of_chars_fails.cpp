// expect: wide takes elements of 4, 8 or 16 bytes
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/view/wide.hpp>

int smallest(const std::vector<signed char>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::wide(v), warpfold::minimum{});
}
