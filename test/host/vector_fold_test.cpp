// vector_fold: the same values as one element after the other, for every length around the number
// of accumulators and streams; NaNs, zeros and infinities at every place; sums of ints that take
// all 64 bits; sums of what a projection makes; sums of products; several ops in one pass, which
// give what each gives alone; and the same bits with vectors of 16 bytes and with those of this
// processor.
// slow: runs for seconds
#include <warpfold/host/vector_fold.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/host/interleaved_fold.hpp>

#include "contract/policy_contract.hpp"

namespace {

template <class View, class Op>
auto folded(const View& view, std::size_t first, std::size_t last, const Op& op) {
  return wf::host::interleaved_fold(wf::reduction<View, Op>{view, op, {}}, first, last);
}
template <class T, class Op>
auto fold(const std::vector<T>& v, std::size_t first, std::size_t last, const Op& op) {
  return folded(wf::as_view(v), first, last, op);
}
template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// The fold by an op, which must be the same if other ops fold with it.
template <class T, class Op>
auto fold(const std::vector<T>& v, const Op& op) {
  const auto alone = fold(v, 0, v.size(), op);
#if defined(__GNUC__)
  const auto ops = wf::detail::tuple_of(wf::minimum{}, op, wf::maximum{});
  const auto together = wf::host::vector_fold_each(ops, wf::as_view(v), 0, v.size());
  constexpr bool rounds = std::is_same_v<Op, wf::plus> && std::is_floating_point_v<T>;
  if (rounds || alone != alone) {
    CHECK((wf::get<1>(together) == alone || alone != alone));
    CHECK(std::isnan(wf::get<1>(together)) == std::isnan(alone));
  } else {
    CHECK(same_bits(wf::get<1>(together), alone));
  }
#endif
  return alone;
}

template <class T>
std::vector<T> random_numbers(std::size_t n) {
  std::vector<T> v(n);
  std::mt19937_64 random(3);
  for (T& x : v) {
    if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(random());
    } else {
      x = static_cast<T>(static_cast<int>(random() % 2001) - 1000);  // sums are exact
    }
  }
  return v;
}

struct derived_plus : wf::plus {};

struct less_three {
  using exactly = less_three;

  template <class D>
  D in_double(const D& x) const {
    return x - 3;
  }
  template <class T>
  double operator()(const T& x) const {
    return in_double(static_cast<double>(x));
  }
};

/// Two sums at once.
template <class D>
struct sums {
  D of_numbers, of_squares;

  sums<double> value(int l) const { return {of_numbers[l], of_squares[l]}; }
  sums added(const sums& b) const { return {of_numbers + b.of_numbers, of_squares + b.of_squares}; }
  bool operator==(const sums&) const = default;
};
struct both {
  using exactly = both;

  template <class D>
  sums<D> in_double(const D& x) const {
    return {x, x * x};
  }
  template <class T>
  sums<double> operator()(const T& x) const {
    return in_double(static_cast<double>(x));
  }
};
struct add_both {
  sums<double> operator()(const sums<double>& a, const sums<double>& b) const { return a.added(b); }
};

template <class T>
using contiguous = wf::contiguous_view<const T>;
template <class T, class F>
using projected = wf::transform_view<contiguous<T>, F>;

template <class A, class B, class F>
using projected_zip = wf::transform_view<wf::zip_view<contiguous<A>, contiguous<B>>, F>;
/// The products that wf::dot sums.
template <class T>
using dotted = projected_zip<T, T, wf::detail::product_for_sum>;
template <class T>
dotted<T> products_of(const std::vector<T>& a, const std::vector<T>& b) {
  return {wf::zip_view<contiguous<T>, contiguous<T>>(wf::as_view(a), wf::as_view(b)), {}};
}

// 1 to 300, and lengths near multiples of the elements of one step of all streams.
std::vector<std::size_t> lengths() {
  std::vector<std::size_t> all;
  for (std::size_t n = 1; n <= 300; ++n) all.push_back(n);
  for (const std::size_t n : {512, 1024, 65536, 131072}) {
    for (std::size_t m = n - 2; m <= n + 2; ++m) all.push_back(m);
  }
  return all;
}

}  // namespace

