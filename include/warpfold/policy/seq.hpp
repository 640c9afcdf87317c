/// @file
/// `wf::seq`: the calling thread.
#pragma once

#include <warpfold/host/ordered_fold.hpp>
#include <warpfold/policy/host_policy.hpp>

namespace warpfold {

namespace host {

/// The calling thread; see host/loops.hpp.
struct calling_thread {
  static constexpr bool is_one_thread = true;

  static constexpr int count() { return 1; }
  static constexpr bool run_alone(std::size_t, std::size_t) { return true; }

  WARPFOLD_ANY_SIDE
  template <class Reduction>
  static typename Reduction::result_type fold(const Reduction& r) {
    return ordered_result(r);
  }
  WARPFOLD_ANY_SIDE
  template <class Reduction>
  static typename Reduction::accumulator fold_node(const Reduction& r, std::size_t first,
                                                   std::size_t last) {
    return ordered_fold(r, first, last);
  }
  template <class Reduction, class Plan>
  static void describe(const Reduction&, Plan& plan) {
    plan.kernel = "tree";
    plan.threads = 1;
  }

  WARPFOLD_ANY_SIDE
  template <class F>
  static void for_each(std::size_t n, std::size_t, const F& f) {
    for (std::size_t i = 0; i < n; ++i) f(i);
  }
  WARPFOLD_ANY_SIDE
  template <class F>
  static void for_parts(std::size_t n, const F& f) {
    f(std::size_t{0}, n);
  }
  WARPFOLD_ANY_SIDE
  template <class Weights, class F>
  static void for_segments(const Weights&, std::size_t n, const F& f) {
    f(std::size_t{0}, n);
  }
  WARPFOLD_ANY_SIDE
  template <class Find>
  static std::size_t first_of(std::size_t n, std::size_t, const Find& find, std::size_t none) {
    std::size_t found = none;
    for (std::size_t i = 0; i < n && found == none; ++i) found = find(i);
    return found;
  }
};

}  // namespace host

/// Folds and transforms on the calling thread. The other policies are tested against it.
///
/// - Stream: none; `enqueue` returns when the result is written.
/// - Order: the declared one (op/fold_order.hpp): the bits of `wf::par`. Operands keep their
///   sides. An op that is not associative needs `wf::baseline::left_to_right`.
/// - Cost: one read of the range; no allocation for states of up to 1 KB. The loops of keys,
///   classes and transform_axis state theirs (host/host_keys.hpp, host/host_classes.hpp,
///   host/host_axis_transformation.hpp).
class seq_policy : public host_policy<host::calling_thread> {
 public:
  static constexpr const char* name() { return "seq"; }
};

static_assert(policy<seq_policy>);

/// The calling thread.
inline constexpr seq_policy seq{};

}  // namespace warpfold
