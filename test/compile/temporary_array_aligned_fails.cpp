// expect: aligned would refer to a temporary
#include <array>

#include <warpfold/view/aligned.hpp>

struct point {
  double x, y;
};

std::size_t call() { return warpfold::aligned<16>(std::array<point, 2>{}).size(); }
