// Statistics are of numbers.
// expect: statistics are of numbers
#include <vector>

#include <warpfold/statistics.hpp>

struct point {
  float x, y;
};

double spread(const std::vector<point>& v) { return warpfold::stddev(warpfold::seq, v); }
