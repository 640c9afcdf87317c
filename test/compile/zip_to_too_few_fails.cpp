// needs: boost
// expect: one range for each field of the struct
#include <vector>

#include <warpfold/soa.hpp>

struct point {
  BOOST_HANA_DEFINE_STRUCT(point, (float, x), (float, y));
};

void place(const std::vector<float>& x) { (void)warpfold::zip_to<point>(x); }
