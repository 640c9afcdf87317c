/// @file
/// `all(ops...)`: several reductions of the same elements in one read.
#pragma once

#include <cstddef>
#include <utility>

#include <warpfold/op/fold.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/op/index_offset.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/operand_check.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold {

/// An op on the results of a function; see `projected`.
template <class Op, class F>
struct projected_op {
  Op op;
  F function;
};

template <class Op, class F>
inline constexpr bool never_compares<projected_op<Op, F>> = never_compares<Op>;
template <class Op, class F, class A>
inline constexpr bool same_in_any_order<projected_op<Op, F>, A> = same_in_any_order<Op, A>;

/// Returns a part of `all` with its own projection: `all(plus{}, projected(plus{}, square{}))`
/// gives the sum and the sum of squares.
///
/// @param op the op of this part
/// @param function applied to each element; called where the policy runs. Mark a lambda for a GPU
///     `__host__ __device__`
/// @return the part, to be passed to `all`. Call `projected` on the host
template <class Op, class F>
constexpr auto projected(Op op, F function) {
  if constexpr (!detail::check_known_result<F, !detail::is_device_lambda<F>()>()) {
    return op;
  } else if constexpr (never_compares<Op>) {
    return projected_op<Op, detail::function_object_t<F>>{op, detail::as_function_object(function)};
  } else {
    return projected_op<Op, detail::kept<detail::function_object_t<F>>>{
        op, {detail::as_function_object(function)}};
  }
}

namespace detail {

template <class Op, class F>
inline constexpr bool names_fold_batch<projected_op<Op, F>> = names_fold_batch<Op>;

template <class Part>
inline constexpr bool is_projected = false;
template <class Op, class F>
inline constexpr bool is_projected<projected_op<Op, F>> = true;

// True if a class has a call operator, template or not: a second one then makes the name ambiguous.
struct one_more_call {
  void operator()();
};
template <class F>
struct with_one_more_call : F, one_more_call {};
template <class F>
concept has_call_operator =
    std::is_class_v<F> && (std::is_final_v<F> || !requires { &with_one_more_call<F>::operator(); });

// The argument types of `all`. Constrained, because argument-dependent lookup finds `all` for every
// argument of this namespace.
template <class Part>
concept part_of_all = is_projected<Part> || is_device_lambda<Part>() || has_call_operator<Part> ||
                      std::is_function_v<std::remove_pointer_t<Part>>;

// The accumulator of a part for an element of type T, and its `lift`.
template <class Op>
struct part {
  template <class T>
  static constexpr bool takes_index = lifts_indexed<Op, T>;
  template <class T, class A>
  static constexpr bool moves = !lifts_indexed<Op, T> || moves_indices_of<Op, T, A>;
  template <class T>
  static constexpr bool takes() {
    if constexpr (lifts_indexed<Op, T> || lifts_element<Op, T>) {
      return true;
    } else {
      return !std::is_void_v<typename op_traits<Op, T>::accumulator>;
    }
  }

  static WARPFOLD_HD constexpr const Op& op(const Op& own) { return own; }

  // The element that the op lifts.
  template <class T>
  static WARPFOLD_HD constexpr const T& element(const Op&, const T& x) {
    return x;
  }

  WARPFOLD_ANY_SIDE
  template <class T>
  static WARPFOLD_HD constexpr auto lift(const Op& own, const T& x, std::size_t i) {
    if constexpr (lifts_indexed<Op, T> || lifts_element<Op, T>) {
      return lift_by(own, x, i);
    } else {
      return static_cast<typename op_traits<Op, T>::accumulator>(x);
    }
  }
};
template <class Op, class F>
struct part<projected_op<Op, F>> {
  template <class T>
  static constexpr bool takes_index = part<Op>::template takes_index<op_result_t<F, T>>;
  template <class T, class A>
  static constexpr bool moves = part<Op>::template moves<op_result_t<F, T>, A>;
  template <class T>
  static constexpr bool takes() {
    if constexpr (is_device_lambda<F>()) {
      return true;
    } else if constexpr (gives_copyable<F, T>) {
      return part<Op>::template takes<op_result_t<F, T>>();
    } else {
      return false;
    }
  }

