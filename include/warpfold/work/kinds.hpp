/// @file
/// The kinds of work. A row here states what a policy must know of a kind; the tables
/// host/loops.hpp and kernel/choice.hpp name its host loop and its kernel. So a policy has one
/// `run`, and includes no definition of work and no kernel; the header of each call does.
///
/// A work object is copied as bytes, and has:
/// - `kind`: its row;
/// - `require_valid()`: throws if sizes, outputs or overlaps are wrong. `require_valid_data()`,
///   optional, throws if what arrays hold is wrong, such as bounds; only the host calls it;
/// - `visit_read(visit)` and `visit_written(visit)`: call `visit(pointer, bytes, alignment)` for
///   each array; `visit_init(visit)`, optional, for an init in memory. `tells_memory`: false if the
///   work reads other memory, too;
/// - `has_size_in_memory`, optional: true if a size lies in memory (view/counted.hpp);
/// - `checks_bounds`, optional: true if kernels can report wrong bounds of segments.
///   `check_bounds(to)` tells them where, and `refuse_bounds(found)` throws;
/// - `name_user_functions()`, in device code: see kernel/body.hpp.
#pragma once

#include <concepts>
#include <cstddef>

#include <warpfold/core/config.hpp>

namespace warpfold {

// The message of a policy that does not run a kind of work: its call, and the policies that do.
#define WARPFOLD_KIND_OF(call_text, policies)                                               \
  static constexpr const char* call = call_text;                                            \
  template <bool Runs>                                                                      \
  static constexpr bool check() {                                                           \
    static_assert(Runs, "warpfold: this policy does not run " call_text "; use " policies); \
    return Runs;                                                                            \
  }

/// The member type `kind` of a work object.
namespace kinds {

/// What most kinds have in common; a kind hides what differs. A kind has also `call`, the name of
/// its call for messages, and `check<Runs>()`, which reports that a policy does not run it.
struct any_kind {
  using returned = void;                               ///< by `run`; see `returns_result`
  static constexpr bool returns_result = false;        ///< `run` returns the work's `result_type`
  static constexpr const char* input = "the input";    ///< its name in messages
  static constexpr const char* output = "the output";  ///< of what `run` returns
  static constexpr bool has_many_arrays = false;       ///< checked in nanoseconds each
};

struct reduction : any_kind {
  static constexpr const char* call = "reduce";  ///< for messages
  static constexpr bool returns_result = true;
  static constexpr const char* input = "the range";
};
/// Of a range in parts on several GPUs, for policies of several GPUs.
struct sharded_reduction : any_kind {
  static constexpr bool returns_result = true;
};
struct transformation : any_kind {
  static constexpr const char* input = "the range";
  WARPFOLD_KIND_OF("transform", "wf::seq, wf::par, wf::device or wf::emulated")
};
struct axis_reduction : any_kind {
  WARPFOLD_KIND_OF("reduce_axis", "wf::seq, wf::par, wf::device or wf::emulated")
};
struct axis_transformation : any_kind {
  WARPFOLD_KIND_OF("transform_axis", "wf::seq, wf::par, wf::device or wf::emulated")
};
struct segmented_reduction : any_kind {
  static constexpr const char* input = "the range";
  static constexpr const char* bounds = "the array of the segments";
  WARPFOLD_KIND_OF("reduce_segments", "wf::seq, wf::par, wf::device or wf::emulated")
};
struct segmented_transformation : any_kind {
  WARPFOLD_KIND_OF("transform_segments", "wf::seq, wf::par, wf::device or wf::emulated")
};
/// The same with the folds of the segments as values.
struct segment_fold_transformation : any_kind {
  WARPFOLD_KIND_OF("transform_segments", "wf::seq, wf::par, wf::device or wf::emulated")
};
struct many_reduction : any_kind {
  static constexpr const char* input = "a range of the list";
  static constexpr bool has_many_arrays = true;
  WARPFOLD_KIND_OF("reduce_many", "wf::seq, wf::par, wf::device or wf::emulated")
};
/// The same of a list that the policy reads (view/ranges_at.hpp).
struct listed_reduction : many_reduction {
  static constexpr const char* input = "the list of ranges";
  static constexpr bool has_many_arrays = false;
};
struct key_reduction : any_kind {
  using returned = std::size_t;  ///< the number of runs
  static constexpr const char* output = "the output of the runs";
  WARPFOLD_KIND_OF("reduce_by_key", "wf::seq, wf::par, wf::device or wf::emulated")
};
struct class_reduction : any_kind {
  WARPFOLD_KIND_OF("reduce_by_class", "wf::seq, wf::par, wf::device or wf::emulated")
};

}  // namespace kinds

#undef WARPFOLD_KIND_OF

namespace detail {

template <class Work, class Kind>
concept is_of_kind = requires { requires std::derived_from<typename Work::kind, Kind>; };

template <class Work>
struct returned_by_run {};
template <class Work>
  requires is_of_kind<Work, kinds::any_kind>
struct returned_by_run<Work> {
  using type = typename Work::kind::returned;
};
template <class Work>
  requires(is_of_kind<Work, kinds::any_kind> && Work::kind::returns_result &&
           requires { typename Work::result_type; })
struct returned_by_run<Work> {
  using type = typename Work::result_type;
};

}  // namespace detail

/// What `run` returns for work: the result of a reduction, the number of runs of keys, or nothing,
/// if the work has the output.
template <class Work>
using returned_t = typename detail::returned_by_run<Work>::type;

/// True if a call of `enqueue(work, out...)` takes outputs of the types `Out`: none, or one for
/// what `run` returns.
template <class Work, class... Out>
concept takes_outputs = sizeof...(Out) == (std::same_as<returned_t<Work>, void> ? 0 : 1);

/// Work with sizes that lie in memory, other than a reduction of a whole range. The kernel of its
/// kind reads them, and so does the host loop. A policy that runs neither must not take it.
template <class Work>
concept sized_in_memory = requires { requires Work::has_size_in_memory; };

/// A fold along one axis (work/axis_reduction.hpp) or along several
/// (work/expression_reduction.hpp):
/// - `input()`: the `array_source`, of type `source_type`; `arrays` and `outs`: their numbers;
/// - `folded()`: the folded dimensions; the last stride is that of the index;
/// - `is_one_line`: true if there is always one folded dimension;
/// - `by_rows()`: true if neighboring elements in memory belong to one result;
/// - `write(at, a, stores)`: writes the result of a fold; `at` are the offsets in `layout.kept`.
template <class Work>
concept axis_reduction_work =
    detail::is_of_kind<Work, kinds::axis_reduction> && !sized_in_memory<Work>;

/// See work/axis_transformation.hpp.
template <class Work>
concept axis_transformation_work =
    detail::is_of_kind<Work, kinds::axis_transformation> && !sized_in_memory<Work>;

/// See work/class_reduction.hpp.
template <class Work>
concept class_reduction_work =
    detail::is_of_kind<Work, kinds::class_reduction> && !sized_in_memory<Work>;

/// See work/key_reduction.hpp.
template <class Work>
concept key_reduction_work =
    detail::is_of_kind<Work, kinds::key_reduction> && !sized_in_memory<Work>;

/// See work/many_reduction.hpp.
template <class Work>
concept many_reduction_work = detail::is_of_kind<Work, kinds::many_reduction>;

/// See work/segmented_reduction.hpp.
template <class Work>
concept segmented_reduction_work =
    detail::is_of_kind<Work, kinds::segmented_reduction> && !sized_in_memory<Work>;

/// See work/segmented_transformation.hpp.
template <class Work>
concept segmented_transformation_work =
    detail::is_of_kind<Work, kinds::segmented_transformation> && !sized_in_memory<Work>;

/// See work/segment_fold_transformation.hpp.
template <class Work>
concept segment_fold_transformation_work =
    detail::is_of_kind<Work, kinds::segment_fold_transformation> && !sized_in_memory<Work>;

/// See work/transformation.hpp.
template <class Work>
concept transformation_work =
    detail::is_of_kind<Work, kinds::transformation> && !sized_in_memory<Work>;

}  // namespace warpfold
