/// @file
/// The expected results of ops: plain loops that do not use the library's ops. `add(x, place)`
/// takes the elements in order; `admits(result)` then tells whether a result is right. If only one
/// result is right, `value()` returns it; that of integers modulo 2^64.
///
/// Integers, extrema, places and truth values are compared exactly. Sums of floating-point numbers
/// are exact if all are whole and small: every order gives the same bits, and a single lost element
/// shows. For other numbers, a sum in a type with unit roundoff u is off by at most n u sum|x|
/// whatever the order (N. Higham, "Accuracy and Stability of Numerical Algorithms", 4.2), and a
/// compensated one by u |sum| + 8 n u^2 sum|x| (op/compensated.hpp).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "contract/order_certificate.hpp"
#include "fuzz/elements.hpp"

namespace fuzz {

template <class R>
inline constexpr long double unit_roundoff =
    static_cast<long double>(std::numeric_limits<R>::epsilon()) / 2;

/// Sums and products of integers, modulo the width of the result.
template <class N, bool IsProduct>
class wrapped_reference {
 public:
  void add(const N& x, std::size_t) {
    const auto y = static_cast<std::uint64_t>(x);
    total_ = IsProduct ? total_ * y : total_ + y;
  }
  template <class R>
  bool admits(const R& r) const {
    return r == static_cast<R>(total_);
  }
  std::uint64_t value() const { return total_; }
  std::string text() const { return std::to_string(static_cast<long long>(total_)); }

 private:
  std::uint64_t total_ = IsProduct ? 1 : 0;
};

/// A sum in long double that keeps what rounding drops.
class precise_sum {
 public:
  void add(long double x) {
    const long double next = sum_ + x;
    lost_ += std::fabs(sum_) >= std::fabs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  long double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  long double sum_ = 0, lost_ = 0;
};

/// Sums of floating-point numbers. `Twice`: compensated ones.
template <class N, bool Twice>
class rounded_sum_reference {
 public:
  void add(const N& n, std::size_t) {
    const long double x = exactly(n);
    sum_.add(x);
    magnitude_ += std::fabs(x);
    all_whole_ = all_whole_ && x == std::trunc(x);
    ++count_;
  }
  template <class R>
  bool admits(const R& r) const {
    const long double got = exactly(r), want = sum_.value(), u = unit_roundoff<R>;
    if (std::isnan(want)) return std::isnan(got);
    if (std::isinf(want)) return got == want;
    if (all_whole_ && magnitude_ * u <= 1) return got == want;
    const long double n = static_cast<long double>(count_) + 1;
    if (Twice) {
      return std::fabs(got - want) <= u * std::fabs(want) + 8 * n * u * u * magnitude_;
    }
    return std::fabs(got - want) <= 1.01L * n * u * magnitude_;
  }
  std::string text() const { return number_text(sum_.value()); }

 private:
  precise_sum sum_;
  long double magnitude_ = 0;
  bool all_whole_ = true;
  std::size_t count_ = 0;
};

/// True if `r` is `want`, rounded once, or rounded from a number that differs by up to `unsure`.
template <class R>
bool is_rounded(const R& r, long double want, long double unsure = 0) {
  const long double got = exactly(r);
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want) || std::isinf(got))
    return std::isinf(static_cast<R>(want)) && got * want > 0;
  const R size = std::fabs(r);
  const long double step =
      static_cast<long double>(std::nextafter(size, std::numeric_limits<R>::infinity())) - size;
  return std::fabs(got - want) <= 0.501L * step + unsure;
}

/// Sums of floating-point numbers, rounded once.
template <class N>
class nearest_sum_reference {
 public:
  void add(const N& n, std::size_t) { sum_.add(exactly(n)); }
  template <class R>
  bool admits(const R& r) const {
    return is_rounded(r, sum_.value());
  }
  std::string text() const { return number_text(sum_.value()); }

 private:
  precise_sum sum_;
};

