/// @file
/// The call: folds each channel of interleaved samples to an element of `out`, with any policy.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/policy/concept.hpp>
#include <warpfold/view/as_view.hpp>

#include "extending/channel_loop.hpp"
#include "extending/warp_per_channel.hpp"

namespace sound {

template <wf::policy_like Policy, wf::reducible_range Samples, class Op, wf::output_range Out>
void reduce_channels(const Policy& policy, const Samples& samples, std::size_t channels, Op op,
                     Out&& out) {
  const auto in = wf::as_view(samples);
  const auto to = wf::as_output(out, channels);
  const auto own = wf::as_policy(policy);
  using work =
      channel_reduction<std::remove_const_t<decltype(in)>, Op, std::remove_const_t<decltype(to)>>;
  if constexpr (work::kind::template check<wf::runs<std::remove_const_t<decltype(own)>, work>>()) {
    own.run(work{in, channels, op, to});
  }
}

}  // namespace sound
