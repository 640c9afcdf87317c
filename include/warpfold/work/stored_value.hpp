/// @file
/// `value_at(pointer)`, an init that is read from memory when the result is made, and
/// `accumulate(out)`, an output that is combined with what it holds.
#pragma once

#include <type_traits>

#include <warpfold/core/callable.hpp>
#include <warpfold/view/output.hpp>

namespace warpfold {

/// Replaces the init: the reduction starts from the first element, and an empty range gives the
/// op's identity.
struct no_init {};

/// An init in memory that the policy can read; see `value_at`.
template <class T>
struct stored_value {
  using value_type = T;

  const T* from;
};

/// Returns an init for calls that take one: the value at `pointer` when the work runs, not when it
/// is enqueued.
///
/// The thread that writes the result reads the value. So one call can start from the result of an
/// earlier call on the same stream, which has not run yet.
///
/// @param pointer memory that the policy can read, aligned to its type: a pointer, another
///     contiguous iterator, or a `thrust::device_ptr`. For a GPU device, managed or pinned host
///     memory. It must live until the stream has finished the work. May be where the result goes
/// @return the init; the reduction has the types of an init of the pointer's element type
///
/// Empty range: the result is the value. The GPU baselines do not take it.
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// int total = 10;
/// wf::reduce_async(wf::seq, v, wf::value_at(&total), wf::plus{}, &total);  // total is 16
/// ```
/// On a GPU: test/examples/conjugate_gradient.cu
template <detail::unwrappable Pointer>
constexpr auto value_at(const Pointer& pointer) {
  auto* const from = detail::raw_pointer(pointer);
  return stored_value<
      std::remove_const_t<std::remove_pointer_t<decltype(detail::raw_pointer(pointer))>>>{from};
}

// Reports a value or a container in the place of an address.
template <class T>
  requires(!detail::unwrappable<T>)
constexpr auto value_at(const T&) {
  static_assert(detail::never<T>,
                "warpfold: value_at takes the address of an init, and this is a value, a container "
                "or an iterator that hides its memory; pass &value or container.data()");
  return no_init{};
}

/// An output that is combined with what it holds; see `accumulate`. `Out` is a reference to an
/// output with a name, otherwise a copy of a pointer or view.
template <class Out>
struct accumulating {
  Out out;
};

/// Returns an output for `reduce_async`, `reduce_axis` and the named functions that write a fold:
/// instead of the fold, they write `op(what the output holds, fold)`. The call that writes the
/// output also reads it, so this costs no further pass.
///
/// @param out as for the function that it is passed to
///
/// Empty range: the output keeps its value. The call must have no init.
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// long long total = 10;
/// wf::sum_async(wf::seq, v, wf::accumulate(&total));  // total is 16
/// ```
template <class Out>
constexpr accumulating<Out> accumulate(Out&& out) {
  return {static_cast<Out&&>(out)};
}

namespace detail {

template <class Init>
inline constexpr bool is_stored = false;
template <class T>
inline constexpr bool is_stored<stored_value<T>> = true;

// The type of an init's value.
template <class Init>
struct init_value {
  using type = Init;
};
template <class T>
struct init_value<stored_value<T>> {
  using type = T;
};
template <class Init>
using init_value_t = typename init_value<Init>::type;

// The value of an init as an `A`. Reads memory if it is there: call it where the policy runs.
WARPFOLD_ANY_SIDE
template <class A, class Init>
WARPFOLD_HD constexpr A value_of_init(const Init& init) {
  if constexpr (is_stored<Init>) {
    return static_cast<A>(*init.from);
  } else {
    return static_cast<A>(init);
  }
}
// Calls `visit(pointer, bytes, alignment)` for an init that is in memory.
template <class Init, class Visit>
void visit_init_memory([[maybe_unused]] const Init& init, [[maybe_unused]] const Visit& visit) {
  if constexpr (is_stored<Init>) {
    using T = typename Init::value_type;
    visit(static_cast<const void*>(init.from), sizeof(T), alignof(T));
  }
}

#if defined(__CUDACC__)
// Calls the user's conversions of an init, where nvcc checks them; see name_call.
template <class Init, class... To>
WARPFOLD_DEVICE void name_init() {
  if constexpr (!std::is_same_v<Init, no_init>) {
    (name_conversion<To, const init_value_t<Init>&>(), ...);
  }
}
#endif

template <class Out>
inline constexpr bool accumulates = false;
template <class Out>
inline constexpr bool accumulates<accumulating<Out>> = true;

// An output of a reduction to one value.
template <class R>
concept result_target = result_output<R> || accumulates<std::remove_cvref_t<R>>;

}  // namespace detail

}  // namespace warpfold
