/// @file
/// Adds the numbers of a batch to an exact sum, with few additions in it.
///
/// A sum of doubles is exact if all of them are multiples of some power of two, and their sum is at
/// most 2^53 times that power. So the host sums the numbers of a batch in double, those with
/// similar exponents at a time. Most batches need one such sum. The few numbers that six sums leave
/// are added one by one (op/exact_sum.hpp). A product of doubles is the sum of two doubles, the
/// rounded product and its error, if it is neither too large nor too small.
///
/// Source of the exponent windows: J. Demmel and H. D. Nguyen, "Parallel Reproducible Summation",
/// 2015; there the places of the windows are fixed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <warpfold/op/exact_product.hpp>
#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/magnitude.hpp>
#include <warpfold/op/split_products.hpp>
#include <warpfold/view/contiguous.hpp>

namespace warpfold {

namespace detail {

// Sums, in double, of the numbers of a batch that reach a bound; and the bitwise or of all other
// numbers, without signs. A float is one part. A double has two: its upper and its lower digits.
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

// True if the processor takes numbers below the normal ones for zero, as operands or as results.
// Some flags make it do so.
inline bool flushes_small_numbers() {
  volatile double least = (std::numeric_limits<double>::min)();
  return !(least * 0.5 > 0);
}

template <class T>
inline constexpr bool is_exact_product = false;
template <class T>
inline constexpr bool is_exact_product<exact_product<T>> = true;

// Adds the numbers of a batch, or its products.
template <class T, int Factors>
class exact_batch {
 public:
  WARPFOLD_ANY_SIDE
  template <class Batch>
  static WARPFOLD_HD constexpr void add(exact_sum<T, Factors>& sum, const Batch& batch) {
    constexpr bool multiplies = is_exact_product<std::remove_cvref_t<decltype(batch.first())>>;
    // A compiler may assume that no number is NaN, or that a difference of sums is a sum of
    // differences.
#if __FINITE_MATH_ONLY__ || defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
    constexpr bool computes_as_written = false;
#else
    constexpr bool computes_as_written = true;
#endif
    if constexpr (Batch::most > 64 && computes_as_written) {  // on the host
      if constexpr (multiplies) {
        return add_products(sum, batch);
      } else {
        if (add_numbers(sum, batch)) return;
      }
    }
    add_each(sum, batch);
  }

 private:
  using sum_type = exact_sum<T, Factors>;

  WARPFOLD_ANY_SIDE
  template <class Batch>
  static WARPFOLD_HD constexpr void add_each(sum_type& sum, const Batch& batch) {
    batch.each([&](const auto& x) {
      if constexpr (is_exact_product<std::remove_cvref_t<decltype(x)>>) {
        sum.add(x.first, x.second);
      } else {
        sum.add(static_cast<T>(x));
      }
    });
  }

  // Numbers that are copied at a time, to fold them in vectors: they stay in the first-level cache.
  static constexpr std::size_t at_a_time = 1024;

  // Calls `then(part)` with at most `at_a_time` elements at a time.
  template <class Batch, class Then>
  static void by_parts(const Batch& batch, const Then& then) {
    for (std::size_t from = 0; from < batch.size(); from += at_a_time) {
      then(batch.part(from, batch.size() - from < at_a_time ? batch.size() : from + at_a_time));
    }
  }

  template <class Batch>
  static bool add_numbers(sum_type& sum, const Batch& batch) {
    constexpr int parts = are_short ? 1 : 2;
    if constexpr (Batch::template projects_in_vectors<in_exact_window<parts, true>,
                                                      add_exact_windows>) {
      return add_windows(sum, batch);
    } else {
      by_parts(batch, [&](const auto& part) {
        T numbers[at_a_time];
        std::size_t n = 0;
        part.each([&](const auto& x) { numbers[n++] = static_cast<T>(x); });
        const auto copies = part.with(contiguous_view<T>(numbers, n));
        if (!add_windows(sum, copies)) add_each(sum, copies);
      });
      return true;
    }
  }

  template <class Batch>
  static void add_products(sum_type& sum, const Batch& batch) {
    by_parts(batch, [&](const auto& part) {
      double products[at_a_time];
      std::size_t n = 0;
      bool is_added;
      if constexpr (float_format<T>::is_double) {
        double a[at_a_time], b[at_a_time], errors[at_a_time];
        part.each([&](const exact_product<T>& x) {
          a[n] = x.first;
          b[n] = x.second;
          ++n;
        });
        std::size_t end = n;
        for (; end % split_at_once != 0; ++end) a[end] = b[end] = 0;
        is_added = split_products(a, b, products, errors, end) &&
                   add_windows(sum, part.with(contiguous_view<double>(products, n)));
        if (is_added) add_errors(sum, part.with(contiguous_view<double>(errors, n)));
      } else {
        part.each([&](const exact_product<T>& x) {
          products[n++] = static_cast<double>(x.first) * static_cast<double>(x.second);
        });
        is_added = add_windows(sum, part.with(contiguous_view<double>(products, n)));
      }
      if (!is_added) add_each(sum, part);
    });
  }

