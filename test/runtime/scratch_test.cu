// The scratch of a call: from the caller's workspace or resource, or from the library. Which call
// gets which of the library's workspaces, and when they return.
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#include <warpfold/runtime/scratch.hpp>

#include <vector>

#include <doctest/doctest.h>

#include "contract/device_memory.hpp"
#include "contract/resources.hpp"

namespace wf = warpfold;

namespace {

using wf::runtime::waiting_scratch;
using wf::runtime::workspace_pool;

}  // namespace

TEST_CASE("scratch allocates what the kernel asks for, and frees it") {
  test::pool pool;
  const wf::runtime::resource_ref resource(pool);
  {
    wf::runtime::enqueued_scratch scratch(nullptr, resource, nullptr);
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
    wf::runtime::enqueued_scratch scratch(nullptr, resource, nullptr);
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
    CHECK(scratch.grid().posts == own.grid().posts);
  }
  {
    waiting_scratch scratch(&own, none, nullptr);
    CHECK(&scratch.own() == &own);
    CHECK(scratch.partials(100) == own.partials(100));
  }
  wf::runtime::enqueued_scratch first(nullptr, none, nullptr);
  wf::runtime::enqueued_scratch second(nullptr, none, nullptr);  // while the first enqueues
  CHECK(first.grid().posts != own.grid().posts);
  CHECK(first.grid().posts != second.grid().posts);
}

TEST_CASE("a resource is used for scratch, but the result of a call that waits is in a workspace") {
  test::pool pool;
  const wf::runtime::resource_ref resource(pool);
  {
    waiting_scratch scratch(nullptr, resource, nullptr);
    CHECK(scratch.own().result() != nullptr);
    CHECK(pool.given == 0);
    CHECK(scratch.grid().posts != scratch.own().grid().posts);
    CHECK(pool.given == 1);
  }
  CHECK(pool.taken == 1);
  {
    wf::runtime::enqueued_scratch scratch(nullptr, resource, nullptr);
    (void)scratch.partials(300);
    CHECK(pool.bytes == 300);
  }
  CHECK(pool.bytes == 0);
}

TEST_CASE("a borrowed workspace is nobody else's until it is given back") {
  workspace_pool& pool = workspace_pool::current();
  CHECK(&workspace_pool::current() == &pool);
  auto* const a = pool.borrow();
  auto* const b = pool.borrow();
  CHECK(a != b);
  CHECK(a->scratch.result() != b->scratch.result());
  pool.give_back(a);
  CHECK(pool.borrow() == a);
  pool.give_back(b);
  pool.give_back(a);
}

TEST_CASE("a stream keeps its workspace; other streams, and calls at once, have others") {
  workspace_pool& pool = workspace_pool::current();
  const test::own_stream one, two;
  const void* of_one = nullptr;
  {
    const workspace_pool::of_stream first(pool, one.get());
    const workspace_pool::of_stream second(pool, two.get());
    of_one = first.get().result();
    CHECK(second.get().result() != of_one);
    const workspace_pool::of_stream at_once(pool, one.get());
    CHECK(at_once.get().result() != of_one);
    CHECK(at_once.get().result() != second.get().result());
  }
  {
    // Either of the stream's two.
    const workspace_pool::of_stream again(pool, one.get());
    const workspace_pool::of_stream once_more(pool, one.get());
    CHECK((again.get().result() == of_one || once_more.get().result() == of_one));
  }
}

TEST_CASE("a call that waits has the caller's workspace, or one that returns to the pool") {
  const wf::runtime::resource_ref none;
  wf::workspace own;
  {
    waiting_scratch callers(&own, none, nullptr);
    CHECK(&callers.own() == &own);
  }
  const wf::workspace* pools = nullptr;
  {
    waiting_scratch borrowed(nullptr, none, nullptr);
    pools = &borrowed.own();
    CHECK(pools != &own);
  }
  {
    waiting_scratch borrowed(nullptr, none, nullptr);
    CHECK(&borrowed.own() == pools);
    borrowed.set_in_flight(true);  // the wait failed
  }
  waiting_scratch another(nullptr, none, nullptr);
  CHECK(&another.own() != pools);  // a launch may still write to that
}

// The last case: CUDA returns the workspace at some time after the graph has been destroyed.
TEST_CASE("a graph's workspace is not lent to others while the graph lives") {
  workspace_pool& pool = workspace_pool::current();
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  const void* const of_graph = pool.of_graph(graph).result();
  auto* const other = pool.borrow();
  CHECK(other->scratch.result() != of_graph);
  pool.give_back(other);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}
