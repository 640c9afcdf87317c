/// @file
/// What a GPU sends to the other ranks of a call through a library such as NCCL, and the kernel
/// that folds the frames of all ranks.
///
/// - Idea: the frame carries the hashes that tell whether all ranks make the same call, so that a
///   wrong call is found by the exchange that it needs anyway. One warp folds the frames: each lane
///   a run of ranks, and the first lane the lanes, all in rank order.
/// - Cost: one launch of 32 threads. A lane reads ranks / 32 frames, one after another.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/memory_order.hpp>
#include <warpfold/collective/rank_state.hpp>
#include <warpfold/collective/shared_array.hpp>

namespace warpfold::collective {

/// The state of one rank, and what the ranks compare.
template <class State>
struct rank_frame {
  std::uint64_t call;    ///< the hash of the types of the call
  std::uint64_t init;    ///< the hash of the init
  std::uint64_t failed;  ///< not 0 if the rank threw; then there is no state
  rank_state<State> state;
};

/// `Reduction` of one rank's elements. Its result is the rank's frame.
template <class Reduction>
struct rank_frame_reduction : rank_state_reduction<Reduction> {
  using result_type = rank_frame<typename Reduction::state>;

  std::uint64_t call, init;

  rank_frame_reduction(const Reduction& r, std::uint64_t call_hash, std::uint64_t init_hash)
      : rank_state_reduction<Reduction>(r), call(call_hash), init(init_hash) {}

  WARPFOLD_ANY_SIDE
  WARPFOLD_DEVICE result_type result(const typename Reduction::state& s) const {
    return {call, init, 0, rank_state_reduction<Reduction>::result(s)};
  }
  result_type empty_result() const {
    return {call, init, 0, rank_state_reduction<Reduction>::empty_result()};
  }
};

/// What the ranks found when they folded their frames.
struct rank_report {
  static constexpr std::uint64_t right = 0, failed = 1, other_call = 2, other_init = 3, empty = 4;

  std::uint64_t fault;     ///< one of the above
  std::uint64_t elements;  ///< of all ranks
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
  bool placed;          ///< true if the states have the indices of the whole
  rank_report* report;  ///< in pinned memory
  Out* out;             ///< nothing is written if there is a fault; may be null
  unsigned* flag;       ///< in pinned memory, or null
  unsigned signal;

  WARPFOLD_HD const Work& work() const { return reduction; }

  WARPFOLD_DEVICE void operator()() const {
    WARPFOLD_SHARED shared_array<lane_total, 32> of_lanes;
    let_next_launch_start();
    wait_for_launch_before();
    const global_array<const frame> all_frames{frames, static_cast<std::size_t>(ranks)};
    const frame first = all_frames.load(0);
    const int lane = static_cast<int>(threadIdx.x);
    const int each = (ranks + 31) / 32;
    const int begin = lane * each < ranks ? lane * each : ranks;
    const int end = begin + each < ranks ? begin + each : ranks;
    {
      states_in_order<Work> own(reduction, first.state.of);
      std::uint64_t fault = rank_report::right;
      for (int r = begin; r < end; ++r) {
        const frame f = all_frames.load(static_cast<std::size_t>(r));
        const std::uint64_t found = f.failed != 0          ? rank_report::failed
                                    : f.call != first.call ? rank_report::other_call
                                    : f.init != first.init ? rank_report::other_init
                                                           : rank_report::right;
        if (found != rank_report::right && (fault == rank_report::right || found < fault)) {
          fault = found;
        }
        if (fault == rank_report::right) add(own, f.state.of, f.state.count());
      }
      of_lanes.store(threadIdx.x, lane_total{fault, own.elements(), own.total()});
    }
    __syncwarp();
    if (lane == 0) finish(of_lanes);
  }

 private:
  struct lane_total {
    std::uint64_t fault;
    std::uint64_t elements;
    state of;
  };

  WARPFOLD_ANY_SIDE
  WARPFOLD_DEVICE void add(states_in_order<Work>& to, const state& s, std::size_t count) const {
    if (placed) {
      to.add(s, count);
    } else {
      to.add_at_zero(s, count);
    }
  }

  WARPFOLD_ANY_SIDE
  template <class Lanes>
  WARPFOLD_DEVICE void finish(Lanes& of_lanes) const {
    states_in_order<Work> all(reduction, of_lanes.load(0).of);
    std::uint64_t fault = rank_report::right;
    for (int lane = 0; lane < 32; ++lane) {
      const lane_total t = of_lanes.load(static_cast<std::size_t>(lane));
      if (t.fault != rank_report::right && (fault == rank_report::right || t.fault < fault)) {
        fault = t.fault;
      }
      if (fault == rank_report::right) add(all, t.of, t.elements);
    }
    if (fault == rank_report::right && all.elements() == 0 && !Work::has_init &&
        !Work::has_identity) {
      fault = rank_report::empty;
    }
    if (fault == rank_report::right && out != nullptr) {
      global_array<Out>{out, 1}.store(0, static_cast<Out>(all.result()));
    }
    // A report of an earlier call that nobody has read stays.
    if (flag != nullptr || fault != rank_report::right) {
      global_array<rank_report>{report, 1}.store(0, rank_report{fault, all.elements()});
    }
    if (flag != nullptr) signal_host(flag, signal);
  }
};

}  // namespace warpfold::collective