#if defined(__GNUC__)
TEST_CASE("which folds use vector registers") {
  using wf::host::folds_in_vectors;
  static_assert(folds_in_vectors<wf::plus, contiguous<float>, float>);
  static_assert(folds_in_vectors<wf::plus, contiguous<double>, double>);
  static_assert(folds_in_vectors<wf::plus, contiguous<int>, wf::plus::accumulator<int>>);
  static_assert(folds_in_vectors<wf::maximum, contiguous<float>, float>);
  static_assert(folds_in_vectors<wf::minimum, contiguous<int>, int>);
  static_assert(!folds_in_vectors<wf::plus, contiguous<float>, double>);
  static_assert(!folds_in_vectors<wf::plus, contiguous<int>, int>);
  static_assert(!folds_in_vectors<derived_plus, contiguous<float>, float>);
  static_assert(!folds_in_vectors<wf::plus, contiguous<long double>, long double>);

  static_assert(folds_in_vectors<wf::plus, projected<float, less_three>, double>);
  static_assert(folds_in_vectors<wf::plus, projected<int, less_three>, double>);
  static_assert(folds_in_vectors<add_both, projected<double, both>, sums<double>>);
  static_assert(!folds_in_vectors<wf::plus, projected<float, std::negate<>>, float>);
  static_assert(!folds_in_vectors<wf::maximum, projected<float, less_three>, double>);
  static_assert(!folds_in_vectors<wf::plus, projected<double, both>, sums<double>>);

  static_assert(folds_in_vectors<wf::plus, dotted<int>, long long>);
  static_assert(folds_in_vectors<wf::plus, dotted<unsigned char>, unsigned long long>);
  static_assert(!folds_in_vectors<wf::plus, dotted<float>, float>);  // host/vector_tree.hpp
  static_assert(!folds_in_vectors<wf::maximum, dotted<int>, long long>);
  static_assert(!folds_in_vectors<wf::plus, dotted<bool>, long long>);
  // These products have 32 bits, and may be of another type.
  static_assert(!folds_in_vectors<wf::plus, projected_zip<int, int, wf::multiplies>, long long>);
  static_assert(!folds_in_vectors<wf::plus, projected_zip<int, short, wf::detail::product_for_sum>,
                                  long long>);

  using wf::host::folds_together_in_vectors;
  static_assert(folds_together_in_vectors<wf::minimum, contiguous<float>>);
  static_assert(folds_together_in_vectors<wf::plus, contiguous<int>>);
  static_assert(!folds_together_in_vectors<wf::multiplies, contiguous<int>>);
  static_assert(folds_together_in_vectors<wf::minimum, contiguous<signed char>>);
  static_assert(!folds_together_in_vectors<wf::minimum, contiguous<bool>>);
  static_assert(!folds_together_in_vectors<wf::plus, contiguous<signed char>>);
  static_assert(!folds_together_in_vectors<wf::plus, projected<float, less_three>>);
}
#endif

TEST_CASE_TEMPLATE("sums of what a projection makes, of every length", T, float, double, int) {
  std::vector<T> values = random_numbers<T>(131072 + 8);
  for (T& x : values) x = static_cast<T>(static_cast<long long>(x) % 1000);  // sums are exact
  for (const std::size_t n : lengths()) {
    for (std::size_t first = 0; first < (n <= 300 ? 4 : 2); ++first) {
      INFO(n, " elements from ", first);
      double sum = 0;
      sums<double> two{0, 0};
      for (std::size_t i = first; i < first + n; ++i) {
        sum += less_three{}(values[i]);
        two = add_both{}(two, both{}(values[i]));
      }
      const projected<T, less_three> one(wf::as_view(values), {});
      CHECK(folded(one, first, first + n, wf::plus{}) == sum);
      const projected<T, both> several(wf::as_view(values), {});
      CHECK(folded(several, first, first + n, add_both{}) == two);
    }
  }
}

TEST_CASE_TEMPLATE("every length, from every place in a vector", T, float, double, int, unsigned,
                   long, long long, unsigned long, unsigned long long) {
  const auto values = random_numbers<T>(131072 + 8);
  for (const std::size_t n : lengths()) {
    for (std::size_t first = 0; first < (n <= 300 ? 4 : 2); ++first) {
      const std::vector<T> part(values.begin() + static_cast<std::ptrdiff_t>(first),
                                values.begin() + static_cast<std::ptrdiff_t>(first + n));
      INFO(n, " elements from ", first);
      CHECK(fold(values, first, first + n, wf::plus{}) == wf::reduce(wf::seq, part));
      CHECK(fold(values, first, first + n, wf::maximum{}) ==
            wf::reduce(wf::seq, part, wf::maximum{}));
      CHECK(fold(values, first, first + n, wf::minimum{}) ==
            wf::reduce(wf::seq, part, wf::minimum{}));
    }
  }
}

