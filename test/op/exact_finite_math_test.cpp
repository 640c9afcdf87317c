// plus{}.exact() where the compiler assumes that no number is infinite or NaN: the same bits.
// flags: -ffinite-math-only
// needs: tbb
#include <warpfold/op/exact.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/policy/par.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

TEST_CASE("the bits of several small numbers together may be those of a NaN") {
  const std::vector<float> v{0, 1e30f, 1.5f, 2.0f, -1e30f};
  CHECK(wf::reduce(wf::par, v, wf::plus{}.exact()) == 3.5f);
  const std::vector<double> w{0, 1e30, 1.5, 2.0, -1e30};
  CHECK(wf::reduce(wf::par, w, wf::plus{}.exact()) == 3.5);
}

TEST_CASE("a NaN gives NaN") {
  std::vector<float> v(500, 1);
  v[123] = __builtin_bit_cast(float, std::uint32_t{0x7fc00000});
  const float sum = wf::reduce(wf::par, v, wf::plus{}.exact());
  CHECK((__builtin_bit_cast(std::uint32_t, sum) & 0x7fffffff) > 0x7f800000);
}
