// The shuffles of types of any size: every byte arrives, from the lane that is asked for; and all
// lanes must take part.
// needs: boost_context
#include <warpfold/collective/shuffle.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "contract/emulated_launch.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;

template <std::size_t N>
struct bytes {
  unsigned char x[N];
  bool operator==(const bytes&) const = default;

  /// No two lanes have the same, at any byte.
  static bytes of(unsigned lane) {
    bytes b{};
    for (std::size_t i = 0; i < N; ++i) b.x[i] = static_cast<unsigned char>(lane * 7 + i);
    return b;
  }
};

/// What the lanes of two warps receive by `f(own)`.
template <class T, class F>
std::vector<T> received(const F& f) {
  std::vector<T> results(64);
  test::emulated_launch on;
  const auto out = on.array(results);
  on.run({1, 64}, [=] { out.store(threadIdx.x, f(T::of(threadIdx.x))); });
  return results;
}

template <std::size_t N>
void check_bytes() {
  using T = bytes<N>;
  INFO(N, " bytes");
  for (const unsigned delta : {0u, 1u, 5u, 16u, 31u}) {
    const auto down = received<T>([=](const T& x) { return shuffle_down(x, delta); });
    const auto across = received<T>([=](const T& x) { return shuffle_xor(x, delta); });
    const auto from = received<T>([=](const T& x) { return shuffle_from(x, delta); });
    for (unsigned t = 0; t < 64; ++t) {
      const unsigned lane = t % 32, warp = t - lane;
      INFO("thread ", t, ", ", delta);
      CHECK(down[t] == T::of(lane + delta < 32 ? t + delta : t));  // its own beyond the end
      CHECK(across[t] == T::of(warp + (lane ^ delta)));
      CHECK(from[t] == T::of(warp + delta));
    }
  }
}

struct no_default {
  explicit no_default(double y) : x(y) {}
  double x;
};

}  // namespace

TEST_CASE("types of 1 to 33 bytes") {
  check_bytes<1>();
  check_bytes<2>();
  check_bytes<3>();
  check_bytes<4>();
  check_bytes<5>();
  check_bytes<8>();
  check_bytes<12>();
  check_bytes<16>();
  check_bytes<33>();
}

TEST_CASE("one shuffle for each four bytes") {
  test::emulated_launch on;
  const auto shuffles = [&]<class T>(const T& x) {
    return on.run({1, 32}, [=] { (void)shuffle_down(x, 1); }).shuffles;
  };
  CHECK(shuffles('a') == 1);
  CHECK(shuffles(1.0f) == 1);
  CHECK(shuffles(bytes<5>{}) == 2);
  CHECK(shuffles(1.0) == 2);
  CHECK(shuffles(bytes<33>{}) == 9);
}

TEST_CASE("a type needs no default constructor") {
  std::vector<double> results(32);
  test::emulated_launch on;
  const auto out = on.array(results);
  on.run({1, 32},
         [=] { out.store(threadIdx.x, shuffle_xor(no_default(threadIdx.x * 1.0), 31).x); });
  for (unsigned t = 0; t < 32; ++t) CHECK(results[t] == 31 - t);
}

TEST_CASE("all lanes of the warp must take part") {
  test::emulated_launch on;
  CHECK_ERROR(on.error_of({1, 32},
                          [] {
                            if (threadIdx.x != 9) (void)shuffle_from(1.0f, 0);
                          }),
              "waits at a shuffle with an inactive lane in its mask: lane 9 has returned");
  CHECK(on.error_of({1, 64}, [] {
    if (threadIdx.x >= 32) (void)shuffle_from(1.0f, 0);
  }) == "");
}
