/// @file
/// The op that adds as an exact op does, but in sums that fit registers and may lose digits
/// (op/trial_sum.hpp). kernel/tried_groups.hpp folds groups with it.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <warpfold/op/double_bits.hpp>
#include <warpfold/op/exact.hpp>  // which includes this file at its end
#include <warpfold/op/lift.hpp>
#include <warpfold/op/trial_sum.hpp>

namespace warpfold::detail {

// The trial state of an exact one.
template <class Exact>
struct trial_state_of;
template <class Exact>
using trial_state = typename trial_state_of<Exact>::type;

template <class T, int Factors>
struct trial_state_of<exact_sum<T, Factors>> : std::type_identity<trial_sum<T, Factors>> {};

// The sums of both parts of complex numbers.
template <class Complex, int Factors>
struct trial_complex_sum {
  using exact_type = exact_complex_sum<Complex, Factors>;
  using sum_type = trial_state<typename exact_type::sum_type>;
  static constexpr int digit_words = exact_type::digit_words;
  static constexpr bool has_batches = sum_type::has_batches;

  sum_type real, imag;

  static WARPFOLD_HD constexpr trial_complex_sum zero() {
    return {sum_type::zero(), sum_type::zero()};
  }
  WARPFOLD_HD constexpr void add(const trial_complex_sum& other) {
    real.add(other.real);
    imag.add(other.imag);
  }
  WARPFOLD_HD constexpr bool is_marked() const { return real.is_marked() || imag.is_marked(); }
  WARPFOLD_HD constexpr exact_type exact() const { return {real.exact(), imag.exact()}; }

  template <unsigned Most>
  struct batch {
    static constexpr int digit_words = trial_complex_sum::digit_words;
    typename sum_type::template batch<Most> real, imag;

    WARPFOLD_HD constexpr bool add_to(trial_complex_sum& sum) const {
      trial_complex_sum both = sum;
      if (!real.add_to(both.real) || !imag.add_to(both.imag)) return false;
      sum = both;
      return true;
    }
  };
};
template <class Complex, int Factors>
struct trial_state_of<exact_complex_sum<Complex, Factors>>
    : std::type_identity<trial_complex_sum<Complex, Factors>> {};

// The number and the sum of some numbers, and perhaps the sum of their squares.
template <class T>
struct trial_mean {
  using exact_type = exact_mean<T>;
  using number_type = T;
  static constexpr int digit_words = exact_sum<T>::digit_words;
  static constexpr bool has_squares = false, has_batches = false;

  std::uint64_t count = 0;
  trial_sum<T> sum;

  WARPFOLD_HD constexpr void add(const trial_mean& other) {
    count += other.count;
    sum.add(other.sum);
  }
  WARPFOLD_HD constexpr bool is_marked() const { return sum.is_marked(); }
  WARPFOLD_HD constexpr exact_type exact() const {
    exact_type of;
    of.count = count;
    of.sum = sum.exact();
    return of;
  }
};
template <class T>
struct trial_moments : trial_mean<T> {
  using exact_type = exact_moments<T>;
  static constexpr bool has_squares = true;

  trial_sum<T, 2> squares;

  WARPFOLD_HD constexpr void add(const trial_moments& other) {
    trial_mean<T>::add(other);
    squares.add(other.squares);
  }
  WARPFOLD_HD constexpr bool is_marked() const {
    return this->sum.is_marked() || squares.is_marked();
  }
  WARPFOLD_HD constexpr exact_type exact() const {
    exact_type of;
    of.count = this->count;
    of.sum = this->sum.exact();
    of.squares = squares.exact();
    return of;
  }
};
template <class T>
struct trial_state_of<exact_mean<T>> : std::type_identity<trial_mean<T>> {};
template <class T>
struct trial_state_of<exact_moments<T>> : std::type_identity<trial_moments<T>> {};

// True if an op rounds its sums to their nearest numbers.
template <class Op>
inline constexpr bool rounds_sums = false;
template <class To>
inline constexpr bool rounds_sums<exact_plus<To>> = true;

/// See the top of this file. Identity: the sum of no number.
/// @tparam Exact an op with exact sums as states
template <class Exact>
struct exact_trial {
  using exactly = exact_trial;
  using tried_op = Exact;
  template <class A>
  using accumulator = A;
  template <class>
  static constexpr bool is_long = true;
  static constexpr bool prefers_batches = true;
  /// The state for an exact one.
  template <class A>
  using state = trial_state<A>;

