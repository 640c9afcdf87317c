/// @file
/// What a GPU sends to the other ranks of a call in the declared order (op/fold_order.hpp), if each
/// rank knows only where its own elements are in the whole: its nodes of the tree behind a header.
/// Frames of one state each are in collective/rank_frame.hpp.
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

/// What precedes the nodes of a rank.
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

  /// The fault of this rank beside another one that has none.
  /// @param before the elements of the ranks before
  WARPFOLD_HD std::uint64_t fault_beside(const node_header& like, std::uint64_t before) const {
    if (failed != 0) {
      return (failed & 0xff) == failed_before ? rank_report::earlier : rank_report::failed;
    }
    if (call != like.call) return rank_report::other_call;
    if (init != like.init) return rank_report::other_init;
    const bool follows = first == before && whole == like.whole && elements <= whole - before;
    return follows ? rank_report::no_fault : rank_report::not_the_whole;
  }
};

/// The headers of ranks, added in rank order: their first kind of fault.
class header_check {
 public:
  WARPFOLD_HD explicit header_check(const node_header& like) : like_(like) {}

  WARPFOLD_HD void add(const node_header& h) {
    const std::uint64_t fault = h.fault_beside(like_, elements_);
    if (fault != rank_report::no_fault && (fault_ == rank_report::no_fault || fault < fault_)) {
      fault_ = fault;
    }
    elements_ += h.elements;
  }
  /// What `Work` reports when all headers are added.
  template <class Work>
  WARPFOLD_HD rank_report report() const {
    if (fault_ != rank_report::no_fault) return {fault_, 0};
    if (elements_ != like_.whole) return {rank_report::not_the_whole, 0};
    const bool has_result = elements_ != 0 || Work::has_init || Work::has_identity;
    return {has_result ? rank_report::no_fault : rank_report::empty, elements_};
  }
  WARPFOLD_HD bool has_fault() const { return fault_ != rank_report::no_fault; }

 private:
  const node_header& like_;
  std::uint64_t fault_ = rank_report::no_fault, elements_ = 0;
};

/// The states of all ranks that a `result_sink<unless_fault<Out>>` takes.
/// @param state that of all elements; not meaningful if there are none
WARPFOLD_ANY_SIDE
template <class Work>
WARPFOLD_DEVICE reported_states<Work> reported(const Work& work, const rank_report& report,
                                               const typename Work::state& state) {
  states_in_order<Work> all(work, state);
  all.add(state, report.elements);
  return {all, report};
}

/// The frames of ranks in global memory: of each a header, and then room for all nodes.
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

  WARPFOLD_DEVICE void operator()(const auto&) const { to.store(0, mine); }
};

/// The body of the kernel that completes the tree from the frames of all ranks and writes the
/// result.
template <class Work, class Out>
struct fold_node_frames {
  using accumulator = typename Work::accumulator;
  static constexpr int max_block = 32;
  static constexpr bool waits_for_launch_before = true;

  Work reduction;
  node_frames<accumulator> frames;
  std::size_t ranks;
  global_array<accumulator> waiting;  ///< for waiting_nodes
  result_sink<unless_fault<Out>> sink;

  WARPFOLD_HD const Work& work() const { return reduction; }

  WARPFOLD_DEVICE void operator()() const {
    let_next_launch_start();
    wait_for_launch_before();
    prefetch();
    if (threadIdx.x != 0) return;
    const node_header like = frames.header(0).load(0);
    header_check check(like);
    for (std::size_t r = 0; r < ranks; ++r) check.add(frames.header(r).load(0));
    const rank_report report = check.report<Work>();
    const auto fold = reduction.fold();
    typename Work::state state = fold.start();
    if (report.fault == rank_report::no_fault && report.elements != 0) {
      waiting_nodes<accumulator> all(waiting);
      for (std::size_t r = 0; r < ranks; ++r) {
        std::size_t next = 0;
        frames.header(r).load(0).nodes.for_each(
            [&](std::size_t size) { all.push(fold, frames.nodes(r).load(next++), size); });
      }
      state = fold.state_of(all.folded(fold));
    }
    sink.deliver(reported(reduction, report, state));
  }

