// annotated_stack: launches that end early, under AddressSanitizer. Each fiber has its own stack,
// and the sanitizer must not report an exception that unwinds one as an overflow.
// needs: boost_context
// flags: -fsanitize=address
#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/transform.hpp>

#include "contract/oracle.hpp"

namespace {

// Adds, and throws for the element `bad` from a stack frame with arrays.
struct picky_sum {
  int bad;

  long long operator()(long long a, long long b) const {
    char text[100];
    std::snprintf(text, sizeof text, "met %d", bad);
    if (a == bad || b == bad) throw std::runtime_error(text);
    return a + b;
  }
};

std::string message_of(const std::vector<int>& values, int bad) {
  try {
    (void)wf::reduce(wf::emulated, values, picky_sum{bad});
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "nothing thrown";
}

// An object on the stack of a fiber.
struct counted {
  static inline std::atomic<int> alive = 0;
  char bytes[500] = {};
  counted() { ++alive; }
  ~counted() { --alive; }
};

struct two_barriers {
  static constexpr unsigned max_block = 1024;
  static constexpr bool calls_user_functions = false;
  unsigned failing;

  void operator()() const {
    const counted own;
    wf::__syncthreads(wf::call_site::here());
    if (wf::threadIdx.x == failing) throw std::runtime_error("between the barriers");
    wf::__syncthreads(wf::call_site::here());
  }
};

struct lone_barrier {
  static constexpr unsigned max_block = 1024;
  static constexpr bool calls_user_functions = false;

  void operator()() const {
    const counted own;
    if (wf::threadIdx.x == 3) wf::__syncthreads(wf::call_site::here());
  }
};

}  // namespace

TEST_CASE("what an op throws reaches the caller") {
  for (const std::size_t n : {100u, 5000u, 300000u}) {
    std::vector<int> values(n, 1);
    for (const std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
      CAPTURE(n);
      CAPTURE(place);
      values[place] = -7;
      CHECK(message_of(values, -7) == "met -7");
      values[place] = 1;
      CHECK(wf::reduce(wf::emulated, values, picky_sum{-7}) == static_cast<long long>(n));
    }
  }
}

TEST_CASE("threads that wait, and those that have not begun, are unwound") {
  for (const unsigned failing : {0u, 1u, 33u, 255u}) {
    CAPTURE(failing);
    wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
    CHECK_THROWS_WITH_AS(on.launch("two_barriers", two_barriers{failing}, {4, 256}),
                         "between the barriers", std::runtime_error);
    CHECK(counted::alive == 0);
  }
}

TEST_CASE("what a kernel does wrong reaches the caller") {
  wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
  CHECK_THROWS_AS(on.launch("lone_barrier", lone_barrier{}, {2, 64}), wf::emulation_error);
  CHECK(counted::alive == 0);
}

TEST_CASE("launches inside a launch") {
  // Each element's reduction has a kernel of another type.
  std::vector<int> outer(40, 1);
  const std::vector<float> inner(1000, 0.5f);
  const auto sum_of_inner = [&](int x) {
    return x == 1 ? wf::reduce(wf::emulated, inner, wf::plus{}) : throw std::runtime_error("inner");
  };
  std::vector<float> sums(outer.size());
  wf::transform(wf::emulated, outer, sums, sum_of_inner);
  CHECK(sums == std::vector<float>(outer.size(), 500));
  outer[20] = 2;
  CHECK_THROWS_WITH_AS(wf::transform(wf::emulated, outer, sums, sum_of_inner), "inner",
                       std::runtime_error);
}
