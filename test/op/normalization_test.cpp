// layer_norm_op and rms_norm_op beside long double: rows and segments, by all policies that run on
// hosts, and functions of the fold left out.
// needs: tbb, cccl
#include <warpfold/op/normalization.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <warpfold/op/softmax.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/transform_segments.hpp>

namespace wf = warpfold;

namespace {

template <class T>
std::vector<T> numbers(std::size_t n, double center, double spread) {
  std::vector<T> v(n);
  unsigned random = 1;
  for (auto& x : v) {
    random = random * 1664525 + 1013904223;
    x = static_cast<T>(static_cast<float>(center + (random * 0x1p-32 - 0.5) * spread));
  }
  return v;
}
template <class T>
long double wide(const T& x) {
  return static_cast<long double>(wf::detail::as_double{}(x));
}

// The norms of all elements in long double, with or without the mean.
template <class T>
std::vector<long double> expected_norms(const std::vector<T>& v, bool is_centered, double epsilon) {
  const auto n = static_cast<long double>(v.size());
  long double mean = 0, squares = 0;
  if (is_centered) {
    for (const T& x : v) mean += wide(x) / n;
  }
  for (const T& x : v) squares += (wide(x) - mean) * (wide(x) - mean);
  std::vector<long double> norms;
  for (const T& x : v) {
    norms.push_back((wide(x) - mean) / std::sqrt(squares / n + static_cast<long double>(epsilon)));
  }
  return norms;
}

template <class T>
using result_type = std::conditional_t<sizeof(T) < 8 && !std::is_integral_v<T>, float, double>;

// At most 4 roundings of the result, and the error of the mean (`moments_op`).
template <class T, class Op>
void check(const Op& op, bool is_centered, double center, double spread) {
  using R = result_type<T>;
  const auto v = numbers<T>(1000, center, spread);
  const wf::normalization normalize = wf::reduce(wf::seq, v, op);
  static_assert(std::is_same_v<decltype(normalize(v[0])), R>);
  const auto expected = expected_norms(v, is_centered, op.epsilon);
  const long double unit = static_cast<long double>(std::numeric_limits<R>::epsilon()) / 2;
  const double greatest = std::fabs(center) + spread / 2;
  const long double of_center = is_centered ? 10 * 0x1p-53 * greatest * normalize.scale() : 0;
  long double most = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const R found = normalize(v[i]);
    most = std::fmax(most, std::fabs(static_cast<long double>(found) - expected[i]) /
                               (4 * unit * std::fabs(expected[i]) + of_center));
  }
  CAPTURE(center);
  CHECK(most <= 1);
}

template <class T>
void check_both() {
  for (const double center : {0.0, 3.0, -40.0}) {
    for (const double spread : {20.0, 200.0}) {
      check<T>(wf::layer_norm_op{}, true, center, spread);
      check<T>(wf::layer_norm_op(0.5), true, center, spread);
      check<T>(wf::rms_norm_op{}, false, center, spread);
      check<T>(wf::rms_norm_op(0.5), false, center, spread);
    }
  }
}

// Without a function, rows and segments call the function that `reduce` of the row returns.
template <class T, class Op>
void check_rows(const Op& op, const auto& transform) {
  for (const int columns : {1, 2, 33, 128, 1500}) {
    const int rows = 5;
    const auto v = numbers<T>(static_cast<std::size_t>(rows * columns), 2, 9);
    std::vector<result_type<T>> found(v.size());
    transform(v, rows, columns, op, found);
    for (int row = 0; row < rows; ++row) {
      const std::vector<T> own(v.begin() + row * columns, v.begin() + (row + 1) * columns);
      const auto f = wf::reduce(wf::seq, own, op);
      int wrong = 0;
      for (int i = 0; i < columns; ++i) {
        const auto at = static_cast<std::size_t>(row * columns + i);
        if (found[at] != f(own[static_cast<std::size_t>(i)])) ++wrong;
      }
      CAPTURE(columns);
      CHECK(wrong == 0);
    }
  }
}

