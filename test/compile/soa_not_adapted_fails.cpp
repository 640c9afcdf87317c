// needs: boost
// expect: name them with BOOST_HANA_DEFINE_STRUCT
#include <warpfold/soa.hpp>

struct plain {
  float x, y;
};

void fill(warpfold::host_soa<plain>& all) {
  all.push({1, 2});
  all.push(all[0]);
}
