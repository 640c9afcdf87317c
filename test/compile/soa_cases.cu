// Wrong uses of structures of arrays, as nvcc sees them.
// needs: boost
#include <warpfold/reduce.hpp>
#include <warpfold/soa.hpp>

// expect: no data member of this struct
namespace soa_field_of_another {
struct one {
  BOOST_HANA_DEFINE_STRUCT(one, (float, x));
};
struct other {
  BOOST_HANA_DEFINE_STRUCT(other, (float, x));
};

float sum(const warpfold::soa<one>& all) {
  return warpfold::reduce(warpfold::device, all.field<&other::x>());
}
}  // namespace soa_field_of_another

// expect: name them with BOOST_HANA_DEFINE_STRUCT
namespace soa_not_adapted {
struct plain {
  float x, y;
};

plain first(const warpfold::soa<plain>& all) { return all[0]; }
}  // namespace soa_not_adapted
