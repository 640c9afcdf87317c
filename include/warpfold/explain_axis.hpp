/// @file
/// What a fold along an axis would do, without doing it: `explain_axis<Axis>(policy, in, op)`.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/reduce_axis.hpp>

namespace warpfold {

/// The plan of `reduce_axis<Axis>(policy, in, op, out)`: kernel, launch shape, resources, launches, bytes read and written,
/// expected time.
///
/// The output is taken to be of what the op makes of a fold, row after row without gaps; one with strides of its own may be
/// folded in another shape. `kernel` is that of the first launch, and "none" where there are no results: nothing is launched
/// then. The expected time is what a reduction of one element takes, and the bytes read and written at the bandwidth of a
/// sum: a second launch, and the states that go through scratch to it, are not in it.
///
/// Nothing of `in` is read. As `explain`, the first call for a GPU or for a host policy measures how fast that is.
/// @throws what `reduce_axis` throws of its input and op before it starts anything; `out_of_memory` if there is no room to
///         measure
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
        if constexpr (requires { own.describe_axis(a, p); }) own.describe_axis(a, p);
        if (!p.on_gpu) runtime::check_host_axis(a);
        if (a.layout.outputs == 0) {
          p.kernel = "none";
          return;
        }
        if (p.block.x != 0) {
          // Kernels that say nothing of it copy words.
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

}  // namespace warpfold