/// Roots of sums of squares, rounded once to a double.
template <class T>
class nearest_root_reference {
 public:
  void add(const T& z, std::size_t) {
    for (int k = 0; k < parts<T>::count; ++k) {
      const long double x = exactly(part(z, k));
      sum_.add(x * x);
    }
  }
  bool admits(double r) const { return is_rounded(r, std::sqrt(sum_.value())); }
  std::string text() const { return number_text(std::sqrt(sum_.value())); }

 private:
  precise_sum sum_;
};

/// Means, variances and standard deviations, rounded once.
template <class N>
class nearest_moments_reference {
 public:
  void add(const N& n, std::size_t) {
    const long double x = exactly(n);
    if (count_++ == 0) first_ = x;
    sum_.add(x);
    apart_.add(x - first_);
    squares_.add((x - first_) * (x - first_));
  }
  template <class Moments>
  bool admits(const Moments& m) const {
    if (m.count != count_) return false;
    const long double n = static_cast<long double>(count_), u = unit_roundoff<long double>;
    if (!is_rounded(m.mean(), sum_.value() / n)) return false;
    // Differences from the first number are rounded.
    const long double squares = squares_.value();
    const long double deviations = squares - apart_.value() * (apart_.value() / n);
    const long double unsure = 16 * u * squares;
    const auto admits_pair = [&](auto variance, auto stddev, long double by) {
      if (by == 0) return std::isnan(variance) && std::isnan(stddev);
      const long double root = std::sqrt(std::fabs(deviations) / by);
      const long double unsure_root = std::sqrt((std::fabs(deviations) + unsure) / by) - root;
      return is_rounded(variance, deviations / by, unsure / by) &&
             is_rounded(stddev, root, 2 * unsure_root);
    };
    return admits_pair(m.variance(), m.stddev(), n) &&
           admits_pair(m.sample_variance(), m.sample_stddev(), n - 1);
  }
  std::string text() const {
    return number_text(sum_.value()) + " from " + std::to_string(count_) + " numbers";
  }

 private:
  precise_sum sum_, apart_, squares_;
  long double first_ = 0;
  std::size_t count_ = 0;
};

/// Products of floating-point numbers; those that may leave the type's range on the way are not
/// judged.
template <class N>
class rounded_product_reference {
 public:
  void add(const N& n, std::size_t) {
    const long double x = exactly(n);
    int exponent = 0;
    all_powers_ = all_powers_ && std::fabs(std::frexp(x, &exponent)) == 0.5L;
    range_ += x == 0 ? 0 : std::fabs(std::log2(std::fabs(x)));
    value_ *= x;
    ++count_;
  }
  template <class R>
  bool admits(const R& r) const {
    const long double got = exactly(r), u = unit_roundoff<R>;
    if (!(range_ < (sizeof(R) == 4 ? 100 : 900))) return true;
    if (all_powers_) return got == value_;
    return std::fabs(got - value_) <=
           1.01L * (static_cast<long double>(count_) + 1) * u * std::fabs(value_);
  }
  std::string text() const { return number_text(value_); }

 private:
  long double value_ = 1, range_ = 0;
  bool all_powers_ = true;
  std::size_t count_ = 0;
};

/// Products of complex numbers whose parts are small and whole.
template <class T>
class complex_product_reference {
 public:
  void add(const T& z, std::size_t) {
    const long double x = exactly(z.real()), y = exactly(z.imag());
    const long double re = re_ * x - im_ * y;
    im_ = re_ * y + im_ * x;
    re_ = re;
    const long double size = std::fabs(x) + std::fabs(y);
    magnitude_ *= size > 1 ? size : 1;
    all_whole_ = all_whole_ && x == std::trunc(x) && y == std::trunc(y);
  }
  template <class R>
  bool admits(const R& r) const {
    using N = number_t<R>;
    if (!all_whole_ || !(magnitude_ * unit_roundoff<N> <= 1)) return true;
    return exactly(part(r, 0)) == re_ && exactly(part(r, 1)) == im_;
  }
  std::string text() const { return number_text(re_) + " + i " + number_text(im_); }

