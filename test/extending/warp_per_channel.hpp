/// @file
/// The kernel of channels: a warp for each. Lanes take every 32nd sample, so the op has to be
/// commutative.
#pragma once

#include <cstddef>

#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/choice.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>

#include "extending/channel_reduction.hpp"

namespace sound {

struct warp_per_channel {
  static constexpr const char* name() { return "warp_per_channel"; }

  template <class Work>
  struct body {
    static constexpr int max_block = 256;

    Work reduction;

    WARPFOLD_HD const Work& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      using namespace warpfold;  // blockIdx and its like, in the emulation
      constexpr unsigned lanes = collective::warp_size;
      const std::size_t c = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / lanes;
      const auto fold = reduction.fold();
      const wf::global_loads loads(wf::caching::keep);
      auto state = fold.start();
      if (c < reduction.size()) {
        for (std::size_t i = threadIdx.x % lanes; i < reduction.length(); i += lanes) {
          state = fold.combine(state, reduction.sample_at(c, i, loads));
        }
      }
      state = wf::collective::warp_reduce(fold, state);
      if (c < reduction.size() && threadIdx.x % lanes == 0) {
        reduction.write(c, state, wf::global_access{});
      }
    }
  };

  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if (work.size() == 0) return;
    constexpr std::size_t warps = 8;
    launcher.launch(name(), body<Work>{work},
                    {wf::grid_of((work.size() + warps - 1) / warps), 256});
  }
};

}  // namespace sound

template <>
struct warpfold::kernel::choice<sound::channel_kind> {
  using type = sound::warp_per_channel;
};
