/// @file
/// The input of the ladder's kernels, one state per thread and step: the range, or the states of
/// the pass before.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/emulation/execution_model.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::kernel {

/// The input of the first pass: the elements of the range as states. `at(i)` tests the index and
/// returns `start()` beyond the end, which changes nothing.
template <class Reduction>
class range_source {
 public:
  using state = typename Reduction::state;

  WARPFOLD_DEVICE explicit range_source(const Reduction& r) : r_(r) {}

  WARPFOLD_DEVICE std::size_t size() const { return r_.view.size(); }

  WARPFOLD_DEVICE state at(std::size_t i, call_site where = call_site::here()) const {
    return i < size() ? load(i, where) : r_.fold().start();
  }

  WARPFOLD_DEVICE state load(std::size_t i, call_site where = call_site::here()) const {
    const global_loads loads(caching::keep, where);
    return r_.fold().state_of(r_.lift(r_.view.at(i, loads)));
  }

 private:
  const Reduction& r_;
};

/// The input of a later pass: the states of the blocks of the pass before.
template <class Reduction>
class partials_source {
 public:
  using state = typename Reduction::state;

  WARPFOLD_DEVICE partials_source(const Reduction& r,
                                  const collective::global_array<state>& partials)
      : r_(r), partials_(partials) {}

  WARPFOLD_DEVICE std::size_t size() const { return partials_.size; }

  WARPFOLD_DEVICE state at(std::size_t i, call_site where = call_site::here()) const {
    return i < size() ? load(i, where) : r_.fold().start();
  }

  WARPFOLD_DEVICE state load(std::size_t i, call_site where = call_site::here()) const {
    return partials_.load(i, where);
  }

 private:
  const Reduction& r_;
  const collective::global_array<state>& partials_;
};

/// The number of blocks for `n` values, `each` per block; at least one.
/// @throws unsupported_kernel if a grid cannot have so many
inline unsigned blocks_for(std::size_t n, std::size_t each) {
  const std::size_t blocks = n / each + (n % each != 0 || n == 0 ? 1 : 0);
  if (blocks > 0x7fffffff) {
    throw_error<unsupported_kernel>(
        "warpfold: ", n, " values, ", each, " per block, need ", blocks,
        " blocks, but a grid has at most 2147483647; use larger blocks");
  }
  return static_cast<unsigned>(blocks);
}

/// The number of blocks of `block` threads that stride over `n` values: as many as have work, but
/// at most `grid`. If `grid` is 0, at most as many as the GPU holds at once.
inline unsigned strided_blocks(std::size_t n, unsigned block, unsigned grid,
                               const device_info& gpu) {
  const auto resident = static_cast<std::size_t>(gpu.threads_per_multiprocessor) / block;
  const auto multiprocessors = static_cast<std::size_t>(gpu.multiprocessors);
  std::size_t most = grid != 0 ? grid : multiprocessors * (resident != 0 ? resident : 1);
  if (most == 0) most = 1;
  const std::size_t busy = n / block + (n % block != 0 || n == 0 ? 1 : 0);
  return static_cast<unsigned>(busy < most ? busy : most);
}

/// The fold of a thread that starts at its own number and strides over all threads of the launch.
template <class Fold, class Source>
WARPFOLD_DEVICE typename Fold::state fold_strided(const Fold& fold, const Source& source) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  typename Fold::state state = fold.start();
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < source.size();
       i += stride) {
    state = fold.combine(state, source.load(i));
  }
  return state;
}

}  // namespace warpfold::kernel
