/// @file
/// `wf::seq`: one host thread, first element to last.
#pragma once

#include <warpfold/policy/host_policy.hpp>

namespace warpfold {

namespace host {

/// The calling thread; see host/loops.hpp.
struct calling_thread {
  static constexpr bool is_strict = true;

  static constexpr int count() { return 1; }
  static constexpr bool run_alone(std::size_t, std::size_t) { return true; }

  WARPFOLD_ANY_SIDE
  template <class Reduction>
  static typename Reduction::result_type fold(const Reduction& r) {
    using accumulator = typename Reduction::accumulator;
    const auto fold = r.fold();
    const std::size_t n = r.view.size();
    std::size_t i = 0;
    accumulator total = [&]() -> accumulator {
      if constexpr (Reduction::has_init) {
        return r.template init_as<accumulator>();
      } else {
        return r.lift(r.view[i++]);
      }
    }();
    if constexpr (warpfold::detail::folds_elements_of<typename Reduction::view_type,
                                                      typename Reduction::op_type, accumulator>) {
      for (; i < n; ++i) r.op.fold_element(total, r.view.elements()[i]);
    } else {
      for (; i < n; ++i) total = fold.apply(total, r.lift(r.view[i]));
    }
    if constexpr (has_finish<Reduction>) {
      return r.result_for(static_cast<typename Reduction::unfinished_type::result_type>(total));
    } else {
      return static_cast<typename Reduction::result_type>(total);
    }
  }
  template <class Reduction, class Plan>
  static void describe(const Reduction&, Plan& plan) {
    plan.kernel = "loop";
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

/// Folds and transforms on the calling thread, strictly from the first element to the last. It is
/// the only policy that accepts ops that are neither associative nor commutative. The other
/// policies are tested against it.
///
/// - Stream: none; `enqueue` returns when the result is written.
/// - Order: left to right, so the result is the same on every run.
/// - Cost: one read of the range and no allocation. The loops of keys, classes and transform_axis
///   state theirs (host/host_keys.hpp, host/host_classes.hpp, host/host_axis_transformation.hpp).
class seq_policy : public host_policy<host::calling_thread> {
 public:
  static constexpr const char* name() { return "seq"; }
};

static_assert(policy<seq_policy>);

/// One host thread, first element to last.
inline constexpr seq_policy seq{};

}  // namespace warpfold
