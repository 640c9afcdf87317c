/// @file
/// The test suites for policies. A test file names the policy in a fixture and invokes suites, each
/// with a list of `subject`s or fixtures:
///
///     struct seq_fixture : test::host_memory {
///       static auto policy() { return wf::seq; }
///     };
///     TEST_CASE_TEMPLATE_INVOKE(sums, test::subject<seq_fixture, float>);
///
/// A fixture has
/// - `policy()`;
/// - `array<T>(values, offset)`: a copy of a std::vector in memory that the policy can read,
///   `offset` bytes after a multiple of 16; has `data()`;
/// - `slot<T>`: memory for the result of reduce_async; has `pointer()`, and `value()`, which waits;
/// - `repeatable`: whether the policy gives the same bits on every run.
///
/// Sizes and misalignments are run-time loops, so a suite instantiates each reduction once.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "contract/add_only.hpp"
#include "contract/oracle.hpp"

namespace test {

// --- parts of the suites -----------------------------------------------------------------

/// A policy and an element type.
template <class Fixture, class T>
struct subject {
  using fixture = Fixture;
  using element = T;
};

/// Host memory, for the fixtures of host policies.
struct host_memory {
  template <class T>
  class array {
   public:
    array(const std::vector<T>& values, std::size_t offset)
        : bytes_(static_cast<unsigned char*>(
              std::aligned_alloc(64, (values.size() * sizeof(T) + offset + 64) / 64 * 64))),
          data_(reinterpret_cast<T*>(bytes_.get() + offset)) {
      for (std::size_t i = 0; i < values.size(); ++i) {
        ::new (static_cast<void*>(data_ + i)) T(values[i]);
      }
    }
    const T* data() const { return data_; }

   private:
    struct free_bytes {
      void operator()(unsigned char* p) const { std::free(p); }
    };
    std::unique_ptr<unsigned char, free_bytes> bytes_;
    T* data_;
  };

  /// Copies the `n` elements at `p`.
  template <class T>
  static std::vector<T> values(const T* p, std::size_t n) {
    return {p, p + n};
  }

  template <class T>
  class slot {
   public:
    T* pointer() { return &value_; }
    T value() const { return value_; }

   private:
    T value_{};
  };

  static constexpr bool repeatable = true;
};

/// Zero, one, and sizes around warps, blocks, tiles and parts.
inline const std::vector<std::size_t>& sizes() {
  static const std::vector<std::size_t> all = {1,    31,    32,    33,    255,    256,
                                               257,  1023,  1024,  1025,  4095,   4096,
                                               4097, 65535, 65536, 65537, 1000003};
  return all;
}
inline constexpr std::size_t largest_everywhere = 65537;

/// Every offset from a multiple of 16 bytes that the type's alignment allows.
template <class T>
std::vector<std::size_t> offsets() {
  std::vector<std::size_t> all;
  for (std::size_t bytes = 0; bytes < 16; bytes += alignof(T)) all.push_back(bytes);
  return all;
}

template <class Fixture, class T>
std::span<const T> range_of(const typename Fixture::template array<T>& a, std::size_t n) {
  return {a.data(), n};
}

/// Calls `visit(range, k, offset)` with the first `sizes()[k]` elements at every offset.
template <class Fixture, class T, class Visit>
void for_each_range(const std::vector<T>& values, const Visit& visit) {
  const auto all = offsets<T>();
  for (const std::size_t offset : all) {
    // The longest size only at the ends of the list; the other offsets would only take time.
    const bool whole = offset == all.front() || offset == all.back();
    const typename Fixture::template array<T> placed(
        whole ? values : std::vector<T>(values.begin(), values.begin() + largest_everywhere),
        offset);
    for (std::size_t k = 0; k < sizes().size(); ++k) {
      if (whole || sizes()[k] <= largest_everywhere) {
        visit(range_of<Fixture, T>(placed, sizes()[k]), k, offset);
      }
    }
  }
}

/// Checks `Op` on whole data: every size at every offset gives exactly the oracle's result, of type
/// `Result`.
template <class Subject, class Op, class Result>
void check_op() {
  using fixture = typename Subject::fixture;
  using T = typename Subject::element;
  const auto values = whole_data<Op, T>(sizes().back());
  const auto expected = expected_of_prefixes<Op, Result>(values, sizes());
  for_each_range<fixture>(values, [&](const auto& range, std::size_t k, std::size_t offset) {
    const auto got = wf::reduce(fixture::policy(), range, Op{});
    static_assert(std::is_same_v<decltype(got), const Result>);
    INFO(range.size(), " elements, ", offset, " bytes from alignment: ", show(got), ", not ",
         show(expected[k]));
    CHECK(same(got, expected[k]));
  });
}

/// The documented accumulator of sums and products.
template <class T>
using sum_t = std::conditional_t<
    wf::is_half_v<T>, float,
    std::conditional_t<
        !std::is_integral_v<T>, T,
        std::conditional_t<std::is_same_v<T, long> || std::is_same_v<T, unsigned long>, T,
                           std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>,
                                              long long, unsigned long long>>>>;

template <class T>
std::vector<T> first_of(const std::vector<T>& values, std::size_t n) {
  return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)};
}

