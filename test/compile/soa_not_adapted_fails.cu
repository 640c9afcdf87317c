// needs: boost
// expect: name them with BOOST_HANA_DEFINE_STRUCT
#include <warpfold/soa.hpp>

struct plain {
  float x, y;
};

plain first(const warpfold::soa<plain>& all) { return all[0]; }
