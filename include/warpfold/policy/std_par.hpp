/// @file
/// needs: tbb
/// `wf::baseline::std_par`: the standard library's parallel reduction behind the same call, for
/// comparison.
///
/// Includes oneTBB by design: GNU's `<execution>` needs it.
#pragma once

#include <algorithm>
#include <execution>
#include <numeric>
#include <thread>

#include <warpfold/policy/host_baseline.hpp>

namespace warpfold::baseline {

/// Runs `std::reduce(std::execution::par_unseq, ...)`, with raw pointers if the view has them.
///
/// Accumulates in `result_type`. The order may differ from run to run. As in the standard, an op
/// that throws terminates the program.
class std_par_policy {
 public:
  static constexpr const char* name() { return "std_par"; }

  WARPFOLD_ANY_SIDE
  template <reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return run_on_host(r, [](auto first, auto last, const auto& start, const auto& op) {
      return std::reduce(std::execution::par_unseq, first, last, start, op);
    });
  }

  template <reduction_work Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    runtime::check_host_pointer(out, sizeof(Out), alignof(Out), "the output");
    *out = static_cast<Out>(run(r));
  }

  /// See work/transformation.hpp. Outputs must be contiguous.
  template <transformation_work Transformation>
  void run(const Transformation& t) const {
    transform_on_host(t, [](auto first, auto last, auto* out, const auto& f) {
      std::transform(std::execution::par_unseq, first, last, out, f);
    });
  }
  template <transformation_work Transformation>
  void enqueue(const Transformation& t) const {
    run(t);
  }

  template <reduction_work Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    plan.kernel = "std::reduce";
    plan.threads = static_cast<int>(std::thread::hardware_concurrency());
    plan.bytes = bytes_of(r.view);
  }
};

/// `std::reduce(std::execution::par_unseq, ...)`.
inline constexpr std_par_policy std_par{};

static_assert(policy<std_par_policy>);

}  // namespace warpfold::baseline
