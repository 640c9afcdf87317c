/// @file
/// Launches a kernel repeatedly, each pass on the states of the pass before, until one state is
/// left: shared by the kernels of the ladder.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/ladder/source.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::kernel {

/// True for blocks that can be halved down to one thread: 32, 64, 128, 256, 512 or 1024 threads.
constexpr bool is_tree_block(unsigned threads) {
  return threads >= 32 && threads <= 1024 && (threads & (threads - 1)) == 0;
}

inline constexpr std::size_t max_static_shared_bytes = 48 * 1024;

/// A state for each thread, unless the pass defines `shared_bytes`.
template <class Pass, class State>
constexpr std::size_t static_shared_bytes() {
  if constexpr (requires { Pass::template shared_bytes<State>(); }) {
    return Pass::template shared_bytes<State>();
  } else {
    return Pass::block_threads * sizeof(State);
  }
}
template <class Pass, class State>
inline constexpr bool fits_shared = static_shared_bytes<Pass, State>() <= max_static_shared_bytes;

/// @throws unsupported_kernel if the states of a block of `Pass` do not fit its shared memory
template <class Pass, class State>
void require_shared(const char* kernel) {
  if constexpr (!fits_shared<Pass, State>) {
    throw_error<unsupported_kernel>(
        "warpfold: kernel ", kernel, " keeps ", static_shared_bytes<Pass, State>(),
        " bytes in the static shared memory of a block of up to ", Pass::block_threads,
        " threads, for states of ", sizeof(State), " bytes each, but only ",
        max_static_shared_bytes, " are available; use smaller blocks, or kernel::single_pass");
  } else {
    (void)kernel;
  }
}

/// The body of one pass. `Pass` defines the fold of one block:
///
///     static constexpr unsigned block_threads;  // at most
///     template <class Fold, class Source>
///     WARPFOLD_DEVICE state fold_block(const Fold&, const Source&) const;  // valid in thread 0
///     template <class State>
///     static constexpr std::size_t shared_bytes();  // optional: static shared memory
template <class Pass, class Reduction, class Out, bool First>
struct pass_body {
  static constexpr int max_block = static_cast<int>(Pass::block_threads);
  using state = typename Reduction::state;

  Reduction reduction;
  Pass pass;
  collective::global_array<state> from;  ///< of the pass before
  /// for the next pass; empty in the last one, which writes to `sink`
  collective::global_array<state> to;
  collective::result_sink<Out> sink;

  WARPFOLD_HD const Reduction& work() const { return reduction; }
  WARPFOLD_DEVICE void operator()() const {
    // States that do not fit are refused before the launch, but ptxas must not compile them either.
    if constexpr (fits_shared<Pass, state>) fold_and_leave();
  }

 private:
  WARPFOLD_DEVICE void fold_and_leave() const {
    const auto fold = reduction.fold();
    state s = fold.start();
    if constexpr (First) {
      s = pass.fold_block(fold, range_source<Reduction>(reduction));
    } else {
      s = pass.fold_block(fold, partials_source<Reduction>(reduction, from));
    }
    if (threadIdx.x == 0 && threadIdx.y == 0) {
      if (to.size == 0) {
        sink.deliver(reduction.result(s));
      } else {
        to.store(blockIdx.x + std::size_t{gridDim.x} * blockIdx.y, s);
      }
    }
  }
};

/// Reduces in passes. `shape_of(n)` is the launch shape of a pass over `n` values: one block if no
/// pass follows. Each pass must leave fewer values than it reads.
template <class Pass, class ShapeOf, class Reduction, class Out, class Launcher>
void reduce_in_passes(const char* kernel, const Pass& pass, const ShapeOf& shape_of,
                      const Reduction& r, const collective::result_sink<Out>& sink,
                      Launcher& launcher) {
  using state = typename Reduction::state;
  using array = collective::global_array<state>;
  require_shared<Pass, state>(kernel);
  launch_shape shape = shape_of(r.view.size());
  std::size_t left = shape.grid.count();
  array from, to;
  if (left > 1) {
    // Two areas used in turn: for the states of the first pass and of the second.
    const std::size_t next = shape_of(left).grid.count();
    const array both = launcher.template scratch<state>(left + next);
    to = {both.data, left};
    from = {both.data + left, next};
  }
  launcher.launch(kernel, pass_body<Pass, Reduction, Out, true>{r, pass, {}, to, sink}, shape);
  while (left > 1) {
    shape = shape_of(left);
    const array found{to.data, left};
    left = shape.grid.count();
    const array leaves = left > 1 ? array{from.data, left} : array{};
    launcher.launch(kernel, pass_body<Pass, Reduction, Out, false>{r, pass, found, leaves, sink},
                    shape);
    from.data = found.data;
    to.data = leaves.data;
  }
}

/// The launches of a rung that has a constant block: passes whose threads start with `Loads`
/// elements each. `Rung` has `name()` and the `fold_block` of a pass.
template <class Rung, unsigned Block, unsigned Loads>
struct tree_rung {
  static_assert(is_tree_block(Block),
                "warpfold: this kernel takes blocks of 32, 64, 128, 256, 512 or 1024 threads");
  static constexpr unsigned block_threads = Block;

  template <class Reduction, class Out>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    const auto shape_of = [](std::size_t n) -> launch_shape {
      return {blocks_for(n, Loads * Block), Block};
    };
    reduce_in_passes(Rung::name(), static_cast<const Rung&>(*this), shape_of, r, sink, launcher);
  }
};

/// Reduces in two launches: `first` with `shape`, over the range, and `last` in one block of as
/// many threads, over the states of the first launch. One launch if the first has one block.
template <class Pass, class Reduction, class Out, class Launcher>
void reduce_in_two_passes(const char* kernel, const Pass& first, const Pass& last,
                          const launch_shape& shape, const Reduction& r,
                          const collective::result_sink<Out>& sink, Launcher& launcher) {
  using state = typename Reduction::state;
  using array = collective::global_array<state>;
  require_shared<Pass, state>(kernel);
  const std::size_t blocks = shape.grid.count();
  const array partials = blocks > 1 ? launcher.template scratch<state>(blocks) : array{};
  launcher.launch(kernel, pass_body<Pass, Reduction, Out, true>{r, first, {}, partials, sink},
                  shape);
  if (blocks == 1) return;
  launcher.launch(kernel, pass_body<Pass, Reduction, Out, false>{r, last, partials, {}, sink},
                  launch_shape{1, shape.block});
}

}  // namespace warpfold::kernel