 private:
  long double re_ = 1, im_ = 0, magnitude_ = 1;
  bool all_whole_ = true;
};

/// A reference for each number of a structure.
template <class T, class Reference>
class by_parts {
 public:
  void add(const T& x, std::size_t i) {
    for (int k = 0; k < parts<T>::count; ++k) each_[k].add(part(x, k), i);
  }
  template <class R>
  bool admits(const R& r) const {
    for (int k = 0; k < parts<T>::count; ++k) {
      if (!each_[k].admits(part(r, k))) return false;
    }
    return true;
  }
  auto value() const
    requires(parts<T>::count == 1 && requires(const Reference& one) { one.value(); })
  {
    return each_[0].value();
  }
  std::string text() const {
    std::string all;
    for (const Reference& one : each_) all += (all.empty() ? "(" : " ") + one.text();
    return all + ")";
  }

 private:
  Reference each_[parts<T>::count];
};

/// The least or greatest element, and the first or last place of it. Of a NaN and a number the NaN
/// is found, unless it is ignored; -0 is less than +0. Structures are compared number by number, as
/// their own `<` does, to which the two zeros are equal.
template <class T, bool IsLeast, bool IgnoresNan = false, bool IsLast = false>
class extremum_reference {
 public:
  void add(const T& x, std::size_t i) {
    if (any_ && (IsLast ? is_better(best_, x) : !is_better(x, best_))) return;
    best_ = x;
    place_ = i;
    any_ = true;
  }
  template <class R>
  bool admits(const R& r) const {
    if constexpr (requires { r.index; }) {
      return admits(r.value) && r.index == place_;
    } else {
      for (int k = 0; k < parts<T>::count; ++k) {
        const long double a = exactly(part(r, k)), b = exactly(part(best_, k));
        if (std::isnan(a) != std::isnan(b)) return false;
        if (!std::isnan(a) && (a != b || differ_as_zeros(a, b))) return false;
      }
      return true;
    }
  }
  const T& value() const { return best_; }
  std::string text() const { return show(best_) + " at " + std::to_string(place_); }

 private:
  static bool is_better(const T& x, const T& y) {
    for (int k = 0; k < parts<T>::count; ++k) {
      const long double a = exactly(part(x, k)), b = exactly(part(y, k));
      if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) != std::isnan(b) && std::isnan(a) != IgnoresNan;
      if (a != b) return (a < b) == IsLeast;
      if (differ_as_zeros(a, b)) return std::signbit(a) == IsLeast;
    }
    return false;
  }
  static bool differ_as_zeros(long double a, long double b) {
    return parts<T>::count == 1 && std::signbit(a) != std::signbit(b);
  }

  T best_{};
  std::size_t place_ = 0;
  bool any_ = false;
};

/// The user's own `a < b ? b : a`, of numbers without a NaN: of two zeros it may give either.
template <class T>
class greatest_reference {
 public:
  void add(const T& x, std::size_t i) {
    if (any_ && !(exactly(best_) < exactly(x))) return;
    best_ = x;
    place_ = i;
    any_ = true;
  }
  template <class R>
  bool admits(const R& r) const {
    if constexpr (requires { r.index; }) {
      return exactly(r.value) == exactly(best_) && r.index == place_;
    } else {
      return exactly(r) == exactly(best_);
    }
  }
  const T& value() const { return best_; }
  std::string text() const { return show(best_) + " at " + std::to_string(place_); }

 private:
  T best_{};
  std::size_t place_ = 0;
  bool any_ = false;
};

enum class bits { both, either, odd };
template <class N, bits Which>
class bits_reference {
 public:
  void add(const N& x, std::size_t) {
    const auto y = static_cast<std::uint64_t>(x);
    total_ = Which == bits::both ? total_ & y : Which == bits::either ? total_ | y : total_ ^ y;
  }
  template <class R>
  bool admits(const R& r) const {
    return r == static_cast<R>(total_);
  }
  std::uint64_t value() const { return total_; }
  std::string text() const { return std::to_string(total_); }

