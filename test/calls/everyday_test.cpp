// Named reductions with the host policies: several in one read, and compared with NumPy.
// needs: tbb
#include <deque>

#include "calls/host_policies.hpp"
#include "contract/everyday_contract.hpp"

namespace {

struct particle {
  float mass;
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(everyday_numpy, test::seq, test::par, test::std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_forms, test::seq, test::par);
TEST_CASE_TEMPLATE_INVOKE(everyday_projected, test::seq, test::par);
TEST_CASE_TEMPLATE_INVOKE(everyday_fused, test::seq, test::par, test::std_par);

TEST_CASE("ranges of other kinds, and members of elements") {
  const std::deque<double> d = {3, -4, 5};
  CHECK(wf::argmin(wf::par, d).index == 1);
  CHECK(wf::dot(wf::seq, d, d) == 50);
  CHECK(wf::mean(wf::seq, d) == doctest::Approx(4.0 / 3));

  const std::vector<particle> ps = {{1}, {2}, {4}};
  const auto twice = [](float x) { return 2 * x; };
  const auto all = wf::reduce(
      wf::par, ps,
      wf::all(wf::projected(wf::plus{}, &particle::mass),
              wf::projected(wf::projected(wf::arg(wf::maximum{}), twice), &particle::mass)));
  CHECK(wf::get<0>(all) == 7);
  CHECK(wf::get<1>(all) == wf::indexed<float>{8, 2});
}

TEST_CASE("several in one read: those that fold in one pass stand among others") {
  const std::vector<float> v = test::around<float>(-4, 9, 100003);
  const auto all =
      wf::reduce(wf::par, v,
                 wf::all(wf::arg(wf::minimum{}), wf::maximum{}, wf::moments_op{}, wf::minimum{},
                         wf::projected(wf::maximum{}, test::square_of{}), wf::plus{}));
  CHECK(wf::get<0>(all) == wf::argmin(wf::par, v));
  CHECK(wf::get<1>(all) == wf::max(wf::par, v));
  CHECK(wf::get<2>(all).count == v.size());
  CHECK(wf::get<3>(all) == wf::min(wf::par, v));
  CHECK(wf::get<4>(all) ==
        test::square_of{}(wf::get<3>(all)));  // the least element is the farthest from 0
  CHECK(wf::get<5>(all) == wf::sum(wf::par, v));

  std::vector<float> zeros(100003, -0.0f);
  zeros[77777] = 0.0f;
  const auto [least, greatest] = wf::minmax(wf::par, zeros);
  CHECK(std::signbit(least));
  CHECK_FALSE(std::signbit(greatest));
  zeros[5] = std::numeric_limits<float>::quiet_NaN();
  const auto none = wf::minmax(wf::par, zeros);
  CHECK(std::isnan(none.min));
  CHECK(std::isnan(none.max));
}
