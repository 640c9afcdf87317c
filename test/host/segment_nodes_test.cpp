// Short segments in vector registers, by each op and type: the results of one loop over each
// segment, with vectors of any width.
// gcc: it has vectors of 64 bytes
#include <warpfold/host/segment_nodes.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <warpfold/norm.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/view/zip.hpp>

namespace wf = warpfold;

namespace {

// NaNs are equal.
template <class T>
bool same_value(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a != a ? b != b : a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

/// Numbers of all sizes; of floating-point numbers one in ten is a zero of either sign, an infinity
/// or a NaN if `any`.
template <class T>
std::vector<T> numbers(std::size_t n, bool any) {
  std::vector<T> v(n);
  std::mt19937_64 random(n);
  for (T& x : v) {
    const auto bits = random();
    if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(bits);
    } else {
      const T special[] = {T{0}, -T{0}, std::numeric_limits<T>::infinity(),
                           -std::numeric_limits<T>::infinity(),
                           bits % 3 == 0 ? std::numeric_limits<T>::quiet_NaN() : T{1}};
      x = any && bits % 10 == 0
              ? special[bits / 16 % 5]
              : static_cast<T>(static_cast<double>(bits >> 11) / 9007199254740992.0 - 0.5);
    }
  }
  return v;
}

/// The ends of segments that have fewer than `most` elements.
std::vector<int> ends_below(int most, std::size_t n) {
  std::vector<int> ends{0};
  std::mt19937 random(static_cast<unsigned>(most));
  while (static_cast<std::size_t>(ends.back()) < n) {
    const int next = ends.back() + static_cast<int>(random() % static_cast<unsigned>(most));
    ends.push_back(next > static_cast<int>(n) ? static_cast<int>(n) : next);
  }
  return ends;
}

/// Compares `reduce_segments` with `reduce` of each segment.
template <class R, class Range, class Op>
void check_op(const Range& range, std::size_t n, const Op& op, auto part) {
  for (const int most : {2, 5, 20, 70, 200, 1500}) {
    const auto ends = ends_below(most, n);
    std::vector<R> out(ends.size() - 1);
    wf::reduce_segments(wf::seq, range, ends, op, out);
    std::size_t wrong = 0;
    for (std::size_t s = 0; s < out.size(); ++s) {
      R want{};
      wf::reduce_async(wf::seq, part(ends[s], ends[s + 1]), op, &want);
      wrong += !same_value(out[s], want);
    }
    CHECK_MESSAGE(wrong == 0, "lengths below ", most);
  }
}
template <class R, class T, class Op>
void check_numbers(const std::vector<T>& v, const Op& op) {
  check_op<R>(v, v.size(), op, [&](int begin, int end) {
    return std::span<const T>(v.data() + begin, static_cast<std::size_t>(end - begin));
  });
}

}  // namespace

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
static_assert(wf::host::folds_short_segments<wf::plus, wf::contiguous_view<const float>>);
static_assert(wf::host::folds_short_segments<wf::plus, wf::contiguous_view<const signed char>>);
static_assert(wf::host::folds_short_segments<wf::maximum, wf::contiguous_view<const long long>>);
static_assert(wf::host::folds_short_segments<wf::squares_op, wf::contiguous_view<const float>>);
static_assert(!wf::host::folds_short_segments<wf::squares_op, wf::contiguous_view<const double>>);
static_assert(!wf::host::folds_short_segments<wf::plus, wf::contiguous_view<const bool>>);
static_assert(!wf::host::folds_short_segments<wf::multiplies, wf::contiguous_view<const int>>);
#endif

