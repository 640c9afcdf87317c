/// @file
/// The host loop of channels: a thread folds a channel from its first sample to its last.
#pragma once

#include <cstddef>

#include <warpfold/host/loops.hpp>
#include <warpfold/view/output.hpp>

#include "extending/channel_reduction.hpp"

namespace sound {

struct channel_loop {
  template <class Work, class Threads>
  static void run(const Work& work, const Threads& threads) {
    const auto fold = work.fold();
    threads.for_each(work.size(), work.length(), [&](std::size_t c) {
      auto state = fold.start();
      for (std::size_t i = 0; i < work.length(); ++i) {
        state = fold.combine(state, work.sample(c, i));
      }
      work.write(c, state, wf::host_stores{});
    });
  }
};

}  // namespace sound

template <>
struct warpfold::host::loop_of<sound::channel_kind> {
  using type = sound::channel_loop;
};
