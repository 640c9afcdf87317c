/// @file
/// Adds the numbers of a batch, or products, to exact sums.
///
/// On the host, a sum in double is tried first, some thousand numbers at a time
/// (op/exact_in_double.hpp). Numbers whose sum would round go to integers, one for each exponent
/// (op/exact_bins.hpp). A product of doubles is the sum of two doubles, the rounded product and its
/// error, if it is neither too large nor too small (op/split_products.hpp).
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/op/double_bits.hpp>
#include <warpfold/op/exact_bins.hpp>
#include <warpfold/op/exact_in_double.hpp>
#include <warpfold/op/exact_product.hpp>
#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/inexact_flag.hpp>
#include <warpfold/op/split_products.hpp>
#include <warpfold/op/trial_backoff.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold::detail {

template <class Exact>
struct exact_trial;  // op/exact_trial.hpp

// The members of `Op` that all ops on exact sums have. The code of a merge is a loop over the
// words.
template <class Op>
struct exact_op {
  using exactly = Op;
  using trial = exact_trial<Op>;

  template <class>
  static constexpr bool is_long = true;
  template <class>
  static constexpr bool reads_batch_once = true;

  template <class T>
  using accumulator = T;
};

// Adds one number, or the product of two.
template <class T, int Factors, class Number>
WARPFOLD_HD constexpr void add_one(exact_sum<T, Factors>& sum, const Number& x) {
  sum.add(static_cast<T>(x));
}
template <class T>
WARPFOLD_HD constexpr void add_one(exact_sum<T, 2>& sum, const exact_product<T>& x) {
  sum.add(x.first, x.second);
}

// The address of the number `first` of a view that reads numbers from memory, or of the factors of
// that product; void for other views.
template <class T, class View>
void source_of(const View&, std::size_t first);
template <class View, class T>
concept has_numbers_in_memory =
    requires { requires View::is_contiguous && std::is_same_v<typename View::value_type, T>; };
template <class T, has_numbers_in_memory<T> View>
numbers_in_memory<T> source_of(const View& view, std::size_t first) {
  return {view.data() + first};
}
template <class T, has_numbers_in_memory<T> View>
products_in_memory<T> source_of(const transform_view<View, exact_square>& view, std::size_t first) {
  const T* const data = view.base().data() + first;
  return {data, data};
}
template <class T, has_numbers_in_memory<T> A, has_numbers_in_memory<T> B, class F>
  requires(std::is_same_v<F, exact_multiplies> || std::is_same_v<F, exact_product_for_dot>)
products_in_memory<T> source_of(const transform_view<zip_view<A, B>, F>& view, std::size_t first) {
  const auto& both = view.base().views();
  return {get<0>(both).data() + first, get<1>(both).data() + first};
}

// Adds batches to a sum on one host thread. What waits in the integers is added at the end.
template <class T, int Factors>
class exact_adder {
  using number = std::conditional_t<Factors == 1, T, double>;

 public:
  // @param n the numbers that it will add
  exact_adder(exact_sum<T, Factors>& sum, std::size_t n) : sum_(sum), count_(n) {}
  ~exact_adder() {
    if (has_bins_) bins_.add_to(sum_);
  }
  exact_adder(const exact_adder&) = delete;
  exact_adder& operator=(const exact_adder&) = delete;

  // True if the numbers of a batch are read where they are.
  template <class Batch>
  static constexpr bool reads_memory =
      !std::is_void_v<decltype(source_of<T>(std::declval<const Batch&>().view(), 0))>;
  // Numbers that are copied at a time: they stay in the first-level cache. Sums of products fit a
  // double with fewer numbers.
  static constexpr std::size_t most_copies = 1024;
  template <class Batch>
  static constexpr std::size_t at_a_time =
      reads_memory<Batch> && Factors == 1 ? 4 * most_copies : most_copies;

  // Adds the elements of a batch, at most `at_a_time`.
  template <class Batch>
  void add(const Batch& batch) {
    constexpr std::size_t few = 16;
    if (batch.size() < few) {
      batch.each([&](const auto& x) { add_one(sum_, x); });
    } else if constexpr (reads_memory<Batch>) {
      add_from(source_of<T>(batch.view(), batch.begin()), batch.size());
    } else if constexpr (Factors == 1) {
      T numbers[most_copies];
      std::size_t n = 0;
      batch.each([&](const auto& x) { numbers[n++] = static_cast<T>(x); });
      add_from(numbers_in_memory<T>{numbers}, n);
    } else {
      T a[most_copies], b[most_copies];
      std::size_t n = 0;
      batch.each([&](const exact_product<T>& x) {
        a[n] = x.first;
        b[n] = x.second;
        ++n;
      });
      add_from(products_in_memory<T>{a, b}, n);
    }
  }

 private:
  // False if the trial failed, or there was none.
  template <class Source>
  bool try_in_double(trial_backoff& trials, const Source& from, std::size_t n,
                     bool are_errors = false) {
    if (!trials.may_try()) return false;
    const sums_in_double s = sum_in_double(from, n);
    if (!s.are_exact) {
      trials.failed();
      return false;
    }
    trials.succeeded();
    if (!is_zero(s.parts[0]) || !are_errors) add_double(sum_, s.parts[0]);
    for (int part = 1; part < Source::parts; ++part) {
      if (!is_zero(s.parts[part])) add_double(sum_, s.parts[part]);
    }
    return true;
  }