// --- ops of the user ---------------------------------------------------------------------------

/// A struct of 20 bytes, which is not a power of two, aligned to 4.
struct sample {
  unsigned count;
  unsigned part[4];

  friend bool operator==(const sample&, const sample&) = default;
};
struct merge_samples {
  template <class T>
  WARPFOLD_HD T identity() const {
    return T{};
  }
  WARPFOLD_HD sample operator()(const sample& a, const sample& b) const {
    return {a.count + b.count,
            {a.part[0] + b.part[0], a.part[1] ^ b.part[1],
             a.part[2] > b.part[2] ? a.part[2] : b.part[2], a.part[3] | b.part[3]}};
  }
};

/// A struct with padding, and an op without identity: the heaviest element, the first of equal
/// ones.
struct particle {
  float mass;
  double charge;
  int id;

  friend bool operator==(const particle&, const particle&) = default;
};
struct heavier {
  WARPFOLD_HD particle operator()(const particle& a, const particle& b) const {
    if (a.mass != b.mass) return a.mass > b.mass ? a : b;
    return a.id < b.id ? a : b;
  }
};

/// An accumulator that is not an element type and has no default constructor.
struct interval {
  int low, high;

  WARPFOLD_HD constexpr interval(int x) : low(x), high(x) {}
  WARPFOLD_HD constexpr interval(int l, int h) : low(l), high(h) {}
  friend bool operator==(const interval&, const interval&) = default;
};
static_assert(!std::is_default_constructible_v<interval>);
struct hull {
  template <class T>
  using accumulator = interval;

  WARPFOLD_HD interval operator()(const interval& a, const interval& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};

struct square {
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return x * x;
  }
};
struct product_of_pair {
  template <class Pair>
  WARPFOLD_HD auto operator()(const Pair& p) const {
    return wf::get<0>(p) * wf::get<1>(p);
  }
};
// The constants exceed 8 bits. With 31, nvcc 13.0 translates the 64-bit sum of two shorts times
// constants and an int to a dp2a, which wraps at 32 bits.
// A function and an op whose call operators are not const. Each call gets a copy, so the count
// is 1.
struct counting_sum_of_two {
  long long calls = 0;
  WARPFOLD_HD long long operator()(short a, unsigned char b) { return a * 1009ll + b + ++calls; }
};
struct counting_greater {
  long long calls = 0;
  WARPFOLD_HD long long operator()(long long a, long long b) {
    return (a < b ? b : a) + ++calls - 1;
  }
};
struct sum_of_triple {
  template <class Triple>
  WARPFOLD_HD long long operator()(const Triple& t) const {
    return static_cast<long long>(wf::get<0>(t)) * 1000003 +
           static_cast<long long>(wf::get<1>(t)) * 1009 + static_cast<long long>(wf::get<2>(t));
  }
};
/// The (value, index) pair with the greatest value; the first of equal ones.
struct first_greatest {
  template <class Pair>
  WARPFOLD_HD Pair operator()(const Pair& a, const Pair& b) const {
    if (wf::get<0>(a) != wf::get<0>(b)) return wf::get<0>(a) > wf::get<0>(b) ? a : b;
    return wf::get<1>(a) < wf::get<1>(b) ? a : b;
  }
};

