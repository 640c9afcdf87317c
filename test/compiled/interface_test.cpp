// libwarpfold: the results of the C interface have the bits of the headers, and bad arguments get a
// status and a message.
#include <warpfold.h>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/log_sum_exp.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

namespace {

template <class T>
constexpr warpfold_type c_type = [] {
  constexpr warpfold_type integers[2][4] = {
      {WARPFOLD_UINT8, WARPFOLD_UINT16, WARPFOLD_UINT32, WARPFOLD_UINT64},
      {WARPFOLD_INT8, WARPFOLD_INT16, WARPFOLD_INT32, WARPFOLD_INT64}};
  if (std::is_same_v<T, float>) return WARPFOLD_FLOAT32;
  if (std::is_same_v<T, double>) return WARPFOLD_FLOAT64;
  if (std::is_same_v<T, std::complex<float>>) return WARPFOLD_COMPLEX64;
  if (std::is_same_v<T, std::complex<double>>) return WARPFOLD_COMPLEX128;
  if (std::is_same_v<T, __half>) return WARPFOLD_FLOAT16;
  if (std::is_same_v<T, __nv_bfloat16>) return WARPFOLD_BFLOAT16;
  int log2_size = 0;
  while (std::size_t{1} << log2_size < sizeof(T)) ++log2_size;
  return integers[std::is_signed_v<T>][log2_size];
}();

template <class T>
constexpr warpfold_type c_type<wf::least_and_greatest<T>> = c_type<T>;

template <class T>
constexpr bool is_complex = wf::complex_number<T>;

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double real = static_cast<double>(i * 7919 % 1001) / 7 - 50;
    if constexpr (is_complex<T>) {
      using part = typename T::value_type;
      v[i] = {static_cast<part>(real), static_cast<part>(static_cast<double>(i % 13) / 3 - 1)};
      continue;
    } else if constexpr (wf::is_half_v<T>) {
      v[i] = static_cast<T>(static_cast<float>(real));
      continue;
    }
    v[i] = std::is_integral_v<T> ? static_cast<T>(i * 37 % 19 + 1) : static_cast<T>(real);
  }
  return v;
}
template <class T>
std::vector<T> every(const std::vector<T>& v, std::size_t stride) {
  std::vector<T> some;
  for (std::size_t i = 0; i < v.size(); i += stride) some.push_back(v[i]);
  return some;
}

// Checks the result and its type for several sizes, strides and numbers of threads.
template <class T, class F>
void check(warpfold_operation operation, const F& f) {
  CAPTURE(static_cast<int>(operation));
  for (const std::size_t n : {2, 9, 1000, 300000}) {
    for (const std::size_t stride : {1, 3}) {
      const std::vector<T> v = numbers<T>(n);
      const std::vector<T> some = every(v, stride);
      if (some.size() < 2) continue;
      const auto expected = f(some);
      using result = std::remove_const_t<decltype(expected)>;
      CHECK(warpfold_result_type(operation, c_type<T>) == c_type<result>);
      for (const int threads : {0, 1, 3}) {
        const warpfold_array a{v.data(), some.size(), stride, c_type<T>};
        result r{};
        REQUIRE(warpfold_reduce(operation, &a, threads, &r) == WARPFOLD_OK);
        CHECK(std::memcmp(&r, &expected, sizeof r) == 0);
        CHECK(std::string(warpfold_message()).empty());
      }
    }
  }
}

struct is_there {
  template <class T>
  bool operator()(const T& x) const {
    return x != T{};
  }
};

