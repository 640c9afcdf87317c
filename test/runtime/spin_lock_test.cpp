// spin_lock: threads that count under it lose nothing, and a guard unlocks however it ends.
#include <warpfold/runtime/spin_lock.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using warpfold::runtime::spin_guard;
using warpfold::runtime::spin_lock;

}  // namespace

static_assert(!std::is_copy_constructible_v<spin_guard>);

TEST_CASE("four threads that count together lose nothing") {
  constexpr int threads = 4, each = 5000;
  spin_lock lock;
  int count = 0, inside = 0, most_inside = 0;
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t) {
      running.emplace_back([&] {
        for (int i = 0; i < each; ++i) {
          const spin_guard guard(lock);
          if (++inside > most_inside) most_inside = inside;
          const int before = count;
          if (i % 1000 == 0) std::this_thread::yield();  // the others run against the lock
          count = before + 1;
          --inside;
        }
      });
    }
  }
  CHECK(count == threads * each);
  CHECK(most_inside == 1);
}

TEST_CASE("a lock that was unlocked can be locked again, also after an exception") {
  spin_lock lock;
  for (int i = 0; i < 2; ++i) {
    CHECK_THROWS_AS(
        [&] {
          const spin_guard guard(lock);
          throw std::runtime_error("within");
        }(),
        std::runtime_error);
  }
  bool locked_elsewhere = false;
  std::thread([&] {
    const spin_guard guard(lock);
    locked_elsewhere = true;
  }).join();
  CHECK(locked_elsewhere);
}
