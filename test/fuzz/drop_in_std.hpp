/// @file
/// Calls of `wf::drop_in::std`. Includes oneTBB, so only parts with these calls include this.
#pragma once

#include <warpfold/drop_in/std.hpp>

#include "fuzz/drop_in.hpp"

namespace fuzz {

/// With the arguments of the standard library, from an init on, which is the fold of the first
/// element. `View` is not used.
struct drop_in_std {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    if (s.values.empty()) return {};
    const list<T> rest(s.values.begin() + 1, s.values.end());
    const auto bytes = bytes_of<contiguous>(rest);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    const projected_t<Projection, T> head[] = {Projection{}(s.values[0])};
    const auto init = wf::reduce(wf::seq, head, Op::op());
    const auto call = [&](const auto& who, const unsigned char* p) {
      return attempt([&] {
        const T* const first = contiguous::at<T>(p, 0);
        const T* const last = first + rest.size();
        if constexpr (std::is_same_v<Projection, identity>) {
          return wf::drop_in::std::reduce(who, first, last, init, Op::op());
        } else {
          return wf::drop_in::std::transform_reduce(who, first, last, init, Op::op(), Projection{});
        }
      });
    };
    const auto reference = reference_of<Projection, Op>(s.values);
    return compare<false>(call(wf::seq, here.data()), call(policy, there.data()), &reference);
  }
};

/// The function objects and calls of the standard library.
struct in_std {
  template <class Op, class U>
  struct function : own_function<Op, U> {};
  template <class U>
  struct function<plus, U> {
    using type = std::plus<U>;
  };
  template <class U>
  struct function<multiplies, U> {
    using type = std::multiplies<U>;
  };
  template <class U>
  struct function<bit_and, U> {
    using type = std::bit_and<U>;
  };
  template <class U>
  struct function<bit_or, U> {
    using type = std::bit_or<U>;
  };
  template <class U>
  struct function<bit_xor, U> {
    using type = std::bit_xor<U>;
  };
  template <class U>
  struct function<logical_and, U> {
    using type = std::logical_and<U>;
  };
  template <class U>
  struct function<logical_or, U> {
    using type = std::logical_or<U>;
  };
  template <class Init>
  using default_sum = std::plus<>;
  template <class Init>
  using default_product = std::multiplies<>;
  using descending = std::greater<>;

  /// What a fold accumulates in: the type of the init.
  template <class F, class Init, class X>
  using accumulator = Init;
  static constexpr bool takes_policies = true;
  static constexpr bool has_reduce_into = false;
  static constexpr bool has_questions = false;
  static constexpr bool orders_nan_of_descending = false;
  static constexpr bool finds_last_greatest = true;

  /// A policy of the standard library, whose calls run on this library's threads.
  static const auto& their_policy() { return std::execution::par; }
  static constexpr bool replaces_their_policy = true;

  template <class... Arguments>
  static auto reduce(const Arguments&... arguments) {
    return wf::drop_in::std::reduce(arguments...);
  }
  template <class P, class I, class F, class Init, class Op>
  static auto transform_reduce(const P& policy, const I& first, const I& last, const F& f,
                               const Init& init, const Op& op) {
    return wf::drop_in::std::transform_reduce(policy, first, last, init, op, f);
  }
  template <class... Arguments>
  static auto inner_product(const Arguments&... arguments) {
    return wf::drop_in::std::transform_reduce(arguments...);
  }
  template <class... Arguments>
  static auto count(const Arguments&... arguments) {
    return wf::drop_in::std::count(arguments...);
  }
  template <class... Arguments>
  static auto count_if(const Arguments&... arguments) {
    return wf::drop_in::std::count_if(arguments...);
  }
  template <class... Arguments>
  static auto min_element(const Arguments&... arguments) {
    return wf::drop_in::std::min_element(arguments...);
  }
  template <class... Arguments>
  static auto max_element(const Arguments&... arguments) {
    return wf::drop_in::std::max_element(arguments...);
  }
  template <class... Arguments>
  static auto minmax_element(const Arguments&... arguments) {
    return wf::drop_in::std::minmax_element(arguments...);
  }
};

template <class Init, class U>
using std_fold = drop_in_fold<in_std, Init, U>;
template <class Init>
using std_pairs = drop_in_pairs<in_std, Init>;
using std_places = drop_in_places<in_std>;
using std_questions = drop_in_questions<in_std>;

}  // namespace fuzz
