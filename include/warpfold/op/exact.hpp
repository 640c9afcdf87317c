/// @file
/// `plus{}.exact()`: sums without rounding errors.
///
/// A sum of doubles is exact if all of them are multiples of some power of two, and their sum is at
/// most 2^53 times that power. So the host sums the numbers of a batch in double, those with
/// similar exponents at a time. Most batches need one such sum. The few numbers that six sums leave
/// are added one by one (op/exact_sum.hpp).
///
/// Source of the exponent windows: J. Demmel and H. D. Nguyen, "Parallel Reproducible Summation",
/// 2015; there the places of the windows are fixed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/magnitude.hpp>
#include <warpfold/op/plus.hpp>

namespace warpfold {

namespace detail {

// Sums in double of the numbers of a batch that are not below a bound, and the bits that any of the
// others has, without signs. A float is one part; a double has an upper and a lower part of its
// digits.
template <class D, int Parts>
struct exact_window {
  D sum[static_cast<std::size_t>(Parts)];
  D left;

  exact_window<double, Parts> value(int l) const {
    exact_window<double, Parts> v;
    for (int i = 0; i < Parts; ++i) v.sum[i] = sum[i][l];
    v.left = left[l];
    return v;
  }
  exact_window added(const exact_window& b) const {
    exact_window both;
    for (int i = 0; i < Parts; ++i) both.sum[i] = sum[i] + b.sum[i];
    using numbers = decltype(left.of);
    using bits = decltype(left.of < left.of);
    both.left.of = (numbers)((bits)left.of | (bits)b.left.of);
    return both;
  }
};

// The window of one number. For vectors of doubles as well (host/vector_fold.hpp).
// @tparam IsFirst no number is as large as `end`
template <int Parts, bool IsFirst>
struct in_exact_window {
  using exactly = in_exact_window;
  // The digits of a double that its lower part has.
  static constexpr std::uint64_t lower_mask = (std::uint64_t{1} << 27) - 1;

  double begin, end;

  template <class D>
  exact_window<D, Parts> in_double(const D& x) const {
    using numbers = std::remove_const_t<decltype(x.of)>;
    using bits = decltype(x.of < x.of);
    const bits size = (bits)x.of & static_cast<std::int64_t>(~float_format<double>::sign_bit);
    const bits is_below = (numbers)size < begin;
    bits in = ~is_below & (bits)x.of;
    if constexpr (!IsFirst) in &= (numbers)size < end;
    exact_window<D, Parts> w;
    w.sum[0].of = (numbers)in;
    if constexpr (Parts == 2) {
      w.sum[0].of = (numbers)(in & static_cast<std::int64_t>(~lower_mask));
      w.sum[1].of = (numbers)in - w.sum[0].of;
    }
    w.left.of = (numbers)(is_below & size);
    return w;
  }
  template <class T>
  exact_window<double, Parts> operator()(const T& x) const {
    const auto b = __builtin_bit_cast(std::uint64_t, static_cast<double>(x));
    const std::uint64_t size = b & ~float_format<double>::sign_bit;
    const auto magnitude = __builtin_bit_cast(double, size);
    const bool is_below = magnitude < begin;
    const std::uint64_t in = is_below || (!IsFirst && magnitude >= end) ? 0 : b;
    exact_window<double, Parts> w;
    w.sum[0] = __builtin_bit_cast(double, in);
    if constexpr (Parts == 2) {
      w.sum[0] = __builtin_bit_cast(double, in & ~lower_mask);
      w.sum[1] = __builtin_bit_cast(double, in) - w.sum[0];
    }
    w.left = is_below ? magnitude : 0;
    return w;
  }
};

struct add_exact_windows {
  template <int Parts>
  exact_window<double, Parts> operator()(const exact_window<double, Parts>& a,
                                         const exact_window<double, Parts>& b) const {
    exact_window<double, Parts> both;
    for (int i = 0; i < Parts; ++i) both.sum[i] = a.sum[i] + b.sum[i];
    both.left = __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, a.left) |
                                               __builtin_bit_cast(std::uint64_t, b.left));
    return both;
  }
};

