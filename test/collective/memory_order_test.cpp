// The memory operations between blocks as the emulation has them: posts that another block writes
// later, tickets that wrap, and the signal to the host. memory_order_test.cu tests the GPU's.
// needs: boost_context
#include <warpfold/collective/memory_order.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "contract/emulated_launch.hpp"
#include "contract/recorded_thread.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;
using emulation::traffic;

constexpr unsigned long long mark = 1ull << 63;

}  // namespace

TEST_CASE("a post is sixteen bytes, aligned to be written at once") {
  static_assert(sizeof(post) == 16);
  static_assert(alignof(post) == 16);
}

TEST_CASE("the last block waits for the posts of all others") {
  constexpr unsigned blocks = 20;
  std::vector<post> posts(2 * blocks);
  std::vector<unsigned long long> sums(2);
  test::emulated_launch on;
  on.array(posts);
  const auto out = on.array(sums);
  const auto& counts = on.run({blocks, 32}, [=, at = posts.data()] {
    if (threadIdx.x != 0) return;
    if (blockIdx.x + 1 < blocks) {
      store_post(at + 2 * blockIdx.x, {blockIdx.x, mark | 1});
      store_post(at + 2 * blockIdx.x + 1, {blockIdx.x * 100, mark | 2});
      return;
    }
    unsigned long long low = 0, high = 0;
    for (unsigned b = 0; b + 1 < blocks; ++b) {
      post p[2];
      await_posts(at + 2 * b, p, [](const post& one, int) { return one.high; });
      low += p[0].low + p[1].low;
      high += p[0].high - mark + (p[1].high - mark);
    }
    out.store(0, low);
    out.store(1, high);
  });
  CHECK(sums[0] == 101 * (18 * 19 / 2));
  CHECK(sums[1] == 3 * 19);
  // Counted once, however long the block has waited.
  CHECK(counts.total(traffic::global_load).lanes == 2 * 19);
}

TEST_CASE("a post without the mark is waited for, and reported once") {
  post posts[2] = {{5, mark >> 1}, {6, mark}};
  test::recorded_thread thread;
  int waits = 0;
  thread.on_waiting = [&] {
    if (++waits == 3) posts[0] = {7, mark | 9};
  };
  post read[2];
  await_posts(posts, read, [](const post& one, int) { return one.high; });
  CHECK(waits >= 3);
  CHECK(read[0].low == 7);
  CHECK(read[0].high == (mark | 9));
  CHECK(read[1].low == 6);
  REQUIRE(thread.calls.size() == 2);
  CHECK(thread.calls[0].p == posts);
  CHECK(thread.calls[1].p == posts + 1);
  CHECK(thread.calls[1].bytes == 16);
}

TEST_CASE("every ticket is drawn once, and the counter is zero again") {
  for (const unsigned blocks : {1u, 2u, 50u}) {
    INFO(blocks, " blocks");
    std::vector<unsigned> counter(1), tickets(blocks);
    test::emulated_launch on;
    on.array(counter);
    const auto out = on.array(tickets);
    for (int launch = 0; launch < 2; ++launch) {
      on.run({blocks, 32}, [=, at = counter.data()] {
        if (threadIdx.x == 0) out.store(blockIdx.x, draw_ticket(at, blocks - 1));
      });
      std::sort(tickets.begin(), tickets.end());
      for (unsigned t = 0; t < blocks; ++t) CHECK(tickets[t] == t);
      CHECK(counter[0] == 0);
    }
  }
}

TEST_CASE("posts and tickets are where the launch may write, and aligned") {
  std::vector<post> posts(2);
  test::emulated_launch on;
  on.array(posts);
  const auto storing = [at = posts.data()](std::size_t byte) {
    return [=] {
      if (threadIdx.x != 0) return;
      store_post(reinterpret_cast<post*>(reinterpret_cast<char*>(at) + byte), {1, 1});
    };
  };
  CHECK(on.error_of({1, 32}, storing(16)) == "");
  CHECK_ERROR(on.error_of({1, 32}, storing(32)), "outside every array of the launch");
  CHECK_ERROR(on.error_of({1, 32}, storing(8)), "which must be a multiple of 16");
  CHECK_ERROR(on.error_of({1, 32}, storing(32)), "memory_order_test.cpp");
  const std::vector<unsigned> counter(1);
  const auto* const at = on.read_only(counter);
  CHECK_ERROR(on.error_of({1, 32}, [=] { (void)draw_ticket(const_cast<unsigned*>(at), 5); }),
              "which is only read");
}

TEST_CASE("the host sees a signal after what was written before it") {
  unsigned flag = 0;
  int result = 0;
  std::thread kernel([&] {
    result = 42;
    signal_host(&flag, 3);
  });
  while (std::atomic_ref<unsigned>(flag).load(std::memory_order_acquire) != 3) {
    std::this_thread::yield();
  }
  CHECK(result == 42);
  kernel.join();
}
