// resource_block on a GPU: memory of CUDA's default pool if there is no resource, else the
// resource's.
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#include <warpfold/runtime/resource_block.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "contract/device_memory.hpp"
#include "contract/resources.hpp"

namespace wf = warpfold;

namespace {

namespace runtime = wf::runtime;

/// All of the block's memory can be written, in stream order.
void check_written(const runtime::resource_block& block, const test::own_stream& stream) {
  REQUIRE(block.data() != nullptr);
  CHECK(cudaMemsetAsync(block.data(), 3, 5000, stream.get()) == cudaSuccess);
  stream.wait();
  CHECK(test::device_memory::values(static_cast<const unsigned char*>(block.data()), 5000) ==
        std::vector<unsigned char>(5000, 3));
}

}  // namespace

TEST_CASE("without a resource the memory is that of CUDA's default pool") {
  const test::own_stream stream;
  {
    const runtime::resource_block block(runtime::resource_ref(), 5000, stream.get());
    check_written(block, stream);
  }
  stream.wait();
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a resource gets back what it gave") {
  const test::own_stream stream;
  test::pool memory;
  {
    const runtime::resource_block block(runtime::resource_ref(memory), 5000, stream.get());
    check_written(block, stream);
    CHECK(memory.given == 1);
    CHECK(memory.bytes == 5000);
  }
  CHECK(memory.taken == 1);
  CHECK(memory.bytes == 0);
  stream.wait();
}
