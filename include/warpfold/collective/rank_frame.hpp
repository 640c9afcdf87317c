/// @file
/// What a GPU sends to the other ranks of a call that may be other processes, and the fold of the
/// frames of all ranks: by a kernel of its own behind a library such as NCCL, or through mailboxes
/// inside the kernel that folds the elements (collective/rank_exchange.hpp).
///
/// The frame carries the hashes that tell whether all ranks make the same call, so the exchange of
/// the states also finds a wrong call. The kernel of its own is one launch of 32 threads: each lane
/// folds a run of ranks, and the first lane folds the lanes, all in rank order.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/memory_order.hpp>
#include <warpfold/collective/rank_exchange.hpp>
#include <warpfold/collective/rank_state.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/shared_array.hpp>

namespace warpfold::collective {

/// The state of one rank, and what the ranks compare.
template <class State>
struct rank_frame {
  std::uint64_t call;    ///< the hash of the types of the call
  std::uint64_t init;    ///< the hash of the init
  std::uint64_t failed;  ///< not 0 if the rank threw; then there is no state. See `failures`
  rank_state<State> state;

  /// True if `state` can be read: the rank made the call of `mine`, and folded its elements.
  WARPFOLD_HD constexpr bool is_like(const rank_frame& mine) const {
    return failed == 0 && call == mine.call;
  }
};

/// `Reduction` of one rank's elements. Its result is the rank's frame.
template <class Reduction>
struct rank_frame_reduction : rank_state_reduction<Reduction> {
  using result_type = rank_frame<typename Reduction::state>;

  std::uint64_t call, init;
  std::size_t first;  ///< by which the indices are moved

  rank_frame_reduction(const Reduction& r, std::uint64_t call_hash, std::uint64_t init_hash,
                       std::size_t first_index)
      : rank_state_reduction<Reduction>(r), call(call_hash), init(init_hash), first(first_index) {}

  WARPFOLD_ANY_SIDE WARPFOLD_DEVICE result_type result(const typename Reduction::state& s) const {
    return {call, init, 0,
            rank_state_reduction<Reduction>::result(
                states_in_order<Reduction>::moved(*this, s, first))};
  }
  result_type empty_result() const {
    return {call, init, 0, rank_state_reduction<Reduction>::empty_result()};
  }
};

/// Bytes of `rank_frame::failed`.
enum failures : unsigned char {
  failed_here = 1,    ///< the rank threw in this call
  failed_before = 2,  ///< it throws the fault of an earlier call, of which all ranks know
};

/// What the ranks found when they folded their frames.
struct rank_report {
  static constexpr std::uint64_t no_fault = 0, failed = 1, other_call = 2, other_init = 3,
                                 empty = 4, missing = 5, earlier = 6, not_the_whole = 7;
  static constexpr std::uint64_t unknown_rank = ~std::uint64_t{0};

  std::uint64_t fault;  ///< one of the above
  /// The number of elements of all ranks; with `missing`, the missing rank.
  std::uint64_t elements;
};

namespace detail {

// The fault of a rank that threw.
// @param failed that of its frame: not 0
WARPFOLD_HD constexpr std::uint64_t fault_of(std::uint64_t failed) {
  return (failed & 0xff) == failed_before ? rank_report::earlier : rank_report::failed;
}
// The first kind of two faults.
WARPFOLD_HD constexpr std::uint64_t first_fault(std::uint64_t a, std::uint64_t b) {
  return a == rank_report::no_fault || (b != rank_report::no_fault && b < a) ? b : a;
}
// @param missing what `exchange_frames` returned: not 0
WARPFOLD_HD constexpr rank_report report_of_missing(letter missing) {
  if (missing == rank_report::unknown_rank) {
    return {rank_report::missing, rank_report::unknown_rank};
  }
  return {rank_report::missing, missing - 1};
}

}  // namespace detail

/// The fold of frames, added in rank order, and the first kind of fault among them.
template <class Work>
class frames_in_order {
  using state = typename Work::state;

