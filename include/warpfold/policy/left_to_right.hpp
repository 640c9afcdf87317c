/// @file
/// `wf::baseline::left_to_right`: the loop of `std::accumulate` behind the same call.
#pragma once

#include <warpfold/policy/host_baseline.hpp>

namespace warpfold::baseline {

namespace detail {

struct plain_loop {
  static constexpr const char* kernel = "loop";
  static constexpr int threads() { return 1; }

  WARPFOLD_ANY_SIDE
  template <class It, class T, class Op>
  static T reduce(It first, It last, const T& start, const Op& op) {
    T total = start;
    for (; first != last; ++first) total = op(total, *first);
    return total;
  }
  WARPFOLD_ANY_SIDE
  template <class It, class Out, class F>
  static void transform(It first, It last, Out* out, const F& f) {
    for (; first != last; ++first, ++out) *out = f(*first);
  }
};

}  // namespace detail

/// Folds and transforms on the calling thread, from the first element to the last: the bits of
/// `std::accumulate`. It is the only policy that accepts ops that are not associative. It runs
/// reductions and transformations only, no axes or segments.
///
/// - Order: op(op(init, a), b), or op(op(a, b), c) without an init.
/// - Accumulator: the type of the result.
/// - Stream: none; `enqueue` returns when the result is written.
/// - Cost: one read of the range. A sum of `float`s takes as long as its additions, one after the
///   other.
class left_to_right_policy : public host_baseline<detail::plain_loop> {
 public:
  static constexpr const char* name() { return "left_to_right"; }
};

/// One host thread, first element to last.
inline constexpr left_to_right_policy left_to_right{};

static_assert(policy<left_to_right_policy>);

}  // namespace warpfold::baseline
