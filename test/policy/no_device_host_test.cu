// wf::device without a GPU. Runs on every machine; the test hides existing GPUs.
#include <cstdlib>

#include <warpfold/runtime/buffer.hpp>

#include "contract/policy_contract.hpp"

namespace {

// Set before the first CUDA call, which reads the variable.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

}  // namespace

TEST_CASE("without a GPU, device says what it looked for, and host policies work") {
  REQUIRE(hidden);
  int count = 0;
  REQUIRE((cudaGetDeviceCount(&count) != cudaSuccess || count == 0));
  (void)cudaGetLastError();

  const std::vector<int> values = {1, 2, 3};
  long long out = 0;
  for (int i = 0; i < 2; ++i) {  // the second call throws, too
    test::check_throws<wf::no_device>([&] { (void)wf::reduce(wf::device, values); },
                                      "Looked for an NVIDIA GPU");
    test::check_throws<wf::no_device>([&] { (void)wf::reduce(wf::device, values); },
                                      "wf::par or wf::seq");
    test::check_throws<wf::no_device>([&] { (void)wf::reduce(wf::device.blocking(), values); },
                                      "driver");
    test::check_throws<wf::no_device>(
        [&] { wf::reduce_async(wf::device, values, wf::plus{}, &out); }, "driver");
    test::check_throws<wf::no_device>([&] { wf::device_buffer<int> v(values); }, "driver");
    test::check_throws<wf::no_device>([&] { wf::workspace w; }, "driver");
    CHECK(wf::reduce(wf::seq, values) == 6);
  }
  // Errors that need no GPU are detected first: an empty range without a result.
  test::check_throws<wf::empty_range>(
      [&] { (void)wf::reduce(wf::device, std::vector<int>{}, test::add_only{}); }, "no identity");
}
