// workspace: zeroed memory, partial states that grow, and moves that take the memory along.
#include <warpfold/runtime/workspace.hpp>

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace wf = warpfold;

namespace {

/// The first bytes of device memory.
std::vector<unsigned char> bytes_at(const void* p, std::size_t n) {
  std::vector<unsigned char> host(n);
  REQUIRE(cudaMemcpy(host.data(), p, n, cudaMemcpyDeviceToHost) == cudaSuccess);
  return host;
}

constexpr std::size_t small = wf::collective::partial_bytes;

}  // namespace

TEST_CASE("posts and ticket start at zero, and the flag differs from every signal") {
  wf::workspace w;
  CHECK(bytes_at(w.grid().posts, wf::workspace::zeroed_bytes) ==
        std::vector<unsigned char>(wf::workspace::zeroed_bytes, 0));
  CHECK(*w.flag() == 0);
  const unsigned first = w.next_sink<int>().signal;
  CHECK(first != 0);
  CHECK(w.next_sink<int>().signal != first);
  // The result's memory ends before the flag.
  CHECK(static_cast<unsigned char*>(w.result()) + wf::workspace::result_bytes <=
        reinterpret_cast<unsigned char*>(w.flag()));
}

TEST_CASE("partial states: the workspace's own, then larger memory that is kept") {
  wf::workspace w;
  CHECK(w.partials(small) == w.grid().partials);
  void* const larger = w.partials(small + 1);
  CHECK(larger != w.grid().partials);
  CHECK(w.partials(2 * small) == larger);  // rounded up
  CHECK(w.partials(small + 1) == larger);
  CHECK(w.partials(small) == w.grid().partials);
  void* const largest = w.partials(5 * small);
  CHECK(largest != larger);
  CHECK(w.partials(2 * small) == largest);
  // All of it can be written, and the memory before it is still there for launches in flight.
  CHECK(cudaMemset(largest, 1, 8 * small) == cudaSuccess);
  CHECK(cudaMemset(larger, 1, 2 * small) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
}

TEST_CASE("results: the memory of one, then larger memory") {
  wf::workspace w;
  CHECK(w.results(wf::workspace::result_bytes) == w.result());
  void* const larger = w.results(wf::workspace::result_bytes + 1);
  CHECK(larger != w.result());
  CHECK(w.results(2 * wf::workspace::result_bytes) == larger);
  CHECK(w.results(1) == w.result());
  void* const largest = w.results(100'000);
  CHECK(cudaMemset(largest, 1, 100'000) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(static_cast<unsigned char*>(largest)[99'999] == 1);
  const wf::workspace moved = std::move(w);
  CHECK(static_cast<unsigned char*>(largest)[0] == 1);
}

TEST_CASE("a moved workspace keeps its memory and its signals") {
  wf::workspace a;
  void* const grid = a.grid().posts;
  void* const result = a.result();
  void* const larger = a.partials(3 * small);
  const unsigned signal = a.next_sink<int>().signal;
  wf::workspace b = std::move(a);
  CHECK(b.grid().posts == grid);
  CHECK(b.result() == result);
  CHECK(b.partials(3 * small) == larger);
  CHECK(b.next_sink<int>().signal == signal + 1);
  CHECK(a.result() == nullptr);
  wf::workspace c;
  c = std::move(b);
  CHECK(c.grid().posts == grid);
  CHECK(c.next_sink<int>().signal == signal + 2);
}
