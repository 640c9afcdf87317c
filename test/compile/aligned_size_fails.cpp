// Twelve bytes are not a multiple of a word.
// expect: the size of the elements is not a multiple of aligned's words
#include <vector>

#include <warpfold/reduce.hpp>

struct point {
  float x, y, z;
};

auto call(const std::vector<point>& v) { return warpfold::aligned<8>(v); }
