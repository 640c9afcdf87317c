/// @file
/// Calls of the drop-in namespaces, with the types that these libraries allow: inits of other types
/// than the elements, and function objects of a third type. The expected places and answers are
/// those of the standard library's serial algorithms.
///
/// `Names` has the function objects and calls of one library: drop_in_std.hpp, drop_in_thrust.hpp
/// and drop_in_cub.hpp. `View` is not used.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>

#include "fuzz/calls.hpp"

namespace fuzz {

/// Stands for the type that the projection returns.
struct own;
template <class Type, class P>
using own_or = std::conditional_t<std::is_same_v<Type, own>, P, Type>;

/// Calls `F` with both arguments converted to `U`.
template <class U, class F>
struct in_type {
  WARPFOLD_HD U operator()(const U& a, const U& b) const { return F{}(a, b); }
};

/// The function object of an op that no library has.
template <class Op, class U>
struct own_function;
template <class U>
struct own_function<own_plus, U> {
  using type = in_type<U, add_plainly>;
};
template <class U>
struct own_function<own_maximum, U> {
  using type = in_type<U, greater_of>;
};
/// The function object of `Op` for numbers of type `U`, or for any, if `U` is `void`. Own ones have
/// a type: that of the init.
template <class Names, class Op, class U, class Init>
struct function_of : Names::template function<Op, U> {};
template <class Names, class Init>
struct function_of<Names, own_plus, void, Init> : own_function<own_plus, Init> {};
template <class Names, class Init>
struct function_of<Names, own_maximum, void, Init> : own_function<own_maximum, Init> {};

/// A difference; integers wrap.
struct subtract_plainly {
  template <class T>
  WARPFOLD_HD T operator()(const T& a, const T& b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<unsigned long long>(a) -
                            static_cast<unsigned long long>(b));
    } else {
      return a - b;
    }
  }
};

/// Compares by a projection.
template <class Projection>
struct before_by {
  template <class T>
  WARPFOLD_HD bool operator()(const T& a, const T& b) const {
    return Projection{}(a) < Projection{}(b);
  }
};

/// Whether the projection is less than `bound`.
template <class Projection, class P>
struct below {
  P bound;

  template <class T>
  WARPFOLD_HD bool operator()(const T& x) const {
    return Projection{}(x) < bound;
  }
};

/// Whether the projection of one element is another element.
template <class Projection>
struct projects_to {
  template <class T, class P>
  WARPFOLD_HD bool operator()(const T& x, const P& y) const {
    return Projection{}(x) == y;
  }
};

// --- comparisons ---------------------------------------------------------------------------------

/// Compares the results of calls. The first wrong one is the verdict; without a call the data are
/// skipped.
class findings {
 public:
  template <class Call, class Admits>
  void expect_that(const std::string& who, const Call& call, const Admits& admits,
                   const std::string& want) {
    if (!verdict_.ok) return;
    const auto out = attempt(call);
    if (out.refused) return;
    verdict_.skipped = false;
    if (!out.value || !admits(*out.value)) verdict_ = {false, false, who, out.text(), want};
  }
  template <class Call, class Want>
  void expect(const std::string& who, const Call& call, const Want& want) {
    expect_that(who, call, [&](const auto& got) { return got == want; }, show(want));
  }
  const verdict& result() const { return verdict_; }

 private:
  verdict verdict_{true, true, {}, {}, {}};
};

/// The same number, or both a NaN.
template <class N>
bool is_same_number(const N& a, const N& b) {
  return exactly(a) == exactly(b) || (std::isnan(exactly(a)) && std::isnan(exactly(b)));
}

/// Whether the fold of `n` elements in `A`, converted to the type of the init, is right. That of no
/// elements is the init.
template <class A, class R, class Reference>
bool admits_fold(const Reference& reference, std::size_t n, const R& init, const R& r) {
  if (n == 0)
    return std::memcmp(static_cast<const void*>(&r), static_cast<const void*>(&init), sizeof r) ==
           0;
  if constexpr (std::is_same_v<A, R>) {
    return reference.admits(r);
  } else if constexpr (requires { reference.value(); }) {
    return is_same_number(r, static_cast<R>(static_cast<A>(reference.value())));
  } else if constexpr (std::is_floating_point_v<R> && sizeof(R) > sizeof(A)) {
    return reference.admits(static_cast<A>(r));
  } else {
    return reference.admits(r);
  }
}

