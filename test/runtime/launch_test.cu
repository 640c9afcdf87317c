// Launches on a GPU: every thread runs the body once, with large dynamic shared memory and clusters
// too, and an older program is refused.
#include <warpfold/runtime/launch.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

namespace runtime = wf::runtime;

struct number_threads {
  static constexpr int max_block = 128;
  static constexpr bool calls_user_functions = false;
  int* to;

  __device__ void operator()() const {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = static_cast<int>(i) + 1;
  }
};

/// The first and the last number of a block's dynamic shared memory go through it.
struct through_shared {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  unsigned numbers;
  int* to;

  __device__ void operator()() const {
    extern __shared__ int memory[];
    if (threadIdx.x == 0) memory[0] = 7;
    if (threadIdx.x == 31) memory[numbers - 1] = 8;
    __syncthreads();
    if (threadIdx.x == 5) {
      to[0] = memory[0];
      to[1] = memory[numbers - 1];
    }
  }
};

/// Needs a GPU that does not exist.
struct of_tomorrow : number_threads {
  static constexpr int min_architecture = 9990;
};

void check_numbers(const std::vector<int>& numbers) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) wrong += numbers[i] != static_cast<int>(i) + 1;
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("each thread of each block runs the body, on the stream") {
  const test::own_stream stream;
  wf::device_buffer<int> to(1000 * 96);
  runtime::launch({"numbers", {.grid = 1000, .block = 96}}, number_threads{to.data()},
                  stream.get());
  stream.wait();
  check_numbers(to.to_host());
}

TEST_CASE("more than 48 KB of dynamic shared memory are allowed first") {
  constexpr unsigned numbers = 15000;  // 60,000 bytes
  REQUIRE(runtime::current_device_info().shared_bytes_per_block >= numbers * sizeof(int));
  wf::device_buffer<int> to(2);
  for (int i = 0; i < 2; ++i) {
    runtime::launch({"shared", {.grid = 1, .block = 32, .shared_bytes = numbers * sizeof(int)}},
                    through_shared{numbers, to.data()}, nullptr);
    CHECK(to.to_host() == std::vector<int>{7, 8});
  }
}

TEST_CASE("clusters") {
  if (runtime::current_device_info().compute_capability < 90) {
    MESSAGE("this GPU has no clusters");
    return;
  }
  wf::device_buffer<int> to(4 * 32);
  runtime::launch({"numbers", {.grid = 4, .block = 32, .cluster = 2}}, number_threads{to.data()},
                  nullptr);
  check_numbers(to.to_host());
}

TEST_CASE("what the driver says of a kernel") {
  const unsigned blocks = runtime::kernel_of<number_threads>().resident_blocks(
      runtime::current_device_info(), {.grid = 1, .block = 128});
  const auto multiprocessors =
      static_cast<unsigned>(runtime::current_device_info().multiprocessors);
  CHECK(blocks >= multiprocessors);
  CHECK(blocks % multiprocessors == 0);
  CHECK(runtime::kernel_of<number_threads>().attributes().maxThreadsPerBlock >= 128);
  CHECK(runtime::kernel_of<number_threads>().architecture(runtime::current_device_info()) >= 50);
  CHECK(runtime::kernel_of<number_threads>().architecture(runtime::current_device_info()) <= 999);
}

TEST_CASE("a kernel that needs a later architecture than the program's is refused") {
  wf::device_buffer<int> to(32);
  CHECK_THROWS_WITH_AS(
      runtime::launch({"tomorrow", {.grid = 1, .block = 32}}, of_tomorrow{{to.data()}}, nullptr),
      doctest::Contains("but needs 999.0"), wf::unsupported_kernel);
}

TEST_CASE("a launcher: scratch memory for as many values as asked, and its last launch") {
  wf::workspace own;
  const runtime::resource_ref none;
  runtime::enqueued_scratch memory(&own, none, nullptr);
  runtime::launcher on(memory, nullptr);
  CHECK_FALSE(on.has_launched());
  CHECK(&on.gpu() == &runtime::current_device_info());
  CHECK(on.grid().posts == own.grid().posts);
  const auto numbers = on.scratch<int>(96);
  CHECK(numbers.size == 96);
  CHECK(static_cast<void*>(numbers.data) == own.partials(96 * sizeof(int)));
  on.launch("numbers", number_threads{numbers.data}, {.grid = 3, .block = 32});
  CHECK(on.has_launched());
  CHECK(std::string(on.last().text().c_str()) == "numbers<<<3, 32>>>");
  check_numbers(test::device_memory::values(numbers.data, 96));
}
