// Wrong uses of named results.
// needs: boost
#include <vector>

#include <warpfold/named.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>

// expect: one name, or one member, for each part
namespace named_fewer_members {
namespace wf = warpfold;

struct summary {
  BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (float, least));
};

summary all_of(const std::vector<float>& v) {
  return wf::named<summary>(
      wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{}, wf::maximum{})));
}
}  // namespace named_fewer_members

// expect: one name, or one member, for each part
namespace named_more_names {
namespace wf = warpfold;

using namespace wf::literals;

float least_of(const std::vector<float>& v) {
  const auto r = wf::named(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{})), "sum"_s,
                           "least"_s, "greatest"_s);
  return r["least"_s];
}
}  // namespace named_more_names

// expect: named was given a name twice
namespace named_name_twice {
namespace wf = warpfold;

using namespace wf::literals;

float least_of(const std::vector<float>& v) {
  const auto r =
      wf::named(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{})), "sum"_s, "sum"_s);
  return r["sum"_s];
}
}  // namespace named_name_twice

// expect: names are strings of Boost.Hana
namespace named_not_a_string {
namespace wf = warpfold;

using namespace wf::literals;

float least_of(const std::vector<float>& v) {
  const auto r =
      wf::named(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{})), "sum", "least");
  return r["least"];
}
}  // namespace named_not_a_string

// expect: name them with BOOST_HANA_DEFINE_STRUCT
namespace named_not_adapted {
namespace wf = warpfold;

struct summary {
  double sum;
  float least;
};

summary all_of(const std::vector<float>& v) {
  return wf::named<summary>(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{})));
}
}  // namespace named_not_adapted

// expect: does not convert to the member that it is for
namespace named_not_convertible {
namespace wf = warpfold;

struct summary {
  BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (float, least));
};

summary all_of(const std::vector<float>& v) {
  return wf::named<summary>(wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::arg(wf::minimum{}))));
}
}  // namespace named_not_convertible

// expect: named takes the result of a reduction with wf::all
namespace named_one_reduction {
namespace wf = warpfold;

struct summary {
  BOOST_HANA_DEFINE_STRUCT(summary, (double, sum), (float, least));
};

summary all_of(const std::vector<float>& v) {
  return wf::named<summary>(wf::reduce(wf::seq, v, wf::plus{}));
}
}  // namespace named_one_reduction
