/// @file
/// The kinds of work, on which a policy overloads `run` and `enqueue`. A policy includes no
/// definition of work and no kernel; the header of each call does.
#pragma once

#include <concepts>

#include <warpfold/core/config.hpp>

namespace warpfold {

/// The member type `kind` of a work object. `reduction` has a concept instead (work/reduction.hpp).
namespace kinds {
struct axis_reduction {
  static constexpr const char* call = "reduce_axis";  ///< for messages
};
struct axis_transformation {
  static constexpr const char* call = "transform_axis";
};
struct class_reduction {
  static constexpr const char* call = "reduce_by_class";
};
struct key_reduction {
  static constexpr const char* call = "reduce_by_key";
};
struct many_reduction {
  static constexpr const char* call = "reduce_many";
};
struct segmented_reduction {
  static constexpr const char* call = "reduce_segments";
};
struct segmented_transformation {
  static constexpr const char* call = "transform_segments";
};
struct transformation {
  static constexpr const char* call = "transform";
};
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

namespace detail {
// Work that a GPU policy runs by its `kernel_choice`, with scratch memory.
template <class Work>
concept chooses_kernel =
    axis_reduction_work<Work> || axis_transformation_work<Work> || class_reduction_work<Work> ||
    many_reduction_work<Work> || segmented_reduction_work<Work>;
}  // namespace detail

}  // namespace warpfold
