/// @file
/// Launching a kernel again and again, each pass on what the one before it left, until one state is left:
/// what the kernels of the ladder have in common.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/kernel/concept.hpp>
#include <warpfold/reduction.hpp>

namespace warpfold::kernel {

/// What the first pass reads: the elements of the range, one at a time, as states. Past the end there is
/// `start()`, which changes nothing.
template <class Reduction>
class range_source {
 public:
  using state = typename Reduction::state;

  WARPFOLD_DEVICE explicit range_source(const Reduction& r) : r_(r) {}

  WARPFOLD_DEVICE std::size_t size() const { return r_.view.size(); }

  WARPFOLD_DEVICE state at(std::size_t i, call_site where = call_site::here()) const {
    if (i >= size()) return r_.fold().start();
#if defined(__CUDACC__)
    (void)where;
    const cache_hint loads(caching::keep);
#else
    const cache_hint loads(caching::keep, where);
#endif
    return r_.fold().state_of(r_.lift(r_.view.at(i, loads)));
  }

 private:
  const Reduction& r_;
};

/// What a later pass reads: the states that the blocks of the pass before left.
template <class Reduction>
class partials_source {
 public:
  using state = typename Reduction::state;

  WARPFOLD_DEVICE partials_source(const Reduction& r,
                                  const collective::global_array<state>& partials)
      : r_(r), partials_(partials) {}

  WARPFOLD_DEVICE std::size_t size() const { return partials_.size; }

  WARPFOLD_DEVICE state at(std::size_t i, call_site where = call_site::here()) const {
    return i < size() ? partials_.load(i, where) : r_.fold().start();
  }

 private:
  const Reduction& r_;
  const collective::global_array<state>& partials_;
};

/// How many blocks take `n` values, `each` a block; at least one.
/// @throws unsupported_kernel  if that is more than a grid can have
inline unsigned blocks_for(std::size_t n, std::size_t each) {
  const std::size_t blocks = n / each + (n % each != 0 || n == 0 ? 1 : 0);
  if (blocks > 0x7fffffff) {
    throw unsupported_kernel("warpfold: ", n, " values, ", each, " a block, are ", blocks,
                             " blocks, and a grid has at most 2147483647; use larger blocks");
  }
  return static_cast<unsigned>(blocks);
}

/// The body of one pass. `Pass` says what one block makes of its share:
///
///     static constexpr unsigned block_threads;                       // at most
///     template <class Fold, class Source>
///     WARPFOLD_DEVICE state fold_block(const Fold&, const Source&) const;   // valid in thread 0
template <class Pass, class Reduction, class Out, bool First>
struct pass_body {
  static constexpr int max_block = static_cast<int>(Pass::block_threads);
  using state = typename Reduction::state;

  Reduction reduction;
  Pass pass;
  collective::global_array<state> from;  ///< of the pass before
  collective::global_array<state> to;    ///< for the next; where there is none, `sink`
  collective::result_sink<Out> sink;

  WARPFOLD_DEVICE void operator()() const {
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

/// Reduces in passes. `shape_of(n)` is the launch shape of a pass over `n` values, one block if there is to be
/// no other after it; each pass must leave fewer values than it found.
template <class Pass, class ShapeOf, class Reduction, class Out, class Launcher>
void reduce_in_passes(const char* kernel, const Pass& pass, const ShapeOf& shape_of,
                      const Reduction& r, const collective::result_sink<Out>& sink, Launcher& on) {
  using state = typename Reduction::state;
  using array = collective::global_array<state>;
  runtime::launch_shape shape = shape_of(r.view.size());
  std::size_t left = shape.grid.count();
  array from, to;
  if (left > 1) {
    // Two areas by turns: what the first pass leaves, and what the second does.
    const std::size_t next = shape_of(left).grid.count();
    const array both = on.template scratch<state>(left + next);
    to = {both.data, left};
    from = {both.data + left, next};
  }
  on.launch(kernel, pass_body<Pass, Reduction, Out, true>{r, pass, {}, to, sink}, shape);
  while (left > 1) {
    shape = shape_of(left);
    const array found{to.data, left};
    left = shape.grid.count();
    const array leaves = left > 1 ? array{from.data, left} : array{};
    on.launch(kernel, pass_body<Pass, Reduction, Out, false>{r, pass, found, leaves, sink}, shape);
    from.data = found.data;
    to.data = leaves.data;
  }
}

}  // namespace warpfold::kernel
