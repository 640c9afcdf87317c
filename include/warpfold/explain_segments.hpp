/// @file
/// `explain_segments(policy, range, segments, op)`: how a fold of segments would run, without
/// running it.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/explain.hpp>
#include <warpfold/reduce_segments.hpp>

namespace warpfold {

/// Returns the plan of `reduce_segments(policy, range, segments, op, out)`: kernel, launch shape,
/// resources, launches, bytes and expected time.
///
/// @param policy,range,segments,op as for `reduce_segments`; elements and bounds are not read
/// @return the plan. `kernel` is that of the first launch, or "none" if there are no segments and
///     nothing is launched. `elements` and `bytes` are those of the whole range, also if some
///     elements are in no segment
///
/// The plan assumes an output without gaps, of the type of the results. The expected time is the
/// measured time of a one-element reduction plus the bytes at the bandwidth of a sum. Of shards: as
/// `explain`; `launches` includes the one of the GPU that combines the states.
///
/// Stream and cost: as `explain`.
/// @throws invalid_range,no_device as `reduce_segments`, but not for wrong bounds
/// @throws out_of_memory if there is no memory for the measurement
///
/// ```cpp
/// std::vector<float> v(1000);
/// std::vector<int> offsets{0, 10, 1000};
/// auto plan = wf::explain_segments(wf::seq, v, offsets, wf::plus{});
/// // plan.kernel is "segments", plan.bytes is 4012
/// ```
template <policy_like Policy, reducible_range Range, class Segments, class Op>
plan explain_segments(const Policy& policy, const Range& range, const Segments& segments, Op op) {
  plan p;
  const auto view = as_view(range);
  // with_reduction reports misuse of the op.
  detail::with_reduction(view, op, no_init{}, [&]<class Reduction>(const Reduction&) {
    using result = detail::finished_t<Op, typename Reduction::result_type>;
    if constexpr (detail::check_segments<Segments>()) {
      const auto own_segments = detail::segments_in(segments, view.size());
      detail::with_segments(
          policy, view, own_segments, op, no_init{},
          contiguous_output<result>(nullptr, own_segments.size()),
          [&](const auto& own, const auto& work) {
            p.policy = own.name();
            p.elements = view.size();
            work.visit_read([&](const void*, std::size_t n, std::size_t) { p.bytes += n; });
            work.visit_written(
                [&](const void*, std::size_t n, std::size_t) { p.bytes_written += n; });
            if (work.size() == 0) {
              p.kernel = "none";
              return;
            }
            if constexpr (requires { own.describe(work, p); }) own.describe(work, p);
            detail::note_loads<typename std::remove_cvref_t<decltype(work)>::value_type>(p);
            detail::expect_time(p, detail::local_policy(own));
          });
    }
  });
  return p;
}

WARPFOLD_FORMS(explain_segments, 2, 2, "explain_segments(policy, range, segments, op)")

}  // namespace warpfold
