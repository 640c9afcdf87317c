/// @file
/// The nodes of the declared order (op/fold_order.hpp) that ranks exchange on hosts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <warpfold/collective/rank_state.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/policy/host_frame.hpp>

namespace warpfold::detail {

// The nodes of the declared order that the elements of each rank consist of. Every rank knows the
// nodes of all from their sizes, so all agree on what they send.
template <class Reduction>
class gathered_nodes {
  using accumulator = typename Reduction::accumulator;
  using state = typename Reduction::state;

 public:
  // @param sizes of all ranks; none if they are not known
  gathered_nodes(const gathered_frames& sizes, std::size_t rank) : sizes_(sizes) {
    for (const host_frame& f : sizes) whole_ += f.count;
    std::size_t first = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (i == rank) before_ = first;
      std::size_t nodes = 0;
      for_each_node(first, first + sizes[i].count, whole_,
                    [&](std::size_t, std::size_t) { ++nodes; });
      most_ = (std::max)(most_, nodes);
      first += sizes[i].count;
    }
  }

  // The index of this rank's first element; 0 if the sizes are not known.
  std::size_t before() const { return before_; }
  bool fit_frame() const { return bytes() <= host_frame::most_state_bytes; }
  // The bytes of a rank's nodes, if all send as many as the rank that has the most.
  std::size_t bytes() const { return most_ * sizeof(accumulator); }
  const unsigned char* own() const { return own_.data(); }
  unsigned char* gathered() { return gathered_.data(); }

  // Folds this rank's nodes, and allocates all memory. Returns the state of its elements.
  // @param moved_by added to the indices of the nodes
  template <class Part, class Local>
  state fold(const Part& r, const Local& local, std::size_t moved_by) {
    own_.resize(bytes());
    if (!fit_frame()) gathered_.resize(bytes() * sizes_.size());
    const auto f = r.fold();
    state total = f.start();
    local.fold_nodes(r, before_, whole_, [&](const accumulator& folded) {
      const accumulator node = collective::moved_node(r, folded, moved_by);
      std::memcpy(own_.data() + count_ * sizeof node, &node, sizeof node);
      total = f.combine(total, f.state_of(node));
      ++count_;
    });
    return total;
  }
  void copy_to(host_frame& frame) const {
    if (own_.empty()) return;  // no rank has elements
    std::memcpy(frame.state, own_.data(), own_.size());
    frame.node_count = static_cast<std::uint16_t>(count_);
  }

  // The state of the elements of all ranks, at least one, from their frames or what was gathered.
  // @param placed true if the nodes have the indices of the whole
  state folded(const Reduction& r, const gathered_frames& all, bool placed) const {
    const auto f = r.fold();
    const auto combine = [&](const accumulator& a, const accumulator& b) { return f.apply(a, b); };
    fold_stack<accumulator> nodes;
    const unsigned char* last = all[0].state;  // of the nodes so far; it is not in `nodes` yet
    std::size_t first = 0, length = 0, first_of_last = 0;
    const auto last_node = [&] {
      return collective::moved_node(r, from_bytes<accumulator>(last), placed ? 0 : first_of_last);
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      const unsigned char* at = fit_frame() ? all[i].state : gathered_.data() + i * bytes();
      for_each_node(first, first + all[i].count, whole_, [&](std::size_t from, std::size_t to) {
        if (length != 0) nodes.push(last_node(), length, combine);
        last = at;
        first_of_last = first;
        length = to - from;
        at += sizeof(accumulator);
      });
      first += all[i].count;
    }
    return f.state_of(nodes.folded(last_node(), combine));
  }

 private:
  const gathered_frames& sizes_;
  std::size_t whole_ = 0, before_ = 0, most_ = 0, count_ = 0;
  std::vector<unsigned char> own_, gathered_;
};

}  // namespace warpfold::detail
