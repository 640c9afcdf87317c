// copy_to_device: what it copied is there for a stream that does not wait for the default stream.
#include <warpfold/runtime/copy_to_device.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <warpfold/runtime/buffer.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

TEST_CASE("pageable memory is on the GPU when the copy returns") {
  constexpr std::size_t size = std::size_t{1} << 22;
  const test::own_stream stream;
  wf::device_buffer<int> there(size);
  int* seen = nullptr;
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&seen), 2 * sizeof(int)) == cudaSuccess);
  for (int round = 1; round <= 50; ++round) {
    const std::vector<int> values(size, round);
    wf::runtime::copy_to_device(there.data(), values.data(), size * sizeof(int));
    // The end first, which arrives last.
    REQUIRE(cudaMemcpyAsync(seen + 1, there.data() + size - 1, sizeof(int), cudaMemcpyDefault,
                            stream.get()) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(seen, there.data(), sizeof(int), cudaMemcpyDefault, stream.get()) ==
            cudaSuccess);
    stream.wait();
    CHECK(seen[0] == round);
    CHECK(seen[1] == round);
  }
  CHECK(cudaFreeHost(seen) == cudaSuccess);
}

TEST_CASE("an error of the copy throws") {
  int value = 1;
  CHECK_THROWS_AS(wf::runtime::copy_to_device(nullptr, &value, sizeof value), wf::cuda_error);
}
