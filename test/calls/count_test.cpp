// count, count_if, all_of, any_of and none_of by the policies of the host.
// needs: tbb
#include "calls/host_policies.hpp"
#include "contract/everyday_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(everyday_counts, test::seq, test::par, test::std_par);

namespace {

struct particle {
  float mass;
  bool alive;
};

struct answer {
  bool is_yes;
  explicit operator bool() const { return is_yes; }
};

struct weight {
  int grams;
  friend answer operator==(weight a, weight b) { return {a.grams == b.grams}; }
};

}  // namespace

TEST_CASE("predicates that are members, or give something that converts to bool") {
  const std::vector<particle> ps = {{1, true}, {2, false}, {4, true}};
  CHECK(wf::count_if(wf::seq, ps, &particle::alive) == 2);
  CHECK_FALSE(wf::all_of(wf::par, ps, &particle::alive));
  CHECK(wf::any_of(wf::seq, ps, &particle::alive));
  // 3 and 256 count once each, although one is not 1 and the other does not fit a char.
  const std::vector<int> v = {3, 0, 256};
  const auto itself = [](int x) { return x; };
  CHECK(wf::count_if(wf::seq, v, itself) == 2);
  CHECK_FALSE(wf::all_of(wf::seq, v, itself));
  CHECK(wf::any_of(wf::seq, v, itself));
}

TEST_CASE("== may return a class that converts to bool explicitly") {
  const std::vector<weight> v = {{1}, {2}, {1}};
  CHECK(wf::count(wf::seq, v, weight{1}) == 2);
}

TEST_CASE("numbers are compared in their common type") {
  const std::vector<signed char> v = {-1, 0, 1};
  CHECK(wf::count(wf::seq, v, -1) == 1);
  CHECK(wf::count(wf::seq, v, 255) == 0);
  CHECK(wf::count(wf::seq, v, 4294967295u) == 1);  // as -1 == 4294967295u in C++
  CHECK(wf::count(wf::seq, v, 0.5) == 0);
  CHECK(wf::count(wf::seq, std::vector<double>{test::nan_v<double>}, test::nan_v<double>) == 0);
}

TEST_CASE("more elements than a narrow type counts") {
  const std::vector<char> v(70'000, 'x');
  CHECK(wf::count(wf::seq, v, 'x') == 70'000);
  CHECK(wf::count(wf::par, v, 'x') == 70'000);
  static_assert(std::is_same_v<decltype(wf::count(wf::seq, v, 'x')), std::size_t>);
}