/// Whether C++ defines the conversion of a number to `To`.
template <class To, class N>
bool fits(const N& x) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<N>) {
    return exactly(x) >= exactly((std::numeric_limits<To>::min)()) &&
           exactly(x) <= exactly((std::numeric_limits<To>::max)());
  } else {
    return true;
  }
}

template <class N>
bool is_nan(const N& x) {
  if constexpr (std::is_floating_point_v<N>) return std::isnan(x);
  return false;
}
template <class List>
bool has_nan(const List& values) {
  return std::any_of(values.begin(), values.end(), [](const auto& x) { return is_nan(x); });
}

/// Whether every order of folding is defined: conversions, and products of integers. A fold in
/// floating point that an integer receives must be exact.
template <class Op, class A, class R>
class bounds_of_fold {
 public:
  template <class N>
  void add(const N& n) {
    if constexpr (std::is_arithmetic_v<A>) {
      const long double x = std::fabs(exactly(n));
      are_defined_ = are_defined_ && fits<A>(n);
      are_whole_ = are_whole_ && x == std::trunc(x) && (std::is_signed_v<R> || exactly(n) >= 0);
      sum_ += x;
      product_ *= x > 1 ? x : 1;
    }
  }
  bool are_kept() const {
    constexpr bool is_product = std::is_same_v<Op, multiplies>;
    if (!are_defined_) return false;
    const long double size = is_product ? product_ : sum_;
    if constexpr (std::is_floating_point_v<A> && std::is_integral_v<R>) {
      return are_whole_ && size * unit_roundoff<A> <= 0.5L &&
             size <= exactly((std::numeric_limits<R>::max)());
    } else if constexpr (std::is_integral_v<A> && is_product) {
      return size <= exactly((std::numeric_limits<A>::max)());
    } else {
      return true;
    }
  }

 private:
  bool are_defined_ = true, are_whole_ = true;
  long double sum_ = 0, product_ = 1;
};

/// An init: the number if it has the right range, or one that no fold ignores.
template <class Init, class P>
Init init_from(const P* x) {
  if constexpr (std::is_same_v<Init, P>) {
    if (x != nullptr) return *x;
  } else {
    if (x != nullptr && fits<Init>(*x)) return static_cast<Init>(*x);
  }
  Init init{};
  for (int k = 0; k < parts<Init>::count; ++k) set_part(init, k, static_cast<number_t<Init>>(3));
  return init;
}

// --- calls ---------------------------------------------------------------------------------------

/// Folds: `reduce`, `reduce_into` and `transform_reduce` with a function object of type `U`, from
/// an `Init` on.
template <class Names, class InitType, class UType>
struct drop_in_fold {
  static constexpr std::size_t longest = 4500;

  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    using P = projected_t<Projection, T>;
    using Init = own_or<InitType, P>;
    using F = typename function_of<Names, Op, own_or<UType, P>, Init>::type;
    using A = typename Names::template accumulator<F, Init, P>;

    list<P> projected;
    for (const T& x : s.values) projected.push_back(Projection{}(x));
    const Init init = init_from<Init>(s.values.size() % 3 == 0 ? nullptr : &projected[0]);
    typename Op::template reference<A> reference;
    bounds_of_fold<Op, A, Init> bounds;
    bounds.add(init);
    reference.add(static_cast<A>(init), 0);
    for (std::size_t i = 0; i < projected.size(); ++i) {
      bounds.add(projected[i]);
      if (!bounds.are_kept()) return findings{}.result();
      reference.add(static_cast<A>(projected[i]), i + 1);
    }