 public:
  /// @param any some state
  /// @param call,init what all frames must have
  /// @param placed true if the states have the indices of the whole
  WARPFOLD_HD frames_in_order(const Work& work, const state& any, std::uint64_t call,
                              std::uint64_t init, bool placed)
      : states_(work, any), call_(call), init_(init), placed_(placed) {}

  WARPFOLD_ANY_SIDE WARPFOLD_HD void add(const rank_frame<state>& f) {
    add(f.failed != 0     ? detail::fault_of(f.failed)
        : f.call != call_ ? rank_report::other_call
        : f.init != init_ ? rank_report::other_init
                          : rank_report::no_fault,
        f.state.of, f.state.count());
  }
  /// Adds the fold of the next ranks.
  WARPFOLD_ANY_SIDE WARPFOLD_HD void add(std::uint64_t fault, const state& s, std::size_t count) {
    fault_ = detail::first_fault(fault_, fault);
    if (fault_ != rank_report::no_fault) return;
    if (placed_) {
      states_.add(s, count);
    } else {
      states_.add_at_zero(s, count);
    }
  }

  WARPFOLD_HD std::uint64_t fault() const { return fault_; }
  WARPFOLD_HD const states_in_order<Work>& states() const { return states_; }
  WARPFOLD_HD rank_report report() const {
    const bool is_empty = fault_ == rank_report::no_fault && states_.elements() == 0 &&
                          !Work::has_init && !Work::has_identity;
    return {is_empty ? rank_report::empty : fault_, states_.elements()};
  }

 private:
  states_in_order<Work> states_;
  std::uint64_t call_, init_, fault_ = rank_report::no_fault;
  bool placed_;
};

/// The result of an exchange. The fold of the states is meaningful if the report has no fault.
template <class Work>
struct reported_states {
  states_in_order<Work> states;
  rank_report report;
};

/// The type of an output that is not written if there is a fault. `Out` may be null.
template <class Out>
struct unless_fault {};

template <class Out>
struct result_sink<unless_fault<Out>> {
  Out* out;
  rank_report* report;  ///< in pinned memory
  unsigned* flag;       ///< in pinned memory, or null
  unsigned signal;      ///< the value to write there

  WARPFOLD_DEVICE result_sink in_registers() const { return *this; }
  WARPFOLD_DEVICE void* memory() const { return out; }

  WARPFOLD_ANY_SIDE
  template <class Work>
  WARPFOLD_DEVICE void deliver(const reported_states<Work>& r) const {
    // Only then: a rank that failed may have an init that cannot be read.
    if (r.report.fault == rank_report::no_fault && out != nullptr) {
      global_array<Out>{out, 1}.store(0, static_cast<Out>(r.states.result()));
    }
    // A report of an earlier call that nobody has read stays.
    if (flag != nullptr ||
        (r.report.fault != rank_report::no_fault && r.report.fault != rank_report::earlier)) {
      global_array<rank_report>{report, 1}.store(0, r.report);
    }
    if (flag != nullptr) signal_host(flag, signal);
  }
};

/// The body of the kernel that folds the frames of all ranks with `Work` and writes the result.
template <class Work, class Out>
struct fold_frames {
  using state = typename Work::state;
  using frame = rank_frame<state>;
  static constexpr int max_block = 32;
  static constexpr bool waits_for_launch_before = true;

  Work reduction;
  const frame* frames;  ///< of all ranks
  int ranks;
  std::uint64_t call, init;  ///< of this rank
  bool placed;               ///< true if the states have the indices of the whole
  result_sink<unless_fault<Out>> sink;

  WARPFOLD_HD const Work& work() const { return reduction; }

