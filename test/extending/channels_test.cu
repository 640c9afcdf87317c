// The same grouping on a GPU.
#include <warpfold/policy/device.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "extending/reduce_channels.hpp"

namespace wf = warpfold;

TEST_CASE("a grouping of the user's own on the GPU") {
  for (const std::size_t channels : {1, 2, 7, 33, 300}) {
    for (const std::size_t length : {1, 31, 32, 100, 1000}) {
      std::vector<int> samples(channels * length);
      for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] = static_cast<int>(i * i % 1009) - 500;
      }
      std::vector<long long> expected(channels);
      sound::reduce_channels(wf::seq, samples, channels, wf::plus{}, expected);
      const wf::device_buffer<int> in(samples);
      wf::device_buffer<long long> out(channels);
      sound::reduce_channels(wf::device, in, channels, wf::plus{}, out);
      CHECK(out.to_host() == expected);
    }
  }
}