/// Checks that `f` throws an `Error` whose message contains `part`.
template <class Error, class F>
void check_throws(const F& f, const char* part) {
  try {
    f();
    FAIL_CHECK("nothing was thrown");
  } catch (const Error& e) {
    INFO(e.what());
    CHECK(std::string(e.what()).find(part) != std::string::npos);
  } catch (const std::exception& e) {
    INFO(e.what());
    FAIL_CHECK("an exception of another type was thrown");
  }
}

}  // namespace test

// --- ops on every size and offset: for subjects --------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("plus", Subject, sums) {
  test::check_op<Subject, wf::plus, test::sum_t<typename Subject::element>>();
}

TEST_CASE_TEMPLATE_DEFINE("multiplies", Subject, products) {
  test::check_op<Subject, wf::multiplies, test::sum_t<typename Subject::element>>();
}

TEST_CASE_TEMPLATE_DEFINE("minimum and maximum", Subject, extrema) {
  test::check_op<Subject, wf::minimum, typename Subject::element>();
  test::check_op<Subject, wf::maximum, typename Subject::element>();
}

TEST_CASE_TEMPLATE_DEFINE("bit_and, bit_or and bit_xor", Subject, bits) {
  test::check_op<Subject, wf::bit_and, typename Subject::element>();
  test::check_op<Subject, wf::bit_or, typename Subject::element>();
  test::check_op<Subject, wf::bit_xor, typename Subject::element>();
}

TEST_CASE_TEMPLATE_DEFINE("logical_and and logical_or", Subject, logic) {
  test::check_op<Subject, wf::logical_and, bool>();
  test::check_op<Subject, wf::logical_or, bool>();
}

// --- rounding: for subjects of floating-point type -----------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("sums and products of real data stay within the rounding bound", Subject,
                          rounding) {
  using fixture = typename Subject::fixture;
  using T = typename Subject::element;
  using A = test::sum_t<T>;
  const auto values = test::real_data<T>(test::sizes().back());
  std::vector<test::bounded> expected;
  for (const std::size_t n : test::sizes()) expected.push_back(test::sum_of<A>(values.data(), n));
  test::for_each_range<fixture>(values, [&](const auto& range, std::size_t k, std::size_t offset) {
    const auto got = wf::reduce(fixture::policy(), range, wf::plus{});
    INFO(range.size(), " elements, ", offset, " bytes from alignment: ", test::show(got));
    CHECK(expected[k].admits(got));
    if (fixture::repeatable) {
      // Repeats the run after a run of another size.
      CHECK(test::same_bits(wf::reduce(fixture::policy(), range, wf::plus{}), got));
    }
  });

  std::vector<T> factors;
  for (const T& x : test::first_of(values, 4097)) {
    factors.push_back(test::number_from<T>(1 + test::exactly(x) / 4096));
  }
  const typename fixture::template array<T> placed(factors, 0);
  for (const std::size_t n : test::sizes()) {
    if (n > factors.size()) break;
    const auto got =
        wf::reduce(fixture::policy(), test::range_of<fixture, T>(placed, n), wf::multiplies{});
    INFO(n, " elements: ", test::show(got));
    CHECK(test::product_of<A>(factors.data(), n).admits(got));
  }
}

TEST_CASE_TEMPLATE_DEFINE("the same bits on every run", Subject, repeated_runs) {
  using fixture = typename Subject::fixture;
  using T = typename Subject::element;
  static_assert(fixture::repeatable);
  const typename fixture::template array<T> placed(test::real_data<T>(1000003), 0);
  for (const std::size_t n : {std::size_t{4097}, std::size_t{65537}, std::size_t{1000003}}) {
    const auto range = test::range_of<fixture, T>(placed, n);
    const auto first = wf::reduce(fixture::policy(), range, wf::plus{});
    int different = 0;
    for (int run = 0; run < 100; ++run) {
      different += !test::same_bits(wf::reduce(fixture::policy(), range, wf::plus{}), first);
    }
    INFO(n, " elements");
    CHECK(different == 0);
  }
}