 private:
  std::uint64_t total_ = Which == bits::both ? ~std::uint64_t{0} : 0;
};

template <class T, bool IsAll>
class truth_reference {
 public:
  void add(const T& x, std::size_t) {
    const bool is_true = exactly(x) != 0;
    found_ = found_ || is_true != IsAll;
  }
  bool admits(bool r) const { return r == value(); }
  bool value() const { return found_ != IsAll; }
  std::string text() const { return found_ != IsAll ? "1" : "0"; }

 private:
  bool found_ = false;  // an element that decides
};

/// The logarithm of the sum of the exponentials.
template <class T>
class log_sum_exp_reference {
 public:
  void add(const T& n, std::size_t) {
    const long double x = exactly(n);
    has_nan_ = has_nan_ || std::isnan(x);
    if (x > most_) {
      sum_ = sum_ * std::exp(most_ - x);
      most_ = x;
    }
    if (!std::isinf(x)) sum_ += std::exp(x - most_);
  }
  bool admits(double r) const {
    if (has_nan_) return std::isnan(r);
    if (std::isinf(most_)) return static_cast<long double>(r) == most_;
    const long double u = sizeof(T) <= 2 || std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53;
    return std::fabs(static_cast<long double>(r) - value()) <=
           16 * u + 16 * 0x1p-53L * std::fabs(most_);
  }
  std::string text() const { return has_nan_ ? "NaN" : number_text(value()); }

 private:
  long double value() const { return std::isinf(most_) ? most_ : most_ + std::log(sum_); }

  long double most_ = -INFINITY, sum_ = 0;
  bool has_nan_ = false;
};

/// The number of elements, and their mean and squared deviations to the precision of a double.
template <class T>
class moments_reference {
 public:
  void add(const T& n, std::size_t) {
    const long double x = exactly(n), apart = x - mean_;
    ++count_;
    mean_ += apart / static_cast<long double>(count_);
    m2_ += apart * (x - mean_);
    magnitude_ += std::fabs(x);
    all_equal_ = all_equal_ && (count_ == 1 || x == first_);
    if (count_ == 1) first_ = x;
  }
  template <class R>
  bool admits(const R& r) const {
    if (r.count != count_) return false;
    if (!std::isfinite(magnitude_)) return !std::isfinite(r.mean) && std::isnan(r.m2);
    if (all_equal_) return r.mean == static_cast<double>(first_) && r.m2 == 0;
    const long double n = static_cast<long double>(count_), u = unit_roundoff<double>;
    const long double size = magnitude_ / n, off = 32 * (n + 4) * u;
    // Near zero each of the n roundings is off by half of the least number, however small the
    // result.
    const long double tiny = n * std::numeric_limits<double>::denorm_min();
    return std::fabs(r.mean - mean_) <= off * size + tiny &&
           std::fabs(r.m2 - m2_) <=
               off * (m2_ + std::sqrt(m2_ * n) * size) + n * off * off * size * size + tiny;
  }
  std::string text() const {
    return "count " + std::to_string(count_) + " mean " + number_text(mean_) + " m2 " +
           number_text(m2_);
  }

 private:
  std::size_t count_ = 0;
  long double mean_ = 0, m2_ = 0, magnitude_ = 0, first_ = 0;
  bool all_equal_ = true;
};

