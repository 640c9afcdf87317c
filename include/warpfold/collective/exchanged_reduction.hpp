/// @file
/// A reduction of one rank's part of a range, whose kernel exchanges states with the other ranks.
/// Kernels need no change: `result` exchanges the state of the rank's elements.
#pragma once

#include <warpfold/collective/rank_exchange.hpp>
#include <warpfold/collective/rank_state.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::collective {

template <class T>
struct exchanged_result {
  T value;
  bool is_complete;
};

/// The type of an output that is not written if a frame did not come. `Out` may be null.
template <class Out>
struct if_complete {};

/// Writes `*out` if the exchange is complete, and signals a waiting host in any case.
template <class Out>
struct result_sink<if_complete<Out>> {
  Out* out;         ///< may be null: this rank only takes part
  unsigned* flag;   ///< in pinned memory, or null
  unsigned signal;  ///< the value to write there

  WARPFOLD_DEVICE result_sink in_registers() const { return *this; }
  WARPFOLD_DEVICE void* memory() const { return out; }

  template <class Result>
  WARPFOLD_DEVICE void deliver(const exchanged_result<Result>& r) const {
    if (r.is_complete && out != nullptr) {
      global_array<Out>{out, 1}.store(0, static_cast<Out>(r.value));
    }
    if (flag != nullptr) signal_host(flag, signal);
  }
};

/// `Reduction` of one rank's elements. Its result is that of all ranks, on each of them.
///
/// A frame is the number of elements and the state of a rank. The thread that has the grid's state
/// exchanges it; one thread calls `result`, once in a launch.
template <class Reduction>
struct exchanged_reduction : Reduction {
  using counted_type = Reduction;  // see counted_work
  using plain_reduction = Reduction;
  using plain_result = typename Reduction::result_type;
  using result_type = exchanged_result<plain_result>;
  using state = typename Reduction::state;

  mailboxes boxes;

  exchanged_reduction(const Reduction& r, const mailboxes& m) : Reduction(r), boxes(m) {}

  WARPFOLD_DEVICE letter load_for_result() const { return load_letter(boxes.count); }
  /// @param count what `load_for_result` returned
  WARPFOLD_ANY_SIDE WARPFOLD_DEVICE result_type result(const state& s, letter count) const {
    states_in_order<Reduction> all(*this, s);
    const letter missing =
        exchange_frames(boxes, count, rank_state_of(*this, s),
                        [&](int, const rank_state<state>& f) { all.add_at_zero(f.of, f.count()); });
    return {all.result(), missing == 0};
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_DEVICE result_type result(const state& s) const { return result(s, load_for_result()); }

  // An empty range has a result if another rank has elements.
  void require_valid() const {}
};

}  // namespace warpfold::collective
