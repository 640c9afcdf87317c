// log_sum_exp on the GPU: the sum has the bits of wf::seq, its logarithm those but for the last
// bit. Elements of all sizes, and of masks.
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

TEST_CASE("large elements and masks have the bits of wf::seq") {
  const auto check = []<class T>(T scale, T mask, unsigned one_in) {
    std::vector<T> v(50'003);
    unsigned random = 1;
    for (auto& element : v) {
      random = random * 1664525 + 1013904223;
      element = static_cast<T>(static_cast<int>(random >> 16) - 32768) / 32768 * scale;
      if ((random >> 8) % one_in == 0) element = mask;
    }
    const wf::device_buffer<T> x(v);
    wf::device_buffer<wf::exponential_sum> sum(1);
    wf::exponential_sum expected{};
    wf::log_sum_exp_async(wf::device, x, sum.data());
    wf::log_sum_exp_async(wf::seq, v, &expected);
    CAPTURE(static_cast<double>(scale));
    CAPTURE(static_cast<double>(mask));
    CHECK(sum.to_host()[0] == expected);
  };
  for (const float scale : {1.0f, 90.0f, 260.0f, 1e4f, 1e9f, 1e30f}) {
    for (const float mask : {-1e9f, -3.4e38f, -INFINITY, -0.0f, 1e-40f}) {
      for (const unsigned one_in : {2u, 100u}) {
        check(scale, mask, one_in);
        check(static_cast<double>(scale), static_cast<double>(mask), one_in);
      }
    }
  }
}
