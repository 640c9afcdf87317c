/// @file
/// `explain_axis<Axis>(policy, in, op)`: how a fold along an axis would run, without running it.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/reduce_axis.hpp>

namespace warpfold {

/// Returns the plan of `reduce_axis<Axis>(policy, in, op, out)`: kernel, launch shape, resources,
/// launches, bytes and expected time.
///
/// @tparam Axis the dimension that is folded, counted from 0
/// @param policy,in,op as for `reduce_axis`; the elements are not read
/// @return the plan. `kernel` is that of the first launch, or "none" if there are no results and
///     nothing is launched
///
/// The plan assumes a row-major output without gaps, of the type that `reduce_axis` produces. An
/// output with other strides may use another kernel. The expected time is the measured time of a
/// one-element reduction plus the bytes at the bandwidth of a sum. It does not include a second
/// launch or the scratch traffic between launches.
///
/// Stream and cost: as `explain`.
/// @throws empty_range,invalid_range,no_device as `reduce_axis`, before it starts anything
/// @throws out_of_memory if there is no memory for the measurement
///
/// Example: test/examples/explain.cu
template <int Axis, policy_like Policy, class In, class Op>
plan explain_axis(const Policy& policy, const In& in, Op op) {
  plan p;
  detail::with_axis_reduction<Axis>(
      policy, in, op, detail::no_output{}, [&](const auto& own, const auto& a) {
        using value_type = typename std::remove_cvref_t<decltype(a)>::value_type;
        p.policy = own.name();
        p.elements = a.layout.outputs * a.layout.length;
        p.bytes = a.bytes();
        p.bytes_written = a.bytes_written();
        a.require_valid();
        if constexpr (requires { own.describe(a, p); }) own.describe(a, p);
        if (!p.on_gpu) runtime::check_host_memory(a);
        if (a.layout.outputs == 0) {
          p.kernel = "none";
          return;
        }
        if (p.block.x != 0) {
          // Kernels that do not declare a chunk copy words.
          const std::size_t bytes =
              p.chunk == 0 ? word_bytes : static_cast<std::size_t>(p.chunk) * sizeof(value_type);
          if (p.chunk == 0) p.chunk = collective::elements_of_word<value_type>;
          p.load_bytes = static_cast<int>(bytes < word_bytes ? bytes : word_bytes);
        }
        detail::expect_time(p, own);
      });
  return p;
}

// Misuse of the above is one error; see policy/call_check.hpp.
template <int Axis, class Policy = detail::braces, class... Rest>
  requires(!policy_like<Policy>)
auto explain_axis(const Policy&, const Rest&...) {
  return detail::refuse<Policy>();
}
template <int Axis, policy_like Policy, class... Rest>
  requires(sizeof...(Rest) != 2)
auto explain_axis(const Policy&, const Rest&...) {
  static_assert(
      detail::never<Policy>,
      "warpfold: too few or too many arguments; call explain_axis<0>(policy, mdspan, op)");
  return detail::refused{};
}

}  // namespace warpfold
