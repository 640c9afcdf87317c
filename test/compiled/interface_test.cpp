// libwarpfold: the results of the C interface have the bits of the headers, and bad arguments get a
// status and a message.
#include <warpfold.h>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
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
  int log2_size = 0;
  while (std::size_t{1} << log2_size < sizeof(T)) ++log2_size;
  return integers[std::is_signed_v<T>][log2_size];
}();

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = std::is_integral_v<T> ? static_cast<T>(i * 37 % 19 + 1)
                                 : static_cast<T>(static_cast<double>(i * 7919 % 1001) / 7 - 50);
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
    return x != 0;
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
                   std::uint64_t, float, double) {
  check<T>(WARPFOLD_SUM, [](const auto& v) { return wf::sum(wf::seq, v); });
  check<T>(WARPFOLD_PRODUCT, [](const auto& v) { return wf::product(wf::seq, v); });
  check<T>(WARPFOLD_MINIMUM, [](const auto& v) { return wf::min(wf::seq, v); });
  check<T>(WARPFOLD_MAXIMUM, [](const auto& v) { return wf::max(wf::seq, v); });
  check<T>(WARPFOLD_ARGMIN,
           [](const auto& v) { return std::uint64_t{wf::argmin(wf::seq, v).index}; });
  check<T>(WARPFOLD_ARGMAX,
           [](const auto& v) { return std::uint64_t{wf::argmax(wf::seq, v).index}; });
  check<T>(WARPFOLD_MEAN, [](const auto& v) { return wf::mean(wf::seq, v); });
  check<T>(WARPFOLD_VARIANCE, [](const auto& v) { return wf::variance(wf::seq, v); });
  check<T>(WARPFOLD_SAMPLE_VARIANCE,
           [](const auto& v) { return wf::variance(wf::seq, v, wf::variance_of::sample); });
  check<T>(WARPFOLD_STDDEV, [](const auto& v) { return wf::stddev(wf::seq, v); });
  check<T>(WARPFOLD_NORM_1, [](const auto& v) { return wf::norm_1(wf::seq, v); });
  check<T>(WARPFOLD_NORM_2, [](const auto& v) { return double{wf::norm_2(wf::seq, v)}; });
  check<T>(WARPFOLD_NORM_INFINITY, [](const auto& v) { return wf::norm_infinity(wf::seq, v); });
  check<T>(WARPFOLD_COUNT_NONZERO,
           [](const auto& v) { return std::uint64_t{wf::count_if(wf::seq, v, is_there{})}; });
  if constexpr (std::is_floating_point_v<T>) {
    check<T>(WARPFOLD_EXACT_SUM,
             [](const auto& v) { return wf::sum(wf::seq, v, wf::plus{}.exact()); });
  } else {
    CHECK(warpfold_result_type(WARPFOLD_EXACT_SUM, c_type<T>) == warpfold_type{});
  }
  CHECK(warpfold_size(c_type<T>) == sizeof(T));
}

TEST_CASE_TEMPLATE("dot products", T, std::int8_t, std::uint32_t, float, double) {
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
    if constexpr (std::is_floating_point_v<T>) {
      REQUIRE(warpfold_dot(&a, &b, 1, 2, &r) == WARPFOLD_OK);
      CHECK(r == wf::dot(wf::seq, x, y, wf::plus{}.exact()));
    } else {
      CHECK(says(message_of(warpfold_dot(&a, &b, 1, 0, &r), WARPFOLD_INVALID_ARGUMENT),
                 "an exact warpfold_dot has no operation"));
    }
  }
}