// |x| if it is below `end`, else 0.
struct size_below {
  double end;
  template <class T>
  double operator()(const T& x) const {
    const auto size = static_cast<double>(magnitude{}(x));
    return size < end ? size : 0;
  }
};

// True if the processor takes numbers below the normal ones for zero, as some flags make it do.
inline bool flushes_small_numbers() {
  volatile double least = std::numeric_limits<double>::denorm_min();
  return !(least > 0);
}

}  // namespace detail

/// Adds floating-point numbers without rounding; the result is rounded once.
///
/// So the result is the floating-point number nearest to the mathematical sum. It depends neither
/// on the order nor on the policy, the number of threads, the device, or the version of this
/// library.
///
/// Every stage folds `exact_sum<T>`, where T is `float` for 16-bit floats. `reduce` returns a T.
/// `reduce_async` and `reduce_axis` write an `exact_sum<T>` if the output has that type: to store,
/// to send, and to combine with others.
///
/// Identity: 0. An init has the type T.
/// - Infinities, NaN and -0: see exact_sum.
/// - Cost: `wf::par` reads each batch twice, from the cache after the first time, if its exponents
///   differ by up to 17 (14 for `double`), and up to twelve times otherwise. GPU policies and
///   `wf::seq` add number by number, which is slow. A state has 128 bytes, or 584 for `double`.
/// - Compile flags: none changes the result. With -ffast-math or -ffinite-math-only, `wf::par` adds
///   number by number too.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<float> v{1e20f, 1.0f, -1e20f};
/// float one = wf::reduce(wf::par, v, wf::plus{}.exact());
/// ```
struct exact_plus {
  static constexpr auto needs = detail::operand_need::floating_point;
  using exactly = exact_plus;

  // The code of a merge is a loop over the words.
  template <class>
  static constexpr bool is_long = true;

  template <class T>
  using accumulator = T;

