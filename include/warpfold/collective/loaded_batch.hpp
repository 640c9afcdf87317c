/// @file
/// The elements that a GPU thread has just loaded, as a batch (op/lift.hpp).
#pragma once

#include <cstddef>

#include <warpfold/emulation/execution_model.hpp>
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/op/lift.hpp>

namespace warpfold::collective {

/// A thread's chunks: `first`, `first + step`, ... of the `here` chunks from element `from` on.
struct chunk_positions {
  std::size_t from;
  unsigned here;
  unsigned first;
  unsigned step;

  /// True if the thread's chunk `u` is one of them. If it is not, no later one is.
  WARPFOLD_DEVICE bool has(int u) const { return first + static_cast<unsigned>(u) * step < here; }
  WARPFOLD_DEVICE unsigned chunk(int u) const { return first + static_cast<unsigned>(u) * step; }
};

/// The same for ops with `may_repeat_elements`: the chunks beyond the end are copies of chunk
/// `here - 1`, and no comparison leaves them out.
struct repeated_positions {
  std::size_t from;
  unsigned here;
  unsigned first;
  unsigned step;

  WARPFOLD_DEVICE bool has(int) const { return true; }
  WARPFOLD_DEVICE unsigned chunk(int u) const {
    const unsigned own = first + static_cast<unsigned>(u) * step, last = here == 0 ? 0 : here - 1;
    return own < last ? own : last;
  }
};

template <class Op>
inline constexpr bool may_fold_twice = requires { requires Op::may_repeat_elements; };
/// The positions for a batch of `Op` (op/lift.hpp).
template <class Op>
using positions_for = std::conditional_t<may_fold_twice<Op>, repeated_positions, chunk_positions>;

/// The elements of up to `Unroll` chunks of `Size`, in registers. The first chunk always exists.
/// @tparam Get `get(u, k)` is element `k` of chunk `u`; used where `Positions` has the chunk
template <int Unroll, int Size, class Get, class Positions = chunk_positions>
class loaded_batch {
 public:
  static constexpr unsigned most = Unroll * Size;

  WARPFOLD_DEVICE loaded_batch(const Get& get, const Positions& at, const in_register& keep)
      : get_(get), at_(at), keep_(keep) {}

  WARPFOLD_DEVICE unsigned size() const {
    unsigned chunks = 0;
    WARPFOLD_UNROLL
    for (int u = 0; u < Unroll; ++u) chunks += at_.has(u) ? 1u : 0u;
    return chunks * Size;
  }
  WARPFOLD_DEVICE auto first() const { return get_(0, 0); }

  WARPFOLD_ANY_SIDE
  template <class Op>
  WARPFOLD_DEVICE auto fold(const Op& op) const {
    using lifted = std::remove_cvref_t<decltype(warpfold::detail::lift_by(op, first(), 0))>;
    using A = typename op_traits<Op, lifted>::accumulator;
    const auto apply = [&](const A& a, const A& b) {
      return static_cast<A>(warpfold::detail::call(op, a, b));
    };
    const auto chunk = [&](int u) {
      return fold_tree<0, Size>(apply, [&](int k) {
        return static_cast<A>(warpfold::detail::lift_by(op, keep_, get_(u, k), place(u, k)));
      });
    };
    return fold_tree_of_first<0, Unroll>(apply, chunk, [&](int u) { return at_.has(u); });
  }

  WARPFOLD_ANY_SIDE inline WARPFOLD_DEVICE auto projected(const auto& f) const {
    const auto get = [f, before = get_](int u, int k) {
      return warpfold::detail::call(f, before(u, k));
    };
    return loaded_batch<Unroll, Size, decltype(get), Positions>(get, at_, keep_);
  }

  WARPFOLD_ANY_SIDE inline WARPFOLD_DEVICE void each(const auto& f) const {
    WARPFOLD_UNROLL
    for (int i = 0; i < Unroll * Size; ++i) {
      if (at_.has(i / Size)) f(get_(i / Size, i % Size));
    }
  }

  /// Compares all elements, from the last to the first, without a branch.
  WARPFOLD_ANY_SIDE inline WARPFOLD_DEVICE std::size_t index_of(const auto& is) const {
    int found = 0;
    WARPFOLD_UNROLL
    for (int i = Unroll * Size - 1; i >= 0; --i) {
      if (at_.has(i / Size) && is(get_(i / Size, i % Size))) found = i;
    }
    return place(found / Size, found % Size);
  }

 private:
  WARPFOLD_DEVICE std::size_t place(int u, int k) const {
    return at_.from + std::size_t{at_.chunk(u)} * Size + static_cast<std::size_t>(k);
  }

  Get get_;
  Positions at_;
  in_register keep_;
};

/// Folds up to `Unroll` chunks of `Size` elements in batches of `Bytes` bytes or one chunk: the
/// elements of a batch stay in registers, because the op may read them twice.
/// @tparam Bytes of all chunks that a batch takes
/// @param get `get(u, k)` is element `k` of chunk `u`; used where `at` has the chunk
/// @param at the chunks; there may be none
template <int Bytes, int Unroll, int Size, int From = 0, class Op, class State, class Get,
          class Positions>
WARPFOLD_DEVICE State fold_batches(const Op& op, const State& seen, const Get& get,
                                   const Positions& at, const in_register& keep) {
  using element = std::remove_cvref_t<decltype(get(0, 0))>;
  constexpr int most = static_cast<int>(Bytes / (Size * sizeof(element)));
  constexpr int left = Unroll - From;
  constexpr int count = most < 1 ? 1 : most < left ? most : left;
  if (!at.has(0)) return seen;
  const auto own = [&get](int u, int k) { return get(From + u, k); };
  const State state =
      fold_batch(op, seen, loaded_batch<count, Size, decltype(own), Positions>(own, at, keep));
  if constexpr (count == left) {
    return state;
  } else {
    return fold_batches<Bytes, Unroll, Size, From + count>(
        op, state, get, Positions{at.from, at.here, at.first + count * at.step, at.step}, keep);
  }
}

}  // namespace warpfold::collective
