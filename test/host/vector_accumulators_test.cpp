// Accumulators in vector registers: each lane is what a number gives that takes the same elements.
#include <warpfold/host/vector_accumulators.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <warpfold/op/multiplies.hpp>
#include <warpfold/view/contiguous.hpp>

namespace wf = warpfold;

#if defined(__GNUC__)
namespace {

/// Takes six vectors in two accumulators, and compares each lane with a loop.
template <class Op, class T, int Bytes>
void check_lanes() {
  constexpr std::size_t count = Bytes / sizeof(T);
  using accumulator = typename Op::template accumulator<T>;
  std::vector<T> v(6 * count);
  std::mt19937_64 random(7);
  for (T& x : v) x = static_cast<T>(static_cast<std::int64_t>(random()) >> (64 - 7 * sizeof(T)));
  wf::host::detail::vector_accumulators<Op, T, Bytes> a, b;
  a.start(v.data());
  b.start(v.data() + count);
  for (std::size_t i = 2; i < 6; ++i) (i % 2 == 0 ? a : b).take(v.data() + i * count);
  a.merge(b);
  for (std::size_t l = 0; l < count; ++l) {
    accumulator own = static_cast<accumulator>(v[l]),
                other = static_cast<accumulator>(v[count + l]);
    for (std::size_t i = 2; i < 6; ++i) {
      accumulator& to = i % 2 == 0 ? own : other;
      to = Op{}(to, static_cast<accumulator>(v[i * count + l]));
    }
    CHECK(a.value(static_cast<int>(l)) == Op{}(own, other));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("sums", T, float, double, int, unsigned, std::int64_t, std::uint64_t) {
  check_lanes<wf::plus, T, 16>();
  check_lanes<wf::plus, T, 32>();
}

TEST_CASE_TEMPLATE("extrema", T, float, double, signed char, unsigned short, int) {
  check_lanes<wf::minimum, T, 16>();
  check_lanes<wf::maximum, T, 32>();
}

TEST_CASE("a NaN stays in its lane, also if two vectors are taken together") {
  using maxima = wf::host::detail::vector_accumulators<wf::maximum, float, 16>;
  float v[16] = {};
  maxima a, b;
  a.start(v);
  b.start(v + 4);
  v[9] = v[14] = std::numeric_limits<float>::quiet_NaN();
  a.take_two(b, v + 8);
  a.merge(b);
  CHECK(a.value(0) == 0);
  CHECK(a.value(1) != a.value(1));
  CHECK(a.value(2) != a.value(2));
  CHECK(a.value(3) == 0);
}

TEST_CASE("which numbers fold together in vectors") {
  using floats = wf::contiguous_view<float>;
  CHECK(wf::host::folds_together_in_vectors<wf::plus, floats>);
  CHECK_FALSE(wf::host::folds_together_in_vectors<wf::plus, wf::contiguous_view<bool>>);
  CHECK_FALSE(wf::host::folds_together_in_vectors<wf::multiplies, floats>);
}
#endif
