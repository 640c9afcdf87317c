/// @file
/// needs: cuda
/// Makes nvcc refuse what cannot run on the GPU.
#pragma once

#include <warpfold/core/callable.hpp>

namespace warpfold::runtime {

/// The conversion of an element's own, if it has one, to what is accumulated.
template <class Accumulator, class T>
WARPFOLD_DEVICE void name_conversion(const T* x) {
  if constexpr (std::is_class_v<T> && !std::is_same_v<T, Accumulator> &&
                requires { static_cast<Accumulator>(*x); }) {
    (void)static_cast<Accumulator>(*x);
  }
}

/// Names every function of the user's that a kernel with this reduction calls: the op, which names the element's own
/// operators behind one of the library's, and the functions and iterators of its view. The library's own functions are for both sides and silence nvcc's check of
/// sides (WARPFOLD_ANY_SIDE); without this, a `__host__` op would be compiled to nothing, and the result
/// be wrong without a word. Never executed.
template <class Reduction>
WARPFOLD_DEVICE void name_user_functions(const Reduction& r,
                                         const typename Reduction::accumulator* a) {
  warpfold::detail::name_call(r.op, *a, *a);
  if constexpr (requires { r.view.name_user_functions(); }) r.view.name_user_functions();
  name_conversion<typename Reduction::accumulator>(
      static_cast<const typename Reduction::value_type*>(nullptr));
}

/// The same for a transformation: its function, and those of its views.
template <class Transformation>
WARPFOLD_DEVICE void name_user_functions_of_transformation(
    const Transformation& t, const typename Transformation::in_type* x) {
  warpfold::detail::name_call(t.f, *x);
  if constexpr (requires { t.in.name_user_functions(); }) t.in.name_user_functions();
  if constexpr (requires { t.out.name_user_functions(); }) t.out.name_user_functions();
}

/// The same for a fold along an axis: its op, and what that makes of elements and of results.
template <class AxisReduction>
WARPFOLD_DEVICE void name_user_functions_of_axis(const AxisReduction& axis,
                                                 const typename AxisReduction::value_type* x,
                                                 const typename AxisReduction::accumulator* a) {
  warpfold::detail::name_call(axis.op, *a, *a);
  if constexpr (requires { axis.op.name_lift(*x); }) {
    axis.op.name_lift(*x);
  } else if constexpr (requires { axis.op.lift(*x, std::size_t{}); }) {
    (void)axis.op.lift(*x, std::size_t{});
  } else if constexpr (requires { axis.op.lift(*x); }) {
    (void)axis.op.lift(*x);
  } else {
    name_conversion<typename AxisReduction::accumulator>(x);
  }
  if constexpr (!std::is_same_v<typename AxisReduction::out_type,
                                typename AxisReduction::accumulator> &&
                requires { axis.op.finish(*a); }) {
    (void)axis.op.finish(*a);
  }
}

}  // namespace warpfold::runtime
