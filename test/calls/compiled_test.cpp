// The calls of compiled.hpp: the types and bits of the headers, and their errors.
// needs: compiled cccl
#include <warpfold/compiled.hpp>

#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/log_sum_exp.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/view/strided.hpp>

namespace wf = warpfold;
namespace wfc = warpfold::compiled;

namespace {

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto real = static_cast<float>(i * 7919 % 1001) / 7 - 50;
    if constexpr (std::is_integral_v<T>) {
      v[i] = static_cast<T>(i * 37 % 19 + 1);
    } else if constexpr (wf::complex_number<T>) {
      v[i] = T(real, static_cast<float>(i % 13) / 3);
    } else {
      v[i] = static_cast<T>(real);
    }
  }
  return v;
}

template <class A, class B>
void check_same(const A& found, const B& expected) {
  static_assert(std::is_same_v<A, B>);
  CHECK(std::memcmp(&found, &expected, sizeof found) == 0);
}

template <class T>
void check_whole(std::size_t n, const wfc::policy& policy) {
  const auto v = numbers<T>(n), w = numbers<T>(n + 7);
  const std::span<const T> other(w.data() + 7, n);
  check_same(wfc::reduce(policy, v), wf::reduce(wf::seq, v));
  check_same(wfc::sum(policy, v), wf::sum(wf::seq, v));
  check_same(wfc::product(policy, v), wf::product(wf::seq, v));
  if constexpr (!wf::complex_number<T>) {
    check_same(wfc::min(policy, v), wf::min(wf::seq, v));
    check_same(wfc::max(policy, v), wf::max(wf::seq, v));
    const auto both = wfc::minmax(policy, v);
    check_same(both.min, wf::minmax(wf::seq, v).min);
    check_same(both.max, wf::minmax(wf::seq, v).max);
    CHECK(wfc::argmin(policy, v).index == wf::argmin(wf::seq, v).index);
    CHECK(wfc::argmax(policy, v).index == wf::argmax(wf::seq, v).index);
    check_same(wfc::argmax(policy, v).value, wf::argmax(wf::seq, v).value);
    check_same(wfc::log_sum_exp(policy, v), wf::log_sum_exp(wf::seq, v));
    CHECK(wfc::argmax(policy, wfc::strided(v, 2)).value ==
          wf::argmax(wf::seq, wf::strided(v, 2)).value);
  }
  check_same(wfc::mean(policy, v), wf::mean(wf::seq, v));
  check_same(wfc::variance(policy, v), wf::variance(wf::seq, v));
  check_same(wfc::stddev(policy, v), wf::stddev(wf::seq, v));
  check_same(wfc::variance(policy, v, wfc::variance_of::sample),
             wf::variance(wf::seq, v, wf::variance_of::sample));
  check_same(wfc::stddev(policy, v, wfc::variance_of::sample),
             wf::stddev(wf::seq, v, wf::variance_of::sample));
  check_same(wfc::norm_1(policy, v), wf::norm_1(wf::seq, v));
  check_same(wfc::norm_2(policy, v), wf::norm_2(wf::seq, v));
  check_same(wfc::norm_infinity(policy, v), wf::norm_infinity(wf::seq, v));
  check_same(wfc::dot(policy, v, other), wf::dot(wf::seq, v, other));
  check_same(wfc::sum(policy, wfc::strided(v, 3, 1)), wf::sum(wf::seq, wf::strided(v, 3, 1)));
  if constexpr (!std::is_integral_v<T>) {
    constexpr auto exact = wfc::plus{}.exact();
    check_same(wfc::sum(policy, v, exact), wf::sum(wf::seq, v, wf::plus{}.exact()));
    check_same(wfc::dot(policy, v, other, exact), wf::dot(wf::seq, v, other, wf::plus{}.exact()));
  }
}