  static WARPFOLD_HD constexpr const auto& op(const projected_op<Op, F>& own) {
    return part<Op>::op(own.op);
  }
  WARPFOLD_ANY_SIDE
  template <class T>
  static WARPFOLD_HD constexpr auto element(const projected_op<Op, F>& own, const T& x) {
    return part<Op>::element(own.op, call(own.function, x));
  }

  WARPFOLD_ANY_SIDE
  template <class T>
  static WARPFOLD_HD constexpr auto lift(const projected_op<Op, F>& own, const T& x,
                                         std::size_t i) {
    return part<Op>::lift(own.op, call(own.function, x), i);
  }
};

// An op for elements of any type.
struct first_operand {
  template <class T>
  WARPFOLD_HD constexpr T operator()(const T& a, const T&) const {
    return a;
  }
};

}  // namespace detail

/// The parts of `all`, stored together.
template <class... Parts>
struct all_op {
 private:
  template <std::size_t At>
  using nth = std::remove_cvref_t<decltype(get<At>(std::declval<const tuple<Parts...>&>()))>;
  template <class Part>
  using op_of = std::remove_cvref_t<decltype(detail::part<Part>::op(std::declval<Part>()))>;
  template <std::size_t At>
  using nth_op = op_of<nth<At>>;
  template <class Values, std::size_t At>
  using value = std::remove_cvref_t<decltype(get<At>(std::declval<const Values&>()))>;

  template <class Values, std::size_t... At>
  static constexpr bool has_identities(std::index_sequence<At...>) {
    return (op_traits<nth_op<At>, value<Values, At>>::has_identity && ...);
  }
  template <class Values, std::size_t... At>
  static constexpr bool has_long(std::index_sequence<At...>) {
    return (is_long_op<nth_op<At>, value<Values, At>> || ...);
  }

  // For the host's batches of elements (op/lift.hpp).
  template <class Batch, class Part>
  static constexpr bool in_one_pass = requires { requires Batch::template folds_together<Part>; };

  template <class T, class Values, std::size_t... At>
  static constexpr bool moves_all(std::index_sequence<At...>) {
    return (detail::part<nth<At>>::template moves<T, value<Values, At>> && ...);
  }
  template <class Op, class A>
  static WARPFOLD_HD constexpr A moved_part(const Op& op, const A& a, std::size_t by) {
    if constexpr (requires { op.moved(a, by); }) {
      return op.moved(a, by);
    } else if constexpr (requires { op.moved_parts(a, by); }) {
      return op.moved_parts(a, by);
    } else {
      return a;
    }
  }

  template <std::size_t At>
  struct own_value {
    template <class Values>
    WARPFOLD_HD constexpr value<Values, At> operator()(const Values& v) const {
      return get<At>(v);
    }
  };
  template <class States, std::size_t... At>
  static constexpr bool some_fold_states(std::index_sequence<At...>) {
    return (detail::folds_states<nth_op<At>, decltype(std::declval<const States&>().projected(
                                                 own_value<At>{}))> ||
            ...);
  }

 public:
  template <class Values>
  static constexpr bool is_long = has_long<Values>(std::index_sequence_for<Parts...>{});

  template <class T>
  using accumulator = T;

  tuple<Parts...> parts;

  /// True if each part's op can be called with two of its own values; otherwise reports an error
  /// (op/operand_check.hpp). `Values` is the tuple of all parts' values.
  template <class Values, std::size_t At = 0>
  static constexpr bool check_parts() {
    if constexpr (At == sizeof...(Parts)) {
      return true;
    } else if constexpr (detail::check_operands<nth_op<At>, value<Values, At>,
                                                value<Values, At>>()) {
      return check_parts<Values, At + 1>();
    } else {
      return false;
    }
  }
  /// True if each part can convert an element to a value; otherwise reports an error.
  template <class T>
  static constexpr bool check_projections() {
    constexpr bool callable = (detail::part<Parts>::template takes<T>() && ...);
    static_assert(
        callable,
        "warpfold: the function of a projected part of wf::all cannot be called with an element of "
        "the range, or returns nothing that can be copied; or an op of wf::all returns nothing");
    return callable;
  }

