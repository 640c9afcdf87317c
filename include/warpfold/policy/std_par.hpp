/// @file
/// needs: tbb
/// The standard library's parallel reduction behind the same call, to compare with by changing one word.
///
/// Includes oneTBB by design: GNU's <execution> is made of it.
#pragma once

#include <algorithm>
#include <execution>
#include <numeric>
#include <thread>

#include <warpfold/policy/host_baseline.hpp>

namespace warpfold::baseline {

/// Runs `std::reduce(std::execution::par_unseq, ...)` with raw pointers where the view has them.
///
/// Accumulates in `result_type`, in an order that may differ from run to run. An op that throws ends
/// the program, as the standard has it. GNU's implementation needs oneTBB.
class std_par_policy {
 public:
  static constexpr const char* name() { return "std_par"; }

  WARPFOLD_ANY_SIDE
  template <class Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return run_on_host(r, [](auto first, auto last, const auto& start, const auto& op) {
      return std::reduce(std::execution::par_unseq, first, last, start, op);
    });
  }

  template <class Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    runtime::check_host_pointer(out, sizeof(Out), alignof(Out), "the output");
    *out = static_cast<Out>(run(r));
  }

  /// See transformation.hpp. Into outputs that are arrays.
  template <class Transformation>
  void transform(const Transformation& t) const {
    transform_on_host(t, [](auto first, auto last, auto* out, const auto& f) {
      std::transform(std::execution::par_unseq, first, last, out, f);
    });
  }
  template <class Transformation>
  void enqueue_transform(const Transformation& t) const {
    transform(t);
  }

  template <class Reduction, class Plan>
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