TEST_CASE_TEMPLATE_DEFINE("minimum and maximum: NaN wins wherever it is, and -0 < +0", Subject,
                          signs_and_nans) {
  using fixture = typename Subject::fixture;
  using T = typename Subject::element;
  const auto reduce = [](const std::vector<T>& values, const auto& op) {
    const typename fixture::template array<T> placed(values, alignof(T));
    return test::exactly(
        wf::reduce(fixture::policy(), test::range_of<fixture, T>(placed, values.size()), op));
  };
  const T nan = test::number_from<T>(std::numeric_limits<long double>::quiet_NaN());
  const T plus_zero = test::number_from<T>(0.0L);
  const T minus_zero = test::number_from<T>(-0.0L);
  const T infinity = test::number_from<T>(std::numeric_limits<long double>::infinity());

  for (const std::size_t n : {1, 2, 3, 33, 257, 1025, 20000}) {
    for (const std::size_t at : {std::size_t{0}, n / 3, n / 2, n - 1}) {
      INFO(n, " elements, the odd one at ", at);
      std::vector<T> values = test::whole_data<wf::maximum, T>(n);
      values[at] = nan;
      CHECK(std::isnan(reduce(values, wf::minimum{})));
      CHECK(std::isnan(reduce(values, wf::maximum{})));

      values.assign(n, plus_zero);
      values[at] = minus_zero;
      CHECK(std::signbit(reduce(values, wf::minimum{})));
      CHECK(std::signbit(reduce(values, wf::maximum{})) == (n == 1));
      values.assign(n, minus_zero);
      values[at] = plus_zero;
      CHECK(std::signbit(reduce(values, wf::minimum{})) == (n != 1));
      CHECK_FALSE(std::signbit(reduce(values, wf::maximum{})));

      values.assign(n, infinity);
      values[at] = test::number_from<T>(-2);
      CHECK(reduce(values, wf::minimum{}) == -2);
      for (T& x : values) x = test::number_from<T>(-test::exactly(x));
      CHECK(reduce(values, wf::maximum{}) == 2);
    }
  }
}

// --- the forms of the call: for fixtures ---------------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("the forms of the call and their result types", Fixture, forms) {
  const auto policy = Fixture::policy();
  const auto check = [](const auto& got, const auto& want) {
    static_assert(std::is_same_v<decltype(got), decltype(want)>);
    INFO(test::show(got), ", not ", test::show(want));
    CHECK(test::same(got, want));
  };

  const std::vector<unsigned char> bytes = test::whole_data<wf::plus, unsigned char>(70001);
  const typename Fixture::template array<unsigned char> placed_bytes(bytes, 3);
  for (const std::size_t n : {std::size_t{1}, std::size_t{300}, bytes.size()}) {
    long long sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += bytes[i];
    const auto range = test::range_of<Fixture, unsigned char>(placed_bytes, n);
    const unsigned char* const first = range.data();
    const unsigned char* const last = first + n;

    check(wf::reduce(policy, range), static_cast<unsigned long long>(sum));
    check(wf::reduce(policy, range, wf::plus{}), static_cast<unsigned long long>(sum));
    check(wf::reduce(policy, range, 7, wf::plus{}), static_cast<int>(sum + 7));
    check(wf::reduce(policy, range, 7ll, wf::plus{}), sum + 7);
    check(wf::reduce(policy, first, last), static_cast<unsigned char>(sum));
    check(wf::reduce(policy, first, last, 7), static_cast<int>(sum + 7));
    check(wf::reduce(policy, first, last, 7, wf::plus{}), static_cast<int>(sum + 7));
    check(wf::reduce(policy, first, last, static_cast<unsigned char>(7), wf::plus{}),
          static_cast<unsigned char>(sum + 7));
  }

  const std::vector<float> floats = test::whole_data<wf::plus, float>(5001);
  const typename Fixture::template array<float> placed_floats(floats, 4);
  double sum = 0;
  for (const float x : floats) sum += x;
  const auto range = test::range_of<Fixture, float>(placed_floats, floats.size());
  const float* const first = range.data();
  const float* const last = first + floats.size();
  check(wf::reduce(policy, range), static_cast<float>(sum));
  check(wf::reduce(policy, range, 0.5, wf::plus{}), sum + 0.5);
  check(wf::reduce(policy, first, last), static_cast<float>(sum));
  check(wf::reduce(policy, first, last, 0.5), sum + 0.5);
  check(wf::reduce(policy, first, last, -1.0f, wf::maximum{}), 8.0f);
  check(wf::reduce(policy, first, last, 11.0f, wf::maximum{}), 11.0f);
}