  WARPFOLD_DEVICE void operator()() const {
    WARPFOLD_SHARED shared_array<lane_total, 32> of_lanes;
    let_next_launch_start();
    wait_for_launch_before();
    const global_array<const frame> all_frames{frames, static_cast<std::size_t>(ranks)};
    const state any = all_frames.load(0).state.of;
    const int lane = static_cast<int>(threadIdx.x);
    const int each = (ranks + 31) / 32;
    const int begin = lane * each < ranks ? lane * each : ranks;
    const int end = begin + each < ranks ? begin + each : ranks;
    {
      frames_in_order<Work> own(reduction, any, call, init, placed);
      for (int r = begin; r < end; ++r) own.add(all_frames.load(static_cast<std::size_t>(r)));
      of_lanes.store(threadIdx.x,
                     lane_total{own.fault(), own.states().elements(), own.states().total()});
    }
    __syncwarp();
    if (lane != 0) return;
    frames_in_order<Work> all(reduction, any, call, init, placed);
    for (std::size_t k = 0; k < 32; ++k) {
      const lane_total t = of_lanes.load(k);
      all.add(t.fault, t.of, t.elements);
    }
    sink.deliver(reported_states<Work>{all.states(), all.report()});
  }

 private:
  struct lane_total {
    std::uint64_t fault;
    std::uint64_t elements;
    state of;
  };
};

/// `Reduction` of one rank's elements, whose kernel exchanges frames with the other ranks. Its
/// result is that of all ranks. collective/exchanged_reduction.hpp needs no hashes.
template <class Reduction>
struct reported_reduction : Reduction {
  using counted_type = Reduction;  // see counted_work
  using result_type = reported_states<Reduction>;
  using state = typename Reduction::state;
  using frame = rank_frame<state>;

  mailboxes boxes;
  std::uint64_t call, init;
  bool placed;        ///< true if the states have the indices of the whole
  std::size_t first;  ///< by which the indices are moved

  reported_reduction(const Reduction& r, const mailboxes& m, std::uint64_t call_hash,
                     std::uint64_t init_hash, bool is_placed, std::size_t first_index)
      : Reduction(r),
        boxes(m),
        call(call_hash),
        init(init_hash),
        placed(is_placed),
        first(first_index) {}

  WARPFOLD_DEVICE letter load_for_result() const { return load_letter(boxes.count); }
  /// @param count what `load_for_result` returned
  WARPFOLD_ANY_SIDE WARPFOLD_DEVICE result_type result(const state& s, letter count) const {
    const Reduction& own = *this;
    return exchanged(count, {call, init, 0,
                             rank_state_of(own, states_in_order<Reduction>::moved(own, s, first))});
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_DEVICE result_type result(const state& s) const { return result(s, load_for_result()); }
  /// What a rank without a state finds: it failed before the exchange.
  WARPFOLD_ANY_SIDE WARPFOLD_DEVICE result_type failure(failures failed) const {
    return exchanged(load_for_result(), {call, init, failed, {0, 0, this->fold().start()}});
  }

  // An empty range has a result if another rank has elements.
  void require_valid() const {}

 private:
  WARPFOLD_ANY_SIDE WARPFOLD_DEVICE result_type exchanged(letter count, const frame& mine) const {
    frames_in_order<Reduction> all(*this, mine.state.of, call, init, placed);
    const letter missing =
        exchange_frames(boxes, count, mine, [&](int, const frame& f) { all.add(f); });
    // Not a conditional expression: nvcc 13.0 crashes on it.
    rank_report report = all.report();
    if (missing != 0) report = detail::report_of_missing(missing);
    return {all.states(), report};
  }
};

/// The body of the kernel of a rank that failed before its launch: it tells the other ranks.
template <class Reported, class Out>
struct post_failure {
  static constexpr int max_block = 32;
  static constexpr bool waits_for_launch_before = true;

  Reported reduction;  ///< a `reported_reduction`
  failures failed;
  result_sink<unless_fault<Out>> sink;

  WARPFOLD_HD const Reported& work() const { return reduction; }

  WARPFOLD_DEVICE void operator()() const {
    let_next_launch_start();
    wait_for_launch_before();
    if (threadIdx.x == 0) sink.deliver(reduction.failure(failed));
  }
};

}  // namespace warpfold::collective
