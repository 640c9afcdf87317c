// needs: boost
// expect: no data member of this struct
#include <warpfold/reduce.hpp>
#include <warpfold/soa.hpp>

struct one {
  BOOST_HANA_DEFINE_STRUCT(one, (float, x));
};
struct other {
  BOOST_HANA_DEFINE_STRUCT(other, (float, x));
};

float sum(const warpfold::soa<one>& all) {
  return warpfold::reduce(warpfold::device, all.field<&other::x>());
}
