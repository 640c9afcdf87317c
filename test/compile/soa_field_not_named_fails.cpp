// needs: boost
// expect: does not know the member given to field
#include <warpfold/reduce.hpp>
#include <warpfold/soa.hpp>

struct partly {
  float x, y;
};
BOOST_HANA_ADAPT_STRUCT(partly, x);

float sum(const warpfold::host_soa<partly>& all) {
  return warpfold::reduce(warpfold::seq, all.field<&partly::y>());
}