/// The same and the third and fourth powers of the deviations. Each deviation may be off as the
/// mean is.
template <class T>
class moments_to_4_reference {
 public:
  void add(const T& n, std::size_t i) {
    moments_.add(n, i);
    all_.push_back(exactly(n));
  }
  template <class R>
  bool admits(const R& r) const {
    if (!moments_.admits(r)) return false;
    const long double n = static_cast<long double>(all_.size());
    long double mean = 0, size = 0, magnitudes[5] = {n, 0, 0, 0, 0}, m3 = 0;
    for (const long double x : all_) mean += x / n;
    for (const long double x : all_) {
      size += std::fabs(x) / n;
      long double power = 1;
      for (int k = 1; k <= 4; ++k) magnitudes[k] += std::fabs(power *= x - mean);
      m3 += (x - mean) * (x - mean) * (x - mean);
    }
    if (!std::isfinite(size)) return !std::isfinite(r.m3) && !std::isfinite(r.m4);
    // (x + off)^k - x^k, and roundings of the sums.
    const long double roundings = 32 * (n + 4) * unit_roundoff<double>, off = roundings * size;
    const auto bound = [&](int k) {
      constexpr int binomials[5][5] = {{}, {}, {}, {1, 3, 3}, {1, 4, 6, 4}};
      long double sum = roundings * magnitudes[k], power = 1;
      for (int j = k; j-- > 0;) sum += binomials[k][j] * (power *= off) * magnitudes[j];
      return sum + n * std::numeric_limits<double>::min();
    };
    return std::fabs(r.m3 - m3) <= bound(3) && std::fabs(r.m4 - magnitudes[4]) <= bound(4);
  }
  std::string text() const { return moments_.text() + " of " + std::to_string(all_.size()); }

 private:
  moments_reference<T> moments_;
  std::vector<long double> all_;
};

/// Sums of squares, of complex numbers those of both parts.
template <class T>
class squares_reference {
 public:
  void add(const T& z, std::size_t) {
    for (int k = 0; k < parts<T>::count; ++k) {
      const long double x = exactly(part(z, k));
      sum_.add(x * x);
      ++count_;
    }
  }
  template <class R>
  bool admits(const R& r) const {
    long double got = 0, want = sum_.value();
    if constexpr (requires { r.root(); }) {
      got = r.root();
      want = std::sqrt(want);
    } else {
      got = r;
    }
    if (std::isnan(want)) return std::isnan(got);
    if (std::isinf(want)) return got == want;
    const long double n = static_cast<long double>(count_) + 4;
    return std::fabs(got - want) <= 2 * n * unit_roundoff<double> * want;
  }
  std::string text() const { return number_text(sum_.value()) + " (sum of squares)"; }

 private:
  precise_sum sum_;
  std::size_t count_ = 0;
};

/// Roots of sums of squares, with the roundings of the sum.
template <class T>
class norm_reference : public squares_reference<T> {
 public:
  bool admits(double r) const { return squares_reference<T>::admits(norm{r}); }

 private:
  struct norm {
    double value;
    double root() const { return value; }
  };
};

/// The fold of the lifted elements over the tree of the declared order.
template <class T, class Op>
class tree_reference {
 public:
  void add(const T& x, std::size_t) { leaves_.push_back(Op{}.lift(x)); }
  template <class R>
  bool admits(const R& r) const {
    return r == fold();
  }
  std::string text() const { return std::to_string(fold()); }

 private:
  std::uint64_t fold() const {
    return test::recursive_fold<std::uint64_t>(
        Op{}, [&](std::size_t i) { return leaves_[i]; }, 0, leaves_.size());
  }

  std::vector<std::uint64_t> leaves_;
};

/// One for each part of `all`.
template <class... References>
class all_of_them {
 public:
  template <class T>
  void add(const T& x, std::size_t i) {
    std::apply([&](auto&... each) { (each.add(x, i), ...); }, each_);
  }
  template <class R>
  bool admits(const R& r) const {
    return admits_from<0>(r);
  }
  std::string text() const {
    return std::apply([](const auto&... each) { return ((each.text() + "; ") + ...); }, each_);
  }

 private:
  template <std::size_t I, class R>
  bool admits_from(const R& r) const {
    if constexpr (I == sizeof...(References)) {
      return true;
    } else {
      return std::get<I>(each_).admits(get<I>(r)) && admits_from<I + 1>(r);
    }
  }

  std::tuple<References...> each_;
};

