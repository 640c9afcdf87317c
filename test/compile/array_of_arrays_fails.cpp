// An array of two dimensions, whose elements are arrays.
// expect: an array of arrays is not a range; pass std::span
#include <warpfold/sum.hpp>

float matrix[3][4];

auto total() { return warpfold::sum(warpfold::seq, matrix); }
