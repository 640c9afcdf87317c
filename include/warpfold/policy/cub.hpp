/// @file
/// needs: cuda
/// `wf::baseline::cub`: CUB's device-wide reduction behind the same call, for comparison.
///
/// Includes CCCL by design: it calls CUB.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20
#include <warpfold/core/needs_exceptions.hpp>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#if __has_include(<cub/device/device_transform.cuh>)
#include <cub/device/device_transform.cuh>  // CUB 2.8
#define WARPFOLD_HAS_CUB_TRANSFORM
#endif

#include <warpfold/policy/gpu_baseline.hpp>

namespace warpfold::baseline {

/// Runs `cub::DeviceReduce::Reduce`, with raw pointers if the view has them and with scratch kept
/// from call to call. `run` lets CUB write the result to pinned host memory.
///
/// - Types: accumulates in `result_type`, as CUB does, also if the op's accumulator is wider. An op
///   without identity, reduced without an init, carries a flag beside each value.
/// - Stream: as `wf::device`.
/// - Order: CUB's.
/// - Cost: two launches for more than one tile (CUB 3.0).
/// - Errors: as `wf::device`; errors of CUB throw `cuda_error`.
class cub_policy : public gpu_settings<cub_policy> {
#if defined(WARPFOLD_HAS_CUB_TRANSFORM)
  template <class Work>
  static constexpr bool takes_transformation = transformation_work<Work>;
#else
  template <class Work>
  static constexpr bool takes_transformation = false;
#endif
  template <class Work>
  static constexpr bool takes =
      reduction_work<Work> || takes_transformation<Work> || detail::plain_segments<Work>;

 public:
  constexpr cub_policy() = default;

  static constexpr const char* name() { return "cub"; }

  /// Of a transformation: `cub::DeviceTransform`; outputs must be contiguous. Of segments:
  /// `cub::DeviceSegmentedReduce`, which does not check bounds, with an identity or an init, no
  /// index, and one contiguous output.
  template <class Work>
    requires takes<Work>
  returned_t<Work> run(const Work& work) const {
    if constexpr (has_finish<Work>) {
      return work.result_for(run(work.unfinished()));
    } else if constexpr (reduction_work<Work>) {
      return run_reduction(work);
    } else if constexpr (detail::plain_segments<Work>) {
      run_segments(work);
    } else {
      submit_transform(work, [&] { runtime::require_not_capturing(stream(), "transform"); });
      runtime::check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize",
                     [] { return "the kernel was cub::DeviceTransform"; });
    }
  }

  /// Does not wait.
  template <class Work, class... Out>
    requires(takes<Work> && takes_outputs<Work, Out...>)
  void enqueue(const Work& work, Out*... out) const {
    if constexpr (reduction_work<Work>) {
      check_gpu(work);
      (runtime::check_device_pointer(out, sizeof(Out), alignof(Out), "the output"), ...);
      runtime::enqueued_scratch scratch = scratch_of_enqueued();
      submit(work, out..., scratch);
    } else if constexpr (detail::plain_segments<Work>) {
      runtime::enqueued_scratch scratch = scratch_of_enqueued();
      submit_segments(work, scratch, [] {});
    } else {
      submit_transform(work, [] {});
    }
  }

  template <reduction_work Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    check_gpu(r);
    plan.on_gpu = true;
    plan.kernel = "cub::DeviceReduce";
    plan.bytes = bytes_of(r.view);
  }

 private:
  template <class Reduction>
  typename Reduction::result_type run_reduction(const Reduction& r) const {
    warpfold::detail::check_gpu_with_value(r, stream());
    using result_type = typename Reduction::result_type;
    runtime::waiting_scratch scratch = scratch_of_waiting();
    auto* const result = static_cast<result_type*>(scratch.own().result());
    try {
      submit(r, result, scratch);
    } catch (const cuda_error&) {
      scratch.set_in_flight(true);  // the second of CUB's launches may have failed
      throw;
    }
    scratch.set_in_flight(true);
    runtime::check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize",
                   [] { return "the kernel was cub::DeviceReduce"; });
    scratch.set_in_flight(false);
    return *result;
  }

  template <class Work>
  void run_segments(const Work& work) const {
    runtime::waiting_scratch scratch = scratch_of_waiting();
    const auto check = [&] {
      runtime::require_not_capturing(stream(), "reduce_segments");
      scratch.set_in_flight(true);
    };
    submit_segments(work, scratch, check);
    runtime::check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize",
                   [] { return "the kernel was cub::DeviceSegmentedReduce"; });
    scratch.set_in_flight(false);
  }
  // Calls `check` after the other checks.
  template <class Work, class Check>
  void submit_segments(const Work& work, runtime::scratch& scratch, const Check& check) const {
    detail::as_iterators(
        work, [&](auto first, auto begins, auto ends, auto out, const auto& op, const auto& start) {
          check();
          if (work.size() == 0) return;
          const auto reduce = [&](void* temporary, std::size_t& bytes) {
            runtime::check(::cub::DeviceSegmentedReduce::Reduce(
                               temporary, bytes, first, out, static_cast<std::int64_t>(work.size()),
                               begins, ends, op, start, stream()),
                           "cub::DeviceSegmentedReduce::Reduce");
          };
          std::size_t bytes = 0;
          reduce(nullptr, bytes);
          reduce(scratch.partials(bytes), bytes);
        });
  }

  // Calls `check` after the other checks.
  template <class Transformation, class Check>
  void submit_transform([[maybe_unused]] const Transformation& t,
                        [[maybe_unused]] const Check& check) const {
#if defined(WARPFOLD_HAS_CUB_TRANSFORM)
    detail::as_iterators(t, [&](auto first, auto last, auto* out, const auto& f) {
      check();
      runtime::check(::cub::DeviceTransform::Transform(
                         first, out, static_cast<std::int64_t>(last - first), f, stream()),
                     "cub::DeviceTransform::Transform");
    });
#endif
  }

  template <class Reduction, class Out>
  void submit(const Reduction& r, Out* out, runtime::scratch& scratch) const {
    detail::as_iterators(r, out, [&](auto first, auto result, const auto& op, const auto& start) {
      const auto n = static_cast<std::int64_t>(r.view.size());
      const auto reduce = [&](void* temporary, std::size_t& bytes) {
        runtime::check(
            ::cub::DeviceReduce::Reduce(temporary, bytes, first, result, n, op, start, stream()),
            "cub::DeviceReduce::Reduce");
      };
      std::size_t bytes = 0;
      reduce(nullptr, bytes);
      reduce(scratch.partials(bytes), bytes);
    });
  }
};

static_assert(policy<cub_policy>);

/// CUB on the current GPU, on the default stream.
inline constexpr cub_policy cub{};

}  // namespace warpfold::baseline

#undef WARPFOLD_HAS_CUB_TRANSFORM
