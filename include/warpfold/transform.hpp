/// @file
/// `transform` and `transform_async`: write a function of every element, in place or to another
/// range. To reduce the function's results without writing them, see view/transform.hpp and
/// transform_reduce.hpp.
#pragma once

#include <warpfold/policy/call_check.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/device.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>
#include <warpfold/work/transformation.hpp>

namespace warpfold {

namespace detail {

// All checks of an output are here, so that misuse gives one error.
template <class Out>
constexpr bool check_output() {
  constexpr bool some_output = output_like<Out>;
  static_assert(
      some_output,
      "warpfold: this output type is not writable; pass a span, a container with data() and "
      "size(), a pointer, or an output view");
  if constexpr (some_output) {
    constexpr bool writable = output_range<Out>;
    static_assert(writable,
                  "warpfold: the output's elements are const or volatile; pass an output that can "
                  "be written");
    constexpr bool outlives = outlives_call<Out>;
    static_assert(outlives || !writable,
                  "warpfold: the output is a temporary container, which is destroyed when the call "
                  "returns; give the container a name");
    return outlives && writable;
  } else {
    return false;
  }
}

template <class F, class In, class Out>
constexpr bool check_function() {
  constexpr bool copyable = std::is_trivially_copyable_v<In> && std::is_trivially_copyable_v<Out>;
  static_assert(copyable,
                "warpfold: the elements of the range or of the output are not trivially copyable; "
                "use elements that are");
  if constexpr (is_device_lambda<F>() || !copyable) {
    return copyable;
  } else {
    constexpr bool callable =
        std::is_invocable_v<const F&, const In&> && !std::is_member_function_pointer_v<F>;
    static_assert(callable,
                  "warpfold: the function cannot be called with an element of the range, or is not "
                  "const (a mutable lambda?)");
    if constexpr (callable) {
      using result = std::invoke_result_t<const F&, const In&>;
      constexpr bool converts = !std::is_void_v<result> && std::is_constructible_v<Out, result>;
      static_assert(converts,
                    "warpfold: the function's result cannot be converted to the output's elements, "
                    "or the function returns nothing");
      return converts;
    } else {
      return false;
    }
  }
}

template <class Policy, class Transformation>
constexpr bool check_transforms() {
  constexpr bool can = runs<Policy, Transformation>;
  static_assert(
      can,
      "warpfold: this policy does not support transform: it has no run(t) and "
      "enqueue(t) for a transformation. Use wf::seq, wf::par, wf::device or wf::emulated");
  return can;
}

template <class Policy, class Range, class Out, class F, class Then>
void with_transformation(const Policy& policy, const Range& range, Out&& out, const F& f,
                         const Then& then) {
  if constexpr (check_copyable<typename view_of_t<Range>::value_type>() && check_output<Out>()) {
    const auto in = guarded(as_view(range));
    const auto to = as_output(static_cast<Out&&>(out), in.size());
    using transformation_type =
        transformation<std::remove_const_t<decltype(in)>, std::remove_const_t<decltype(to)>, F>;
    using in_type = typename transformation_type::in_type;
    using out_type = typename transformation_type::out_type;
    if constexpr (check_function<F, in_type, out_type>()) {
      const auto own = as_policy(policy);
      if constexpr (check_transforms<decltype(as_policy(policy)), transformation_type>()) {
        then(own, transformation_type{in, to, f});
      }
    }
  }
}

}  // namespace detail

/// Writes `f(in[i])` to element `i` of `out`, for each element of `in`.
///
/// @param policy who runs it, as for `reduce`; policies that run no transformations do not compile
/// @param in readable from the policy; any range that `reduce` takes, including projected, zipped
///     and counting views
/// @param out writable from the policy, with at least as many elements as `in`. A named container,
///     a span of non-const elements, a pointer or an output view. Elements beyond the size of `in`
///     stay unchanged
/// @param f const and callable where the policy runs; copied into the kernel's arguments. Called
///     once for each element, in any order except with `wf::seq`. Its result is converted to the
///     output's element type
///
/// `out` may be the memory of `in` if element `i` of both starts at the same byte: each element is
/// read before it is overwritten. Any other overlap throws, if the ranges declare their memory.
///
/// - Empty range: writes nothing and launches nothing.
/// - Stream: enqueues on the policy's stream and waits until all elements are written.
///   `transform_async` does not wait.
/// - Order and determinism: elements are independent, so the result does not depend on the order.
/// - Cost: `in` is read once and `out` is written once. `wf::device` makes one launch and needs no
///   scratch.
/// @throws invalid_range if `out` is shorter than `in` or overlaps it in another way than above.
///     Also if memory is null, misaligned or not accessible from the policy. Nothing is written
///     then
/// @throws no_device if the policy needs a GPU and none is usable
/// @throws cuda_error if the launch, or earlier work on the stream, failed, or if the stream is
///     being captured
///
/// On the host, exceptions of `f` reach the caller, and `out` is partly written.
///
/// ```cpp
/// std::vector<int> in{1, 2, 3}, out(in.size());
/// wf::transform(wf::seq, in, out, [](int x) { return x * x; });  // 1, 4, 9
/// ```
/// More: test/examples/transform.cpp
template <policy_like Policy, reducible_range Range, class Out, class F>
void transform(const Policy& policy, const Range& in, Out&& out, F f) {
  detail::with_transformation(policy, in, static_cast<Out&&>(out), f,
                              [](const auto& p, const auto& t) { p.run(t); });
}

/// Like `transform`, but does not wait: host policies return when all elements are written. `in`
/// and `out` must live until the stream has finished this work. Can be captured into a graph.
template <policy_like Policy, reducible_range Range, class Out, class F>
void transform_async(const Policy& policy, const Range& in, Out&& out, F f) {
  detail::with_transformation(policy, in, static_cast<Out&&>(out), f,
                              [](const auto& p, const auto& t) { p.enqueue(t); });
}

WARPFOLD_REFUSE_MISUSE(transform)
WARPFOLD_REFUSE_MISUSE(transform_async)

}  // namespace warpfold
