// exchange_frames: frames of any size reach all ranks in rank order, in many exchanges in a row,
// with ranks that are late; missing ranks and cancellation end the wait.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/collective/rank_exchange.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "contract/mailbox_group.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;

template <std::size_t Bytes>
struct frame {
  unsigned char byte[Bytes];
};
template <std::size_t Bytes>
frame<Bytes> frame_of(int rank, int exchange) {
  frame<Bytes> f{};
  for (std::size_t i = 0; i < Bytes; ++i) {
    f.byte[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(rank * 31 + exchange));
  }
  return f;
}

template <std::size_t Bytes>
void check_frames(int ranks, int exchanges) {
  CAPTURE(Bytes);
  CAPTURE(ranks);
  test::mailbox_group g(ranks);
  const int whole = g.run(20, -1, [&](const mailboxes& m) {
    std::mt19937 random(static_cast<unsigned>(m.rank));
    for (int e = 0; e < exchanges; ++e) {
      if (random() % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
      int next = 0;
      const letter missing = exchange_frames(
          m, load_letter(m.count), frame_of<Bytes>(m.rank, e), [&](int r, const auto& f) {
            const auto expected = frame_of<Bytes>(r, e);
            if (r != next++ || std::memcmp(&f, &expected, Bytes) != 0) next = -100;
          });
      if (missing != 0 || next != m.ranks) return false;
    }
    return true;
  });
  CHECK(whole == ranks);
}

}  // namespace

TEST_CASE("frames of any size, ranks that are late, many exchanges in a row") {
  check_frames<1>(2, 300);
  check_frames<4>(3, 300);
  check_frames<13>(4, 200);
  check_frames<96>(2, 200);
  check_frames<1040>(3, 30);
  check_frames<8>(1, 3);
}

TEST_CASE("a missing rank is named after the time limit, and later exchanges return at once") {
  test::mailbox_group g(3);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(g.run(0.2, 2, [](const mailboxes& m) {
    return exchange_frames(m, load_letter(m.count), m.rank, [](int, int) {}) == 0;
  }) == 0);
  CHECK(std::chrono::steady_clock::now() - begin >= std::chrono::milliseconds(200));
  CHECK(g.missing(0) == 3);
  CHECK(g.missing(1) == 3);
  CHECK(g.run(3600, 2, [](const mailboxes& m) {
    return exchange_frames(m, load_letter(m.count), m.rank, [](int, int) {}) == 0;
  }) == 0);
}

TEST_CASE("a cancellation ends the wait") {
  test::mailbox_group g(2);
  std::jthread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    std::atomic_ref<letter>(g.memory[0][g.length + 2]).store(1);
  });
  CHECK(g.run(3600, 1, [](const mailboxes& m) {
    return exchange_frames(m, load_letter(m.count), m.rank, [](int, int) {}) == 0;
  }) == 0);
}

TEST_CASE("the number of an exchange may wrap around") {
  test::mailbox_group g(2);
  for (auto& m : g.memory) m[g.length] = 0xfffffffcu;
  const int whole = g.run(20, -1, [](const mailboxes& m) {
    int sum = 0;
    for (int e = 0; e < 6; ++e) {
      if (exchange_frames(m, load_letter(m.count), m.rank + e, [&](int, int f) { sum += f; }) != 0)
        return false;
    }
    return sum == 6 + 2 * 15;
  });
  CHECK(whole == 2);
}

TEST_CASE("a rank that gives up tells the others, and later exchanges return at once") {
  test::mailbox_group g(2);
  constexpr letter broken = ~letter{0};
  const auto once = [&](mailboxes m) {
    m.cancel_at = g.length + 2;
    return exchange_frames(m, load_letter(m.count), m.rank, [](int, int) {});
  };
  std::atomic<letter> found = 0;
  CHECK(g.run(0.1, 1, [&](const mailboxes& m) { return (found = once(m)) == 2; }) == 1);
  CHECK(found == 2);
  CHECK(g.run(3600, 0, [&](const mailboxes& m) { return once(m) == 0; }) == 1);  // it was there
  CHECK(g.run(3600, 0, [&](const mailboxes& m) { return once(m) == 1; }) == 1);
  CHECK(g.run(3600, -1, [&](const mailboxes& m) { return once(m) == broken; }) == 2);
}
