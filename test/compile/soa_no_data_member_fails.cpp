// needs: boost
// expect: are not data members
#include <warpfold/soa.hpp>

struct empty {
  BOOST_HANA_DEFINE_STRUCT(empty);
};

std::size_t count(const warpfold::host_soa<empty>& all) { return all.size(); }
