// expect: field would refer to a temporary container
#include <warpfold/reduce.hpp>

struct point {
  float x, y;
};
struct read_only_points {
  point at[4];
  const point* begin() const { return at; }
  const point* end() const { return at + 4; }
};

auto call() { return warpfold::field<&point::x>(read_only_points{}); }