/// What a group holds, for the functions that normalize its elements. Elements are converted to
/// `double` first, as the library does.
class group_reference {
 public:
  template <class T>
  void add(const T& n, std::size_t) {
    const long double x = static_cast<long double>(static_cast<double>(exactly(n)));
    values_.push_back(x);
    largest_ = std::fmax(largest_, std::fabs(x));
    has_nan_ = has_nan_ || std::isnan(x);
    most_ = std::fmax(most_, x);
    mean_.add(x);
    squares_.add(x * x);
  }
  /// Call it once, behind the last `add`.
  void finish() {
    for (const long double x : values_) {
      exponentials_ += x == -INFINITY ? 0 : std::exp(x - most_);
      deviations_.add((x - mean()) * (x - mean()));
    }
  }

  long double at(std::size_t i) const { return values_[i]; }
  long double largest() const { return largest_; }
  long double count() const { return static_cast<long double>(values_.size()); }
  bool has_nan() const { return has_nan_; }
  long double mean() const { return mean_.value() / count(); }
  long double variance() const { return deviations_.value() / count(); }
  long double mean_square() const { return squares_.value() / count(); }
  long double log_sum() const { return most_ + std::log(exponentials_); }
  /// Whether exponentials of all elements are known to a few roundings.
  bool has_exponentials() const {
    for (const long double x : values_) {
      if (x != -INFINITY && !(std::fabs(x) < 0x1p20L)) return false;
    }
    return most_ > -INFINITY;
  }

 private:
  std::vector<long double> values_;
  precise_sum mean_, squares_, deviations_;
  long double largest_ = 0, most_ = -INFINITY, exponentials_ = 0;
  bool has_nan_ = false;
};

/// A number that may be off by `off`, and by the rounding to its type. NaN: all numbers are right.
struct near_number {
  long double want, off;

  template <class R>
  bool admits(const R& r) const {
    using F = std::conditional_t<wf::is_half_v<R>, float, R>;
    const long double got = exactly(r), u = sizeof(R) == 2 ? 0x1p-8L : unit_roundoff<F>;
    const long double least = sizeof(R) == 2 ? 0x1p-24L : std::numeric_limits<F>::denorm_min();
    return std::isnan(want) || std::fabs(got - want) <= off + u * std::fabs(want) + least;
  }
  std::string text() const { return number_text(want) + ", off by " + number_text(off); }
};

/// The functions of groups: `of(group, i, u)` is element `i`, computed with unit roundoff `u`.
struct softmax_function {
  static near_number of(const group_reference& g, std::size_t i, long double u) {
    if (!g.has_exponentials()) return {NAN, 0};
    const long double want = std::exp(g.at(i) - g.log_sum());
    return {want, 8 * u * want};
  }
};
struct log_softmax_function {
  static near_number of(const group_reference& g, std::size_t i, long double u) {
    if (!g.has_exponentials() || g.at(i) == -INFINITY) return {NAN, 0};
    const long double want = g.at(i) - g.log_sum();
    return {want, 2 * u * std::fabs(want) + 16 * 0x1p-53L * (std::fabs(g.log_sum()) + 1)};
  }
};
struct layer_norm_function {
  static near_number of(const group_reference& g, std::size_t i, long double u) {
    if (!(g.largest() < 0x1p64L)) return {NAN, 0};
    const long double apart = g.at(i) - g.mean(), added = g.variance() + 1e-5L;
    const long double scale = 1 / std::sqrt(added);
    const long double off = 32 * (g.count() + 4) * 0x1p-53L, center = off * g.largest();
    const long double squares =
        off * (g.variance() + std::sqrt(g.variance()) * g.largest()) + center * center;
    return {apart * scale, 4 * u * (std::fabs(apart) + u * g.largest()) * scale + center * scale +
                               (std::fabs(apart) + center) * scale * (squares / added)};
  }
};
struct rms_norm_function {
  static near_number of(const group_reference& g, std::size_t i, long double u) {
    if (!(g.largest() < 0x1p64L)) return {NAN, 0};
    const long double want = g.at(i) / std::sqrt(g.mean_square() + 1e-5L);
    return {want, (4 * u + (g.count() + 4) * 0x1p-53L) * std::fabs(want)};
  }
};

}  // namespace fuzz
