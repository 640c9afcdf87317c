/// @file
/// The table of the kernels: one for each kind of work. It only names them, so that a policy
/// includes no kernel; the header of each call does.
#pragma once

#include <concepts>
#include <type_traits>

#include <warpfold/work/kinds.hpp>

namespace warpfold::kernel {

struct automatic_axis;                 // kernel/axis/automatic.hpp
struct automatic_axis_transformation;  // kernel/axis/automatic_transformation.hpp
struct automatic_elementwise;          // kernel/elementwise/automatic.hpp
struct segments;                       // kernel/segments.hpp
struct automatic_classes;              // kernel/classes/automatic.hpp
struct many_ranges;                    // kernel/many/ranges.hpp
struct listed_ranges;                  // kernel/many/listed.hpp
struct key_runs;                       // kernel/key_runs.hpp
struct transformed_segments;           // kernel/elementwise/transformed_segments.hpp
struct folded_segments;                // kernel/elementwise/folded_segments.hpp

/// The kernel of work of the kind `Kind`: its member `type`, with `enqueue(work, launcher)`; if
/// `run` returns something, with `enqueue(work, sink, launcher)`.
/// Specialize it for a kind of your own. The kernel of a whole range is the policy's.
template <class Kind>
struct choice {};

template <>
struct choice<kinds::axis_reduction> : std::type_identity<automatic_axis> {};
template <>
struct choice<kinds::axis_transformation> : std::type_identity<automatic_axis_transformation> {};
template <>
struct choice<kinds::class_reduction> : std::type_identity<automatic_classes> {};
template <>
struct choice<kinds::key_reduction> : std::type_identity<key_runs> {};
template <>
struct choice<kinds::many_reduction> : std::type_identity<many_ranges> {};
template <>
struct choice<kinds::listed_reduction> : std::type_identity<listed_ranges> {};
template <>
struct choice<kinds::segmented_reduction> : std::type_identity<segments> {};
template <>
struct choice<kinds::segmented_transformation> : std::type_identity<transformed_segments> {};
template <>
struct choice<kinds::segment_fold_transformation> : std::type_identity<folded_segments> {};
template <>
struct choice<kinds::transformation> : std::type_identity<automatic_elementwise> {};

/// Folds groups with `Kernel` and small states first: kernel/tried_groups.hpp.
template <class Kernel>
struct tried_groups;

namespace detail {

// True if marked groups are folded again one by one.
template <class Kind>
inline constexpr bool folds_marked_again =
    std::is_same_v<Kind, kinds::axis_reduction> || std::is_same_v<Kind, kinds::segmented_reduction>;
// True if all groups are folded again if one is marked. Then states must fit those kernels.
template <class Kind>
inline constexpr bool folds_all_again =
    std::is_same_v<Kind, kinds::class_reduction> || std::is_same_v<Kind, kinds::many_reduction> ||
    std::is_same_v<Kind, kinds::listed_reduction>;
template <class Work>
concept folds_again =
    folds_marked_again<typename Work::kind> ||
    (folds_all_again<typename Work::kind> && sizeof(typename Work::state) <= 1024);
// True if results are combined with what the outputs hold. That happens once: unmarked groups may
// not be folded again, and many marked ones lead to a fold of all.
template <class Work>
concept accumulates_results = requires { requires Work::accumulates; } ||
                              requires { requires Work::folds_type::accumulates; };

// An op that derives from one with a trial is another op.
template <class Op, class A>
concept has_trial = requires {
  typename Op::trial::template state<A>;
  requires std::is_same_v<typename Op::trial::tried_op, Op>;
};
template <class Work>
concept has_rows_in_memory = requires { requires Work::has_size_in_memory && Work::arrays != 0; };

}  // namespace detail

/// True if work is folded so: groups of an op with a trial.
template <class Work>
concept tries_groups = detail::folds_again<Work> &&
                       detail::has_trial<typename Work::op_type, typename Work::accumulator> &&
                       !detail::has_rows_in_memory<Work> && !detail::accumulates_results<Work>;

namespace detail {

template <class Kind, bool Tries>
struct chosen_kernel : choice<Kind> {};
template <class Kind>
  requires requires { typename choice<Kind>::type; }
struct chosen_kernel<Kind, true> : std::type_identity<tried_groups<typename choice<Kind>::type>> {};

}  // namespace detail

template <class Work>
using chosen = typename detail::chosen_kernel<typename Work::kind, tries_groups<Work>>::type;

}  // namespace warpfold::kernel

namespace warpfold {

/// Work that a GPU policy runs with the kernel of its kind.
template <class Work>
concept has_kernel = requires { typename kernel::chosen<Work>; };

}  // namespace warpfold