    const auto bytes = bytes_of<contiguous>(s.values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    findings all;
    const auto check = [&](const std::string& who, const auto& by, const unsigned char* p) {
      const T* const first = contiguous::at<T>(p, 0);
      const T* const last = first + s.values.size();
      const auto admits = [&](const Init& r) {
        return admits_fold<A>(reference, s.values.size(), init, r);
      };
      const auto fold = [&] {
        if constexpr (!std::is_same_v<Projection, identity>) {
          return Names::transform_reduce(by, first, last, Projection{}, init, F{});
        } else if constexpr (std::is_same_v<F, typename Names::template default_sum<Init>>) {
          return Names::reduce(by, first, last, init);
        } else {
          return Names::reduce(by, first, last, init, F{});
        }
      };
      static_assert(std::is_same_v<decltype(fold()), Init>);
      all.expect_that(who + ": reduce", fold, admits, reference.text());
      if constexpr (Names::has_reduce_into && std::is_same_v<Projection, identity>) {
        const auto into = [&](const auto& slot) {
          Names::reduce_into(by, first, last, reinterpret_cast<Init*>(slot.data()), init, F{});
          Init r;
          std::memcpy(static_cast<void*>(&r), slot.copy().data(), sizeof r);
          return r;
        };
        const std::vector<unsigned char> nothing(sizeof(Init), 0x77);
        const auto write = [&] {
          if (p == here.data()) return into(host_bytes(nothing, 0));
          return into(there_bytes(nothing, 0, use::output));
        };
        all.expect_that(who + ": reduce_into", write, admits, reference.text());
      }
    };
    if constexpr (Names::takes_policies) {
      check("seq", wf::seq, here.data());
      check("policy", policy, there.data());
    }
    if constexpr (Names::replaces_their_policy) {
      check("their policy", Names::their_policy(), there.data());
    }
    return all.result();
  }
};

/// Folds of pairs: `inner_product`, by default and with other function objects. In the standard
/// library, `transform_reduce`.
template <class Names, class InitType>
struct drop_in_pairs {
  static constexpr std::size_t longest = 4500;

  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    using P = projected_t<Projection, T>;
    using Init = own_or<InitType, P>;
    const std::size_t n = s.values.size();
    list<P> others;  // backwards
    for (std::size_t i = 0; i < n; ++i) others.push_back(Projection{}(s.values[n - 1 - i]));
    const auto bytes = bytes_of<contiguous>(s.values), other_bytes = bytes_of<contiguous>(others);
    const host_bytes here(bytes, s.offset), other_here(other_bytes, 0);
    const there_bytes there(bytes, s.offset), other_there(other_bytes, 0, use::bounds);
    const Init init = init_from<Init, P>(nullptr);

    findings all;
    const auto check = [&](const auto& sum, const auto& product, const auto& call) {
      using product_type = std::remove_cvref_t<decltype(product)>;
      using R = std::decay_t<std::invoke_result_t<product_type&, T, P>>;
      using F = std::remove_cvref_t<decltype(sum)>;
      using A = typename Names::template accumulator<F, Init, R>;
      typename Op::template reference<A> reference;
      bounds_of_fold<Op, A, Init> bounds;
      bounds.add(init);
      reference.add(static_cast<A>(init), 0);
      for (std::size_t i = 0; i < n; ++i) {
        if (!fits<R>(s.values[i]) || !fits<R>(others[i])) return;
        // No product may overflow.
        if (std::is_integral_v<R> && std::fabs(exactly(s.values[i]) * exactly(others[i])) > 120) {
          return;
        }
        const R x = product_type{}(s.values[i], others[i]);
        bounds.add(x);
        if (!bounds.are_kept()) return;
        reference.add(static_cast<A>(x), i + 1);
      }
      const auto one = [&](const std::string& who, const auto& by, const unsigned char* p,
                           const unsigned char* q) {
        const T* const first = contiguous::at<T>(p, 0);
        const P* const other = contiguous::at<P>(q, 0);
        all.expect_that(
            who + ": inner_product", [&] { return call(by, first, first + n, other); },
            [&](const Init& r) { return admits_fold<A>(reference, n, init, r); }, reference.text());
      };
      one("seq", wf::seq, here.data(), other_here.data());
      one("policy", policy, there.data(), other_there.data());
      if constexpr (Names::replaces_their_policy) {
        one("their policy", Names::their_policy(), there.data(), other_there.data());
      }
    };
    if constexpr (std::is_same_v<Op, plus>) {
      check(typename Names::template default_sum<Init>{},
            typename Names::template default_product<Init>{},
            [&](const auto&... range) { return Names::inner_product(range..., init); });
    } else {
      using F = typename function_of<Names, Op, void, Init>::type;
      using difference = in_type<Init, subtract_plainly>;
      check(F{}, difference{}, [&](const auto&... range) {
        return Names::inner_product(range..., init, F{}, difference{});
      });
    }
    return all.result();
  }
};

