/// @file
/// The frame of a GPU in the declared order (op/fold_order.hpp): a header and the nodes of its
/// elements. Each rank knows only where its own elements are in the whole. Frames of one state each
/// are in collective/rank_frame.hpp.
///
/// Two ways: an all-gather of a library such as NCCL, and then a kernel of one warp that completes
/// the tree; or mailboxes inside the kernel that folds the elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/rank_exchange.hpp>
#include <warpfold/collective/rank_frame.hpp>
#include <warpfold/collective/rank_state.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/waiting_nodes.hpp>
#include <warpfold/op/node_sizes.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// The header of the nodes of a rank.
struct node_header {
  /// The maximum number of nodes of a rank: two of each size.
  static constexpr std::size_t most_nodes = 128;

  std::uint64_t call;    ///< the hash of the types of the call
  std::uint64_t init;    ///< the hash of the init
  std::uint64_t failed;  ///< not 0 if the rank threw. See `failures`
  std::uint64_t first;   ///< the index of its first element in the whole
  std::uint64_t elements;
  std::uint64_t whole;  ///< elements of all ranks
  warpfold::detail::node_sizes nodes;

  /// The fault of this rank, which follows `before` elements, or no fault.
  /// @param own the header of the rank that compares
  WARPFOLD_HD std::uint64_t fault_for(const node_header& own, std::uint64_t before) const {
    if (failed != 0) return detail::fault_of(failed);
    if (call != own.call) return rank_report::other_call;
    if (init != own.init) return rank_report::other_init;
    const bool follows = first == before && whole == own.whole && elements <= whole - before;
    return follows ? rank_report::no_fault : rank_report::not_the_whole;
  }
};

/// The headers of all ranks, added in rank order, and the first kind of fault among them.
class headers_in_order {
 public:
  /// @param own the header of the rank that compares, also if it has failed
  WARPFOLD_HD explicit headers_in_order(const node_header& own) : own_(own) {}

  WARPFOLD_HD void add(const node_header& h) {
    fault_ = detail::first_fault(fault_, h.fault_for(own_, elements_));
    elements_ += h.elements;
  }
  /// True if one of the headers so far has a fault.
  WARPFOLD_HD bool has_fault() const { return fault_ != rank_report::no_fault; }

  /// The report of all headers.
  template <class Work>
  WARPFOLD_HD rank_report report() const {
    if (has_fault()) return {fault_, 0};
    if (elements_ != own_.whole) return {rank_report::not_the_whole, 0};
    const bool has_result = elements_ != 0 || Work::has_init || Work::has_identity;
    return {has_result ? rank_report::no_fault : rank_report::empty, elements_};
  }

 private:
  const node_header& own_;
  std::uint64_t fault_ = rank_report::no_fault, elements_ = 0;
};

/// Completes the tree of the nodes of all ranks, if the report has no fault, and delivers. All
/// lanes of a warp call it.
/// @param sizes_of,nodes_of as for fold_nodes_of_ranks
WARPFOLD_ANY_SIDE
template <class Work, class Sink, class SizesOf, class NodesOf>
WARPFOLD_DEVICE void deliver_nodes(const Work& work, const rank_report& report, int ranks,
                                   const SizesOf& sizes_of, const NodesOf& nodes_of,
                                   const Sink& sink) {
  using state = typename Work::state;
  const auto fold = work.fold();
  const auto deliver = [&](const state& s) {
    states_in_order<Work> all(work, s);
    all.add(s, report.elements);
    sink.deliver(reported_states<Work>{all, report});
  };
  if (report.fault == rank_report::no_fault && report.elements != 0) {
    using accumulator = typename Work::accumulator;
    fold_nodes_of_ranks<accumulator>(fold, ranks, sizes_of, nodes_of,
                                     [&](const accumulator& a) { deliver(fold.state_of(a)); });
  } else if (threadIdx.x == 0) {
    deliver(fold.start());
  }
}

/// The frames of ranks in global memory. Each has a header and room for `most_nodes` nodes.
template <class A>
class node_frames {
  static constexpr std::size_t align = alignof(A) < 32 ? 32 : alignof(A);
  static constexpr std::size_t header_bytes = (sizeof(node_header) + align - 1) / align * align;

 public:
  /// The bytes of one frame. All ranks have equal ones.
  static constexpr std::size_t bytes = header_bytes + node_header::most_nodes * sizeof(A);

  unsigned char* data;

  WARPFOLD_HD unsigned char* of(std::size_t rank) const { return data + rank * bytes; }
  WARPFOLD_HD global_array<node_header> header(std::size_t rank) const {
    return {reinterpret_cast<node_header*>(of(rank)), 1};
  }
  WARPFOLD_HD global_array<A> nodes(std::size_t rank) const {
    return {reinterpret_cast<A*>(of(rank) + header_bytes), node_header::most_nodes};
  }
};

/// Completes this rank's frame behind its nodes: the `Finish` of kernel/rank_nodes.hpp.
struct store_header {
  node_header mine;
  global_array<node_header> to;

  WARPFOLD_DEVICE void operator()(const auto&) const {
    if (threadIdx.x == 0) to.store(0, mine);
  }
};

/// The body of the kernel that completes the tree from the frames of all ranks and writes the
/// result.
template <class Work, class Out>
struct fold_node_frames {
  using accumulator = typename Work::accumulator;
  static constexpr int max_block = 32;
  static constexpr bool waits_for_launch_before = true;