TEST_CASE_TEMPLATE_DEFINE("reduce_async writes where it is told, in that type", Fixture,
                          asynchronous) {
  const auto policy = Fixture::policy();
  const auto values = test::whole_data<wf::plus, float>(70001);
  const typename Fixture::template array<float> placed(values, 4);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{300}, values.size()}) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += values[i];
    const auto range = test::range_of<Fixture, float>(placed, n);
    INFO(n, " elements");

    typename Fixture::template slot<float> same_type;
    wf::reduce_async(policy, range, wf::plus{}, same_type.pointer());
    CHECK(same_type.value() == sum);

    typename Fixture::template slot<double> wider;
    wf::reduce_async(policy, range, 0.25f, wf::plus{}, wider.pointer());
    CHECK(wider.value() == sum + 0.25);
  }
}

TEST_CASE_TEMPLATE_DEFINE("an empty range yields the init or the identity, or throws", Fixture,
                          empty_ranges) {
  const auto policy = Fixture::policy();
  const std::span<const int> nothing;
  CHECK(wf::reduce(policy, nothing) == 0);
  CHECK(wf::reduce(policy, nothing, wf::multiplies{}) == 1);
  CHECK(wf::reduce(policy, nothing, wf::minimum{}) == std::numeric_limits<int>::max());
  CHECK(wf::reduce(policy, nothing, 5, wf::plus{}) == 5);
  CHECK(wf::reduce(policy, nothing.data(), nothing.data(), 5) == 5);
  CHECK(wf::reduce(policy, nothing, 5, test::add_only{}) == 5);
  CHECK(wf::reduce(policy, nothing, wf::with_identity(test::add_only{}, 3)) == 3);

  test::check_throws<wf::empty_range>([&] { (void)wf::reduce(policy, nothing, test::add_only{}); },
                                      "no identity");
  typename Fixture::template slot<int> slot;
  test::check_throws<wf::empty_range>(
      [&] { wf::reduce_async(policy, nothing, test::add_only{}, slot.pointer()); }, "init");

  const typename Fixture::template array<int> three({1, 2, 3}, 0);
  CHECK(wf::reduce(policy, test::range_of<Fixture, int>(three, 3), test::add_only{}) == 6);
}

TEST_CASE_TEMPLATE_DEFINE("ranges that cannot be read are invalid_range, and the next call works",
                          Fixture, bad_ranges) {
  const auto policy = Fixture::policy();
  const typename Fixture::template array<int> three({1, 2, 3}, 0);
  const auto good = test::range_of<Fixture, int>(three, 3);
  const int* const null = nullptr;
  const int* const odd =
      reinterpret_cast<const int*>(reinterpret_cast<const unsigned char*>(good.data()) + 1);
  const auto sum_of = [&](const int* p, std::size_t n) {
    return wf::reduce(policy, std::span<const int>(p, n), wf::plus{});
  };

  test::check_throws<wf::invalid_range>([&] { (void)sum_of(null, 3); }, "null pointer");
  CHECK(sum_of(good.data(), 3) == 6);
  test::check_throws<wf::invalid_range>([&] { (void)sum_of(odd, 2); }, "not aligned");
  CHECK(sum_of(good.data(), 3) == 6);
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::reduce(policy, good.data() + 3, good.data()); }, "swap the iterators");
  CHECK(sum_of(good.data(), 3) == 6);
  // One bad array among good ones.
  test::check_throws<wf::invalid_range>(
      [&] {
        (void)wf::reduce(
            policy,
            wf::project(wf::zip(good, std::span<const int>(null, 3)), test::product_of_pair{}),
            wf::plus{});
      },
      "null pointer");
  CHECK(sum_of(good.data(), 3) == 6);
  CHECK(sum_of(null, 0) == 0);
}

