/// @file
/// Keeps a computed integer in its own register: a guard against a compiler bug that gives wrong
/// minima and maxima.
///
/// The bug: ptxas before 13.4, and drivers with that compiler, fold a negation in
/// `max(max(-a, -b), -c)` into the three-input instruction VIMNMX3 and drop it. The result is
/// computed from `a`, `b` or `c` itself. The bug affects 16- and 32-bit signed integers on compute
/// capability 9.0 and 10.x; 11.x was not tested and is guarded too. docs/compiler_bugs.md has the
/// kernel, the machine code and the versions.
///
/// The guard: add the square of a zero whose value the compiler does not know. Then the negation
/// cannot be folded. The multiply-add merges with the negation before it, so the guard costs at
/// most one instruction per element.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

// Defined in device code that an affected ptxas could translate. PTX from nvcc 13.4 or later needs
// a ptxas or driver at least as new, and those are right. Compute capability 12.0 has no VIMNMX3.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1200
#if !defined(__CUDACC_VER_MAJOR__) || __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1304
#define WARPFOLD_NEGATIONS_GET_LOST
#endif
#endif

namespace warpfold {

/// A function object that returns its argument as a value that the compiler cannot fold into the
/// next instruction. It acts on 16- and 32-bit signed integers, and on tuples member by member. It
/// returns all other types unchanged.
///
/// Most code needs no `in_register`: `reduce`, `reduce_axis` and `transform` guard the elements
/// that `project` computes. Use it in your own op, projection or kernel that negates integers and
/// then compares them. Create it on the host and capture it:
///
///     [keep = wf::in_register{}] __host__ __device__(int a, int b) {
///       const int x = keep(-a), y = keep(-b);
///       return x < y ? y : x;
///     }
///
/// Cost: at most one integer multiply-add per call; none with a compiler that needs no guard, and
/// none on the host.
class in_register {
 public:
  /// Host only: the compiler would know the value of a zero that device code creates.
  constexpr in_register() : zero_(0) {}

  template <class T>
  WARPFOLD_HD constexpr T operator()(const T& x) const {
#if defined(WARPFOLD_NEGATIONS_GET_LOST)
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T> &&
                  (sizeof(T) == 2 || sizeof(T) == 4)) {
      // A multiply-add, because an addition would use the same pipeline as minima and maxima.
      int kept;
      asm("mad.lo.s32 %0, %1, %1, %2;" : "=r"(kept) : "r"(zero_), "r"(static_cast<int>(x)));
      return static_cast<T>(kept);
    }
#endif
    return x;
  }
  template <class T, class... Ts>
  WARPFOLD_HD constexpr tuple<T, Ts...> operator()(const tuple<T, Ts...>& x) const {
    if constexpr (sizeof...(Ts) == 0) {
      return {(*this)(x.head)};
    } else {
      return {(*this)(x.head), (*this)(x.tail)};
    }
  }

 private:
  [[maybe_unused]] int zero_;  // used in device code only
};

namespace detail {

// True if the bug affects values of this type.
template <class T>
inline constexpr bool may_lose_negation =
    std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 2 || sizeof(T) == 4);
template <class... Ts>
inline constexpr bool may_lose_negation<tuple<Ts...>> = (may_lose_negation<Ts> || ...);

// Calls `f` and guards its result.
template <class F>
struct kept {
  F f;
  in_register keep{};

  WARPFOLD_ANY_SIDE
  template <class T>
    requires gives_copyable<F, T>
  WARPFOLD_HD constexpr auto operator()(const T& x) const {
    return keep(std::remove_cvref_t<decltype(call(f, x))>(call(f, x)));
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const T& x) const {
    name_call(f, x);
  }
#endif
};

// Returns a view of the same elements that is safe to compare. This is `view` itself if the bug
// affects none of its elements, otherwise a view that guards them.
template <view View>
auto guarded(const View& view) {
  if constexpr (computes_elements<View>() && may_lose_negation<typename View::value_type>) {
    return transform_view<View, in_register>(view, in_register{});
  } else {
    return view;
  }
}

}  // namespace detail

}  // namespace warpfold
