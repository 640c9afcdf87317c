// needs: boost
// expect: use wf::host_soa here, or name this file .cu
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/soa.hpp>

struct point {
  BOOST_HANA_DEFINE_STRUCT(point, (float, x), (float, y));
};

void place(const std::vector<point>& points) { warpfold::soa<point> there(points); }