std::string message_of(warpfold_status status, warpfold_status expected) {
  CHECK(status == expected);
  return warpfold_message();
}
bool says(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE_TEMPLATE("each operation has the bits of the headers", T, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, float, double, std::complex<float>, std::complex<double>, __half,
                   __nv_bfloat16) {
  check<T>(WARPFOLD_SUM, [](const auto& v) { return wf::sum(wf::seq, v); });
  check<T>(WARPFOLD_PRODUCT, [](const auto& v) { return wf::product(wf::seq, v); });
  if constexpr (!is_complex<T>) {
    check<T>(WARPFOLD_MINIMUM, [](const auto& v) { return wf::min(wf::seq, v); });
    check<T>(WARPFOLD_MAXIMUM, [](const auto& v) { return wf::max(wf::seq, v); });
    check<T>(WARPFOLD_ARGMIN,
             [](const auto& v) { return std::uint64_t{wf::argmin(wf::seq, v).index}; });
    check<T>(WARPFOLD_ARGMAX,
             [](const auto& v) { return std::uint64_t{wf::argmax(wf::seq, v).index}; });
    check<T>(WARPFOLD_MINMAX, [](const auto& v) { return wf::minmax(wf::seq, v); });
    check<T>(WARPFOLD_LOG_SUM_EXP, [](const auto& v) { return wf::log_sum_exp(wf::seq, v); });
  }
  check<T>(WARPFOLD_MEAN, [](const auto& v) { return wf::mean(wf::seq, v); });
  check<T>(WARPFOLD_VARIANCE, [](const auto& v) { return wf::variance(wf::seq, v); });
  check<T>(WARPFOLD_SAMPLE_VARIANCE,
           [](const auto& v) { return wf::variance(wf::seq, v, wf::variance_of::sample); });
  check<T>(WARPFOLD_STDDEV, [](const auto& v) { return wf::stddev(wf::seq, v); });
  check<T>(WARPFOLD_SAMPLE_STDDEV,
           [](const auto& v) { return wf::stddev(wf::seq, v, wf::variance_of::sample); });
  check<T>(WARPFOLD_NORM_1, [](const auto& v) { return wf::norm_1(wf::seq, v); });
  check<T>(WARPFOLD_NORM_2, [](const auto& v) { return double{wf::norm_2(wf::seq, v)}; });
  check<T>(WARPFOLD_NORM_INFINITY, [](const auto& v) { return wf::norm_infinity(wf::seq, v); });
  check<T>(WARPFOLD_COUNT_NONZERO,
           [](const auto& v) { return std::uint64_t{wf::count_if(wf::seq, v, is_there{})}; });
  if constexpr (!std::is_integral_v<T>) {
    check<T>(WARPFOLD_EXACT_SUM,
             [](const auto& v) { return wf::sum(wf::seq, v, wf::plus{}.exact()); });
  } else {
    CHECK(warpfold_result_type(WARPFOLD_EXACT_SUM, c_type<T>) == warpfold_type{});
  }
  CHECK(warpfold_size(c_type<T>) == sizeof(T));
}

TEST_CASE("the types of results are those of the comments in warpfold.h") {
  constexpr warpfold_type types[] = {
      WARPFOLD_INT8,      WARPFOLD_INT16,      WARPFOLD_INT32,   WARPFOLD_INT64,   WARPFOLD_UINT8,
      WARPFOLD_UINT16,    WARPFOLD_UINT32,     WARPFOLD_UINT64,  WARPFOLD_FLOAT32, WARPFOLD_FLOAT64,
      WARPFOLD_COMPLEX64, WARPFOLD_COMPLEX128, WARPFOLD_FLOAT16, WARPFOLD_BFLOAT16};
  for (const warpfold_type own : types) {
    const bool is_integer = own < WARPFOLD_FLOAT32;
    const bool is_pair = own == WARPFOLD_COMPLEX64 || own == WARPFOLD_COMPLEX128;
    const warpfold_type part =
        own == WARPFOLD_FLOAT64 || own == WARPFOLD_COMPLEX128 ? WARPFOLD_FLOAT64 : WARPFOLD_FLOAT32;
    const warpfold_type size = is_integer ? WARPFOLD_UINT64 : part;
    const warpfold_type wide = own <= WARPFOLD_INT64 ? WARPFOLD_INT64 : is_pair ? own : size;
    const warpfold_type real = is_integer ? WARPFOLD_FLOAT64 : part;
    const auto ordered = [&](warpfold_type type) { return is_pair ? warpfold_type{} : type; };
    const warpfold_type expected[] = {wide,
                                      wide,
                                      ordered(own),
                                      ordered(own),
                                      ordered(WARPFOLD_UINT64),
                                      ordered(WARPFOLD_UINT64),
                                      is_pair ? own : real,
                                      real,
                                      real,
                                      real,
                                      size,
                                      WARPFOLD_FLOAT64,
                                      size,
                                      WARPFOLD_UINT64,
                                      is_integer ? warpfold_type{} : wide,
                                      real,
                                      ordered(real),
                                      ordered(own)};
    for (int operation = WARPFOLD_SUM; operation <= WARPFOLD_MINMAX; ++operation) {
      CAPTURE(operation);
      CHECK(warpfold_result_type(static_cast<warpfold_operation>(operation), own) ==
            expected[operation - 1]);
    }
  }
  static_assert(sizeof(warpfold_status) == 4 && sizeof(warpfold_operation) == 4);
}

TEST_CASE_TEMPLATE("dot products", T, std::int8_t, std::uint32_t, float, double,
                   std::complex<float>, __half) {
  const std::vector<T> v = numbers<T>(50000);
  for (const std::size_t stride : {1, 2}) {
    const std::size_t n = 20000;
    std::vector<T> x, y;
    for (std::size_t i = 0; i < n; ++i) {
      x.push_back(v[i]);
      y.push_back(v[5 + i * stride]);
    }
    const warpfold_array a{v.data(), n, 1, c_type<T>}, b{v.data() + 5, n, stride, c_type<T>};
    const auto expected = wf::dot(wf::seq, x, y);
    std::remove_const_t<decltype(expected)> r{};
    REQUIRE(warpfold_dot(&a, &b, 0, 0, &r) == WARPFOLD_OK);
    CHECK(r == expected);
    if constexpr (!std::is_integral_v<T>) {
      REQUIRE(warpfold_dot(&a, &b, 1, 2, &r) == WARPFOLD_OK);
      CHECK(r == wf::dot(wf::seq, x, y, wf::plus{}.exact()));
    } else {
      CHECK(says(message_of(warpfold_dot(&a, &b, 1, 0, &r), WARPFOLD_INVALID_ARGUMENT),
                 "an exact warpfold_dot takes floating-point and complex numbers"));
    }
  }
}

TEST_CASE_TEMPLATE("segments", T, std::int16_t, std::uint64_t, float, double) {
  const std::vector<T> v = numbers<T>(10000);
  const std::vector<std::int64_t> offsets{0, 0, 3, 40, 1000, 10000};
  const std::size_t segments = offsets.size() - 1;
  const auto same_as = [&]<class result>(warpfold_operation operation, const auto& op, result) {
    std::vector<result> expected(segments), r(segments);
    wf::reduce_segments(wf::seq, v, offsets, op, expected);
    const warpfold_array a{v.data(), v.size(), 1, c_type<T>};
    REQUIRE(warpfold_reduce_segments(operation, &a, offsets.data(), segments, 0, r.data()) ==
            WARPFOLD_OK);
    CHECK(std::memcmp(r.data(), expected.data(), segments * sizeof(result)) == 0);
  };
  const auto same = [&](warpfold_operation operation, const auto& op) {
    same_as(operation, op, decltype(wf::reduce(wf::seq, v, op)){});
  };
  same_as(WARPFOLD_LOG_SUM_EXP, wf::log_sum_exp_op{},
          std::conditional_t<std::is_same_v<T, float>, float, double>{});
  same(WARPFOLD_SUM, wf::plus{});
  same(WARPFOLD_PRODUCT, wf::multiplies{});
  same(WARPFOLD_MINIMUM, wf::minimum{});
  same(WARPFOLD_MAXIMUM, wf::maximum{});
  if constexpr (std::is_floating_point_v<T>) same(WARPFOLD_EXACT_SUM, wf::plus{}.exact());
}

TEST_CASE_TEMPLATE("each segment and run has the bits of warpfold_reduce", T, std::int8_t,
                   std::uint32_t, std::int64_t, float, double, std::complex<float>,
                   std::complex<double>, __half, __nv_bfloat16) {
  const std::vector<T> v = numbers<T>(3000);
  const std::vector<std::int64_t> offsets{0, 2, 5, 40, 1000, 3000};
  const std::size_t segments = offsets.size() - 1;
  std::vector<std::int32_t> keys(v.size()), keys_out(v.size());
  for (std::size_t s = 0; s < segments; ++s) {
    for (auto i = offsets[s]; i < offsets[s + 1]; ++i) {
      keys[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(s);
    }
  }
  const warpfold_array a{v.data(), v.size(), 1, c_type<T>};
  const warpfold_array k{keys.data(), keys.size(), 1, WARPFOLD_INT32};
  int found = 0;
  for (int o = WARPFOLD_SUM; o <= WARPFOLD_MINMAX; ++o) {
    const auto operation = static_cast<warpfold_operation>(o);
    const warpfold_type type = warpfold_result_type(operation, c_type<T>);
    if (type == 0 || operation == WARPFOLD_NORM_1 || operation == WARPFOLD_NORM_INFINITY ||
        operation == WARPFOLD_COUNT_NONZERO || operation == WARPFOLD_MINMAX) {
      continue;
    }
    CAPTURE(o);
    ++found;
    const std::size_t size = warpfold_size(type);
    std::vector<unsigned char> results(segments * size), of_runs(v.size() * size), want(size);
    REQUIRE(warpfold_reduce_segments(operation, &a, offsets.data(), segments, 2, results.data()) ==
            WARPFOLD_OK);
    std::size_t runs = 0;
    REQUIRE(warpfold_reduce_by_key(operation, &k, &a, 2, keys_out.data(), of_runs.data(), &runs) ==
            WARPFOLD_OK);
    REQUIRE(runs == segments);
    for (std::size_t s = 0; s < segments; ++s) {
      const auto n = static_cast<std::size_t>(offsets[s + 1] - offsets[s]);
      const warpfold_array part{v.data() + offsets[s], n, 1, c_type<T>};
      REQUIRE(warpfold_reduce(operation, &part, 1, want.data()) == WARPFOLD_OK);
      CHECK(std::memcmp(results.data() + s * size, want.data(), size) == 0);
      CHECK(std::memcmp(of_runs.data() + s * size, want.data(), size) == 0);
    }
  }
  CHECK(found == (is_complex<T> ? 9 : std::is_integral_v<T> ? 13 : 14));
}

TEST_CASE("segments with too few elements") {
  const std::vector<float> v{1, 2, 3};
  const std::vector<std::int64_t> offsets{0, 0, 1, 3};
  const warpfold_array a{v.data(), v.size(), 1, WARPFOLD_FLOAT32};
  std::array<float, 3> r{};
  REQUIRE(warpfold_reduce_segments(WARPFOLD_MEAN, &a, offsets.data(), 3, 0, r.data()) ==
          WARPFOLD_OK);
  CHECK(r[0] != r[0]);
  CHECK(r[1] == 1);
  REQUIRE(warpfold_reduce_segments(WARPFOLD_SAMPLE_VARIANCE, &a, offsets.data(), 3, 0, r.data()) ==
          WARPFOLD_OK);
  CHECK(r[1] != r[1]);
  CHECK(r[2] == 0.5f);
  std::array<double, 3> norms{};
  REQUIRE(warpfold_reduce_segments(WARPFOLD_NORM_2, &a, offsets.data(), 3, 0, norms.data()) ==
          WARPFOLD_OK);
  CHECK(norms[0] == 0);
  std::array<std::uint64_t, 3> indices{7, 7, 7};
  REQUIRE(warpfold_reduce_segments(WARPFOLD_ARGMAX, &a, offsets.data(), 3, 0, indices.data()) ==
          WARPFOLD_OK);
  CHECK(indices == std::array<std::uint64_t, 3>{UINT64_MAX, 0, 1});

  const std::vector<std::complex<float>> z{{1, 1}, {2, 0}, {4, 4}};
  const warpfold_array pairs{z.data(), z.size(), 1, WARPFOLD_COMPLEX64};
  std::array<std::complex<float>, 3> means{};
  REQUIRE(warpfold_reduce_segments(WARPFOLD_MEAN, &pairs, offsets.data(), 3, 0, means.data()) ==
          WARPFOLD_OK);
  CHECK(means[0].real() != means[0].real());
  CHECK(means[2] == std::complex<float>(3, 2));
  REQUIRE(warpfold_reduce_segments(WARPFOLD_VARIANCE, &pairs, offsets.data(), 3, 0, r.data()) ==
          WARPFOLD_OK);
  CHECK(r[0] != r[0]);
  CHECK(r[2] == 5);
}

TEST_CASE("complex numbers have no order") {
  const std::complex<double> z[] = {{1, 2}, {3, 4}};
  const warpfold_array a{z, 2, 1, WARPFOLD_COMPLEX128};
  double r[2] = {7, 7};
  const std::int64_t offsets[] = {0, 2};
  for (const auto operation : {WARPFOLD_MINIMUM, WARPFOLD_MAXIMUM, WARPFOLD_ARGMIN, WARPFOLD_ARGMAX,
                               WARPFOLD_LOG_SUM_EXP, WARPFOLD_MINMAX}) {
    CHECK(says(message_of(warpfold_reduce(operation, &a, 0, r), WARPFOLD_INVALID_ARGUMENT),
               "for elements of type complex128"));
    CHECK(warpfold_reduce_segments(operation, &a, offsets, 1, 0, r) == WARPFOLD_INVALID_ARGUMENT);
    CHECK(r[0] == 7);
  }
}

TEST_CASE("the least and the greatest element") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  double v[] = {0.0, -0.0, nan};
  const warpfold_array two{v, 2, 1, WARPFOLD_FLOAT64}, three{v, 3, 1, WARPFOLD_FLOAT64};
  const warpfold_array none{v, 0, 1, WARPFOLD_FLOAT64};
  double r[2] = {7, 7};
  CHECK(warpfold_reduce(WARPFOLD_MINMAX, &none, 0, r) == WARPFOLD_EMPTY_RANGE);
  const std::int64_t offsets[] = {0, 2};
  CHECK(says(message_of(warpfold_reduce_segments(WARPFOLD_MINMAX, &two, offsets, 1, 0, r),
                        WARPFOLD_INVALID_ARGUMENT),
             "has no operation WARPFOLD_MINMAX"));
  CHECK(r[0] == 7);
  REQUIRE(warpfold_reduce(WARPFOLD_MINMAX, &two, 0, r) == WARPFOLD_OK);
  CHECK(std::signbit(r[0]));
  CHECK_FALSE(std::signbit(r[1]));
  REQUIRE(warpfold_reduce(WARPFOLD_MINMAX, &three, 0, r) == WARPFOLD_OK);
  CHECK(std::isnan(r[0]));
  CHECK(std::isnan(r[1]));
  // The result may lie in the array.
  double w[] = {5, 3, 4};
  const warpfold_array all{w, 3, 1, WARPFOLD_FLOAT64};
  REQUIRE(warpfold_reduce(WARPFOLD_MINMAX, &all, 0, w + 1) == WARPFOLD_OK);
  CHECK(w[1] == 3);
  CHECK(w[2] == 5);
}

TEST_CASE("complex numbers and halves as keys, and along an axis") {
  const std::complex<float> keys[] = {{1, 2}, {1, 2}, {1, 3}};
  const __half values[] = {__half(1.5f), __half(2.0f), __half(-4.0f)};
  const warpfold_array k{keys, 3, 1, WARPFOLD_COMPLEX64}, v{values, 3, 1, WARPFOLD_FLOAT16};
  std::complex<float> found[3];
  float sums[3];
  std::size_t runs = 0;
  REQUIRE(warpfold_reduce_by_key(WARPFOLD_SUM, &k, &v, 0, found, sums, &runs) == WARPFOLD_OK);
  CHECK(runs == 2);
  CHECK(found[1] == std::complex<float>(1, 3));
  CHECK(sums[0] == 3.5f);
  CHECK(sums[1] == -4);

  const auto z = numbers<std::complex<double>>(6);
  const std::size_t extents[] = {2, 3};
  std::complex<double> rows[2];
  REQUIRE(warpfold_reduce_axis(WARPFOLD_MEAN, z.data(), WARPFOLD_COMPLEX128, 2, extents, nullptr, 1,
                               0, rows) == WARPFOLD_OK);
  for (std::size_t row = 0; row < 2; ++row) {
    CHECK(rows[row] == wf::mean(wf::seq, std::span(z).subspan(3 * row, 3)));
  }
  CHECK(warpfold_reduce_axis(WARPFOLD_MEAN, z.data(), WARPFOLD_COMPLEX128, 2,
                             std::array<std::size_t, 2>{2, 0}.data(), nullptr, 1, 0,
                             rows) == WARPFOLD_EMPTY_RANGE);
}

TEST_CASE_TEMPLATE("runs of equal keys", Key, std::int8_t, std::uint16_t, std::int32_t,
                   std::uint64_t, float, double) {
  for (const std::size_t n : {0u, 1u, 10'000u, 100'000u}) {
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(i * i / 700 % 5);
    const std::vector<float> values = numbers<float>(n);
    std::vector<Key> expected_keys(n + 1), found_keys(n + 1);
    std::vector<float> expected_sums(n + 1), found_sums(n + 1);
    std::vector<std::uint64_t> expected_lengths(n + 1), found_lengths(n + 1);
    const std::size_t runs = wf::reduce_by_key(wf::seq, keys, values, wf::plus{},
                                               expected_keys.data(), expected_sums.data());
    wf::run_lengths(wf::seq, keys, expected_keys.data(), expected_lengths.data());
    const warpfold_array k{keys.data(), n, 1, c_type<Key>};
    const warpfold_array v{values.data(), n, 1, WARPFOLD_FLOAT32};
    std::size_t found = 99;
    REQUIRE(warpfold_reduce_by_key(WARPFOLD_SUM, &k, &v, 0, found_keys.data(), found_sums.data(),
                                   &found) == WARPFOLD_OK);
    CHECK(found == runs);
    CHECK(found_keys == expected_keys);
    CHECK(found_sums == expected_sums);
    found = 99;
    REQUIRE(warpfold_run_lengths(&k, 1, found_keys.data(), found_lengths.data(), &found) ==
            WARPFOLD_OK);
    CHECK(found == runs);
    CHECK(found_lengths == expected_lengths);
  }
}

TEST_CASE("bad arguments of calls by key") {
  const std::vector<int> keys{1, 1, 2};
  const std::vector<float> values{1, 2, 3};
  std::vector<int> keys_out(3, -1);
  std::vector<float> sums(3, -1);
  std::size_t runs = 99;
  const warpfold_array k{keys.data(), 3, 1, WARPFOLD_INT32},
      v{values.data(), 3, 1, WARPFOLD_FLOAT32};
  const auto fold = [&](warpfold_operation operation, const warpfold_array& a,
                        const warpfold_array& b) {
    const warpfold_status status =
        warpfold_reduce_by_key(operation, &a, &b, 0, keys_out.data(), sums.data(), &runs);
    CHECK(keys_out == std::vector<int>(3, -1));
    CHECK(sums == std::vector<float>(3, -1));
    CHECK(runs == 99);
    return status;
  };
  const auto has = [](const char* text) {
    return std::string(warpfold_message()).find(text) != std::string::npos;
  };
  CHECK(fold(WARPFOLD_NORM_1, k, v) == WARPFOLD_INVALID_ARGUMENT);
  CHECK(has("warpfold_reduce_by_key has no operation WARPFOLD_NORM_1"));
  CHECK(fold(WARPFOLD_SUM, k, {values.data(), 2, 1, WARPFOLD_FLOAT32}) == WARPFOLD_INVALID_RANGE);
  CHECK(has("3 keys and 2 values"));
  CHECK(fold(WARPFOLD_SUM, {keys.data(), 2, 2, WARPFOLD_INT32}, v) == WARPFOLD_INVALID_ARGUMENT);
  CHECK(has("the keys have a stride of 2"));
  CHECK(fold(WARPFOLD_SUM, k, {values.data(), 3, 3, WARPFOLD_FLOAT32}) ==
        WARPFOLD_INVALID_ARGUMENT);
  CHECK(has("the values have a stride of 3"));
  std::vector<int> own = keys;
  const warpfold_array own_keys{own.data(), 3, 1, WARPFOLD_INT32};
  CHECK(warpfold_reduce_by_key(WARPFOLD_SUM, &k, &v, 0, sums.data(), sums.data(), &runs) ==
        WARPFOLD_INVALID_RANGE);
  CHECK(has("overlap"));
  CHECK(warpfold_reduce_by_key(WARPFOLD_SUM, &own_keys, &v, 0, keys_out.data(), own.data(),
                               &runs) == WARPFOLD_INVALID_RANGE);
  CHECK(warpfold_reduce_by_key(WARPFOLD_SUM, &own_keys, &v, 0, own.data() + 1, sums.data(),
                               &runs) == WARPFOLD_INVALID_RANGE);
  CHECK(own == keys);
  CHECK(sums == std::vector<float>(3, -1));
  CHECK(warpfold_reduce_by_key(WARPFOLD_SUM, &k, &v, 0, nullptr, sums.data(), &runs) ==
        WARPFOLD_INVALID_RANGE);
  CHECK(has("keys of the runs is null"));
  CHECK(warpfold_run_lengths(&k, 0, keys_out.data(), nullptr, &runs) == WARPFOLD_INVALID_RANGE);
  CHECK(has("results of the runs is null"));
  CHECK(warpfold_run_lengths(&k, 0, keys_out.data(), nullptr, nullptr) == WARPFOLD_INVALID_RANGE);
  CHECK(has("number of runs is null"));
}

TEST_CASE_TEMPLATE("each axis of an array, in row-major and in column-major order", T, std::int8_t,
                   std::uint32_t, float, double) {
  const std::size_t extents[] = {7, 5, 130};
  const std::vector<T> v = numbers<T>(7 * 5 * 130);
  const std::size_t by_rows[] = {5 * 130, 130, 1}, by_columns[] = {1, 7, 35};
  const auto same = [&](warpfold_operation operation, int axis, const std::size_t* strides,
                        const std::size_t* used, const auto& f) {
    CAPTURE(static_cast<int>(operation));
    CAPTURE(axis);
    const int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    using result = std::remove_cvref_t<decltype(f(v))>;
    std::vector<result> expected, r(v.size() / extents[axis]);
    for (std::size_t i = 0; i < extents[first]; ++i) {
      for (std::size_t j = 0; j < extents[second]; ++j) {
        std::vector<T> row;
        for (std::size_t k = 0; k < extents[axis]; ++k) {
          row.push_back(v[i * used[first] + j * used[second] + k * used[axis]]);
        }
        expected.push_back(f(row));
      }
    }
    REQUIRE(warpfold_result_type(operation, c_type<T>) == c_type<result>);
    REQUIRE(warpfold_reduce_axis(operation, v.data(), c_type<T>, 3, extents, strides, axis, 0,
                                 r.data()) == WARPFOLD_OK);
    CHECK(std::memcmp(r.data(), expected.data(), r.size() * sizeof(result)) == 0);
  };
  const auto each = [&](warpfold_operation operation, const auto& f) {
    for (int axis = 0; axis < 3; ++axis) {
      same(operation, axis, nullptr, by_rows, f);
      same(operation, axis, by_rows, by_rows, f);
      same(operation, axis, by_columns, by_columns, f);
    }
  };
  each(WARPFOLD_SUM, [](const auto& x) { return wf::sum(wf::seq, x); });
  each(WARPFOLD_PRODUCT, [](const auto& x) { return wf::product(wf::seq, x); });
  each(WARPFOLD_MINIMUM, [](const auto& x) { return wf::min(wf::seq, x); });
  each(WARPFOLD_MAXIMUM, [](const auto& x) { return wf::max(wf::seq, x); });
  each(WARPFOLD_ARGMIN, [](const auto& x) { return std::uint64_t{wf::argmin(wf::seq, x).index}; });
  each(WARPFOLD_ARGMAX, [](const auto& x) { return std::uint64_t{wf::argmax(wf::seq, x).index}; });
  each(WARPFOLD_MEAN, [](const auto& x) { return wf::mean(wf::seq, x); });
  each(WARPFOLD_VARIANCE, [](const auto& x) { return wf::variance(wf::seq, x); });
  each(WARPFOLD_SAMPLE_VARIANCE,
       [](const auto& x) { return wf::variance(wf::seq, x, wf::variance_of::sample); });
  each(WARPFOLD_SAMPLE_STDDEV,
       [](const auto& x) { return wf::stddev(wf::seq, x, wf::variance_of::sample); });
  each(WARPFOLD_LOG_SUM_EXP, [](const auto& x) { return wf::log_sum_exp(wf::seq, x); });
  each(WARPFOLD_STDDEV, [](const auto& x) { return wf::stddev(wf::seq, x); });
  each(WARPFOLD_NORM_2, [](const auto& x) { return double{wf::norm_2(wf::seq, x)}; });
  if constexpr (std::is_floating_point_v<T>) {
    each(WARPFOLD_EXACT_SUM, [](const auto& x) { return wf::sum(wf::seq, x, wf::plus{}.exact()); });
  }
}

TEST_CASE("bad arguments of warpfold_reduce_axis") {
  const std::vector<double> v(24, 1);
  std::array<double, 8> out{7};
  const std::size_t extents[] = {4, 6}, empty[] = {4, 0}, huge[] = {SIZE_MAX, 4};
  const auto along = [&](int rank, const std::size_t* e, int axis, warpfold_status expected,
                         warpfold_operation operation = WARPFOLD_SUM) {
    return message_of(warpfold_reduce_axis(operation, v.data(), WARPFOLD_FLOAT64, rank, e, nullptr,
                                           axis, 0, out.data()),
                      expected);
  };
  CHECK(says(along(0, extents, 0, WARPFOLD_INVALID_ARGUMENT), "the rank of the array is 0"));
  CHECK(says(along(9, extents, 0, WARPFOLD_INVALID_ARGUMENT), "the rank of the array is 9"));
  CHECK(
      says(along(2, extents, 2, WARPFOLD_INVALID_ARGUMENT), "the axis is 2, but the array has 2"));
  CHECK(says(along(2, extents, -1, WARPFOLD_INVALID_ARGUMENT), "the axis is -1"));
  CHECK(says(along(2, nullptr, 1, WARPFOLD_INVALID_RANGE), "the pointer to the extents is null"));
  CHECK(says(along(2, huge, 1, WARPFOLD_INVALID_RANGE), "larger than the address space"));
  CHECK(says(along(2, extents, 1, WARPFOLD_INVALID_ARGUMENT, WARPFOLD_NORM_1),
             "warpfold_reduce_axis has no operation WARPFOLD_NORM_1"));
  CHECK(says(along(2, empty, 1, WARPFOLD_EMPTY_RANGE, WARPFOLD_MEAN), "of extent 0 has no mean"));
  CHECK_FALSE(along(2, empty, 1, WARPFOLD_EMPTY_RANGE, WARPFOLD_ARGMAX).empty());
  const std::size_t narrow[] = {4, 1};
  for (const auto operation : {WARPFOLD_SAMPLE_VARIANCE, WARPFOLD_SAMPLE_STDDEV}) {
    CHECK(says(along(2, narrow, 1, WARPFOLD_EMPTY_RANGE, operation), "of a sample"));
  }
  CHECK(out[0] == 7);
  CHECK(along(2, empty, 1, WARPFOLD_OK).empty());
  CHECK(out[0] == 0);
  CHECK(says(message_of(warpfold_reduce_axis(WARPFOLD_SUM, v.data(), WARPFOLD_FLOAT64, 2, extents,
                                             nullptr, 1, 0, nullptr),
                        WARPFOLD_INVALID_RANGE),
             "the pointer to the result is null"));
}

TEST_CASE("a NaN among the elements makes a NaN of each floating-point result") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> v{1, -0.0, nan, 3, nan};
  const warpfold_array a{v.data(), v.size(), 1, WARPFOLD_FLOAT64};
  for (int k = WARPFOLD_SUM; k <= WARPFOLD_SAMPLE_STDDEV; ++k) {
    CAPTURE(k);
    const auto operation = static_cast<warpfold_operation>(k);
    double r = 0;
    std::uint64_t count = 7;
    if (warpfold_result_type(operation, WARPFOLD_FLOAT64) == WARPFOLD_FLOAT64) {
      REQUIRE(warpfold_reduce(operation, &a, 0, &r) == WARPFOLD_OK);
      CHECK(r != r);
    } else {
      REQUIRE(warpfold_reduce(operation, &a, 0, &count) == WARPFOLD_OK);
      CHECK(count == (k == WARPFOLD_COUNT_NONZERO ? 4 : 2));  // the index of the first NaN
    }
  }
}

