// The library's workspaces: which call gets which, and when they return.
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#include <warpfold/runtime/workspace_pool.hpp>

#include <doctest/doctest.h>

#include <memory>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

using wf::runtime::borrowed_workspace;
using wf::runtime::workspace_pool;

}  // namespace

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

TEST_CASE("borrowed_workspace: the caller's, or one of the pool's that returns at its end") {
  wf::workspace own;
  {
    const borrowed_workspace callers(&own);
    CHECK(&callers.get() == &own);
  }
  const wf::workspace* pools = nullptr;
  {
    const borrowed_workspace borrowed(nullptr);
    pools = &borrowed.get();
    CHECK(pools != &own);
  }
  {
    borrowed_workspace borrowed(nullptr);
    CHECK(&borrowed.get() == pools);
    borrowed.set_in_flight(true);  // the wait failed
  }
  const borrowed_workspace another(nullptr);
  CHECK(&another.get() != pools);  // a launch may still write to that
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
