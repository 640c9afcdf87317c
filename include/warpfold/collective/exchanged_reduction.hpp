/// @file
/// A reduction of one rank's part of a range, whose kernel exchanges states with the other ranks.
/// No kernel knows: the exchange is what `result` does with the state of the rank's elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/collective/rank_exchange.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/op/index_offset.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::collective {

/// The result of an exchange, if all frames came.
template <class T>
struct exchanged_result {
  T value;
  bool is_complete;
};

/// In place of an output's type: nothing is written if a frame did not come. `Out` may be null.
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

  /// Called by one thread of the launch, last.
  template <class Result>
  WARPFOLD_DEVICE void deliver(const exchanged_result<Result>& r) const {
    if (r.is_complete && out != nullptr) {
      global_array<Out>{out, 1}.store(0, static_cast<Out>(r.value));
    }
    if (flag != nullptr) signal_host(flag, signal);
  }
};

/// The fold of the states of several ranks, added in rank order. Ranks without elements are
/// skipped.
template <class Reduction>
class states_in_order {
  using state = typename Reduction::state;

 public:
  /// @param r the reduction of this rank
  /// @param any some state
  WARPFOLD_HD states_in_order(const Reduction& r, const state& any) : r_(r), total_(any) {}

  /// Adds the state of the next rank, which has `count` elements. Its indices begin at 0.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD void add_at_zero(const state& s, std::size_t count) {
    add(moved(r_, s, elements_), count);
  }
  /// The same for a state whose indices are those of the whole.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD void add(const state& s, std::size_t count) {
    if (count == 0) return;
    total_ = elements_ == 0 ? s : r_.fold().combine(total_, s);
    elements_ += count;
  }

  /// The state of all elements; not meaningful if there are none.
  WARPFOLD_HD const state& total() const { return total_; }
  WARPFOLD_HD std::size_t elements() const { return elements_; }

  /// The state for elements whose indices are `by` greater.
  WARPFOLD_ANY_SIDE
  static WARPFOLD_HD state moved(const Reduction& r, const state& s, std::size_t by) {
    using op = typename Reduction::op_type;
    if constexpr (!moves_indices<op, typename Reduction::view_type,
                                 typename Reduction::accumulator>) {
      return s;
    } else if constexpr (has_marks<typename Reduction::fold_type>) {
      return s.engaged() ? state{moved_indices(r.op, s.value, by)} : s;
    } else {
      return moved_indices(r.op, s, by);
    }
  }

 private:
  const Reduction& r_;
  state total_;
  std::size_t elements_ = 0;
};

/// `Reduction` of one rank's elements. Its result is that of all ranks, on each of them.
///
/// A frame is the number of elements and the state of a rank. The thread that has the grid's state
/// exchanges it; one thread calls `result`, once in a launch.
template <class Reduction>
struct exchanged_reduction : Reduction {
  using counted_type = Reduction;  // the kernel reads a size in memory
  using plain_result = typename Reduction::result_type;
  using result_type = exchanged_result<plain_result>;
  using state = typename Reduction::state;

  mailboxes boxes;

  exchanged_reduction(const Reduction& r, const mailboxes& m) : Reduction(r), boxes(m) {}

  WARPFOLD_ANY_SIDE
  WARPFOLD_DEVICE result_type result(const state& s) const {
    struct frame {
      unsigned low, high;  // of the number of elements; words, so that a small state has no padding
      state of;
    };
    states_in_order<Reduction> all(*this, s);
    const std::size_t own = elements();
    const frame mine{static_cast<unsigned>(own),
                     static_cast<unsigned>(static_cast<std::uint64_t>(own) >> 32), s};
    const bool is_complete = exchange_frames(boxes, mine, [&](int, const frame& f) {
      all.add_at_zero(f.of, static_cast<std::size_t>(std::uint64_t{f.high} << 32 | f.low));
    });
    return {all.elements() == 0 ? of_nothing() : Reduction::result(all.total()), is_complete};
  }

  // An empty range has a result if another rank has elements.
  bool has_result() const { return true; }
  void require_valid() const {}

 private:
  WARPFOLD_ANY_SIDE
  WARPFOLD_DEVICE std::size_t elements() const {
    if constexpr (warpfold::detail::has_size_in_memory<typename Reduction::view_type>) {
      auto view = this->view;
      view.read_size(global_loads(caching::keep));
      return view.size();
    } else {
      return this->view.size();
    }
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_DEVICE plain_result of_nothing() const { return Reduction::result(this->fold().start()); }
};

}  // namespace warpfold::collective

namespace warpfold::detail {
template <class Reduction>
inline constexpr bool is_reduction<collective::exchanged_reduction<Reduction>> = true;
}  // namespace warpfold::detail
