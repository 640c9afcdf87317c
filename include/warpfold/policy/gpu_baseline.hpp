/// @file
/// needs: cuda
/// Shared by the GPU baselines: the op and the iterators that other libraries expect.
///
/// Includes CCCL by design: CUB and Thrust take a function of each element as a Thrust iterator.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <cstdint>

#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <warpfold/policy/baseline_function.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/gpu_checks.hpp>
#include <warpfold/policy/gpu_settings.hpp>
#include <warpfold/view/iterator.hpp>

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
