// The policy that runs other libraries' parallel host policies: wf::par where oneTBB is found.
// needs: tbb
#include <warpfold/drop_in/host_threads.hpp>

#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/reduce.hpp>

namespace wf = warpfold;

TEST_CASE("where oneTBB is found, it is wf::par") {
  constexpr auto threads = wf::detail::host_threads();
  static_assert(std::is_same_v<decltype(threads), const wf::par_policy>);
  CHECK(threads.name() == std::string("par"));
  // In parts, as wf::par folds, and not one by one.
  std::vector<float> v(300'001);
  std::iota(v.begin(), v.end(), 0.1f);
  CHECK(wf::reduce(threads, v) == wf::reduce(wf::par, v));
  float one_by_one = 0;
  for (const float x : v) one_by_one += x;
  CHECK(wf::reduce(threads, v) != one_by_one);
}
