// expect: the comparison cannot be called with the keys of two elements
#include <string_view>
#include <vector>

#include <warpfold/extrema.hpp>

auto call(const std::vector<float>& v) {
  return warpfold::argmin(warpfold::seq, v,
                          [](std::string_view a, std::string_view b) { return a < b; });
}