  template <class T>
    requires(std::is_floating_point_v<T> || is_half_v<T>)
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    exact_sum<wide_sum_t<T>> sum;
    sum.add(static_cast<wide_sum_t<T>>(x));
    return sum;
  }

  template <class S>
    requires requires { S::digit_words; }
  WARPFOLD_HD constexpr S identity() const {
    return {};
  }

  template <class T>
  WARPFOLD_HD constexpr exact_sum<T> operator()(const exact_sum<T>& a,
                                                const exact_sum<T>& b) const {
    exact_sum<T> sum = a;
    sum.add(b);
    return sum;
  }

  /// An init is one more number.
  template <class T>
  WARPFOLD_HD constexpr exact_sum<T> operator()(const T& init, const exact_sum<T>& b) const {
    exact_sum<T> sum = b;
    sum.add(init);
    return sum;
  }

  WARPFOLD_ANY_SIDE
  template <class T, class Run>
  WARPFOLD_HD constexpr exact_sum<T> fold_batch(const exact_sum<T>& seen, const Run& run) const {
    exact_sum<T> sum = seen;
    // A compiler may assume that no number is NaN, or that a difference of sums is a sum of
    // differences.
#if __FINITE_MATH_ONLY__ || defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
    constexpr bool computes_as_written = false;
#else
    constexpr bool computes_as_written = true;
#endif
    if constexpr (Run::most > 64 && computes_as_written) {  // on the host
      if (add_windows(sum, run)) return sum;
    }
    run.each([&](const auto& x) { sum.add(static_cast<T>(x)); });
    return sum;
  }

  template <class T>
  WARPFOLD_HD constexpr T finish(const exact_sum<T>& s) const {
    return s.rounded();
  }

 private:
  // Adds a batch, if a few sums in double do. Each is of numbers whose exponents differ by up to
  // `spread`: all are multiples of the last digit of the least of them, and the sum is at most 2^53
  // such digits.
  template <class T, class Run>
  static bool add_windows(exact_sum<T>& sum, const Run& run) {
    using format = detail::float_format<T>;
    int carries = 0;  // digits by which a sum may be longer than the longest number
    for (std::size_t n = run.size() - 1; n != 0; n >>= 1) ++carries;
    // A float is the upper part. A double has 26 digits there, and 27 in the lower part.
    const int spread = 53 - (format::is_double ? 27 : 24) - carries;
    double largest = largest_of(run);
    // Not infinite, and no sum that overflows.
    double end = std::numeric_limits<double>::max() / static_cast<double>(run.size());
    if (spread < 0 || !(largest < (format::is_double ? end : std::numeric_limits<T>::max())) ||
        detail::flushes_small_numbers()) {
      return false;
    }
    constexpr int max_windows = 6;
    // The lower parts of smaller doubles may be below the normal numbers.
    constexpr double least = format::is_double ? 0x1p-930 : 0;
    for (int i = 0; i < max_windows && largest > least; ++i) {
      // A power of two: the largest number with all digits zero, 2^spread times smaller.
      const std::uint64_t field =
          __builtin_bit_cast(std::uint64_t, largest) >> detail::float_format<double>::fraction_bits;
      const double begin =
          __builtin_bit_cast(double, (field - static_cast<std::uint64_t>(spread))
                                         << detail::float_format<double>::fraction_bits);
      constexpr int parts = format::is_double ? 2 : 1;
      const auto window = window_of<parts>(run, i == 0, begin, end);
      for (int part = 0; part < parts; ++part) add_double(sum, window.sum[part]);
      if (__builtin_bit_cast(std::uint64_t, window.left) == 0) return true;
      largest = static_cast<double>(run.projected(detail::size_below{begin}).fold(maximum{}));
      end = begin;
    }
    run.each([&](const auto& x) {
      if (static_cast<double>(magnitude{}(x)) < end) sum.add(static_cast<T>(x));
    });
    return true;
  }

  template <int Parts, class Run>
  static auto window_of(const Run& run, bool is_first, double begin, double end) {
    constexpr detail::add_exact_windows add;
    if (is_first) return run.projected(detail::in_exact_window<Parts, true>{begin, end}).fold(add);
    return run.projected(detail::in_exact_window<Parts, false>{begin, end}).fold(add);
  }

  // The largest |x| of a batch, or NaN if it has one.
  template <class Run>
  static double largest_of(const Run& run) {
    if constexpr (Run::template folds_together<maximum> && Run::template folds_together<minimum>) {
      const auto both = run.fold_together(detail::tuple_of(minimum{}, maximum{}));
      const auto low = static_cast<double>(get<0>(both)), high = static_cast<double>(get<1>(both));
      return low != low || -low > high ? -low : high;
    } else {
      return static_cast<double>(run.projected(magnitude{}).fold(maximum{}));
    }
  }

  // Adds a sum of numbers of type T, a multiple of the least T.
  template <class T>
  static WARPFOLD_HD constexpr void add_double(exact_sum<T>& sum, double x) {
    using format = detail::float_format<double>;
    const auto b = __builtin_bit_cast(std::uint64_t, x);
    const std::uint64_t magnitude = b & ~format::sign_bit;
    const int field = static_cast<int>(magnitude >> format::fraction_bits);
    std::uint64_t digits = magnitude & format::fraction_mask;
    if (field != 0) digits |= std::uint64_t{1} << format::fraction_bits;
    int position = (field == 0 ? 0 : field - 1) + format::least_exponent -
                   detail::float_format<T>::least_exponent;
    if (position < 0) {
      digits = position > -64 ? digits >> -position : 0;  // the digits that go are zeros
      position = 0;
    }
    sum.add_digits(b != magnitude, digits, position);
  }
};

WARPFOLD_HD constexpr exact_plus plus::exact() const { return {}; }

template <>
inline constexpr bool never_compares<exact_plus> = true;

}  // namespace warpfold
