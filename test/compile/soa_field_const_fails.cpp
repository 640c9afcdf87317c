// needs: boost
// expect: a field of this struct is const or volatile
#include <warpfold/soa.hpp>

struct fixed {
  BOOST_HANA_DEFINE_STRUCT(fixed, (const int, id), (float, x));
};

fixed first(const warpfold::host_soa<fixed>& all) { return all[0]; }
