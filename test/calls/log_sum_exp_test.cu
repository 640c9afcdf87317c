// log_sum_exp on the GPU: the sum has the bits of wf::seq, its logarithm those but for the last
// bit.
#include <warpfold/log_sum_exp.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <vector>

#include <warpfold/policy/device.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

TEST_CASE("sums and logarithms of ranges of every size") {
  for (const std::size_t n : {1u, 31u, 1000u, 100'003u}) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) {
      v[i] = static_cast<float>(static_cast<int>(i * 7919 % 2003)) / 20 - 50;
    }
    const wf::device_buffer<float> x(v);
    wf::device_buffer<wf::exponential_sum> sum(1);
    wf::exponential_sum expected{};
    wf::log_sum_exp_async(wf::device, x, sum.data());
    wf::log_sum_exp_async(wf::seq, v, &expected);
    CAPTURE(n);
    CHECK(sum.to_host()[0] == expected);
    CHECK(wf::log_sum_exp(wf::device, x) ==
          doctest::Approx(wf::log_sum_exp(wf::seq, v)).epsilon(2e-7));
  }
}