 private:
  // Loads the nodes of each rank in a lane: the thread that folds would wait for one after another.
  WARPFOLD_DEVICE void prefetch() const {
    constexpr std::size_t line = 128 / sizeof(unsigned);
    for (std::size_t r = threadIdx.x; r < ranks; r += 32) {
      const std::size_t count = frames.header(r).load(0).nodes.count();
      if (count > node_header::most_nodes) continue;  // of another call
      const std::size_t bytes = count * sizeof(accumulator);
      const global_array<const unsigned> words{
          reinterpret_cast<const unsigned*>(frames.nodes(r).data), bytes / sizeof(unsigned)};
      for (std::size_t k = 0; k < words.size; k += line) {
        const unsigned word = words.load(k);
        asm volatile("" ::"r"(word));  // keeps the load
      }
    }
  }
};

/// Exchanges nodes with the other ranks through mailboxes: the `Finish` of kernel/rank_nodes.hpp.
/// 96 bytes of them at a time, or one larger node, each time behind the header.
template <class Reduction, class Out>
struct exchange_node_frames {
  using accumulator = typename Reduction::accumulator;
  static constexpr unsigned at_once = sizeof(accumulator) <= 96 ? 96 / sizeof(accumulator) : 1;

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
  global_array<accumulator> values;   ///< `most_nodes` of each rank
  global_array<accumulator> waiting;  ///< for waiting_nodes
  result_sink<unless_fault<Out>> sink;

  /// The nodes of a rank.
  WARPFOLD_HD global_array<accumulator> values_of(int rank) const {
    constexpr std::size_t most = node_header::most_nodes;
    return {values.data + static_cast<std::size_t>(rank) * most, most};
  }
  WARPFOLD_DEVICE void operator()(const Reduction& r) const {
    WARPFOLD_SHARED shared_array<warpfold::detail::node_sizes, mailboxes::most_ranks> sizes;
    const rank_report report = receive(sizes);
    const auto fold = r.fold();
    typename Reduction::state state = fold.start();
    if (report.fault == rank_report::no_fault && report.elements != 0) {
      waiting_nodes<accumulator> all(waiting);
      for (int rank = 0; rank < boxes.ranks; ++rank) {
        const global_array<accumulator> nodes = values_of(rank);
        std::size_t next = 0;
        sizes.load(static_cast<unsigned>(rank)).for_each([&](std::size_t size) {
          all.push(fold, nodes.load(next++), size);
        });
      }
      state = fold.state_of(all.folded(fold));
    }
    sink.deliver(reported(r, report, state));
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
    header_check check(mine);
    unsigned longest = 0;
    for (unsigned sent = 0; sent == 0 || sent < longest; sent += at_once) {
      const letter missing =
          exchange_frames(boxes, count, frame_from(sent), [&](int r, const frame& f) {
            if (sent == 0) {
              check.add(f.header);
              sizes.store(static_cast<unsigned>(r), f.header.nodes);
            }
            if (mine.failed != 0 || check.has_fault()) return;
            const unsigned there = f.header.nodes.count();
            if (there > longest) longest = there;
            for (unsigned k = 0; r != boxes.rank && k < at_once && sent + k < there; ++k) {
              values_of(r).store(sent + k, f.nodes.elements[k]);
            }
          });
      if (missing != 0) {
        return {rank_report::missing,
                missing == rank_report::unknown_rank ? rank_report::unknown_rank : missing - 1};
      }
      if (check.has_fault()) break;
      count = (count + 1) & 0xffffffffu;
    }
    return check.report<Reduction>();
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
    if (threadIdx.x == 0) exchange(reduction);
  }
};

}  // namespace warpfold::collective
