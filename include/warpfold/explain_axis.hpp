/// @file
/// `explain_axis<Axis>(policy, in, op)`: how a fold along an axis would run, without running it.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include <warpfold/explain.hpp>
#include <warpfold/reduce_axis.hpp>

namespace warpfold {

namespace detail {

// The folds of all shards, or one fold.
template <axis_part_work Part>
const auto& folds_of(const sharded_axis<Part>& all) {
  return all.parts;
}
template <class Work>
std::span<const Work> folds_of(const Work& work) {
  return {&work, 1};
}

}  // namespace detail

/// Returns the plan of `reduce_axis<Axis>(policy, in, op, out)`: kernel, launch shape, resources,
/// launches, bytes and expected time.
///
/// @tparam Axis the dimension that is folded, counted from 0
/// @param policy,in,op as for `reduce_axis`, also shards; the elements are not read
/// @return the plan. `kernel` is that of the first launch, or "none" if there are no results and
///     nothing is launched
///
/// The plan assumes a row-major output without gaps, of the type that `reduce_axis` produces. An
/// output with other strides may use another kernel. The expected time is the measured time of a
/// one-element reduction plus the bytes at the bandwidth of a sum. It does not include a second
/// launch or the scratch traffic between launches. Of shards: as `explain`; `launches` includes the
/// one of the GPU that combines the states.
///
/// Stream and cost: as `explain`.
/// @throws empty_range,invalid_range,no_device as `reduce_axis`, before it starts anything
/// @throws out_of_memory if there is no memory for the measurement
///
/// ```cuda
/// #include <cuda/std/mdspan>
///
/// const float values[] = {1, 2, 3, 4, 5, 6};  // 2 rows of 3
/// const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(values, 2, 3);
/// const wf::plan p = wf::explain_axis<1>(wf::seq, m, wf::plus{});  // p.bytes is 24
/// ```
/// For a GPU: test/examples/explain.cu
template <int Axis, policy_like Policy, class In, class Op>
plan explain_axis(const Policy& policy, const In& in, Op op) {
  plan p;
  detail::with_axis_or_shards<Axis>(
      policy, in, op, detail::no_output{}, [&](const auto& own, const auto& all) {
        const auto& folds = detail::folds_of(all);
        const auto& a = folds[0];
        using value_type = typename std::remove_cvref_t<decltype(a)>::value_type;
        p.policy = own.name();
        for (const auto& fold : folds) {
          p.elements += fold.layout.outputs * fold.layout.length;
          p.bytes += fold.bytes();
          fold.require_valid();
        }
        p.bytes_written = a.bytes_written();
        if constexpr (requires { own.describe(all, p); }) own.describe(all, p);
        if (!p.on_gpu) {
          for (const auto& fold : folds) runtime::check_host_memory(fold);
        }
        if (a.layout.outputs == 0) {
          p.kernel = "none";
          return;
        }
        detail::note_loads<value_type>(p);
        detail::expect_time(p, detail::local_policy(own));
      });
  return p;
}

WARPFOLD_AXIS_FORMS(explain_axis, 2, 2, "explain_axis<0>(policy, mdspan, op)")

}  // namespace warpfold
