// wait_for_flag and wait_for_stream: return after the kernel has written its result, throw if none
// writes it, and sleep if asked to.
#include <warpfold/runtime/wait.hpp>

#include <ctime>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

namespace runtime = wf::runtime;

/// A result and a flag in pinned memory.
struct pinned {
  pinned() {
    void* p = nullptr;
    runtime::check(cudaHostAlloc(&p, 2 * sizeof(unsigned), cudaHostAllocMapped), "cudaHostAlloc");
    numbers = static_cast<unsigned*>(p);
    numbers[0] = numbers[1] = 0;
  }
  ~pinned() { (void)cudaFreeHost(numbers); }
  pinned(const pinned&) = delete;             // it frees its memory once
  pinned& operator=(const pinned&) = delete;  // likewise

  unsigned* numbers;
};

constexpr long long millisecond = 2'000'000;  // about so many cycles

/// Writes its result after `cycles`, and the flag after it.
__global__ void write_late(unsigned* numbers, unsigned signal, long long cycles = millisecond) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
  numbers[0] = 10 * signal;
  __threadfence_system();
  *static_cast<volatile unsigned*>(numbers + 1) = signal;
}

const wf::launched what{"late", {.grid = 1, .block = 1}};

double seconds(clockid_t clock) {
  timespec now{};
  (void)clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

TEST_CASE("the result is there when the wait returns") {
  const test::own_stream stream;
  const pinned memory;
  for (unsigned signal = 1; signal <= 6; ++signal) {
    const auto how = signal % 2 == 0 ? runtime::waiting::spins : runtime::waiting::sleeps;
    write_late<<<1, 1, 0, stream.get()>>>(memory.numbers, signal);
    runtime::wait_for_flag(memory.numbers + 1, signal, stream.get(), what, how);
    CHECK(memory.numbers[0] == 10 * signal);
  }
  stream.wait();
}

TEST_CASE("a stream has ended when the wait returns") {
  const test::own_stream stream;
  const pinned memory;
  unsigned signal = 0;
  for (const auto how : {runtime::waiting::spins, runtime::waiting::sleeps}) {
    write_late<<<1, 1, 0, stream.get()>>>(memory.numbers, ++signal);
    runtime::wait_for_stream(stream.get(), how, [] { return wf::message(); });
    CHECK(memory.numbers[0] == 10 * signal);
  }
}

TEST_CASE("a thread that sleeps leaves its core to others") {
  const test::own_stream stream;
  const pinned memory;
  const double start = seconds(CLOCK_MONOTONIC);
  const double worked = seconds(CLOCK_THREAD_CPUTIME_ID);
  write_late<<<1, 1, 0, stream.get()>>>(memory.numbers, 1, 100 * millisecond);
  runtime::wait_for_flag(memory.numbers + 1, 1, stream.get(), what, runtime::waiting::sleeps);
  const double waited = seconds(CLOCK_MONOTONIC) - start;
  CHECK(waited > 0.01);
  CHECK(seconds(CLOCK_THREAD_CPUTIME_ID) - worked < waited / 2);
}

TEST_CASE("a stream that has ended without the signal is a cuda_error, not a wait for ever") {
  const test::own_stream stream;
  const pinned memory;
  for (const auto how : {runtime::waiting::spins, runtime::waiting::sleeps}) {
    CHECK_THROWS_WITH_AS(runtime::wait_for_flag(memory.numbers + 1, 1, stream.get(), what, how),
                         doctest::Contains("the kernel was late<<<1, 1>>>"), wf::cuda_error);
  }
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("a wait does not end the capture of another thread") {
  const test::own_stream captured, other;
  const pinned memory;
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(captured.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  std::string error;
  std::thread([&] {
    try {
      for (const auto how : {runtime::waiting::spins, runtime::waiting::sleeps}) {
        const unsigned signal = how == runtime::waiting::spins ? 1 : 2;
        write_late<<<1, 1, 0, other.get()>>>(memory.numbers, signal);
        runtime::wait_for_flag(memory.numbers + 1, signal, other.get(), what, how);
        runtime::wait_for_stream(other.get(), how, [] { return "a test"; });
      }
    } catch (const std::exception& e) {
      error = e.what();
    }
  }).join();
  CHECK(error == "");
  CHECK(cudaStreamEndCapture(captured.get(), &graph) == cudaSuccess);
  (void)cudaGraphDestroy(graph);
}
