/// @file
/// Keeps a computed integer in a register of its own: a guard against a compiler bug that gives wrong minima and maxima.
///
/// The bug: ptxas before 13.4 and drivers with that compiler fold the negation in `max(max(-a, -b), -c)` into the
/// three-input instruction VIMNMX3 of compute capability 9.0 to 11.x and drop it: the result is computed from `a`, `b`
/// or `c` itself. It affects 32- and 16-bit signed integers. docs/compiler_bugs.md has the kernel, the machine code
/// and the versions.
///
/// The guard: adding the square of a zero that the compiler cannot know leaves no negation to fold. The multiply-add merges
/// with the negation before it, so it costs at most one instruction an element.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/config.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

// Defined in device code that an affected compiler could translate. Code from nvcc 13.4 on is translated by nvcc itself
// or by a driver at least as new. Compute capability 12.0 has no VIMNMX3.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 1200
#if !defined(__CUDACC_VER_MAJOR__) || __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1304
#define WARPFOLD_NEGATIONS_GET_LOST
#endif
#endif

namespace warpfold {

/// A function object that returns its argument, as a value that the compiler cannot fold into the instruction that uses
/// it. Tuples are treated member by member; all types but signed integers of 16 and 32 bits are returned as they are.
///
/// Projections need no `in_register`: `reduce` and `transform` guard what `project` computes. Use it in an op, a
/// projection or a kernel of your own that compares integers which it has negated itself. Create it on the host and
/// capture it:
///
///     [keep = wf::in_register{}] __host__ __device__(int a, int b) {
///       const int x = keep(-a), y = keep(-b);
///       return x < y ? y : x;
///     }
///
/// Cost: at most one integer multiply-add; nothing with a compiler that needs no guard.
class in_register {
 public:
  /// Host only: a zero that device code creates is no secret to the compiler.
  constexpr in_register() : zero_(0) {}

  template <class T>
  WARPFOLD_HD constexpr T operator()(const T& x) const {
#if defined(WARPFOLD_NEGATIONS_GET_LOST)
    if constexpr (std::is_integral_v<T> && std::is_signed_v<T> &&
                  (sizeof(T) == 2 || sizeof(T) == 4)) {
      // Not by an addition: that would occupy the pipeline which finds minima and maxima.
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

// Whether values of this type are affected.
template <class T>
inline constexpr bool may_lose_negation =
    std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 2 || sizeof(T) == 4);
template <class... Ts>
inline constexpr bool may_lose_negation<tuple<Ts...>> = (may_lose_negation<Ts> || ...);

// A function whose results stay in registers.
template <class F>
struct kept {
  F f;
  in_register keep{};

  WARPFOLD_ANY_SIDE
  template <class T>
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

// A view whose computed elements are safe to compare (op/in_register.hpp): `view` itself where it computes none that
// could go wrong.
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
