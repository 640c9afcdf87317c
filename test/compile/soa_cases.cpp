// Wrong uses of structures of arrays.
// needs: boost
#include <string>
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/soa.hpp>

// expect: a field of this struct is const or volatile
namespace soa_field_const {
struct fixed {
  BOOST_HANA_DEFINE_STRUCT(fixed, (const int, id), (float, x));
};

fixed first(const warpfold::host_soa<fixed>& all) { return all[0]; }
}  // namespace soa_field_const

// expect: no data member of this struct
namespace soa_field_of_another {
struct one {
  BOOST_HANA_DEFINE_STRUCT(one, (float, x));
};
struct other {
  BOOST_HANA_DEFINE_STRUCT(other, (float, x));
};

float sum(const warpfold::host_soa<one>& all) {
  return warpfold::reduce(warpfold::seq, all.field<&other::x>());
}
}  // namespace soa_field_of_another

// expect: use wf::host_soa here, or name this file .cu
namespace soa_in_cpp {
struct point {
  BOOST_HANA_DEFINE_STRUCT(point, (float, x), (float, y));
};

void place(const std::vector<point>& points) { warpfold::soa<point> there(points); }
}  // namespace soa_in_cpp

// expect: are not data members
namespace soa_no_data_member {
struct empty {
  BOOST_HANA_DEFINE_STRUCT(empty);
};

std::size_t count(const warpfold::host_soa<empty>& all) { return all.size(); }
}  // namespace soa_no_data_member

// expect: name them with BOOST_HANA_DEFINE_STRUCT
namespace soa_not_adapted {
struct plain {
  float x, y;
};

void fill(warpfold::host_soa<plain>& all) {
  all.push({1, 2});
  all.push(all[0]);
}
}  // namespace soa_not_adapted

// expect: this struct is not trivially copyable
namespace soa_not_trivial {
struct person {
  BOOST_HANA_DEFINE_STRUCT(person, (std::string, name), (int, age));
};

void add(warpfold::host_soa<person>& all, const person& p) { all.push(p); }
}  // namespace soa_not_trivial

// expect: one range for each field of the struct
namespace zip_to_too_few {
struct point {
  BOOST_HANA_DEFINE_STRUCT(point, (float, x), (float, y));
};

void place(const std::vector<float>& x) { (void)warpfold::zip_to<point>(x); }
}  // namespace zip_to_too_few
