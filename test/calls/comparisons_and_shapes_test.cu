// argmin and argmax by a comparison and a projection, the last of equal elements, skewness and
// kurtosis on the GPU.
#include <span>

#include <warpfold/extrema.hpp>
#include <warpfold/statistics.hpp>

#include "contract/device_memory.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct point {
  float x;
  int y;

  friend bool operator==(const point&, const point&) = default;
};
struct descending {
  template <class T>
  WARPFOLD_HD bool operator()(const T& a, const T& b) const {
    return b < a;
  }
};
/// Negated and then compared: a computed projection.
struct negative_magnitude {
  WARPFOLD_HD int operator()(const point& p) const { return p.y < 0 ? p.y : -p.y; }
};

constexpr std::size_t lengths[] = {1, 50, 3000, 300007};

/// Few different values, so that most elements have an equal one.
std::vector<point> points(std::size_t n) {
  test::random_bits random;
  std::vector<point> v(n);
  for (point& p : v) {
    p = {static_cast<float>(random() % 1000), static_cast<int>(random() % 21) - 10};
  }
  return v;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(b)); }

}  // namespace

TEST_CASE(
    "device finds elements by a comparison and a projection, of equals the first or the last") {
  const auto values = points(300007);
  const test::device_memory::array<point> placed(values, 8);
  for (const std::size_t n : lengths) {
    INFO(n, " elements");
    const std::span<const point> here(values.data(), n), there(placed.data(), n);
    CHECK(wf::argmin(wf::device, there, {}, &point::y) == wf::argmin(wf::seq, here, {}, &point::y));
    CHECK(wf::argmax(wf::device, there, {}, negative_magnitude{}) ==
          wf::argmax(wf::seq, here, {}, negative_magnitude{}));
    CHECK(wf::argmax(wf::device, there, descending{}, &point::x) ==
          wf::argmax(wf::seq, here, descending{}, &point::x));
    const auto last = wf::arg_by(descending{}, negative_magnitude{}).last();
    CHECK(wf::reduce(wf::device, there, last) == wf::reduce(wf::seq, here, last));
    const auto numbers_here = wf::field<&point::y>(here);
    const auto numbers_there = wf::field<&point::y>(there);
    CHECK(wf::reduce(wf::device, numbers_there, wf::arg(wf::maximum{}).last()) ==
          wf::reduce(wf::seq, numbers_here, wf::arg(wf::maximum{}).last()));
  }
}

TEST_CASE_TEMPLATE("device computes skewness and kurtosis", T, short, float, double) {
  // Squares, which are skewed; a mean far from 0.
  test::random_bits random;
  std::vector<T> values(300007);
  for (T& x : values) {
    const auto root = static_cast<int>(random() % 100);
    x = static_cast<T>(root * root + (sizeof(T) == 2 ? 0 : 1000000));
  }
  for (const std::size_t offset : test::offsets<T>()) {
    const test::device_memory::array<T> placed(values, offset);
    for (const std::size_t n : {std::size_t{50}, std::size_t{3000}, std::size_t{300007}}) {
      INFO(n, " elements at offset ", offset);
      const std::span<const T> here(values.data(), n), there(placed.data(), n);
      const auto want = wf::reduce(wf::seq, here, wf::moments_to_4_op{});
      const auto got = wf::reduce(wf::device, there, wf::moments_to_4_op{});
      CHECK(got.count == n);
      CHECK(near(got.mean, want.mean));
      CHECK(near(got.variance(), want.variance()));
      CHECK(near(got.skewness(), want.skewness()));
      CHECK(near(got.kurtosis(), want.kurtosis()));
    }
    const std::span<const T> all(placed.data(), values.size());
    // A result that is a float may round either way.
    CHECK(std::abs(wf::kurtosis(wf::device, all) - wf::kurtosis(wf::seq, values)) <= 1e-6);
  }
}