  WARPFOLD_ANY_SIDE
  template <class T>
    requires(!(detail::part<Parts>::template takes_index<T> || ...))
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    return lift_parts(x, 0, std::index_sequence_for<Parts...>{});
  }
  WARPFOLD_ANY_SIDE
  template <class T>
    requires(detail::part<Parts>::template takes_index<T> || ...)
  WARPFOLD_HD constexpr auto lift(const T& x, std::size_t i) const {
    return lift_parts(x, i, std::index_sequence_for<Parts...>{});
  }

  WARPFOLD_ANY_SIDE
  template <class Values>
    requires(has_identities<Values>(std::index_sequence_for<Parts...>{}))
  WARPFOLD_HD constexpr Values identity() const {
    return identities<Values>(std::index_sequence_for<Parts...>{});
  }

  WARPFOLD_ANY_SIDE
  template <class... As>
    requires(sizeof...(As) == sizeof...(Parts))
  WARPFOLD_HD constexpr tuple<As...> operator()(const tuple<As...>& a,
                                                const tuple<As...>& b) const {
    return combine(a, b, std::index_sequence_for<Parts...>{});
  }

  template <class Batch>
  static constexpr bool reads_batch_once = (in_one_pass<Batch, Parts> && ...);

  /// Folds a batch of elements with each part. The parts that can share a pass over the batch do.
  WARPFOLD_ANY_SIDE
  template <class Values, class Batch>
  WARPFOLD_HD constexpr Values fold_batch(const Values& seen, const Batch& batch) const {
    if constexpr ((int{in_one_pass<Batch, Parts>} + ...) > 1) {
      return fold_batch_of_parts(seen, batch, batch.fold_together(ops_of_one_pass<Batch>()),
                                 std::index_sequence_for<Parts...>{});
    } else {
      return fold_batch_of_parts(seen, batch, std::index_sequence_for<Parts...>{});
    }
  }

  /// Folds `Count` neighbors with each part; see `folds_neighbors` (op/lift.hpp).
  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class Lifted>
    requires(folds_neighbors<op_of<Parts>, Element, Lifted> || ...)
  WARPFOLD_HD constexpr auto fold_neighbors(const Element& element, const Lifted& lifted) const {
    chunk<std::remove_cvref_t<decltype(element(0))>, Count> elements;
    chunk<std::remove_cvref_t<decltype(lifted(0))>, Count> values;
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      elements.set(k, element(k));
      values.set(k, lifted(k));
    }
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return detail::tuple_of(fold_neighbors_of_part<At>(elements, values)...);
    }(std::index_sequence_for<Parts...>{});
  }

  /// Combines each part alone: lanes exchange fewer words, and the steps of different parts do not
  /// wait for each other.
  WARPFOLD_ANY_SIDE
  template <class States>
    requires(some_fold_states<States>(std::index_sequence_for<Parts...>{}))
  WARPFOLD_HD constexpr auto fold_states(const States& states) const {
    return fold_states_of_parts(states, std::index_sequence_for<Parts...>{});
  }

  WARPFOLD_ANY_SIDE
  template <class... As>
    requires(finishes<op_of<Parts>, As> || ...)
  WARPFOLD_HD constexpr auto finish(const tuple<As...>& a) const {
    return finish_parts(a, std::index_sequence_for<Parts...>{});
  }

  /// True if `moved_parts` moves every index in the values of elements of type T
  /// (op/index_offset.hpp).
  template <class T, class Values>
  static constexpr bool moves_parts = moves_all<T, Values>(std::index_sequence_for<Parts...>{});

  template <class... As>
  WARPFOLD_HD constexpr tuple<As...> moved_parts(const tuple<As...>& a, std::size_t by) const {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return detail::tuple_of(moved_part(op<At>(), get<At>(a), by)...);
    }(std::index_sequence_for<Parts...>{});
  }

#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_lift(const T& x) const {
    name_lifts(x, std::index_sequence_for<Parts...>{});
  }
  template <class Values>
  WARPFOLD_DEVICE void name_user_functions(const Values& a, const Values& b) const {
    name_ops(a, b, std::index_sequence_for<Parts...>{});
  }
  template <class Values>
  WARPFOLD_DEVICE void name_finish(const Values& a) const {
    name_finishes(a, std::index_sequence_for<Parts...>{});
  }
#endif

 private:
