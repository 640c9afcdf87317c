/// @file
/// needs: cuda
/// `wf::baseline::cub`: CUB's device-wide reduction behind the same call, for comparison.
///
/// Includes CCCL by design: it calls CUB.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <cub/device/device_reduce.cuh>
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
 public:
  constexpr cub_policy() = default;

  static constexpr const char* name() { return "cub"; }

  template <reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    check_gpu_with_value(r, stream());
    using result_type = typename Reduction::result_type;
    runtime::waiting_scratch scratch = scratch_of_waiting();
    auto* const result = static_cast<result_type*>(scratch.own().result());
    try {
      submit(r, result, scratch.memory());
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

  template <reduction_work Reduction>
    requires has_finish<Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return r.result_for(run(r.unfinished()));
  }

  template <reduction_work Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    check_gpu(r);
    runtime::check_device_pointer(out, sizeof(Out), alignof(Out), "the output");
    runtime::enqueued_scratch scratch = scratch_of_enqueued();
    submit(r, out, scratch.memory());
  }

#if defined(WARPFOLD_HAS_CUB_TRANSFORM)
  /// See work/transformation.hpp. Runs `cub::DeviceTransform`; outputs must be contiguous.
  template <transformation_work Transformation>
  void run(const Transformation& t) const {
    detail::as_iterators(t, [&](auto first, auto last, auto* out, const auto& f) {
      runtime::require_not_capturing(stream(), "transform");
      submit_transform(first, last, out, f);
      runtime::check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize",
                     [] { return "the kernel was cub::DeviceTransform"; });
    });
  }
  /// Does not wait.
  template <transformation_work Transformation>
  void enqueue(const Transformation& t) const {
    detail::as_iterators(t, [&](auto first, auto last, auto* out, const auto& f) {
      submit_transform(first, last, out, f);
    });
  }
#endif

  template <reduction_work Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    check_gpu(r);
    plan.on_gpu = true;
    plan.kernel = "cub::DeviceReduce";
    plan.bytes = bytes_of(r.view);
  }

 private:
#if defined(WARPFOLD_HAS_CUB_TRANSFORM)
  template <class First, class Out, class F>
  void submit_transform(First first, First last, Out* out, const F& f) const {
    runtime::check(::cub::DeviceTransform::Transform(
                       first, out, static_cast<std::int64_t>(last - first), f, stream()),
                   "cub::DeviceTransform::Transform");
  }
#endif

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
