/// @file
/// needs: cuda
/// Shared by the GPU baselines: the op and the iterators that other libraries expect.
///
/// Includes CCCL by design: CUB and Thrust take a function of each element as a Thrust iterator.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <cstdint>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <warpfold/policy/baseline_function.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/gpu_checks.hpp>
#include <warpfold/policy/gpu_settings.hpp>
#include <warpfold/view/iterator.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::baseline {
namespace detail {

/// An op without identity, as a combine of optional values: other libraries need a start value.
template <class Reduction>
struct combine_states {
  typename Reduction::fold_type fold;
  using state = typename Reduction::state;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD state operator()(const state& a, const state& b) const { return fold.combine(a, b); }
};
/// Converts an element to such an optional value.
template <class Reduction>
struct state_of_element {
  WARPFOLD_HD typename Reduction::state operator()(const typename Reduction::value_type& x) const {
    return typename Reduction::state(static_cast<typename Reduction::accumulator>(x));
  }
};
/// Converts such an optional value to the result.
template <class Reduction, class Out, class Convert>
struct value_of_state {
  Convert convert;

  WARPFOLD_HD Out operator()(const typename Reduction::state& s) const {
    return convert(static_cast<typename Reduction::result_type>(s.value));
  }
};
/// Converts one type to another.
template <class To>
struct converted {
  template <class From>
  WARPFOLD_HD To operator()(const From& x) const {
    return static_cast<To>(x);
  }
};
/// Converts a result by the function of a `finished_reduction`.
template <class Finished, class To>
struct finished_as {
  Finished reduction;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD To operator()(const typename Finished::unfinished_type::result_type& x) const {
    return static_cast<To>(reduction.result_for(x));
  }
};

/// Calls `run(first, out, op, init)` with the arguments that another library's reduction of `r`
/// into `*out` takes: raw pointers if there are any, the op itself, and a start value.
template <class Reduction, class Out, class Run, class Convert = converted<Out>>
  requires(!has_finish<Reduction>)
auto as_iterators(const Reduction& r, Out* out, const Run& run, const Convert& convert = {}) {
  using result_type = typename Reduction::result_type;
  static_assert(
      !Reduction::is_init_stored,
      "warpfold: this policy passes the init from the host, so it cannot take value_at or "
      "accumulate; use wf::device, or pass a value");
  const auto first = begin_of(r.view);
  if constexpr (!Reduction::has_init && !Reduction::has_identity) {
    return run(::thrust::make_transform_iterator(first, state_of_element<Reduction>{}),
               ::thrust::make_transform_output_iterator(
                   out, value_of_state<Reduction, Out, Convert>{convert}),
               combine_states<Reduction>{r.fold()}, r.fold().start());
  } else {
    const result_type start = r.empty_result();
    if constexpr (std::is_same_v<Out, result_type> && std::is_same_v<Convert, converted<Out>>) {
      return run(first, out, r.op, start);
    } else {
      return run(first, ::thrust::make_transform_output_iterator(out, convert), r.op, start);
    }
  }
}
template <class Reduction, class Out, class Run>
  requires has_finish<Reduction>
auto as_iterators(const Reduction& r, Out* out, const Run& run) {
  return as_iterators(r.unfinished(), out, run, finished_as<Reduction, Out>{r});
}

/// The begin or the end of a segment, as a function of its number.
template <class Segments, bool IsEnd>
struct bound_of {
  Segments segments;

  WARPFOLD_HD std::int64_t operator()(std::int64_t s) const {
    const auto of = static_cast<std::size_t>(s);
    return static_cast<std::int64_t>(IsEnd ? segments.end(of) : segments.begin(of));
  }
};

/// What the output holds for the fold of a segment.
template <class Work, class Out>
struct result_of_segment {
  typename Work::op_type op;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD Out operator()(const typename Work::result_type& a) const {
    return warpfold::detail::result_as<Out>(op, a);
  }
};

template <class Work>
inline constexpr bool has_output_array = false;
template <view View, class Segments, class Op, class Init, class T>
inline constexpr bool
    has_output_array<segmented_reduction<View, Segments, Op, Init, contiguous_output<T>>> = true;

/// Folds of segments that other libraries run, too: without an index, with a start value that the
/// host knows, and into one array.
template <class Work>
concept plain_segments =
    segmented_reduction_work<Work> && has_output_array<Work> && !Work::is_indexed &&
    Work::takes_empty_segments && !warpfold::detail::is_stored<typename Work::init_type>;

/// Checks the call, then calls `run(first, begins, ends, out, op, start)` with the arguments that
/// another library's reduction of segments takes.
template <plain_segments Work, class Run>
void as_iterators(const Work& work, const Run& run) {
  check_gpu(work);
  using result_type = typename Work::result_type;
  using segments_type = typename Work::segments_type;
  using out_type = typename std::remove_cvref_t<decltype(warpfold::get<0>(work.outs))>::value_type;
  const ::thrust::counting_iterator<std::int64_t> number(0);
  const auto begins =
      ::thrust::make_transform_iterator(number, bound_of<segments_type, false>{work.segments});
  const auto ends =
      ::thrust::make_transform_iterator(number, bound_of<segments_type, true>{work.segments});
  result_type start;
  if constexpr (Work::has_init) {
    start = work.template init_as<result_type>();
  } else {
    start = static_cast<result_type>(work.fold().value(work.fold().start()));
  }
  const auto first = begin_of(lifted(warpfold::detail::guarded(work.view), work.op));
  auto* const out = warpfold::get<0>(work.outs).data();
  if constexpr (std::is_same_v<out_type, result_type> &&
                !finishes<typename Work::op_type, result_type>) {
    run(first, begins, ends, out, work.op, start);
  } else {
    run(first, begins, ends,
        ::thrust::make_transform_output_iterator(out, result_of_segment<Work, out_type>{work.op}),
        work.op, start);
  }
}

/// Checks the call, then calls `run(first, last, out, f)` with the arguments that another library's
/// transformation takes.
template <class Transformation, class Run>
void as_iterators(const Transformation& t, const Run& run) {
  static_assert(
      has_output_pointer<Transformation>,
      "warpfold: this policy writes only to contiguous outputs; pass a span or a container");
  check_gpu(t);
  const auto first = begin_of(t.in);
  run(first, first + static_cast<std::ptrdiff_t>(t.size()), t.out.data(),
      function_of<Transformation>{t.f});
}

}  // namespace detail
}  // namespace warpfold::baseline
