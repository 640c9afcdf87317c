// needs: boost
// expect: this struct is not trivially copyable
#include <string>

#include <warpfold/soa.hpp>

struct person {
  BOOST_HANA_DEFINE_STRUCT(person, (std::string, name), (int, age));
};

void add(warpfold::host_soa<person>& all, const person& p) { all.push(p); }
