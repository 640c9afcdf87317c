/// @file
/// needs: cuda
/// `wf::baseline::thrust`: Thrust's reduction on the GPU behind the same call, for comparison.
///
/// Includes CCCL by design: it calls Thrust.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/tabulate.h>
#include <thrust/transform.h>

#include <warpfold/policy/gpu_baseline.hpp>

namespace warpfold::baseline {

/// An allocator for Thrust over a memory resource.
struct resource_allocator {
  using value_type = char;

  runtime::resource_ref resource;
  runtime::stream_handle stream;

  char* allocate(std::ptrdiff_t bytes) const {
    return static_cast<char*>(resource.allocate(static_cast<std::size_t>(bytes), stream));
  }
  void deallocate(char* p, std::size_t bytes) const { resource.deallocate(p, bytes, stream); }
};

namespace detail {

/// The fold of segment `s` by the calling thread.
template <class First, class Begins, class Ends, class Op, class Result>
struct fold_of_segment {
  First first;
  Begins begins;
  Ends ends;
  Op op;
  Result start;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD Result operator()(std::int64_t s) const {
    return ::thrust::reduce(::thrust::seq, first + begins[s], first + ends[s], start, op);
  }
};

}  // namespace detail

/// Runs `thrust::reduce` on the policy's stream, with raw pointers if the view has them.
///
/// Thrust always waits for the result and allocates scratch on every call, from `with(resource)` if
/// given. It cannot use a workspace. So `enqueue` waits too, and neither call can be captured into
/// a graph. Errors of Thrust throw `thrust::system_error`.
class thrust_policy : public gpu_settings<thrust_policy> {
  template <class Work>
  static constexpr bool takes =
      reduction_work<Work> || transformation_work<Work> || detail::plain_segments<Work>;

 public:
  constexpr thrust_policy() = default;

  static constexpr const char* name() { return "thrust"; }

  /// Of a transformation: `thrust::transform`; outputs must be contiguous. Of segments:
  /// `thrust::tabulate`, where a thread folds each segment by `thrust::reduce(thrust::seq, ...)`:
  /// Thrust has no reduction of segments. With an identity or an init, no index, and one contiguous
  /// output; bounds are not checked.
  template <class Work>
    requires takes<Work>
  returned_t<Work> run(const Work& work) const {
    if constexpr (has_finish<Work>) {
      return work.result_for(run(work.unfinished()));
    } else if constexpr (reduction_work<Work>) {
      return run_reduction(work);
    } else if constexpr (detail::plain_segments<Work>) {
      fold_segments(work, ::thrust::cuda::par.on(stream()),
                    [&] { runtime::require_not_capturing(stream(), "reduce_segments"); });
    } else {
      detail::as_iterators(work, [&](auto first, auto last, auto* out, const auto& f) {
        runtime::require_not_capturing(stream(), "transform");
        ::thrust::transform(::thrust::cuda::par.on(stream()), first, last, out, f);
      });
    }
  }

  /// Waits for a reduction, but not for a transformation or a fold of segments.
  template <class Work, class... Out>
    requires(takes<Work> && takes_outputs<Work, Out...>)
  void enqueue(const Work& work, Out*... out) const {
    if constexpr (reduction_work<Work>) {
      (write(work, out), ...);
    } else if constexpr (detail::plain_segments<Work>) {
      fold_segments(work, ::thrust::cuda::par_nosync.on(stream()), [] {});
    } else {
      detail::as_iterators(work, [&](auto first, auto last, auto* to, const auto& f) {
        ::thrust::transform(::thrust::cuda::par_nosync.on(stream()), first, last, to, f);
      });
    }
  }

  template <reduction_work Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    check_gpu(r);
    plan.on_gpu = true;
    plan.kernel = "thrust::reduce";
    plan.bytes = bytes_of(r.view);
  }

 private:
  template <class Reduction>
  typename Reduction::result_type run_reduction(const Reduction& r) const {
    using result_type = typename Reduction::result_type;
    warpfold::detail::check_gpu_with_value(r, stream());
    return detail::as_iterators(
        r, static_cast<result_type*>(nullptr),
        [&](auto first, auto, const auto& op, const auto& start) -> result_type {
          const auto last = first + static_cast<std::ptrdiff_t>(r.view.size());
          const auto reduce = [&](const auto& where) {
            return value_of(::thrust::reduce(where, first, last, start, op));
          };
          if (!resource()) return reduce(::thrust::cuda::par.on(stream()));
          resource_allocator memory{resource(), stream()};
          return reduce(::thrust::cuda::par(memory).on(stream()));
        });
  }
  // Calls `check` after the other checks.
  template <class Work, class Where, class Check>
  static void fold_segments(const Work& work, const Where& where, const Check& check) {
    detail::as_iterators(
        work,
        [&]<class First, class Begins, class Ends, class Out, class Op, class Result>(
            First first, Begins begins, Ends ends, Out out, const Op& op, const Result& start) {
          check();
          ::thrust::tabulate(where, out, out + static_cast<std::ptrdiff_t>(work.size()),
                             detail::fold_of_segment<First, Begins, Ends, Op, Result>{
                                 first, begins, ends, op, start});
        });
  }
  template <class Reduction, class Out>
  void write(const Reduction& r, Out* out) const {
    runtime::check_device_pointer(out, sizeof(Out), alignof(Out), "the output");
    const Out result = static_cast<Out>(run(r));
    runtime::check(cudaMemcpyAsync(out, &result, sizeof(Out), cudaMemcpyDefault, stream()),
                   "cudaMemcpyAsync");
    runtime::check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
  }

  template <class T>
  static T value_of(const T& value) {
    return value;
  }
  template <class T>
  static T value_of(const warpfold::detail::maybe<T>& state) {
    return state.value;
  }
};

static_assert(policy<thrust_policy>);

/// Thrust on the current GPU, on the default stream.
inline constexpr thrust_policy thrust{};

}  // namespace warpfold::baseline
