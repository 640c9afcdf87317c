// The macros of config.hpp for a host compiler: shared memory that each host thread has for itself.
#include <warpfold/core/config.hpp>

#include <doctest/doctest.h>

#include <thread>

namespace {

int* shared_counter() {
  WARPFOLD_SHARED int counter;
  return &counter;
}

}  // namespace

TEST_CASE("WARPFOLD_SHARED: one variable per host thread, which keeps its value between calls") {
  *shared_counter() = 5;
  CHECK(*shared_counter() == 5);
  const int* elsewhere = nullptr;
  int there = 0;
  std::thread([&] {
    elsewhere = shared_counter();
    *shared_counter() += 3;
    there = *shared_counter();
  }).join();
  CHECK(elsewhere != shared_counter());
  CHECK(there == 3);
  CHECK(*shared_counter() == 5);
}