#if defined(__CUDACC__)
  template <class Values, std::size_t... At>
  WARPFOLD_DEVICE void name_finishes(const Values& a, std::index_sequence<At...>) const {
    (detail::name_finish(op<At>(), get<At>(a)), ...);
  }
  template <class T, std::size_t... At>
  WARPFOLD_DEVICE void name_lifts(const T& x, std::index_sequence<At...>) const {
    (name_lift_of(get<At>(parts), x), ...);
  }
  template <class Part, class T>
  static WARPFOLD_DEVICE void name_lift_of(const Part& p, const T& x) {
    if constexpr (detail::is_projected<Part>) {
      detail::name_call(p.function, x);
      name_lift_of(p.op, detail::call(p.function, x));
    } else {
      detail::name_lift(p, x);
      if constexpr (!lifts_indexed<Part, T> && !lifts_element<Part, T>) {
        detail::name_conversion<typename op_traits<Part, T>::accumulator, const T&>();
      }
    }
  }
  template <class Values, std::size_t... At>
  WARPFOLD_DEVICE void name_ops(const Values& a, const Values& b,
                                std::index_sequence<At...>) const {
    (detail::name_call_as<value<Values, At>>(op<At>(), get<At>(a), get<At>(b)), ...);
    (detail::name_identity<value<Values, At>>(op<At>()), ...);
  }
#endif

  WARPFOLD_ANY_SIDE
  template <class Values, std::size_t... At>
  WARPFOLD_HD constexpr auto finish_parts(const Values& a, std::index_sequence<At...>) const {
    return detail::tuple_of(finished(op<At>(), get<At>(a))...);
  }

  template <std::size_t At>
  WARPFOLD_HD constexpr const nth_op<At>& op() const {
    return detail::part<nth<At>>::op(get<At>(parts));
  }

  WARPFOLD_ANY_SIDE
  template <class Part, class A, class Batch>
  static WARPFOLD_HD constexpr A fold_part(const Part& p, const A& seen, const Batch& batch) {
    if constexpr (detail::is_projected<Part>) {
      return fold_part(p.op, seen, batch.projected(p.function));
    } else {
      return warpfold::fold_batch(p, seen, batch);
    }
  }
  WARPFOLD_ANY_SIDE
  template <class Values, class Batch, std::size_t... At>
  WARPFOLD_HD constexpr Values fold_batch_of_parts(const Values& seen, const Batch& batch,
                                                   std::index_sequence<At...>) const {
    return detail::tuple_of(fold_part(get<At>(parts), get<At>(seen), batch)...);
  }

  WARPFOLD_ANY_SIDE
  template <std::size_t At, class T, class Values, int Count>
  WARPFOLD_HD constexpr auto fold_neighbors_of_part(const chunk<T, Count>& elements,
                                                    const chunk<Values, Count>& values) const {
    const auto element = [&](int k) {
      return detail::part<nth<At>>::element(get<At>(parts), elements.elements[k]);
    };
    const auto lifted = [&](std::size_t k) { return get<At>(values.elements[k]); };
    if constexpr (folds_neighbors<nth_op<At>, decltype(element), decltype(lifted)>) {
      return op<At>().template fold_neighbors<Count>(element, lifted);
    } else {
      using A = value<Values, At>;
      return detail::fold_node<Count>(
          [&](const A& a, const A& b) { return static_cast<A>(detail::call(op<At>(), a, b)); },
          lifted, 0);
    }
  }

  // The ops of parts `At` and later that fold a batch in one shared pass.
  template <class Batch, std::size_t At = 0>
  constexpr auto ops_of_one_pass() const {
    if constexpr (At == sizeof...(Parts)) {
      return tuple<>{};
    } else if constexpr (in_one_pass<Batch, nth<At>>) {
      return prepended(op<At>(), ops_of_one_pass<Batch, At + 1>());
    } else {
      return ops_of_one_pass<Batch, At + 1>();
    }
  }
  template <class T, class... Ts>
  static constexpr tuple<T, Ts...> prepended(const T& first, const tuple<Ts...>& rest) {
    if constexpr (sizeof...(Ts) == 0) {
      return {first};
    } else {
      return {first, rest};
    }
  }
  template <class Values, class Batch, class Folds, std::size_t... At>
  constexpr Values fold_batch_of_parts(const Values& seen, const Batch& batch, const Folds& folds,
                                       std::index_sequence<At...>) const {
    return detail::tuple_of(fold_part<At>(get<At>(seen), batch, folds)...);
  }
  template <std::size_t At, class A, class Batch, class Folds>
  constexpr A fold_part(const A& seen, const Batch& batch, const Folds& folds) const {
    if constexpr (in_one_pass<Batch, nth<At>>) {
      return static_cast<A>(op<At>()(seen, get<place_in_pass<Batch, At>()>(folds)));
    } else {
      return fold_part(get<At>(parts), seen, batch);
    }
  }
  template <class Batch, std::size_t At>
  static constexpr std::size_t place_in_pass() {
    constexpr bool in_pass[] = {in_one_pass<Batch, Parts>...};
    std::size_t place = 0;
    for (std::size_t i = 0; i != At; ++i) place += in_pass[i];
    return place;
  }

  WARPFOLD_ANY_SIDE
  template <class States, std::size_t... At>
  WARPFOLD_HD constexpr auto fold_states_of_parts(const States& states,
                                                  std::index_sequence<At...>) const {
    return detail::tuple_of(fold_states_of_part<At>(states.projected(own_value<At>{}))...);
  }
  WARPFOLD_ANY_SIDE
  template <std::size_t At, class States>
  WARPFOLD_HD constexpr auto fold_states_of_part(const States& states) const {
    if constexpr (detail::folds_states<nth_op<At>, States>) {
      return op<At>().fold_states(states);
    } else {
      return states.fold(op<At>());
    }
  }

  WARPFOLD_ANY_SIDE
  template <class T, std::size_t... At>
  WARPFOLD_HD constexpr auto lift_parts(const T& x, std::size_t i,
                                        std::index_sequence<At...>) const {
    return detail::tuple_of(detail::part<nth<At>>::lift(get<At>(parts), x, i)...);
  }
  WARPFOLD_ANY_SIDE
  template <class Values, std::size_t... At>
  WARPFOLD_HD constexpr Values identities(std::index_sequence<At...>) const {
    return detail::tuple_of(op_traits<nth_op<At>, value<Values, At>>::identity(op<At>())...);
  }
  WARPFOLD_ANY_SIDE
  template <class Values, std::size_t... At>
  WARPFOLD_HD constexpr Values combine(const Values& a, const Values& b,
                                       std::index_sequence<At...>) const {
    return detail::tuple_of(
        static_cast<value<Values, At>>(detail::call(op<At>(), get<At>(a), get<At>(b)))...);
  }
};

