// The memory operations between blocks on a GPU: posts that another block writes, tickets that
// wrap, and the signal to the host.
#include <warpfold/collective/memory_order.hpp>

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace test {

constexpr unsigned long long post_mark = 1ull << 63;

/// Each block but the last posts two numbers; the last adds them. Every block draws a ticket.
struct posting_body {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;

  wf::collective::post* posts;
  unsigned long long* sums;
  unsigned* counter;
  unsigned* tickets;
  unsigned* flag;  ///< for the host

  WARPFOLD_DEVICE void operator()() const {
    using namespace wf::collective;
    if (threadIdx.x != 0) return;
    const unsigned last = gridDim.x - 1, block = blockIdx.x;
    tickets[block] = draw_ticket(counter, last);
    if (block != last) {
      store_post(posts + 2 * block, {block, post_mark | 1});
      store_post(posts + 2 * block + 1, {100ull * block, post_mark | 2});
      return;
    }
    unsigned long long low = 0, high = 0;
    for (unsigned b = 0; b < last; ++b) {
      post p[2];
      await_posts(posts + 2 * b, p, [](const post& one, int) { return one.high; });
      low += p[0].low + p[1].low;
      high += (p[0].high & ~post_mark) + (p[1].high & ~post_mark);
    }
    sums[0] = low;
    sums[1] = high;
    signal_host(flag, 77);
  }
};

}  // namespace test

TEST_CASE("the last block sees every post, and each block has a ticket of its own") {
  for (const unsigned blocks : {1u, 2u, 50u, 1000u}) {
    INFO(blocks, " blocks");
    wf::device_buffer<unsigned> counter(std::vector<unsigned>(1));
    for (int launch = 0; launch < 5; ++launch) {
      wf::device_buffer<wf::collective::post> posts(std::vector<wf::collective::post>(2 * blocks));
      wf::device_buffer<unsigned long long> sums(std::vector<unsigned long long>(2));
      wf::device_buffer<unsigned> tickets(std::vector<unsigned>(blocks, ~0u));
      wf::device_buffer<unsigned> flag(std::vector<unsigned>(1));
      wf::runtime::launch({"posting", {blocks, 32}},
                          test::posting_body{posts.data(), sums.data(), counter.data(),
                                             tickets.data(), flag.data()},
                          nullptr);
      const auto got = test::device_memory::values(sums.data(), 2);
      const unsigned long long n = blocks - 1;  // posted 0 to n - 1
      CHECK(got[0] == 101 * (n == 0 ? 0 : n * (n - 1) / 2));
      CHECK(got[1] == 3 * n);
      auto drawn = test::device_memory::values(tickets.data(), blocks);
      std::sort(drawn.begin(), drawn.end());
      for (unsigned t = 0; t < blocks; ++t) REQUIRE(drawn[t] == t);
      CHECK(test::device_memory::values(counter.data(), 1)[0] == 0);
      CHECK(test::device_memory::values(flag.data(), 1)[0] == 77);
    }
  }
}
