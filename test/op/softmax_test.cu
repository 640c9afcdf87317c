// softmax_term on the GPU: the bits of the host, also for subnormal results and masks; softmax_op
// in transform_axis.
#include <warpfold/op/softmax.hpp>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>
#include <vector>

#include <warpfold/policy/device.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_axis.hpp>

namespace wf = warpfold;

namespace {

// Equal, or both NaN.
template <class T>
bool are_same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))) return false;
  }
  return true;
}

template <class T>
std::vector<T> elements(std::size_t n, double center, double spread) {
  std::vector<T> v(n);
  unsigned random = 1;
  for (auto& x : v) {
    random = random * 1664525 + 1013904223;
    x = static_cast<T>(center + (static_cast<double>(random) * 0x1p-32 - 0.5) * spread);
    if (random % 97 == 0) x = -INFINITY;
    if (random % 101 == 0) x = static_cast<T>(-1e9);
  }
  return v;
}

struct by_sum {
  wf::exponential_sum sum;

  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return wf::softmax_term(sum)(x);
  }
};

template <class T>
void check_terms(double center, double spread, const wf::exponential_sum& sum) {
  const auto v = elements<T>(20'000, center, spread);
  std::vector<T> expected(v.size());
  wf::transform(wf::seq, v, expected, by_sum{sum});
  const wf::device_buffer<T> x(v);
  wf::device_buffer<T> y(v.size());
  wf::transform(wf::device, x, y, by_sum{sum});
  CAPTURE(center);
  CHECK(are_same(y.to_host(), expected));
}

template <class Op, class T>
void check_rows(int rows, int columns) {
  const auto n = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  const auto v = elements<T>(n, 3, 200);
  using matrix = cuda::std::mdspan<const T, cuda::std::dextents<int, 2>>;
  std::vector<T> expected(n);
  wf::transform_axis<1>(wf::seq, matrix(v.data(), rows, columns), Op{}, expected);
  const wf::device_buffer<T> x(v);
  wf::device_buffer<T> y(n);
  wf::transform_axis<1>(wf::device, matrix(x.data(), rows, columns), Op{}, y);
  CAPTURE(columns);
  const auto found = y.to_host();
  if constexpr (std::is_same_v<Op, wf::softmax_op>) {
    CHECK(are_same(found, expected));
  } else {
    for (std::size_t i = 0; i < n; i += 7) {
      if (!std::isinf(expected[i])) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
    }
  }
}

}  // namespace

TEST_CASE("terms have the bits of the host") {
  for (const double exponent : {0.0, 40.0, -300.0, 390.0, 20000.0}) {
    for (const double s : {1.0, 1.7, 1e9}) {
      check_terms<float>(exponent * std::log(2.0), 240, {s, exponent});
      check_terms<double>(exponent * std::log(2.0), 1600, {s, exponent});
    }
  }
  check_terms<float>(0, 100, {0, -INFINITY});
  check_terms<float>(0, 100, {INFINITY, 0});
  check_terms<double>(0, 100, {NAN, 0});
}

TEST_CASE("rows of every length") {
  for (const int columns : {1, 7, 128, 1000, 4096, 40'000}) {
    check_rows<wf::softmax_op, float>(5, columns);
    check_rows<wf::log_softmax_op, float>(5, columns);
  }
}