TEST_CASE_TEMPLATE("sums and extrema of segments", T, float, double, signed char, unsigned short,
                   int, unsigned, long long) {
  using sum = wf::plus::accumulator<T>;
  const auto v = numbers<T>(20'000, true);
  check_numbers<T>(v, wf::minimum{});
  check_numbers<T>(v, wf::maximum{});
  check_numbers<sum>(numbers<T>(20'000, false), wf::plus{});
}

TEST_CASE_TEMPLATE("sums of squares and norms of segments", T, float, int, double, short) {
  const auto v = numbers<T>(20'000, false);
  check_numbers<double>(v, wf::norm_2_op{});
}

TEST_CASE_TEMPLATE("sums of products of segments", T, float, double) {
  const auto a = numbers<T>(20'000, false), b = numbers<T>(20'001, false);
  const auto products = [&](std::size_t begin, std::size_t n) {
    return wf::project(
        wf::zip(std::span<const T>(a.data() + begin, n), std::span<const T>(b.data() + begin, n)),
        wf::multiplies{});
  };
  check_op<T>(products(0, a.size()), a.size(), wf::plus{}, [&](int begin, int end) {
    return products(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  });
}

TEST_CASE("an init, and segments without elements") {
  const std::vector<float> v{3, -1, 7};
  const std::vector<int> ends{0, 0, 2, 2, 3};
  std::vector<float> out(4);
  wf::reduce_segments(wf::seq, v, ends, wf::maximum{}, out);
  const float none = -std::numeric_limits<float>::infinity();
  CHECK(out == std::vector<float>{none, 3, none, 7});
  wf::reduce_segments(wf::seq, v, ends, wf::maximum{}, 4.0f, out);
  CHECK(out == std::vector<float>{4, 4, 4, 7});
  std::vector<std::uint8_t> bytes{200, 3, 9}, least(4);
  wf::reduce_segments(wf::seq, bytes, ends, wf::minimum{}, least);
  CHECK(least == std::vector<std::uint8_t>{255, 3, 255, 9});
}

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
namespace {

/// Compares a batch of `count` segments in vectors of one width with the widest.
template <int Bytes, class Op, class T>
void check_width(const std::vector<T>& v, int most) {
  if (!wf::detail::has_vectors_of<Bytes>()) return;
  using folds = wf::host::detail::short_segments<Op, wf::contiguous_view<const T>>;
  const wf::contiguous_view<const T> view(v.data(), v.size());
  using batch_type =
      wf::host::detail::segment_batch<typename folds::node, decltype(folds::source(view))>;
  batch_type all, own;
  const auto ends = ends_below(most, v.size());
  all.from = own.from = folds::source(view);
  all.limit = own.limit = v.size();
  for (std::size_t s = 0; s + 1 < ends.size() && all.size < all.most; ++s) {
    all.add(static_cast<std::size_t>(ends[s]), static_cast<std::uint32_t>(ends[s + 1] - ends[s]));
    own.add(all.begins[s], all.lengths[s]);
  }
  wf::host::detail::fold_segments(all);
  using kernel =
      wf::host::detail::batch_kernel<typename folds::node, decltype(folds::source(view))>;
  wf::detail::run_in_vectors_of<kernel, Bytes>(own);
  std::size_t wrong = 0;
  for (std::size_t j = 0; j < own.size; ++j) {
    if (own.lengths[j] <= own.longest && own.lengths[j] <= all.longest) {
      wrong += !same_value(own.value(j), all.value(j));
    }
  }
  CHECK_MESSAGE(wrong == 0, Bytes, " bytes, lengths below ", most);
}

template <class Op, class T>
void check_widths() {
  const auto v = numbers<T>(4'000, !std::is_same_v<Op, wf::plus>);
  for (const int most : {3, 12, 40, 300}) {
    check_width<16, Op>(v, most);
    check_width<32, Op>(v, most);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("vectors of other widths", T, float, double, signed char, unsigned short, int,
                   unsigned long long) {
  check_widths<wf::minimum, T>();
  check_widths<wf::maximum, T>();
  check_widths<wf::plus, T>();
}
TEST_CASE("squares in vectors of other widths") { check_widths<wf::squares_op, int>(); }
#endif