TEST_CASE_TEMPLATE("segments", T, std::int16_t, std::uint64_t, float, double) {
  const std::vector<T> v = numbers<T>(10000);
  const std::vector<std::int64_t> offsets{0, 0, 3, 40, 1000, 10000};
  const std::size_t segments = offsets.size() - 1;
  const auto same = [&](warpfold_operation operation, const auto& op) {
    using result = decltype(wf::reduce(wf::seq, v, op));
    std::vector<result> expected(segments), r(segments);
    wf::reduce_segments(wf::seq, v, offsets, op, expected);
    const warpfold_array a{v.data(), v.size(), 1, c_type<T>};
    REQUIRE(warpfold_reduce_segments(operation, &a, offsets.data(), segments, 0, r.data()) ==
            WARPFOLD_OK);
    CHECK(std::memcmp(r.data(), expected.data(), segments * sizeof(result)) == 0);
  };
  same(WARPFOLD_SUM, wf::plus{});
  same(WARPFOLD_PRODUCT, wf::multiplies{});
  same(WARPFOLD_MINIMUM, wf::minimum{});
  same(WARPFOLD_MAXIMUM, wf::maximum{});
  if constexpr (std::is_floating_point_v<T>) same(WARPFOLD_EXACT_SUM, wf::plus{}.exact());
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
  CHECK(says(reduced(good, WARPFOLD_INVALID_ARGUMENT, static_cast<warpfold_operation>(16)),
             "16 is no warpfold_operation"));
  CHECK(says(reduced(good, WARPFOLD_INVALID_ARGUMENT, WARPFOLD_SUM, -1),
             "the number of threads is -1"));
  CHECK(says(reduced({v.data(), 4, 1, static_cast<warpfold_type>(11)}, WARPFOLD_INVALID_ARGUMENT),
             "has type 11"));
  CHECK(says(reduced({v.data(), 4, 0, WARPFOLD_FLOAT64}, WARPFOLD_INVALID_ARGUMENT),
             "has a stride of 0"));
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max() / 4;
  CHECK(says(reduced({v.data(), huge, 8, WARPFOLD_FLOAT64}, WARPFOLD_INVALID_RANGE),
             "is larger than the address space"));
  CHECK(says(reduced({nullptr, 4, 1, WARPFOLD_FLOAT64}, WARPFOLD_INVALID_RANGE), "null pointer"));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(v.data());
  CHECK(says(reduced({bytes + 1, 2, 1, WARPFOLD_FLOAT64}, WARPFOLD_INVALID_RANGE), "not aligned"));
  CHECK(says(reduced({v.data(), 0, 1, WARPFOLD_FLOAT64}, WARPFOLD_EMPTY_RANGE, WARPFOLD_MAXIMUM),
             "an empty range has no "));
  CHECK(says(
      reduced({v.data(), 1, 1, WARPFOLD_FLOAT64}, WARPFOLD_EMPTY_RANGE, WARPFOLD_SAMPLE_VARIANCE),
      "needs at least 2 elements"));
  CHECK(
      says(reduced({v.data(), 4, 1, WARPFOLD_INT32}, WARPFOLD_INVALID_ARGUMENT, WARPFOLD_EXACT_SUM),
           "no operation 15 for elements of type int32"));
  CHECK(says(message_of(warpfold_reduce(WARPFOLD_SUM, nullptr, 0, &r), WARPFOLD_INVALID_ARGUMENT),
             "the array `array` is null"));
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
  CHECK(says(message_of(warpfold_reduce_segments(WARPFOLD_MEAN, &good, none, 1, 0, out.data()),
                        WARPFOLD_INVALID_ARGUMENT),
             "warpfold_reduce_segments has no operation 7"));
  CHECK(says(message_of(warpfold_reduce_segments(WARPFOLD_SUM, &good, nullptr, 1, 0, out.data()),
                        WARPFOLD_INVALID_RANGE),
             "null pointer"));
  CHECK(says(message_of(warpfold_reduce_segments(WARPFOLD_SUM, &good, none, 1, 0, nullptr),
                        WARPFOLD_INVALID_RANGE),
             "null pointer"));
  CHECK(out == std::array<double, 3>{7, 7, 7});
  CHECK(r == 7);
  CHECK(warpfold_reduce(WARPFOLD_SUM, &good, 0, &r) == WARPFOLD_OK);
  CHECK(r == 10);
}

TEST_CASE("each thread has its own message") {
  CHECK(warpfold_reduce(WARPFOLD_SUM, nullptr, 0, nullptr) == WARPFOLD_INVALID_ARGUMENT);
  std::string other = "?";
  std::thread([&] { other = warpfold_message(); }).join();
  CHECK(other.empty());
  CHECK_FALSE(std::string(warpfold_message()).empty());
}

TEST_CASE("types, sizes and the version") {
  CHECK(warpfold_size(static_cast<warpfold_type>(0)) == 0);
  CHECK(warpfold_size(static_cast<warpfold_type>(11)) == 0);
  CHECK(warpfold_result_type(static_cast<warpfold_operation>(16), WARPFOLD_INT8) ==
        warpfold_type{});
  CHECK(warpfold_result_type(WARPFOLD_SUM, static_cast<warpfold_type>(11)) == warpfold_type{});
  CHECK(std::string(warpfold_version()) == std::to_string(WARPFOLD_VERSION_MAJOR) + "." +
                                               std::to_string(WARPFOLD_VERSION_MINOR) + "." +
                                               std::to_string(WARPFOLD_VERSION_PATCH));
}