// --- ops and elements of the user: for fixtures ------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE(
    "ops of the user's: with and without identity, on any trivially copyable type", Fixture,
    user_ops) {
  const auto policy = Fixture::policy();

  SUBCASE("an op without identity") {
    const auto values = test::whole_data<wf::plus, float>(test::sizes().back());
    const auto expected = test::expected_of_prefixes<wf::plus, float>(values, test::sizes());
    test::for_each_range<Fixture>(
        values, [&](const auto& range, std::size_t k, std::size_t offset) {
          INFO(range.size(), " elements, ", offset, " bytes from alignment");
          const auto got = wf::reduce(policy, range, test::add_only{});
          static_assert(std::is_same_v<decltype(got), const float>);
          CHECK(got == expected[k]);
          CHECK(wf::reduce(policy, range, 0.5f, test::add_only{}) == expected[k] + 0.5f);
        });
    const typename Fixture::template array<float> placed(values, 4);
    CHECK(wf::reduce(policy, test::range_of<Fixture, float>(placed, values.size()),
                     wf::with_identity(test::add_only{}, 0.0f)) == expected.back());
  }

  SUBCASE("a struct of 20 bytes") {
    test::random_bits random;
    std::vector<test::sample> values;
    std::vector<test::sample> expected;
    test::sample total{};
    for (const std::size_t n : test::sizes()) {
      while (values.size() < n) {
        const std::uint64_t r = random();
        const auto word = [&](int by) { return static_cast<unsigned>(r >> by); };
        values.push_back({word(0), {word(7), word(13), word(3), 1u << (word(32) % 4096 / 128)}});
        total = test::merge_samples{}(total, values.back());
      }
      expected.push_back(total);
    }
    test::for_each_range<Fixture>(
        values, [&](const auto& range, std::size_t k, std::size_t offset) {
          INFO(range.size(), " elements, ", offset, " bytes from alignment");
          CHECK(wf::reduce(policy, range, test::merge_samples{}) == expected[k]);
        });
  }

  SUBCASE("a struct with padding and no identity") {
    test::random_bits random;
    std::vector<test::particle> values;
    std::vector<test::particle> expected;
    for (const std::size_t n : test::sizes()) {
      while (values.size() < n) {
        const int id = static_cast<int>(values.size());
        values.push_back({static_cast<float>(random() % 100000), id / 3.0, id});
        expected.resize(expected.empty() ? 1 : expected.size(), values[0]);
        expected.back() = test::heavier{}(expected.back(), values.back());
      }
      if (values.size() < test::sizes().back()) expected.push_back(expected.back());
    }
    test::for_each_range<Fixture>(
        values, [&](const auto& range, std::size_t k, std::size_t offset) {
          INFO(range.size(), " elements, ", offset, " bytes from alignment");
          CHECK(wf::reduce(policy, range, test::heavier{}) == expected[k]);
        });
  }

  SUBCASE("an accumulator without a default constructor") {
    const auto values = test::whole_data<wf::maximum, int>(test::sizes().back());
    const auto low = test::expected_of_prefixes<wf::minimum, int>(values, test::sizes());
    const auto high = test::expected_of_prefixes<wf::maximum, int>(values, test::sizes());
    test::for_each_range<Fixture>(
        values, [&](const auto& range, std::size_t k, std::size_t offset) {
          INFO(range.size(), " elements, ", offset, " bytes from alignment");
          const auto got = wf::reduce(policy, range, test::hull{});
          static_assert(std::is_same_v<decltype(got), const test::interval>);
          CHECK(got == test::interval(low[k], high[k]));
        });
  }

  SUBCASE("elements without a default constructor") {
    std::vector<test::interval> values;
    for (int i = 0; i < 5000; ++i) values.emplace_back(i % 700 - 13, i);
    const typename Fixture::template array<test::interval> placed(values, 4);
    CHECK(wf::reduce(policy, test::range_of<Fixture, test::interval>(placed, values.size()),
                     test::hull{}) == test::interval(-13, 4999));
  }
}

