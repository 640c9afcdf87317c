/// @file
/// One block for the whole range, with the first tree that everyone writes.
///
/// Source: the Croatian PyCUDA course, "Parallel reduction with one block", with static and with dynamic
///         shared memory. There the block has a thread for each element; here it strides over any number.
///
/// Idea:  each thread folds every B-th element; then the block halves what it has: the first half of the
///        threads add the values of the second, until thread 0 has all.
/// Cost:  every element is read once, by coalesced loads, one a thread in flight. log2(B) + 1 barriers, no bank
///        conflicts; below 32 active threads one warp diverges. One launch, but of all multiprocessors it
///        uses one: enough for a few thousand elements, and not for millions.
/// Needs: B a power of two from 32 to 1024, B states of shared memory. Static shared memory is laid out by
///        the compiler, which does not know B: it is as large as the largest block would need, up to 48 KB.
///        Dynamic shared memory is as large as this launch needs, and may exceed 48 KB.
#pragma once

#include <warpfold/collective/tree_reduce.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Who says how large a block's shared memory is: the compiler or the launch.
enum class shared_memory { static_size, dynamic_size };

/// One launch of one block; see the file's head.
template <shared_memory Shared = shared_memory::static_size>
struct block_tree {
  static constexpr const char* name() { return "block_tree"; }
  static constexpr unsigned block_threads = 1024;

  /// Threads: 32, 64, 128, 256, 512 or 1024.
  unsigned block = 256;

  /// How many states of this type the static array has room for, a power of two.
  template <class State>
  static WARPFOLD_HD constexpr unsigned static_states() {
    unsigned states = block_threads;
    while (states * sizeof(State) > most_static_shared_bytes) states /= 2;
    return states;
  }

  template <class State>
  static constexpr std::size_t shared_bytes() {
    return Shared == shared_memory::static_size ? static_states<State>() * sizeof(State) : 0;
  }

  /// What the block does. Valid in every thread.
  template <class Fold, class Source>
  WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    using state = typename Fold::state;
    const state own = fold_strided(fold, source);
    if constexpr (Shared == shared_memory::static_size) {
      WARPFOLD_SHARED collective::shared_array<state, static_states<state>()> values;
      return collective::tree_reduce(fold, own, values);
    } else {
      return collective::tree_reduce(fold, own, collective::dynamic_shared<state>(blockDim.x));
    }
  }

  /// Launches once.
  /// @throws unsupported_kernel  if `block` is none of those above, or has no room for its states
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, Launcher& on) const {
    using state = typename Reduction::state;
    require_block<state>(on.gpu());
    const bool dynamic = Shared == shared_memory::dynamic_size;
    on.launch(name(), pass_body<block_tree, Reduction, Out, true>{r, *this, {}, {}, sink},
              launch_shape{1, block, dynamic ? block * sizeof(state) : 0});
  }

 private:
  template <class State>
  void require_block(const device_info& gpu) const {
    if (!is_tree_block(block)) {
      throw unsupported_kernel("warpfold: kernel block_tree was asked for a block of ", block,
                               " threads; it takes 32, 64, 128, 256, 512 or 1024");
    }
    if (Shared == shared_memory::static_size && block > static_states<State>()) {
      throw unsupported_kernel("warpfold: kernel block_tree was asked for a block of ", block,
                               " threads, and static shared memory holds ", static_states<State>(),
                               " states of ", sizeof(State),
                               " bytes; use a smaller block or shared_memory::dynamic_size");
    }
    if (Shared == shared_memory::dynamic_size &&
        block * sizeof(State) > gpu.shared_bytes_per_block) {
      throw unsupported_kernel("warpfold: kernel block_tree was asked for a block of ", block,
                               " threads, whose states are ", block * sizeof(State),
                               " bytes, and a block of this GPU has ", gpu.shared_bytes_per_block,
                               " of shared memory; use a smaller block");
    }
  }
};

static_assert(reduction_kernel<block_tree<>>);
static_assert(reduction_kernel<block_tree<shared_memory::dynamic_size>>);

}  // namespace warpfold::kernel