  Exact exact;

  template <class T>
  WARPFOLD_HD constexpr auto lift(const T& x) const
      -> trial_state<std::remove_cvref_t<decltype(exact.lift(x))>> {
    trial_state<std::remove_cvref_t<decltype(exact.lift(x))>> sum;
    exact.fold_element(sum, x);
    return sum;
  }

  template <class S>
    requires requires { typename S::exact_type; }
  WARPFOLD_HD constexpr S identity() const {
    return {};
  }
  template <class S>
    requires requires { typename S::exact_type; }
  WARPFOLD_HD constexpr S operator()(const S& a, const S& b) const {
    S sum = a;
    sum.add(b);
    return sum;
  }

  WARPFOLD_ANY_SIDE
  template <class S, class Batch>
  WARPFOLD_HD constexpr S fold_batch(const S& seen, const Batch& batch) const {
    S sum = seen;
    if constexpr (S::has_batches) {
      typename S::template batch<Batch::most> all;
      batch.each([&](const auto& x) { exact.fold_element(all, x); });
      if (all.add_to(sum)) [[likely]]
        return sum;
      // One by one, in a loop that is short code.
      std::remove_cvref_t<decltype(batch.first())> numbers[Batch::most];
      unsigned n = 0;
      batch.each([&](const auto& x) { numbers[n++] = x; });
      WARPFOLD_NO_UNROLL
      for (unsigned i = 0; i < n; ++i) exact.fold_element(sum, numbers[i]);
    } else {
      batch.each([&](const auto& x) { exact.fold_element(sum, x); });
    }
    return sum;
  }

  /// Folds the states of lanes as single doubles, which takes a third of the instructions. If one
  /// does not suffice, by this op.
  WARPFOLD_ANY_SIDE
  template <class States>
    requires requires(const States& states) {
      requires std::remove_cvref_t<decltype(states.first())>::is_often_single;
    }
  WARPFOLD_HD constexpr auto fold_states(const States& states) const {
    using S = std::remove_cvref_t<decltype(states.first())>;
    const double sum = states.projected([](const S& s) { return s.single(); }).fold(singles<S>{});
    if (states.any(!is_finite(sum) || is_negative_zero(sum))) return states.fold(*this);
    return S::of_single(sum);
  }

  /// What the exact op makes of a state, which is not marked.
  template <class S>
  WARPFOLD_HD constexpr auto finished(const S& s) const {
    return warpfold::finished(exact, s.exact());
  }
  template <class T, int Factors>
    requires rounds_sums<Exact>
  WARPFOLD_HD constexpr auto finished(const trial_sum<T, Factors>& s) const {
    return s.template rounded<decltype(exact.finish(s.exact()))>();
  }
  template <class Complex, int Factors>
  WARPFOLD_HD constexpr auto finished(const trial_complex_sum<Complex, Factors>& s) const {
    using result = decltype(exact.finish(s.exact()));
    using R = complex_part_t<result>;
    return __builtin_bit_cast(
        result, (complex_parts<R>{s.real.template rounded<R>(), s.imag.template rounded<R>()}));
  }

 private:
  template <class S>
  struct singles {
    template <class A>
    using accumulator = A;

    WARPFOLD_HD constexpr double operator()(double a, double b) const {
      return S::add_singles(a, b);
    }
  };
};

}  // namespace warpfold::detail

namespace warpfold {

template <class Exact>
inline constexpr bool never_compares<detail::exact_trial<Exact>> = true;
template <class Exact, class A>
inline constexpr bool same_in_any_order<detail::exact_trial<Exact>, A> = true;

}  // namespace warpfold
