/// @file
/// The last step of a kernel. Its loads are issued before those of the elements, because a load
/// after the fold would add its whole latency.
#pragma once

#include <utility>

#include <warpfold/core/config.hpp>

namespace warpfold::collective {

namespace detail {

template <class Reduction>
concept loads_for_result = requires(const Reduction& r) { r.load_for_result(); };

}  // namespace detail

/// Maps the state of the grid to the result of `Reduction`. A reduction whose `result` reads memory
/// has `load_for_result()`, and its `result` takes what that returned.
template <class Reduction>
struct final_result {
  const Reduction& reduction;

  /// Called before the elements are loaded.
  WARPFOLD_DEVICE final_result(const Reduction& r, bool /*may_finish*/) : reduction(r) {}

  WARPFOLD_DEVICE auto operator()(const typename Reduction::state& s) const {
    return reduction.result(s);
  }
};

template <detail::loads_for_result Reduction>
struct final_result<Reduction> {
  using loaded_type = decltype(std::declval<const Reduction&>().load_for_result());

  const Reduction& reduction;
  loaded_type loaded{};

  /// @param may_finish true in each thread that may call the operator
  WARPFOLD_DEVICE final_result(const Reduction& r, bool may_finish) : reduction(r) {
    if (may_finish) loaded = r.load_for_result();
  }

  WARPFOLD_DEVICE auto operator()(const typename Reduction::state& s) const {
    return reduction.result(s, loaded);
  }
};

}  // namespace warpfold::collective