TEST_CASE_TEMPLATE("a NaN, a zero of the other sign and an infinity are seen at every place", T,
                   float, double) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const auto same = [](T a, T b) { return a == b && std::signbit(a) == std::signbit(b); };
  for (const std::size_t n : {1, 15, 16, 17, 31, 32, 64, 143, 144, 290, 700}) {
    for (std::size_t at = 0; at < n; ++at) {
      INFO(n, " elements, odd is ", at);
      for (const T nan :
           {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()}) {
        for (const T other : {T(-1), T(0), infinity, -infinity}) {
          std::vector<T> values(n, other);
          values[at] = nan;
          CHECK(std::isnan(fold(values, wf::maximum{})));
          CHECK(std::isnan(fold(values, wf::minimum{})));
          CHECK(std::isnan(fold(values, wf::plus{})));
        }
      }
      for (const T least : {T(-1), -infinity, T(-0.0)}) {
        std::vector<T> values(n, least);
        values[at] = T(0);
        CHECK(same(fold(values, wf::maximum{}), T(0)));
        values[at] = T(-0.0);
        CHECK(same(fold(values, wf::maximum{}), T(-0.0)));
      }
      for (const T greatest : {T(1), infinity, T(0)}) {
        std::vector<T> values(n, greatest);
        values[at] = T(-0.0);
        CHECK(same(fold(values, wf::minimum{}), T(-0.0)));
        values[at] = T(0);
        CHECK(same(fold(values, wf::minimum{}), T(0)));
      }
      for (const T extreme : {infinity, -infinity}) {
        std::vector<T> values(n, T(2));
        values[at] = extreme;
        CHECK(fold(values, wf::maximum{}) == (n == 1 ? extreme : std::max(T(2), extreme)));
        CHECK(fold(values, wf::minimum{}) == (n == 1 ? extreme : std::min(T(2), extreme)));
        CHECK(fold(values, wf::plus{}) == extreme);
      }
    }
    CHECK(same(fold(std::vector<T>(n, T(-0.0)), wf::plus{}), T(-0.0)));
  }
}

TEST_CASE_TEMPLATE("a zero's sign is seen in every run of a long range", T, float, double) {
  std::vector<T> values(3 * 65536 + 5, T(-0.0));
  CHECK(std::signbit(fold(values, wf::maximum{})));
  for (const std::size_t at :
       {std::size_t{0}, std::size_t{65536}, std::size_t{131071}, values.size() - 1}) {
    values[at] = T(0);
    CHECK_FALSE(std::signbit(fold(values, wf::maximum{})));
    CHECK(std::signbit(fold(values, wf::minimum{})));
    values[at] = T(-0.0);
  }
}

TEST_CASE_TEMPLATE("long sums of the greatest and the least ints are exact", T, int, unsigned) {
  using limits = std::numeric_limits<T>;
  for (const std::size_t n : {65535, 65536, 65537, 1 << 20, 3 * (1 << 20) + 5}) {
    for (const T x : {limits::max(), limits::min(), static_cast<T>(-1), static_cast<T>(65535),
                      static_cast<T>(-65536), static_cast<T>(0x7fff0000)}) {
      INFO(n, " times ", x);
      const auto sum = fold(std::vector<T>(n, x), wf::plus{});
      static_assert(sizeof(sum) == 8);
      CHECK(sum == static_cast<decltype(sum)>(x) * static_cast<decltype(sum)>(n));
    }
  }
}

#if defined(__GNUC__)