TEST_CASE("bad arguments get a status and a message, and nothing is written") {
  const std::vector<double> v{1, 2, 3, 4};
  const warpfold_array good{v.data(), v.size(), 1, WARPFOLD_FLOAT64};
  double r = 7;
  const auto reduced = [&](warpfold_array a, warpfold_status expected,
                           warpfold_operation operation = WARPFOLD_SUM, int threads = 0) {
    return message_of(warpfold_reduce(operation, &a, threads, &r), expected);
  };
  CHECK(says(reduced(good, WARPFOLD_INVALID_ARGUMENT, static_cast<warpfold_operation>(0)),
             "0 is no warpfold_operation"));
  CHECK(says(reduced(good, WARPFOLD_INVALID_ARGUMENT, static_cast<warpfold_operation>(19)),
             "19 is no warpfold_operation"));
  CHECK(says(reduced(good, WARPFOLD_INVALID_ARGUMENT, WARPFOLD_SUM, -1),
             "the number of threads is -1"));
  CHECK(says(reduced({v.data(), 4, 1, static_cast<warpfold_type>(15)}, WARPFOLD_INVALID_ARGUMENT),
             "has type 15"));
  CHECK(says(reduced({v.data(), 4, 0, WARPFOLD_FLOAT64}, WARPFOLD_INVALID_ARGUMENT),
             "has a stride of 0"));
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 4;
  CHECK(says(reduced({v.data(), huge, 8, WARPFOLD_FLOAT64}, WARPFOLD_INVALID_RANGE),
             "is larger than the address space"));
  CHECK(says(reduced({nullptr, 4, 1, WARPFOLD_FLOAT64}, WARPFOLD_INVALID_RANGE),
             "the data of the array `array` is a null pointer, but its count is 4"));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(v.data());
  CHECK(says(reduced({bytes + 1, 2, 1, WARPFOLD_FLOAT64}, WARPFOLD_INVALID_RANGE), "not aligned"));
  CHECK(says(reduced({v.data(), 0, 1, WARPFOLD_FLOAT64}, WARPFOLD_EMPTY_RANGE, WARPFOLD_MAXIMUM),
             "an empty range has no "));
  CHECK(says(
      reduced({v.data(), 1, 1, WARPFOLD_FLOAT64}, WARPFOLD_EMPTY_RANGE, WARPFOLD_SAMPLE_VARIANCE),
      "needs at least 2 elements"));
  CHECK(
      says(reduced({v.data(), 4, 1, WARPFOLD_INT32}, WARPFOLD_INVALID_ARGUMENT, WARPFOLD_EXACT_SUM),
           "no operation WARPFOLD_EXACT_SUM for elements of type int32"));
  CHECK(says(message_of(warpfold_reduce(WARPFOLD_SUM, nullptr, 0, &r), WARPFOLD_INVALID_RANGE),
             "the array `array` is null"));
  for (const std::size_t count : {0, 1, 4}) {
    CHECK(says(reduced({v.data(), count, SIZE_MAX, WARPFOLD_FLOAT64}, WARPFOLD_INVALID_ARGUMENT),
               "strides are not negative"));
  }
  CHECK(says(message_of(warpfold_reduce(WARPFOLD_SUM, &good, 0, nullptr), WARPFOLD_INVALID_RANGE),
             "the pointer to the result is null"));
  const warpfold_array shorter{v.data(), 3, 1, WARPFOLD_FLOAT64};
  const warpfold_array floats{v.data(), 4, 1, WARPFOLD_FLOAT32};
  CHECK(says(message_of(warpfold_dot(&good, &shorter, 0, 0, &r), WARPFOLD_INVALID_RANGE),
             "two ranges of the same size"));
  CHECK(says(message_of(warpfold_dot(&good, &floats, 0, 0, &r), WARPFOLD_INVALID_ARGUMENT),
             "have types float64 and float32"));
  const std::int64_t wrong[] = {0, 3, 2, 4}, none[] = {0, 4};
  std::array<double, 3> out{7, 7, 7};
  CHECK(says(message_of(warpfold_reduce_segments(WARPFOLD_SUM, &good, wrong, 3, 0, out.data()),
                        WARPFOLD_INVALID_RANGE),
             "segment 1 begins at 3 and ends at 2"));
  CHECK(says(message_of(warpfold_reduce_segments(WARPFOLD_NORM_1, &good, none, 1, 0, out.data()),
                        WARPFOLD_INVALID_ARGUMENT),
             "warpfold_reduce_segments has no operation WARPFOLD_NORM_1"));
  CHECK(says(message_of(warpfold_reduce_segments(WARPFOLD_SUM, &good, nullptr, 1, 0, out.data()),
                        WARPFOLD_INVALID_RANGE),
             "the pointer to the offsets is null"));
  CHECK(says(message_of(warpfold_reduce_segments(WARPFOLD_SUM, &good, none, 1, 0, nullptr),
                        WARPFOLD_INVALID_RANGE),
             "the pointer to the results is null"));
  CHECK(warpfold_reduce_segments(WARPFOLD_SUM, &good, nullptr, 0, 0, nullptr) == WARPFOLD_OK);
  CHECK(out == std::array<double, 3>{7, 7, 7});
  CHECK(r == 7);
  CHECK(warpfold_reduce(WARPFOLD_SUM, &good, 0, &r) == WARPFOLD_OK);
  CHECK(r == 10);
}

TEST_CASE("each thread has its own message") {
  CHECK(warpfold_reduce(WARPFOLD_SUM, nullptr, 0, nullptr) == WARPFOLD_INVALID_RANGE);
  std::string other = "?";
  std::thread([&] { other = warpfold_message(); }).join();
  CHECK(other.empty());
  CHECK_FALSE(std::string(warpfold_message()).empty());
}

TEST_CASE("types, sizes and the version") {
  CHECK(warpfold_size(static_cast<warpfold_type>(0)) == 0);
  CHECK(warpfold_size(static_cast<warpfold_type>(15)) == 0);
  CHECK(warpfold_result_type(static_cast<warpfold_operation>(19), WARPFOLD_INT8) ==
        warpfold_type{});
  CHECK(warpfold_result_type(WARPFOLD_SUM, static_cast<warpfold_type>(15)) == warpfold_type{});
  CHECK(std::string(warpfold_version()) == std::to_string(WARPFOLD_VERSION_MAJOR) + "." +
                                               std::to_string(WARPFOLD_VERSION_MINOR) + "." +
                                               std::to_string(WARPFOLD_VERSION_PATCH));
}
