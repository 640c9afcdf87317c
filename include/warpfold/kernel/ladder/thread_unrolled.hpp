/// @file
/// Threads that never meet: each adds UF elements, and the kernel is launched again on what they leave.
///
/// Source: a Spanish blog's "basic example", part II: the kernel for the reduction of vectors, of March 2012. It
///         works in place, lets thread 0 add the remainder, and reads one element beyond UF.
///
/// Idea:  of n elements t = n / UF threads add UF each, t apart: thread k takes k, k + t, k + 2t, ... Then t
///        values are left, and so on down to one. The remainder, less than UF elements, goes on with the
///        same stride, so it falls to the first threads.
/// Cost:  all loads are coalesced, and UF of a thread are in flight together. No barrier, no shared memory, no
///        divergence but in the last warp. But every pass writes t states to global memory, which the next
///        reads back: 1 + 2 / (UF - 1) times the traffic of one read. log(n) / log(UF) launches, the last
///        ones of a few threads.
/// Needs: 2 <= UF <= 64; n / UF states of scratch, or, with `in_place`, the range's own memory.
#pragma once

#include <type_traits>

#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// As many launches as UF goes into n; see the file's head.
template <int UF = 8>
struct thread_unrolled {
  static_assert(UF >= 2 && UF <= 64,
                "warpfold: thread_unrolled takes unroll factors from 2 to 64: with fewer a launch "
                "would leave as much as it found");

  static constexpr const char* name() { return "thread_unrolled"; }

  /// Threads a block, a multiple of 32 up to 1024. They have nothing to do with each other.
  unsigned block = 256;
  /// Keep the values that are left in the range's memory, and overwrite it: for a `std::span<T>` or pointers
  /// of elements that are not const, and an op that folds them in their own type.
  bool in_place = false;

  /// One launch.
  template <class Reduction, class Out, bool First>
  struct body {
    static constexpr int max_block = 1024;
    using state = typename Reduction::state;

    Reduction reduction;
    collective::global_array<state> values;  ///< left by the launch before; then by this one
    std::size_t threads;                     ///< that have elements
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
      // No other thread reads what this one overwrites: it was of its share.
      if (threads == 1) {
        sink.deliver(reduction.result(s));
      } else {
        values.store(thread, s);
      }
    }

    template <class Source>
    WARPFOLD_DEVICE state fold_share(const Source& source, std::size_t thread) const {
      const auto fold = reduction.fold();
      state s = fold.start();
      std::size_t i = thread;
      if (source.size() >= UF * threads) {  // false only if there are not UF elements at all
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
  /// @throws unsupported_kernel  if it is to work in place and cannot
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, Launcher& on) const {
    check_shape(name(), 1024, {1, block});
    const auto shape = [&](std::size_t threads) -> launch_shape {
      return {blocks_for(threads, block), block};
    };
    std::size_t left = threads_for(r.view.size());
    auto values = in_place ? memory_of(r) : scratch_for(r, left, on);
    values.size = left;
    on.launch(name(), body<Reduction, Out, true>{r, values, left, sink}, shape(left));
    while (left > 1) {
      values.size = left;
      left = threads_for(left);
      on.launch(name(), body<Reduction, Out, false>{r, values, left, sink}, shape(left));
    }
  }

 private:
  template <class Reduction>
  using states_of = collective::global_array<typename Reduction::state>;

  static std::size_t threads_for(std::size_t n) {
    constexpr std::size_t factor = UF;
    return n < 2 * factor ? 1 : n / factor;
  }

  template <class Reduction, class Launcher>
  static states_of<Reduction> scratch_for(const Reduction&, std::size_t left, Launcher& on) {
    if (left == 1) return {};
    return on.template scratch<typename Reduction::state>(left);
  }

  template <class Reduction>
  static states_of<Reduction> memory_of(const Reduction& r) {
    using state = typename Reduction::state;
    if constexpr (std::is_same_v<typename Reduction::view_type, contiguous_view<state>>) {
      // The view only reads, but it was made of a pointer that may write, and the caller asked for it. (One made
      // by hand of a pointer to const is taken at its word.)
      return {const_cast<state*>(r.view.data()), r.view.size()};
    } else {
      throw unsupported_kernel(
          "warpfold: kernel thread_unrolled works in place where the range is an array of elements "
          "that are not const (std::span<float> and not std::span<const float>), and the op folds "
          "them in their own type; elsewhere leave in_place false");
    }
  }
};

static_assert(reduction_kernel<thread_unrolled<>>);

}  // namespace warpfold::kernel
