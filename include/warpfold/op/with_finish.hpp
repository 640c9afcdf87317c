/// @file
/// An op with a function of its result: `with_finish(op, f)`. Calls with an output apply the
/// function where they write, so no second pass reads the results: the means of segments, the norms
/// of a list of arrays.
#pragma once

#include <type_traits>
#include <utility>

#include <warpfold/op/lift.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold {

/// An op that folds as `Op` and whose result is `function(r)` of the result `r` of `Op`.
///
/// Derives from `Op`, so that it has the members with which `Op` folds fast. Host loops fold with
/// `unfinished()`.
template <class Op, class F>
struct op_with_finish : Op {
  // If `Op` inherits its members for speed, they are not its own.
  using exactly = std::conditional_t<detail::folds_batch_itself<Op>, op_with_finish, Op>;

  F function;

  constexpr op_with_finish() = default;
  WARPFOLD_HD constexpr op_with_finish(const Op& op, const F& f) : Op(op), function(f) {}

  WARPFOLD_HD constexpr const Op& unfinished() const { return *this; }

  WARPFOLD_ANY_SIDE
  template <class A>
    requires detail::callable<F, decltype(finished(std::declval<const Op&>(),
                                                   std::declval<const A&>()))>
  WARPFOLD_HD constexpr auto finish(const A& a) const {
    return detail::call(function, finished(unfinished(), a));
  }

#if defined(__CUDACC__)
  template <class A>
  WARPFOLD_DEVICE void name_finish(const A& a) const {
    detail::name_finish(unfinished(), a);
    detail::name_call(function, finished(unfinished(), a));
  }
#endif
};

template <class Op, class F, class T>
struct op_traits<op_with_finish<Op, F>, T> : op_traits<Op, T> {};
template <class Op, class F>
inline constexpr bool never_compares<op_with_finish<Op, F>> = never_compares<Op>;
template <class Op, class F, class A>
inline constexpr bool same_in_any_order<op_with_finish<Op, F>, A> = same_in_any_order<Op, A>;

namespace detail {
template <class... Fs>
inline constexpr bool are_known_on_host = (!is_device_lambda<Fs>() && ...);
}  // namespace detail

/// Returns an op that folds as `op`. Its result is `f(r)`, where `r` is the result of `op`.
///
/// @param op a function object: an op of the library, or your own of a class that is not final
/// @param f callable with the result of `op` where the policy runs; for GPUs `__host__ __device__`
///
/// - Accumulator, identity, order and bits: those of `op`. An empty range gives `f` of its result.
/// - Outputs: as for any op with `finish` (op/lift.hpp).
/// - Cost: one call of `f` for each result.
///
/// ```cpp
/// #include <warpfold/op/moments.hpp>
/// #include <warpfold/reduce_segments.hpp>
///
/// std::vector<float> v{1, 3, 5, 7}, means(2);
/// std::vector<int> offsets{0, 2, 4};
/// const auto mean = wf::with_finish(wf::moments_op{}, [](const wf::moments& m) { return m.mean;
/// }); wf::reduce_segments(wf::seq, v, offsets, mean, means);  // 2, 6
/// ```
template <class Op, class F>
WARPFOLD_HD constexpr op_with_finish<Op, F> with_finish(Op op, F f) {
  static_assert(std::is_class_v<Op> && !std::is_final_v<Op>,
                "warpfold: with_finish derives from the op; pass a function object whose class is "
                "not final");
  static_assert(detail::are_known_on_host<Op, F>,
                "warpfold: with_finish takes no __device__ lambda; pass a __host__ __device__ one");
  return {op, f};
}

}  // namespace warpfold
