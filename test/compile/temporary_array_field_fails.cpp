// expect: field would refer to a temporary
#include <array>

#include <warpfold/view/field.hpp>

struct point {
  int x, y;
};

std::size_t call() { return warpfold::field<&point::x>(std::array<point, 2>{}).size(); }