/// Places: `min_element`, `max_element` and `minmax_element`, in the order of the elements, the
/// other way around, and by the projection. `Op` is not used.
template <class Names>
struct drop_in_places {
  static constexpr std::size_t longest = 4500;

  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    const list<T>& values = s.values;
    const auto bytes = bytes_of<contiguous>(values);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    findings all;
    const auto check = [&](const std::string& order, bool may_have_nan, const auto& less,
                           const auto&... before) {
      const auto first_nan = std::find_if(values.begin(), values.end(), is_nan<T>);
      const bool is_at_nan = first_nan != values.end();
      if (is_at_nan && !may_have_nan) return;
      const auto place_of = [&](const auto& found) {
        return static_cast<long>((is_at_nan ? first_nan : found) - values.begin());
      };
      const long least = place_of(std::min_element(values.begin(), values.end(), less));
      const long greatest = place_of(std::max_element(values.begin(), values.end(), less));
      const long last_greatest =
          place_of(std::minmax_element(values.begin(), values.end(), less).second);
      const auto one = [&](const std::string& who, const auto& by, const unsigned char* p) {
        const T* const first = contiguous::at<T>(p, 0);
        const T* const last = first + values.size();
        const auto both = [&] { return Names::minmax_element(by, first, last, before...); };
        all.expect(
            who + ": min_element" + order,
            [&] { return long{Names::min_element(by, first, last, before...) - first}; }, least);
        all.expect(
            who + ": max_element" + order,
            [&] { return long{Names::max_element(by, first, last, before...) - first}; }, greatest);
        all.expect(
            who + ": minmax_element, the least" + order, [&] { return long{both().first - first}; },
            least);
        if (Names::finds_last_greatest && is_at_nan) return;  // any NaN
        all.expect(
            who + ": minmax_element, the greatest" + order,
            [&] { return long{both().second - first}; },
            Names::finds_last_greatest ? last_greatest : greatest);
      };
      one("seq", wf::seq, here.data());
      one("policy", policy, there.data());
      if constexpr (Names::replaces_their_policy) {
        one("their policy", Names::their_policy(), there.data());
      }
    };
    if constexpr (std::is_same_v<Projection, identity>) {
      check("", true, std::less<>{});
      if constexpr (parts<T>::count == 1) {
        using descending = typename Names::descending;
        check(" with greater", Names::orders_nan_of_descending, std::greater<>{}, descending{});
      }
    } else {
      check(" by the projection", false, before_by<Projection>{}, before_by<Projection>{});
    }
    return all.result();
  }
};

/// Counts, and questions about all elements: `count`, `count_if`, `all_of`, `any_of`, `none_of`,
/// `is_sorted`, `is_partitioned`, `equal` and `mismatch`. `Op` is not used.
template <class Names>
struct drop_in_questions {
  static constexpr std::size_t longest = 4500;

  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    using P = projected_t<Projection, T>;
    const std::size_t n = s.values.size(), seed = n + s.offset / alignof(T);
    const T chosen = n == 0 ? T{} : s.values[seed * 7 % n];
    const below<Projection, P> is_below{Projection{}(chosen)};
    const list<T> values = arranged<Projection>(s.values, is_below, seed);
    list<T> copies = values;
    if (n != 0 && seed % 2 == 0) copies[seed * 5 % n] = chosen;
    list<P> others;
    for (const T& x : values) others.push_back(Projection{}(x));
    if (n != 0 && seed % 3 == 0) others[seed * 3 % n] = is_below.bound;