  template <class Source>
  void add_from(const Source& from, std::size_t n) {
    if (!try_in_double(of_numbers_, from, n)) add_to_bins(from, n);
  }
  void add_from(const products_in_memory<double>& from, std::size_t n) {
    double products[most_copies], errors[most_copies];
    for (std::size_t i = 0; i < n;) {
      std::size_t some = n - i < most_copies ? n - i : most_copies;
      if (some > split_at_once) some -= some % split_at_once;
      const double* const a = from.a + i;
      const double* const b = from.b + i;
      i += some;
      if (some % split_at_once == 0 && split(a, b, products, errors, some)) {
        add_from(numbers_in_three_parts{{products}}, some);
        add_errors(errors, some);
      } else {
        for (std::size_t k = 0; k < some; ++k) sum_.add(a[k], b[k]);
      }
    }
  }
  static bool split(const double* a, const double* b, double* products, double* errors,
                    std::size_t n) {
    if (!has_strict_math) return false;
#if WARPFOLD_HAS_INEXACT_FLAG
    const default_fp_environment own;
    keep_here(a);
    keep_here(b);
    const bool are_split = split_products(a, b, products, errors, n);
    keep_here(products);
    keep_here(errors);
    return are_split;
#else
    return has_default_rounding() && split_products(a, b, products, errors, n);
#endif
  }

  // Errors of products that are exact do not count: the sum of -0 and an error of 0 is -0.
  void add_errors(const double* errors, std::size_t n) {
    if (try_in_double(of_errors_, numbers_in_three_parts{{errors}}, n, true)) return;
    bool are_zeros = true;
    for (std::size_t i = 0; i < n; ++i) are_zeros &= is_zero(errors[i]);
    if (!are_zeros) add_to_bins(numbers_in_memory<double>{errors}, n);
  }

  // Adds numbers whose sum in double is not exact.
  template <class U>
  void add_to_bins(const numbers_in_memory<U>& from, std::size_t n) {
    add_any(n, [&](std::size_t i) { return from.data[i]; });
  }
  void add_to_bins(const products_in_memory<float>& from, std::size_t n) {
#if WARPFOLD_HAS_INEXACT_FLAG
    const default_fp_environment own;
    const float* a = from.a;
    const float* b = from.b;
    keep_here(a);
    keep_here(b);
    add_any(n,
            [&](std::size_t i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
#else
    add_any(n,
            [&](std::size_t i) { return exactly_double(from.a[i]) * exactly_double(from.b[i]); });
#endif
  }
  template <class Number>
  void add_any(std::size_t n, const Number& number_at) {
    // To set up bins, and to add them to the sum, takes as long as so many numbers one by one.
    constexpr std::size_t worth_bins = std::is_same_v<number, float> ? 128 : 1024;
#if defined(__SIZEOF_INT128__)
    if (!has_bins_ && count_ >= worth_bins) {
      new (&bins_) exact_bins<number>;
      has_bins_ = true;
    }
    if (has_bins_) return bins_.add(sum_, n, number_at);
#endif
    for (std::size_t i = 0; i < n; ++i) {
      if constexpr (std::is_same_v<number, T>) {
        sum_.add(number_at(i));
      } else {
        add_double(sum_, number_at(i));
      }
    }
  }

  exact_sum<T, Factors>& sum_;
  std::size_t count_;
  trial_backoff of_numbers_, of_errors_;
  bool has_bins_ = false;
  union {
    exact_bins<number> bins_;  // 48 KB for doubles
  };
};

// For the element itself. No std::nullptr_t: GCC and Clang pass structs with one differently.
struct no_projection {};

// A sum, and what it adds for each element of a batch: `f(x)`, or the element.
template <class T, int Factors, class F>
struct exact_term {
  using adder = exact_adder<T, Factors>;
  exact_sum<T, Factors>& sum;
  F f;

  WARPFOLD_ANY_SIDE
  template <class Batch>
  WARPFOLD_HD constexpr auto of(const Batch& batch) const {
    if constexpr (std::is_same_v<F, no_projection>) {
      return batch;
    } else {
      return batch.projected(f);
    }
  }
};
template <class T, int Factors, class F = no_projection>
WARPFOLD_HD constexpr exact_term<T, Factors, F> term_of(exact_sum<T, Factors>& sum, F f = {}) {
  return {sum, f};
}

constexpr std::size_t least_of(std::size_t n, auto... others) {
  ((n = others < n ? others : n), ...);
  return n;
}

// Adds the elements of a batch to one or more sums on one host thread.
template <class Batch, class... Terms>
void add_on_host(const Batch& batch, const Terms&... terms) {
  constexpr std::size_t at_a_time =
      least_of(Terms::adder::template at_a_time<decltype(terms.of(batch))>...);
  [&](auto&&... adders) {
    for (std::size_t from = 0; from < batch.size(); from += at_a_time) {
      const bool is_last = batch.size() - from <= at_a_time;
      const auto part = batch.part(from, is_last ? batch.size() : from + at_a_time);
      (adders.add(terms.of(part)), ...);
    }
  }(typename Terms::adder(terms.sum, batch.size())...);
}

// The same in any thread.
WARPFOLD_ANY_SIDE
template <class Batch, class... Terms>
WARPFOLD_HD constexpr void add_batch(const Batch& batch, const Terms&... terms) {
  if constexpr (Batch::most > 64) {
    add_on_host(batch, terms...);
  } else {
    const auto add = [&batch](const auto& term) {
      term.of(batch).each([&term](const auto& x) { add_one(term.sum, x); });
    };
    (add(terms), ...);
  }
}

}  // namespace warpfold::detail
