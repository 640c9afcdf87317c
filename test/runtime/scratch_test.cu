// The scratch of a call: from the caller's workspace or resource, or from the library.
#include <warpfold/runtime/scratch.hpp>

#include <vector>

#include <doctest/doctest.h>

#include "contract/resources.hpp"

namespace wf = warpfold;

TEST_CASE("scratch allocates what the kernel asks for, and frees it") {
  test::pool pool;
  const wf::runtime::resource_ref resource(pool);
  {
    wf::runtime::scratch scratch(nullptr, resource, nullptr);
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
    wf::runtime::scratch scratch(nullptr, resource, nullptr);
    // Memory that was used before, in all likelihood the same.
    wf::runtime::check(cudaMemset(scratch.partials(wf::workspace::device_bytes), 0xff,
                                  wf::workspace::device_bytes),
                       "cudaMemset");
    const auto grid = scratch.grid();
    CHECK(scratch.grid().posts == grid.posts);
    std::vector<unsigned char> bytes(wf::workspace::zeroed_bytes, 1);
    wf::runtime::check(cudaMemcpy(bytes.data(), grid.posts, bytes.size(), cudaMemcpyDeviceToHost),
                       "cudaMemcpy");
    CHECK(bytes == std::vector<unsigned char>(bytes.size(), 0));
  }
  CHECK(pool.bytes == 0);
}

TEST_CASE("the caller's workspace comes first, then the library's workspace of the stream") {
  const wf::runtime::resource_ref none;
  wf::workspace own;
  {
    wf::runtime::enqueued_scratch scratch(&own, none, nullptr);
    CHECK(scratch.memory().grid().posts == own.grid().posts);
  }
  {
    wf::runtime::waiting_scratch scratch(&own, none, nullptr);
    CHECK(&scratch.own() == &own);
    CHECK(scratch.memory().partials(100) == own.partials(100));
  }
  wf::runtime::enqueued_scratch first(nullptr, none, nullptr);
  wf::runtime::enqueued_scratch second(nullptr, none, nullptr);  // while the first enqueues
  CHECK(first.memory().grid().posts != own.grid().posts);
  CHECK(first.memory().grid().posts != second.memory().grid().posts);
}

TEST_CASE("a resource is used for scratch, but the result of a call that waits is in a workspace") {
  test::pool pool;
  const wf::runtime::resource_ref resource(pool);
  {
    wf::runtime::waiting_scratch scratch(nullptr, resource, nullptr);
    CHECK(scratch.own().result() != nullptr);
    CHECK(pool.given == 0);
    CHECK(scratch.memory().grid().posts != scratch.own().grid().posts);
    CHECK(pool.given == 1);
  }
  CHECK(pool.taken == 1);
  {
    wf::runtime::enqueued_scratch scratch(nullptr, resource, nullptr);
    (void)scratch.memory().partials(300);
    CHECK(pool.bytes == 300);
  }
  CHECK(pool.bytes == 0);
}