    const auto begin = values.begin(), end = values.end();
    const auto first_other_than = [&](const auto& list, const auto& same) {
      return static_cast<long>(std::mismatch(begin, end, list.begin(), same).first - begin);
    };
    const before_by<Projection> before{};
    const projects_to<Projection> is_other{};
    const auto counted = static_cast<long>(std::count(begin, end, chosen));
    const auto counted_if = static_cast<long>(std::count_if(begin, end, is_below));
    const bool are_all = std::all_of(begin, end, is_below);
    const bool are_none = std::none_of(begin, end, is_below);
    const bool are_sorted = std::is_sorted(begin, end);
    const bool are_sorted_by = std::is_sorted(begin, end, before);
    const bool are_partitioned = std::is_partitioned(begin, end, is_below);
    const long first_copy = first_other_than(copies, std::equal_to<>{});
    const long first_other = first_other_than(others, is_other);
    const auto size = static_cast<long>(n);

    const auto bytes = bytes_of<contiguous>(values), copied_bytes = bytes_of<contiguous>(copies),
               other_bytes = bytes_of<contiguous>(others);
    findings all;
    const auto check = [&](const std::string& who, const auto& by, const auto& first_range,
                           const auto& copied_range, const auto& other_range) {
      const T* const first = contiguous::at<T>(first_range.data(), 0);
      const T* const last = first + n;
      const T* const copy = contiguous::at<T>(copied_range.data(), 0);
      const P* const other = contiguous::at<P>(other_range.data(), 0);
      const auto expect = [&](const char* function, const auto& call, const auto& want) {
        all.expect(who + ": " + function, call, want);
      };
      expect("count", [&] { return long{Names::count(by, first, last, chosen)}; }, counted);
      expect(
          "count_if", [&] { return long{Names::count_if(by, first, last, is_below)}; }, counted_if);
      if constexpr (Names::has_questions) {
        expect("all_of", [&] { return Names::all_of(by, first, last, is_below); }, are_all);
        expect("any_of", [&] { return Names::any_of(by, first, last, is_below); }, !are_none);
        expect("none_of", [&] { return Names::none_of(by, first, last, is_below); }, are_none);
        expect("is_sorted", [&] { return Names::is_sorted(by, first, last); }, are_sorted);
        expect(
            "is_sorted by the projection",
            [&] { return Names::is_sorted(by, first, last, before); }, are_sorted_by);
        expect(
            "is_partitioned", [&] { return Names::is_partitioned(by, first, last, is_below); },
            are_partitioned);
        expect("equal", [&] { return Names::equal(by, first, last, copy); }, first_copy == size);
        expect(
            "equal with the projection",
            [&] { return Names::equal(by, first, last, other, is_other); }, first_other == size);
        expect(
            "mismatch",
            [&] {
              const auto found = Names::mismatch(by, first, last, copy);
              return found.first - first == found.second - copy ? long{found.first - first} : -1;
            },
            first_copy);
        expect(
            "mismatch with the projection",
            [&] {
              const auto found = Names::mismatch(by, first, last, other, is_other);
              return found.first - first == found.second - other ? long{found.first - first} : -1;
            },
            first_other);
      }
    };
    const host_bytes here(bytes, s.offset), copied_here(copied_bytes, 0),
        other_here(other_bytes, 0);
    const there_bytes there(bytes, s.offset), copied_there(copied_bytes, 0, use::bounds),
        other_there(other_bytes, 0, use::output);
    check("seq", wf::seq, here, copied_here, other_here);
    check("policy", policy, there, copied_there, other_there);
    check("their policy", Names::their_policy(), there, copied_there, other_there);
    return all.result();
  }

 private:
  /// The values in their order, sorted, or partitioned; of the last two often with two elements
  /// exchanged. Random values alone would be neither.
  template <class Projection, class List, class Predicate>
  static List arranged(List values, const Predicate& is, std::size_t seed) {
    const auto number_is_nan = [](const auto& x) { return is_nan(Projection{}(x)); };
    if (seed % 4 == 1 && std::none_of(values.begin(), values.end(), number_is_nan)) {
      std::sort(values.begin(), values.end(), before_by<Projection>{});
    } else if (seed % 4 == 2) {
      std::stable_partition(values.begin(), values.end(), is);
    }
    const std::size_t n = values.size();
    if (n != 0 && seed % 5 < 2) std::swap(values[seed * 11 % n], values[seed * 13 % n]);
    return values;
  }
};

}  // namespace fuzz