// --- views: for fixtures -------------------------------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("views: projected, zipped and counted", Fixture, views) {
  const auto policy = Fixture::policy();
  constexpr std::size_t n = 100003;
  const auto ints = test::whole_data<wf::plus, short>(n);
  const auto bytes = test::whole_data<wf::plus, unsigned char>(n);
  const auto longs = test::whole_data<wf::plus, long long>(n);

  SUBCASE("project") {
    const auto floats = test::whole_data<wf::plus, float>(n);
    const typename Fixture::template array<float> placed(floats, 12);
    double sum = 0;
    for (const float x : floats) sum += static_cast<double>(x) * x;
    CHECK(wf::reduce(policy, wf::project(test::range_of<Fixture, float>(placed, n), test::square{}),
                     wf::plus{}) == static_cast<float>(sum));
  }

  SUBCASE("zip, every array with a misalignment of its own") {
    for (const std::size_t byte_offset : {0, 1, 3, 8, 15}) {
      for (const std::size_t short_offset : {0, 2, 14}) {
        for (const std::size_t long_offset : {0, 8}) {
          const typename Fixture::template array<unsigned char> b(bytes, byte_offset);
          const typename Fixture::template array<short> s(ints, short_offset);
          const typename Fixture::template array<long long> l(
              [&] {
                auto small = longs;
                for (long long& x : small) x %= 1 << 20;
                return small;
              }(),
              long_offset);
          for (const std::size_t size : {std::size_t{1}, std::size_t{17}, std::size_t{1000}, n}) {
            long long sum = 0;
            for (std::size_t i = 0; i < size; ++i) {
              sum += bytes[i] * 1000003ll + ints[i] * 1009ll + longs[i] % (1 << 20);
            }
            INFO(size, " elements; offsets ", byte_offset, ", ", short_offset, ", ", long_offset);
            CHECK(wf::reduce(policy,
                             wf::project(wf::zip(test::range_of<Fixture, unsigned char>(b, size),
                                                 test::range_of<Fixture, short>(s, size),
                                                 test::range_of<Fixture, long long>(l, n)),
                                         test::sum_of_triple{}),
                             wf::plus{}) == sum);
          }
        }
      }
    }
  }

  SUBCASE("zip with counting: where the greatest element is") {
    const typename Fixture::template array<short> s(ints, 2);
    std::size_t best = 0;
    for (std::size_t i = 1; i < n; ++i) {
      if (ints[i] > ints[best]) best = i;
    }
    const auto found = wf::reduce(
        policy, wf::zip(test::range_of<Fixture, short>(s, n), wf::counting(std::uint64_t{0}, n)),
        test::first_greatest{});
    CHECK(wf::get<0>(found) == ints[best]);
    CHECK(wf::get<1>(found) == best);
  }

  SUBCASE("a function of the elements of a zip and an op, neither of them const") {
    const typename Fixture::template array<short> s(ints, 6);
    const typename Fixture::template array<unsigned char> b(bytes, 1);
    long long greatest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      greatest = std::max(greatest, ints[i] * 1009ll + bytes[i] + 1);
    }
    const auto got = wf::reduce(policy,
                                wf::project(wf::zip(test::range_of<Fixture, short>(s, n),
                                                    test::range_of<Fixture, unsigned char>(b, n)),
                                            test::counting_sum_of_two{}),
                                0ll, test::counting_greater{});
    CHECK(got == greatest);
  }

  SUBCASE("counting") {
    for (const std::size_t size : test::sizes()) {
      INFO(size, " elements");
      CHECK(wf::reduce(policy, wf::counting(std::uint64_t{5}, size), wf::plus{}) ==
            5 * size + size * (size - 1) / 2);
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("[large] more than 2^32 elements, from no memory", Fixture,
                          many_elements) {
  constexpr std::uint64_t n = (std::uint64_t{1} << 32) + 3;
  CHECK(wf::reduce(Fixture::policy(), wf::counting(std::uint64_t{1}, n), wf::plus{}) ==
        (n + 1) / 2 * n);
  constexpr std::uint64_t half = std::uint64_t{1} << 31;
  CHECK(wf::reduce(Fixture::policy(), wf::counting(std::uint64_t{1}, half), wf::maximum{}) == half);
}

// --- exceptions of the op: for fixtures of host policies that pass them on -----------------------

TEST_CASE_TEMPLATE_DEFINE("what the op throws reaches the caller, and the next call works", Fixture,
                          exceptions) {
  const auto policy = Fixture::policy();
  const std::vector<int> values(300000, 1);
  for (const std::size_t n : {std::size_t{100}, std::size_t{20000}, values.size()}) {
    INFO(n, " elements");
    const std::span<const int> range(values.data(), n);
    const auto refuse = [](int, int) -> int { throw std::runtime_error("refused"); };
    test::check_throws<std::runtime_error>([&] { (void)wf::reduce(policy, range, refuse); },
                                           "refused");
    CHECK(wf::reduce(policy, range) == static_cast<long long>(n));
  }
}
