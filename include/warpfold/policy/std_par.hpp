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

namespace detail {

struct std_par_library {
  static constexpr const char* kernel = "std::reduce";
  static int threads() { return static_cast<int>(std::thread::hardware_concurrency()); }

  WARPFOLD_ANY_SIDE
  template <class It, class T, class Op>
  static T reduce(It first, It last, const T& start, const Op& op) {
    return std::reduce(std::execution::par_unseq, first, last, start, op);
  }
  WARPFOLD_ANY_SIDE
  template <class It, class Out, class F>
  static void transform(It first, It last, Out* out, const F& f) {
    std::transform(std::execution::par_unseq, first, last, out, f);
  }
};

}  // namespace detail

/// Runs `std::reduce(std::execution::par_unseq, ...)`, with raw pointers if the view has them.
///
/// Accumulates in `result_type`. The order may differ from run to run. As in the standard, an op
/// that throws terminates the program.
class std_par_policy : public host_baseline<detail::std_par_library> {
 public:
  static constexpr const char* name() { return "std_par"; }
};

/// `std::reduce(std::execution::par_unseq, ...)`.
inline constexpr std_par_policy std_par{};

static_assert(policy<std_par_policy>);

}  // namespace warpfold::baseline
