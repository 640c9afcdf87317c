// Scratch from a user's resource: zeroed where a kernel expects zeros, and given back.
#include <warpfold/runtime/resource_scratch.hpp>

#include <vector>

#include <doctest/doctest.h>

#include "contract/resources.hpp"

namespace wf = warpfold;

TEST_CASE("a resource is asked for what the kernel asks for, once, and gets it back") {
  test::pool pool;
  const wf::runtime::resource_ref resource(pool);
  {
    wf::runtime::resource_scratch scratch(resource, nullptr);
    CHECK(pool.given == 0);
    CHECK(scratch.partials(100) != nullptr);
    CHECK(pool.given == 1);
    CHECK(pool.bytes == 100);
    CHECK(scratch.partials(1 << 20) != nullptr);
    CHECK(pool.taken == 1);
    CHECK(pool.bytes == 1 << 20);
  }
  CHECK(pool.given == 2);
  CHECK(pool.taken == 2);
  CHECK(pool.bytes == 0);
}

TEST_CASE("the blocks of a grid find zeros") {
  test::pool pool;
  const wf::runtime::resource_ref resource(pool);
  {
    wf::runtime::resource_scratch scratch(resource, nullptr);
    // Memory that was used before, in all likelihood the same.
    wf::runtime::check(cudaMemset(scratch.partials(wf::workspace::device_bytes), 0xff,
                                  wf::workspace::device_bytes),
                       "cudaMemset");
    const auto grid = scratch.grid();
    std::vector<unsigned char> bytes(wf::workspace::zeroed_bytes, 1);
    wf::runtime::check(cudaMemcpy(bytes.data(), grid.posts, bytes.size(), cudaMemcpyDeviceToHost),
                       "cudaMemcpy");
    CHECK(bytes == std::vector<unsigned char>(bytes.size(), 0));
  }
  CHECK(pool.bytes == 0);
}
