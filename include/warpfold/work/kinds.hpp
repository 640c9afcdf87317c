/// @file
/// The kinds of work, by which the overloads of a policy are chosen. A policy needs no definition
/// of the work: a call that makes work includes it, and the kernels that it names.
#pragma once

#include <concepts>

namespace warpfold {

/// What a work object is, which its member `kind` names. `reduction` has a concept of its own
/// (work/reduction.hpp).
namespace kinds {
struct axis_reduction;
struct axis_transformation;
struct class_reduction;
struct key_reduction;
struct many_reduction;
struct segmented_reduction;
struct segmented_transformation;
struct transformation;
}  // namespace kinds

namespace detail {
template <class Work, class Kind>
concept is_of_kind = requires { requires std::same_as<typename Work::kind, Kind>; };
}  // namespace detail

/// A fold along one axis (work/axis_reduction.hpp) or along several
/// (work/expression_reduction.hpp).
template <class Work>
concept axis_reduction_work = detail::is_of_kind<Work, kinds::axis_reduction>;

/// See work/axis_transformation.hpp.
template <class Work>
concept axis_transformation_work = detail::is_of_kind<Work, kinds::axis_transformation>;

/// See work/class_reduction.hpp.
template <class Work>
concept class_reduction_work = detail::is_of_kind<Work, kinds::class_reduction>;

/// See work/key_reduction.hpp.
template <class Work>
concept key_reduction_work = detail::is_of_kind<Work, kinds::key_reduction>;

/// See work/many_reduction.hpp.
template <class Work>
concept many_reduction_work = detail::is_of_kind<Work, kinds::many_reduction>;

/// See work/segmented_reduction.hpp.
template <class Work>
concept segmented_reduction_work = detail::is_of_kind<Work, kinds::segmented_reduction>;

/// See work/segmented_transformation.hpp.
template <class Work>
concept segmented_transformation_work = detail::is_of_kind<Work, kinds::segmented_transformation>;

/// See work/transformation.hpp.
template <class Work>
concept transformation_work = detail::is_of_kind<Work, kinds::transformation>;

}  // namespace warpfold
