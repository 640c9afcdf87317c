/// @file
/// One block for the whole range, with the textbook tree.
///
/// Source: the Croatian PyCUDA course, "Parallel reduction with one block", with static and with
/// dynamic shared memory. There the block has one thread per element; here it strides over any
/// number.
///
/// - Idea: each thread folds every B-th element. Then the first half of the threads adds the values
///   of the second half, and so on, until thread 0 has the result.
/// - Cost: one read of every element by coalesced loads, one per thread in flight. log2(B) + 1
///   barriers, no bank conflicts; below 32 active threads one warp diverges. One launch, which uses
///   one multiprocessor only: enough for a few thousand elements, not for millions.
/// - Needs: B a power of two from 32 to 1024, B states of shared memory. The compiler lays out
///   static shared memory and does not know B: it is as large as for the largest block, up to 48
///   KB. Dynamic shared memory is as large as the launch needs and may exceed 48 KB.
#pragma once

#include <warpfold/collective/tree_reduce.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Whether the compiler or the launch determines the size of a block's shared memory.
enum class shared_memory { static_size, dynamic_size };

/// One launch of one block; see the top of this file.
template <shared_memory Shared = shared_memory::static_size>
struct block_tree {
  static constexpr const char* name() {
    return Shared == shared_memory::static_size ? "block_tree" : "block_tree_dynamic";
  }
  static constexpr ladder_step in_ladder{3, "PyCUDA"};
  static constexpr unsigned block_threads = 1024;

  /// Threads: 32, 64, 128, 256, 512 or 1024.
  unsigned block = 256;

  /// The number of states of this type that fit the static array, a power of two.
  template <class State>
  static WARPFOLD_HD constexpr unsigned static_states() {
    unsigned states = block_threads;
    while (states * sizeof(State) > max_static_shared_bytes) states /= 2;
    return states;
  }

  template <class State>
  static constexpr std::size_t shared_bytes() {
    return Shared == shared_memory::static_size ? static_states<State>() * sizeof(State) : 0;
  }

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
  /// @throws unsupported_kernel if `block` has another value, or its states do not fit
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    using state = typename Reduction::state;
    require_block<state>(launcher.gpu());
    const bool dynamic = Shared == shared_memory::dynamic_size;
    launcher.launch(name(), pass_body<block_tree, Reduction, Out, true>{r, *this, {}, {}, sink},
                    launch_shape{1, block, dynamic ? block * sizeof(state) : 0});
  }

 private:
  template <class State>
  void require_block(const device_info& gpu) const {
    const auto require = [this](bool is_right, const auto&... what) {
      if (is_right) return;
      throw_error<unsupported_kernel>("warpfold: kernel block_tree was asked for a block of ",
                                      block, " threads", what...);
    };
    require(is_tree_block(block), "; it takes 32, 64, 128, 256, 512 or 1024");
    if (Shared == shared_memory::static_size) {
      require(block <= static_states<State>(), ", but static shared memory holds ",
              static_states<State>(), " states of ", sizeof(State),
              " bytes; use a smaller block or shared_memory::dynamic_size");
    } else {
      require(block * sizeof(State) <= gpu.shared_bytes_per_block, ", whose states are ",
              block * sizeof(State), " bytes, but a block of this GPU has ",
              gpu.shared_bytes_per_block, " of shared memory; use a smaller block");
    }
  }
};

static_assert(reduction_kernel<block_tree<>>);
static_assert(reduction_kernel<block_tree<shared_memory::dynamic_size>>);

}  // namespace warpfold::kernel
