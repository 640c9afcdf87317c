/// @file
/// Independent threads: each adds UF elements, and the kernel is launched again on the results.
///
/// Source: a Spanish blog's "basic example", part II: the kernel for the reduction of vectors, of
/// March 2012. It works in place, lets thread 0 add the remainder, and reads one element beyond UF.
///
/// - Idea: for n elements, t = n / UF threads add UF each, t apart: thread k takes k, k + t, k +
///   2t, ... Then t values are left, and so on down to one. The remainder, less than UF elements,
///   continues with the same stride, so the first threads take it.
/// - Cost: all loads are coalesced, and the UF loads of a thread are in flight together. No
///   barrier, no shared memory, divergence only in the last warp. But every pass writes t states to
///   global memory, which the next one reads: 1 + 2 / (UF - 1) times the traffic of one read.
///   log(n) / log(UF) launches, the last ones with a few threads.
/// - Needs: 2 <= UF <= 64; n / UF states of scratch or, with `in_place`, the range's own memory.
#pragma once

#include <type_traits>

#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// One launch for every factor of UF in n; see the top of this file.
template <int UF = 8>
struct thread_unrolled {
  static_assert(UF >= 2 && UF <= 64,
                "warpfold: thread_unrolled takes unroll factors from 2 to 64: with 1 a launch "
                "would leave as many values as it read");

  static constexpr const char* name() { return "thread_unrolled"; }
  static constexpr ladder_step in_ladder{5, "blog"};

  /// Threads per block, a multiple of 32 up to 1024. They are independent of each other.
  unsigned block = 256;
  /// True to store the intermediate values in the range's memory, which overwrites the range. Needs
  /// a `std::span<T>` or pointers of non-const elements, and an op that folds them in their own
  /// type.
  bool in_place = false;

  template <class Reduction, class Out, bool First>
  struct body {
    static constexpr int max_block = 1024;
    using state = typename Reduction::state;

    Reduction reduction;
    collective::global_array<state> values;  ///< of the launch before, then of this one
    std::size_t threads;                     ///< number of threads with elements
    collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
      if (thread >= threads) return;
      state s = reduction.fold().start();
      if constexpr (First) {
        s = fold_share(range_source<Reduction>(reduction), thread);
      } else {
        s = fold_share(partials_source<Reduction>(reduction, values), thread);
      }
      // Only this thread has read the value that it overwrites.
      if (threads == 1) {
        sink.deliver(reduction.result(s));
      } else {
        values.store(thread, s);
      }
    }

    inline WARPFOLD_DEVICE state fold_share(const auto& source, std::size_t thread) const {
      const auto fold = reduction.fold();
      state s = fold.start();
      std::size_t i = thread;
      if (source.size() >= UF * threads) {  // false only if there are fewer than UF elements
        s = source.load(i);
        WARPFOLD_UNROLL
        for (unsigned k = 1; k < UF; ++k) s = fold.combine(s, source.load(i + k * threads));
        i += UF * threads;
      }
      for (; i < source.size(); i += threads) s = fold.combine(s, source.load(i));
      return s;
    }
  };

  /// Launches until one value is left.
  /// @throws unsupported_kernel if `in_place` is true and not possible
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    check_shape(name(), 1024, {1, block});
    const auto shape = [&](std::size_t threads) -> launch_shape {
      return {blocks_for(threads, block), block};
    };
    std::size_t left = threads_for(r.view.size());
    collective::global_array<typename Reduction::state> values{};
    if (in_place) {
      values = memory_of(r);
    } else if (left != 1) {
      values = launcher.template scratch<typename Reduction::state>(left);
    }
    values.size = left;
    launcher.launch(name(), body<Reduction, Out, true>{r, values, left, sink}, shape(left));
    while (left > 1) {
      values.size = left;
      left = threads_for(left);
      launcher.launch(name(), body<Reduction, Out, false>{r, values, left, sink}, shape(left));
    }
  }

 private:
  static std::size_t threads_for(std::size_t n) {
    constexpr std::size_t factor = UF;
    return n < 2 * factor ? 1 : n / factor;
  }

  template <class Reduction>
  static collective::global_array<typename Reduction::state> memory_of(const Reduction& r) {
    using state = typename Reduction::state;
    if constexpr (std::is_same_v<typename Reduction::view_type, contiguous_view<state>>) {
      // The view only reads, but it was made from a non-const pointer, and the caller chose
      // `in_place`. (A view made by hand from a pointer to const is not detected.)
      return {const_cast<state*>(r.view.data()), r.view.size()};
    } else {
      throw_error<unsupported_kernel>(
          "warpfold: kernel thread_unrolled works in place only on an array of non-const elements "
          "(std::span<float>, not std::span<const float>), with an op that folds them in their own "
          "type; otherwise leave in_place false");
    }
  }
};

static_assert(reduction_kernel<thread_unrolled<>>);

}  // namespace warpfold::kernel