  // Zeros among errors do not count: the sum of -0 and an error of 0 is -0.
  template <class Batch>
  static void add_errors(sum_type& sum, const Batch& batch) {
    if (largest_of(batch) != 0 && !add_windows(sum, batch)) add_each(sum, batch);
  }

  // Floats are short. Other numbers have an upper and a lower part.
  static constexpr bool are_short = !float_format<T>::is_double && Factors == 1;

  // Adds a batch if a few sums in double suffice. Each sum takes numbers whose exponents differ by
  // up to `spread`. All are multiples of the last digit of the least number, and the sum is at most
  // 2^53 times that digit.
  template <class Batch>
  static bool add_windows(sum_type& sum, const Batch& batch) {
    int carries = 0;  // digits by which a sum may be longer than the longest number
    for (std::size_t n = batch.size() - 1; n != 0; n >>= 1) ++carries;
    // A float is the upper part. A double has 26 digits there, and 27 in the lower part.
    const int spread = 53 - (are_short ? 24 : 27) - carries;
    double largest = largest_of(batch);
    // Not infinite, and no sum that overflows.
    double end = (std::numeric_limits<double>::max)() / static_cast<double>(batch.size());
    if (spread < 0 || !(largest < (are_short ? (std::numeric_limits<T>::max)() : end)) ||
        flushes_small_numbers()) {
      return false;
    }
    constexpr int max_windows = 6;
    // The lower parts of smaller doubles may be below the normal numbers.
    constexpr double least = are_short ? 0 : 0x1p-930;
    for (int i = 0; i < max_windows && largest > least; ++i) {
      // A power of two: that of the largest number, divided by 2^spread.
      const std::uint64_t field =
          __builtin_bit_cast(std::uint64_t, largest) >> float_format<double>::fraction_bits;
      const double begin = __builtin_bit_cast(double, (field - static_cast<std::uint64_t>(spread))
                                                          << float_format<double>::fraction_bits);
      constexpr int parts = are_short ? 1 : 2;
      auto window = window_of<parts>(batch, i == 0, begin, end);
      for (int part = 0; part < parts; ++part) add_double(sum, window.sum[part]);
      std::uint64_t left = __builtin_bit_cast(std::uint64_t, window.left);
      if (left == 0) return true;
      // The or of the numbers that are left is at least the largest of them.
      const auto bound = __builtin_bit_cast(std::uint64_t, begin);
      largest = left < bound ? __builtin_bit_cast(double, left) : begin;
      end = begin;
    }
    batch.each([&](const auto& x) {
      // A product of floats is a double. Its zeros are added as such: -0 counts.
      const double size = static_cast<double>(magnitude{}(x));
      if (!(size < end)) return;
      if (sizeof(x) <= sizeof(T) || size == 0) {
        sum.add(static_cast<T>(x));
      } else {
        add_double(sum, static_cast<double>(x));
      }
    });
    return true;
  }

  template <int Parts, class Batch>
  static auto window_of(const Batch& batch, bool is_first, double begin, double end) {
    constexpr add_exact_windows add;
    if (is_first) return batch.projected(in_exact_window<Parts, true>{begin, end}).fold(add);
    return batch.projected(in_exact_window<Parts, false>{begin, end}).fold(add);
  }

  // The largest |x| of a batch, or NaN if it has one.
  template <class Batch>
  static double largest_of(const Batch& batch) {
    if constexpr (Batch::template folds_together<maximum> &&
                  Batch::template folds_together<minimum>) {
      const auto both = batch.fold_together(tuple_of(minimum{}, maximum{}));
      const auto low = static_cast<double>(get<0>(both)), high = static_cast<double>(get<1>(both));
      return low != low || -low > high ? -low : high;
    } else {
      return static_cast<double>(batch.projected(magnitude{}).fold(maximum{}));
    }
  }

  // Adds a sum of numbers, or of products.
  static void add_double(sum_type& sum, double x) {
    using format = float_format<double>;
    const auto b = __builtin_bit_cast(std::uint64_t, x);
    const std::uint64_t size = b & ~format::sign_bit;
    const int field = static_cast<int>(size >> format::fraction_bits);
    std::uint64_t digits = size & format::fraction_mask;
    if (field != 0) digits |= std::uint64_t{1} << format::fraction_bits;
    int position = (field == 0 ? 0 : field - 1) + format::least_exponent - sum_type::least_exponent;
    if (position < 0) {
      digits = position > -64 ? digits >> -position : 0;  // the digits that go are zeros
      position = 0;
    }
    sum.add_digits(b != size, digits, position);
  }
};

}  // namespace detail
}  // namespace warpfold