namespace {

/// The folds by an op with vectors of 16 bytes and with the widest of this processor, which must
/// have the same bits.
template <class View, class Op>
void check_widths(const View& view, const Op& op) {
  namespace detail = wf::host::detail;
  using vectors = detail::vectors_of<Op, View>;
  const vectors own(op, view);
  for (const std::size_t n : lengths()) {
    for (const std::size_t first : {0u, 3u}) {
      INFO(n, " elements from ", first);
      const auto data = vectors::data(view) + first;
      const auto narrow = detail::fold_at_once<detail::narrow_vectors>(own, data, n);
      const auto widest = detail::fold_at_once<detail::widest_vectors>(own, data, n);
      CHECK(same_bits(narrow, widest));
    }
  }
}

template <class T>
std::vector<T> numbers_that_round(std::size_t n) {
  std::vector<T> v(n);
  std::mt19937 random(7);
  for (T& x : v) x = static_cast<T>(static_cast<double>(random()) / 2147483648.0 - 1.0);
  return v;
}

}  // namespace

TEST_CASE_TEMPLATE("rounded sums have the same bits with vectors of any width", T, float, double) {
  const auto values = numbers_that_round<T>(131072 + 8);
  const auto view = wf::as_view(values);
  check_widths(view, wf::plus{});
  check_widths(projected<T, less_three>(view, {}), wf::plus{});
  check_widths(projected<T, both>(view, {}), add_both{});

  const wf::host::detail::vectors_together<T, wf::minimum, wf::plus> together{
      wf::detail::tuple_of(wf::host::detail::plain_vectors<wf::minimum, T>{},
                           wf::host::detail::plain_vectors<wf::plus, T>{})};
  for (const std::size_t n : lengths()) {
    using namespace wf::host::detail;
    const auto narrow = fold_at_once<narrow_vectors>(together, values.data(), n);
    const auto widest = fold_at_once<widest_vectors>(together, values.data(), n);
    CHECK(same_bits(narrow, widest));
  }
}

TEST_CASE_TEMPLATE("extrema of every integer type with vectors of any width", T, signed char,
                   unsigned char, char, short, unsigned short, int, unsigned, std::int64_t,
                   std::uint64_t) {
  const auto values = random_numbers<T>(131072 + 8);
  check_widths(wf::as_view(values), wf::minimum{});
  check_widths(wf::as_view(values), wf::maximum{});
  for (const std::size_t n : {1u, 15u, 16u, 17u, 31u, 33u, 127u, 128u, 129u, 300u, 2100u}) {
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<T> same(n, T{1});
      same[at] = std::numeric_limits<T>::max();
      CHECK(fold(same, 0, n, wf::maximum{}) == std::numeric_limits<T>::max());
      CHECK(fold(same, 0, n, wf::minimum{}) == (n == 1 ? same[0] : T{1}));
      same[at] = std::numeric_limits<T>::min();
      CHECK(fold(same, 0, n, wf::minimum{}) == std::numeric_limits<T>::min());
    }
  }
}

TEST_CASE_TEMPLATE("sums of products of integers, of every length", T, signed char, unsigned char,
                   short, unsigned short, int, unsigned, std::int64_t, std::uint64_t) {
  using wide = wf::plus::accumulator<T>;
  using modular = std::uint64_t;
  std::vector<T> a(131072 + 8), b(a.size());
  std::mt19937_64 random(11);
  for (T& x : a) x = static_cast<T>(random());
  for (T& x : b) x = static_cast<T>(random());
  const auto products = products_of(a, b);
  check_widths(products, wf::plus{});
  for (const std::size_t n : lengths()) {
    for (const std::size_t first : {0u, 1u}) {
      INFO(n, " elements from ", first);
      modular sum = 0;
      for (std::size_t i = first; i < first + n; ++i) {
        sum += static_cast<modular>(static_cast<wide>(a[i])) *
               static_cast<modular>(static_cast<wide>(b[i]));
      }
      CHECK(folded(products, first, first + n, wf::plus{}) == static_cast<wide>(sum));
    }
  }
  // The products of the largest magnitude: sums of pairs of them need one bit more.
  for (const T x : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}) {
    for (const T y : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()}) {
      const std::size_t n = 2'500'003;
      const std::vector<T> all_x(n, x), all_y(n, y);
      const modular one =
          static_cast<modular>(static_cast<wide>(x)) * static_cast<modular>(static_cast<wide>(y));
      INFO(x, " times ", y);
      CHECK(folded(products_of(all_x, all_y), 0, n, wf::plus{}) == static_cast<wide>(one * n));
    }
  }
}
#endif