template <class T, class Policy, class Op>
void check_axis(const Policy& policy, const Op& op) {
  check_rows<T>(op, [&](const auto& v, int rows, int columns, const Op& by, auto& out) {
    using matrix = cuda::std::mdspan<const T, cuda::std::dextents<int, 2>>;
    wf::transform_axis<1>(policy, matrix(v.data(), rows, columns), by, out);
  });
}
template <class T, class Policy, class Op>
void check_segments(const Policy& policy, const Op& op) {
  check_rows<T>(op, [&](const auto& v, int rows, int columns, const Op& by, auto& out) {
    std::vector<int> offsets{0};
    for (int row = 0; row < rows; ++row) offsets.push_back(offsets.back() + columns);
    wf::transform_segments(policy, v, offsets, by, out);
  });
}

}  // namespace

TEST_CASE("norms have few roundings") {
  check_both<float>();
  check_both<double>();
  check_both<int>();
  check_both<__half>();
  check_both<__nv_bfloat16>();
}

TEST_CASE("rows and segments have the bits of reduce") {
  check_axis<float>(wf::seq, wf::layer_norm_op{});
  check_axis<double>(wf::par, wf::rms_norm_op{});
  check_segments<float>(wf::seq, wf::softmax_op{});
  check_segments<double>(wf::par, wf::layer_norm_op{});
}
// Each compiles the kernels, which takes long.
TEST_CASE("so have rows of the emulated GPU") {
  check_axis<float>(wf::emulated, wf::rms_norm_op{});
}
TEST_CASE("so have segments of the emulated GPU") {
  check_segments<float>(wf::emulated, wf::layer_norm_op{});
}

TEST_CASE("neighbors have the bits of single elements") {
  const wf::rms_norm_op op;
  const auto v = numbers<double>(64, 1, 7);
  const auto element = [&](int k) { return v[static_cast<std::size_t>(k)]; };
  const auto lifted = [&](int k) { return op.lift(element(k)); };
  std::vector<wf::square_sum> nodes;
  for (int k = 0; k < 64; ++k) nodes.push_back(lifted(k));
  for (; nodes.size() > 1; nodes.resize(nodes.size() / 2)) {
    for (std::size_t k = 0; k < nodes.size() / 2; ++k) {
      nodes[k] = op(nodes[2 * k], nodes[2 * k + 1]);
    }
  }
  CHECK(op.fold_neighbors<64>(element, lifted) == nodes[0]);
  CHECK(op.fold_neighbors<64>(element, lifted).count == 64);
}

TEST_CASE("rows that have no norm") {
  const wf::layer_norm_op centered(0);
  const wf::normalization equal = wf::reduce(wf::seq, std::vector<float>{3, 3}, centered);
  CHECK(std::isnan(equal(3.0f)));
  CHECK(equal(4.0f) == std::numeric_limits<float>::infinity());
  const std::vector<float> nan{1, NAN};
  CHECK(std::isnan(wf::reduce(wf::seq, nan, wf::layer_norm_op{})(1.0f)));
  CHECK(std::isnan(wf::reduce(wf::seq, nan, wf::rms_norm_op{})(1.0f)));
  const std::vector<float> infinite{1, INFINITY};
  CHECK(std::isnan(wf::reduce(wf::seq, infinite, wf::layer_norm_op{})(1.0f)));
  CHECK(wf::reduce(wf::seq, infinite, wf::rms_norm_op{})(1.0f) == 0);
  CHECK(std::isnan(wf::reduce(wf::seq, infinite, wf::rms_norm_op{})(INFINITY)));
  const std::vector<double> huge{1e200, 1e200};
  CHECK(wf::reduce(wf::seq, huge, wf::rms_norm_op{})(1e200) == 0);
  const std::vector<float> none;
  CHECK(std::isnan(wf::reduce(wf::seq, none, wf::layer_norm_op{})(1.0f)));
  CHECK(std::isnan(wf::reduce(wf::seq, none, wf::rms_norm_op{})(1.0f)));
}
