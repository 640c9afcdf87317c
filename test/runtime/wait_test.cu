// wait_for_flag: returns after the kernel has written its result, and throws if none writes it.
#include <warpfold/runtime/wait.hpp>

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

/// Writes its result after a while, and the flag after it.
__global__ void write_late(unsigned* numbers, unsigned signal) {
  const long long start = clock64();
  while (clock64() - start < 2000000) {  // about a millisecond
  }
  numbers[0] = 10 * signal;
  __threadfence_system();
  *static_cast<volatile unsigned*>(numbers + 1) = signal;
}

const wf::launched what{"late", {.grid = 1, .block = 1}};

}  // namespace

TEST_CASE("the result is there when the wait returns") {
  const test::own_stream stream;
  const pinned memory;
  for (unsigned signal = 1; signal <= 3; ++signal) {
    write_late<<<1, 1, 0, stream.get()>>>(memory.numbers, signal);
    runtime::wait_for_flag(memory.numbers + 1, signal, stream.get(), what);
    CHECK(memory.numbers[0] == 10 * signal);
  }
  stream.wait();
}

TEST_CASE("a stream that has ended without the signal is a cuda_error, not a wait for ever") {
  const test::own_stream stream;
  const pinned memory;
  CHECK_THROWS_WITH_AS(runtime::wait_for_flag(memory.numbers + 1, 1, stream.get(), what),
                       doctest::Contains("the kernel was late<<<1, 1>>>"), wf::cuda_error);
  CHECK(cudaGetLastError() == cudaSuccess);
}