  Work reduction;
  node_header mine;
  node_frames<accumulator> frames;
  int ranks;
  result_sink<unless_fault<Out>> sink;

  WARPFOLD_HD const Work& work() const { return reduction; }

  WARPFOLD_DEVICE void operator()() const {
    let_next_launch_start();
    wait_for_launch_before();
    deliver_nodes(
        reduction, report(), ranks, [&](int r) { return header(r).nodes; },
        [&](int r) { return frames.nodes(static_cast<std::size_t>(r)); }, sink);
  }

 private:
  WARPFOLD_DEVICE node_header header(int rank) const {
    return frames.header(static_cast<std::size_t>(rank)).load(0);
  }
  // That of all headers; 32 are loaded at once.
  WARPFOLD_DEVICE rank_report report() const {
    WARPFOLD_SHARED shared_array<node_header, 32> some;
    headers_in_order all(mine);
    for (int first = 0; first < ranks; first += 32) {
      const int lane = static_cast<int>(threadIdx.x);
      __syncwarp();
      if (first + lane < ranks) some.store(threadIdx.x, header(first + lane));
      __syncwarp();
      for (int k = 0; k < 32 && first + k < ranks; ++k) {
        all.add(some.load(static_cast<unsigned>(k)));
      }
    }
    return all.template report<Work>();
  }
};

/// Exchanges nodes with the other ranks through mailboxes, some at a time behind the header: the
/// `Finish` of kernel/rank_nodes.hpp.
template <class Reduction, class Out>
struct exchange_node_frames {
  using accumulator = typename Reduction::accumulator;
  static constexpr unsigned at_once = nodes_of_exchange<accumulator>;

  struct frame {
    node_header header;
    chunk<accumulator, int{at_once}> nodes;

    /// True if the nodes can be read.
    WARPFOLD_HD bool is_like(const frame& mine) const {
      return header.failed == 0 && header.call == mine.header.call;
    }
  };
  static constexpr bool fits = sizeof(frame) <= mailboxes::frame_bytes;

  mailboxes boxes;
  node_header mine;
  global_array<accumulator> values;  ///< `most_nodes` of each rank
  result_sink<unless_fault<Out>> sink;

  /// The nodes of a rank.
  WARPFOLD_HD global_array<accumulator> values_of(int rank) const {
    constexpr std::size_t most = node_header::most_nodes;
    return {values.data + static_cast<std::size_t>(rank) * most, most};
  }
  WARPFOLD_DEVICE void operator()(const Reduction& r) const {
    WARPFOLD_SHARED shared_array<warpfold::detail::node_sizes, mailboxes::most_ranks> sizes;
    WARPFOLD_SHARED shared_array<rank_report, 1> found;
    if (threadIdx.x == 0) found.store(0, receive(sizes));
    __syncwarp();
    deliver_nodes(
        r, found.load(0), boxes.ranks,
        [&](int rank) { return sizes.load(static_cast<unsigned>(rank)); },
        [&](int rank) { return values_of(rank); }, sink);
  }

 private:
  WARPFOLD_DEVICE frame frame_from(unsigned sent) const {
    frame f;
    __builtin_memset(static_cast<void*>(&f), 0, sizeof f);
    f.header = mine;
    const unsigned own = mine.failed == 0 ? mine.nodes.count() : 0;
    WARPFOLD_UNROLL
    for (unsigned k = 0; k < at_once; ++k) {
      if (sent + k < own) f.nodes.set(k, values_of(boxes.rank).load(sent + k));
    }
    return f;
  }
  // Sends this rank's nodes, and receives the others with their sizes.
  WARPFOLD_DEVICE rank_report receive(shared_span<warpfold::detail::node_sizes> sizes) const {
    letter count = load_letter(boxes.count);
    headers_in_order all(mine);
    unsigned longest = 0;
    for (unsigned sent = 0; sent == 0 || sent < longest; sent += at_once) {
      const letter missing =
          exchange_frames(boxes, count, frame_from(sent), [&](int r, const frame& f) {
            if (sent == 0) {
              all.add(f.header);
              sizes.store(static_cast<unsigned>(r), f.header.nodes);
            }
            if (mine.failed != 0 || all.has_fault()) return;
            const unsigned there = f.header.nodes.count();
            if (there > longest) longest = there;
            for (unsigned k = 0; r != boxes.rank && k < at_once && sent + k < there; ++k) {
              values_of(r).store(sent + k, f.nodes.elements[k]);
            }
          });
      if (missing != 0) return detail::report_of_missing(missing);
      if (all.has_fault()) break;
      count = (count + 1) & 0xffffffffu;
    }
    return all.template report<Reduction>();
  }
};

/// The body of the kernel of a rank that failed before its launch: it tells the other ranks.
template <class Reduction, class Exchange>
struct post_node_failure {
  static constexpr int max_block = 32;
  static constexpr bool waits_for_launch_before = true;

  Reduction reduction;
  Exchange exchange;  ///< an `exchange_node_frames` with `mine.failed`

  WARPFOLD_HD const Reduction& work() const { return reduction; }

  WARPFOLD_DEVICE void operator()() const {
    let_next_launch_start();
    wait_for_launch_before();
    exchange(reduction);
  }
};

}  // namespace warpfold::collective
