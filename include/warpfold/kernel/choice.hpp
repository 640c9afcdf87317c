/// @file
/// The table of the kernels: one for each kind of work. It only names them, so that a policy
/// includes no kernel; the header of each call does.
#pragma once

#include <concepts>

#include <warpfold/work/kinds.hpp>

namespace warpfold::kernel {

struct automatic_axis;                 // kernel/axis/automatic.hpp
struct automatic_axis_transformation;  // kernel/axis/automatic_transformation.hpp
struct automatic_elementwise;          // kernel/elementwise/automatic.hpp
struct segments;                       // kernel/segments.hpp
struct class_tables;                   // kernel/classes/tables.hpp
struct many_ranges;                    // kernel/many/ranges.hpp

/// The kernel of work of the kind `Kind`: its member `type`, with `enqueue(work, launcher)`.
/// Specialize it for a kind of your own. The kernel of a whole range is the policy's.
template <class Kind>
struct choice {};

template <>
struct choice<kinds::axis_reduction> {
  using type = automatic_axis;
};
template <>
struct choice<kinds::axis_transformation> {
  using type = automatic_axis_transformation;
};
template <>
struct choice<kinds::class_reduction> {
  using type = class_tables;
};
template <>
struct choice<kinds::many_reduction> {
  using type = many_ranges;
};
template <>
struct choice<kinds::segmented_reduction> {
  using type = segments;
};
template <>
struct choice<kinds::transformation> {
  using type = automatic_elementwise;
};

/// The kernel of work.
template <class Work>
using chosen = typename choice<typename Work::kind>::type;

}  // namespace warpfold::kernel

namespace warpfold {

/// Work that a GPU policy runs with the kernel of its kind. `run` returns nothing: the work has the
/// output.
template <class Work>
concept has_kernel =
    requires { typename kernel::chosen<Work>; } && std::same_as<returned_t<Work>, void>;

}  // namespace warpfold