template <class... Parts>
inline constexpr bool never_compares<all_op<Parts...>> = (never_compares<Parts> && ...);
template <class... Parts, class... As>
inline constexpr bool same_in_any_order<all_op<Parts...>, tuple<As...>> =
    (same_in_any_order<Parts, As> && ...);
namespace detail {
template <class... Parts>
inline constexpr bool names_fold_batch<all_op<Parts...>> = (names_fold_batch<Parts> || ...);
}  // namespace detail

/// Returns an op that reduces the same elements with several ops in one read: `reduce(policy,
/// range, all(plus{}, maximum{}))`.
///
/// @param parts ops; parts with a projection, `projected(op, f)`; ops with an index,
///     `arg(maximum{})`; ops with `lift`, such as `moments_op{}` and `plus{}.compensated()`
/// @return an op. Its result is a `wf::tuple` of the parts' results, in their order. Each part has
///     the type that it has alone: sums of integers have 64 bits
///
/// Identity: those of the parts, if all have one.
/// - Order: as for `reduce`. Each part has the bits that it has alone.
/// - Cost: one read and one launch. A state holds the states of all parts. States above 96 bytes
///   are combined across blocks with a ticket and a fence.
///
/// ```cpp
/// std::vector<float> v{3, 1, 2};
/// auto [sum, least] = wf::reduce(wf::seq, v, wf::all(wf::plus{}, wf::minimum{}));  // 6 and 1
/// ```
template <detail::part_of_all... Parts>
  requires(sizeof...(Parts) > 0)
WARPFOLD_HD constexpr all_op<Parts...> all(Parts... parts) {
  return {detail::tuple_of(parts...)};
}

// Without a part there is nothing to fold. The op that is returned causes no second error.
template <class None = void>
constexpr detail::first_operand all() {
  static_assert(detail::never<None>,
                "warpfold: all() needs an op; pass each op that is to fold the elements, "
                "wf::all(wf::plus{}, wf::maximum{})");
  return {};
}

}  // namespace warpfold