template <class T, class Op, class OfHeaders>
void check_groups(const wfc::policy& policy, Op op, OfHeaders of_headers) {
  using R = decltype(wfc::reduce(policy, std::vector<T>{}, op));
  const auto v = numbers<T>(3000);
  const std::vector<int> offsets{0, 5, 5, 900, 3000};
  const std::vector<std::int64_t> wide_offsets(offsets.begin(), offsets.end());
  std::vector<R> expected(4), found(4), found_wide(4);
  wf::reduce_segments(wf::seq, v, offsets, of_headers, expected);
  wfc::reduce_segments(policy, v, offsets, op, found);
  wfc::reduce_segments(policy, v, wide_offsets, op, std::span(found_wide));
  CHECK(std::memcmp(found.data(), expected.data(), 4 * sizeof(R)) == 0);
  CHECK(std::memcmp(found_wide.data(), expected.data(), 4 * sizeof(R)) == 0);

  std::vector<std::uint16_t> keys(v.size()), keys_out(v.size()), keys_expected(v.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint16_t>(i / 77 % 3);
  std::vector<R> of_runs(v.size()), of_runs_expected(v.size());
  const auto runs =
      wf::reduce_by_key(wf::seq, keys, v, of_headers, keys_expected, of_runs_expected);
  CHECK(wfc::reduce_by_key(policy, keys, v, op, keys_out, of_runs) == runs);
  CHECK(std::memcmp(of_runs.data(), of_runs_expected.data(), runs * sizeof(R)) == 0);
  CHECK(keys_out == keys_expected);
}

template <class T>
void check_type() {
  for (const wfc::policy& policy : {wfc::seq, wfc::par, wfc::policy{2}}) {
    check_whole<T>(3, policy);
    check_whole<T>(100'001, policy);
  }
}

/// A row-major matrix like std::mdspan, which GCC 12 lacks.
struct matrix {
  using element_type = const float;
  using rank_type = std::size_t;
  static constexpr rank_type rank() { return 2; }
  std::size_t extent(rank_type d) const { return extents[d]; }
  std::size_t stride(rank_type d) const { return d == 0 ? extents[1] : 1; }
  const float* data_handle() const { return data; }

  const float* data;
  std::size_t extents[2];
};

template <class Error, class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("results of whole ranges have the types and bits of the headers") {
  check_type<float>();
  check_type<double>();
  check_type<std::complex<float>>();
  check_type<__half>();
  check_type<std::int8_t>();
  check_type<std::uint32_t>();
  check_type<long>();
  check_type<long long>();
}

TEST_CASE("results of segments and runs") {
  for (const wfc::policy& policy : {wfc::seq, wfc::par}) {
    check_groups<float>(policy, wfc::plus{}, wf::plus{});
    check_groups<double>(policy, wfc::log_sum_exp_op{}, wf::log_sum_exp_op{});
    check_groups<double>(policy, wfc::norm_2_op{}, wf::norm_2_op{});
    check_groups<std::int16_t>(policy, wfc::plus{}, wf::plus{});
    check_groups<std::int16_t>(policy, wfc::maximum{}, wf::maximum{});
    check_groups<float>(policy, wfc::plus{}.exact(), wf::plus{}.exact());
  }
}

TEST_CASE("run lengths") {
  const int keys[] = {4, 4, 2, 4};
  std::array<int, 4> found{};
  std::array<std::uint64_t, 4> lengths{};
  CHECK(wfc::run_lengths(wfc::seq, keys, found, lengths) == 3);
  CHECK(found[0] == 4);
  CHECK(found[1] == 2);
  CHECK(lengths[0] == 2);
  CHECK(lengths[2] == 1);
}

TEST_CASE("axes of an mdspan") {
  const auto v = numbers<float>(12);
  const matrix m{v.data(), {3, 4}};
  std::vector<float> of_columns(4), of_rows(3);
  wfc::reduce_axis<0>(wfc::seq, m, wfc::maximum{}, of_columns);
  wfc::reduce_axis<1>(wfc::par, m, wfc::plus{}, of_rows);
  for (std::size_t c = 0; c < 4; ++c) {
    CHECK(of_columns[c] == std::max(std::max(v[c], v[c + 4]), v[c + 8]));
  }
  for (std::size_t r = 0; r < 3; ++r) {
    CHECK(of_rows[r] == wf::sum(wf::seq, std::span(v).subspan(4 * r, 4)));
  }
}

TEST_CASE("arrays, and ranges that can be written, are ranges") {
  const double a[] = {1, 2, 4};
  CHECK(wfc::sum(wfc::seq, a) == 7);
  std::vector<double> v{1, 2, 4};
  CHECK(wfc::sum(wfc::seq, std::span(v).first(2)) == 3);
}

TEST_CASE("errors are those of the headers") {
  std::vector<float> v{1, 2, 3}, one(1);
  CHECK(message_of<wf::empty_range>([] {
          (void)wfc::max(wfc::seq, std::vector<float>{});
        }).find("warpfold: ") == 0);
  CHECK(message_of<wf::empty_range>([&] {
          (void)wfc::variance(wfc::seq, one, wfc::variance_of::sample);
        }).find("warpfold: ") == 0);
  CHECK(
      message_of<wf::invalid_range>([&] {
        wfc::reduce_segments(wfc::seq, v, std::vector<int>{0, 1, 3}, wfc::plus{}, one);
      }) ==
      "warpfold: the output has 1 elements, but there are 2 results; pass an output of 2 elements");
  CHECK(message_of<wf::invalid_range>([&] {
          wfc::reduce_segments(wfc::seq, v, std::vector<int>{0, 9}, wfc::plus{}, one);
        }).find("warpfold: ") == 0);
  CHECK(one[0] == 0);
  CHECK(message_of<wf::invalid_range>([&] {
          (void)wfc::dot(wfc::seq, v, one);
        }).find("warpfold: ") == 0);
  CHECK(message_of<wf::invalid_range>([&] { (void)wfc::strided(v, 0); }).find("step of 0") !=
        std::string::npos);
  CHECK(message_of<wf::invalid_range>([] {
          (void)wfc::sum(wfc::seq, std::span<const float>(static_cast<const float*>(nullptr), 4));
        }).find("null") != std::string::npos);
  CHECK(message_of<wf::invalid_argument>([&] {
          (void)wfc::sum(wfc::policy{-1}, v);
        }).find("number of threads") != std::string::npos);
}
