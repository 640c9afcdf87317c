/// @file
/// The table of the host loops: one for each kind of work. It only names them; the header of each
/// call includes its own.
///
/// A loop has `static run(work, threads)`, for work whose memory has been checked, and perhaps
/// `static describe(work, threads, plan)`. `threads` are those of a policy:
/// - `is_one_thread`: true for the calling thread alone;
/// - `count()`: the number of threads;
/// - `fold(reduction)`: the result of a reduction of at least one element, in the declared order;
/// - `fold_node(reduction, first, last)`: the fold of elements `first` to `last - 1`, at least one,
///   which are a node of that order;
/// - `for_each(n, elements, f)`: calls `f(i)` for each `i` below `n`; a call takes `elements`
///   elements. `run_alone(n, elements)` is true if one thread makes all calls;
/// - `for_parts(n, f)`: calls `f(first, last)` for parts of `n` elements;
/// - `for_segments(weights, n, f)`: calls `f(first, last)` for parts of `n` segments. A part is one
///   segment of any length, or several of together up to `min_part` elements and segments. One
///   thread gets all segments in one part;
/// - `first_of(n, elements, find, none)`: the least of `find(i)` for each `i` below `n`, or `none`,
///   which is larger.
#pragma once

#include <cstddef>

#include <warpfold/work/kinds.hpp>

namespace warpfold::host {

struct axis_loop;                 // host/host_axis.hpp
struct axis_transformation_loop;  // host/host_axis_transformation.hpp
struct class_loop;                // host/host_classes.hpp
struct key_loop;                  // host/host_keys.hpp
struct many_loop;                 // host/host_segments.hpp
struct segment_fold_transformation_loop;
struct segment_loop;
struct segment_transformation_loop;

/// Ranges of up to this many elements run on one thread: a second one costs a microsecond or more.
inline constexpr std::size_t min_part = 16384;
/// Long ranges are divided into this many parts: enough to keep hundreds of threads busy to the
/// end.
inline constexpr std::size_t max_parts = 2048;

/// The loop of a transformation, each element by itself.
struct element_loop {
  WARPFOLD_ANY_SIDE
  template <class Work, class Threads>
  static void run(const Work& work, const Threads& threads) {
    if constexpr (sized_in_memory<Work>) {
      Work settled = work;
      settled.read_size_on_host();
      run_all(settled, threads);
    } else {
      run_all(work, threads);
    }
  }

 private:
  WARPFOLD_ANY_SIDE
  template <class Work, class Threads>
  static void run_all(const Work& work, const Threads& threads) {
    threads.for_parts(work.size(),
                      [&](std::size_t first, std::size_t last) { work.run_on_host(first, last); });
  }
};

/// The loop of work of the kind `Kind`: its member `type`. Specialize it for a kind of your own.
template <class Kind>
struct loop_of {};

template <>
struct loop_of<kinds::axis_reduction> {
  using type = axis_loop;
};
template <>
struct loop_of<kinds::axis_transformation> {
  using type = axis_transformation_loop;
};
template <>
struct loop_of<kinds::class_reduction> {
  using type = class_loop;
};
template <>
struct loop_of<kinds::key_reduction> {
  using type = key_loop;
};
template <>
struct loop_of<kinds::many_reduction> {
  using type = many_loop;
};
template <>
struct loop_of<kinds::listed_reduction> {
  using type = many_loop;
};
template <>
struct loop_of<kinds::segmented_reduction> {
  using type = segment_loop;
};
template <>
struct loop_of<kinds::segmented_transformation> {
  using type = segment_transformation_loop;
};
template <>
struct loop_of<kinds::segment_fold_transformation> {
  using type = segment_fold_transformation_loop;
};
template <>
struct loop_of<kinds::transformation> {
  using type = element_loop;
};

/// The host loop of work.
template <class Work>
using loop = typename loop_of<typename Work::kind>::type;

}  // namespace warpfold::host

namespace warpfold {

/// Work that a host policy runs with the loop of its kind.
template <class Work>
concept has_host_loop = requires { typename host::loop<Work>; };

}  // namespace warpfold
