// Errors of wf::device, after which the next call works.
//
// Cases named [fault] make CUDA calls fail on purpose; those named [trap] break the context, and
// compute-sanitizer reports the trap as an error.
#include <sys/wait.h>
#include <unistd.h>

#include "contract/device_memory.hpp"
#include "contract/policy_contract.hpp"

#if __has_include(<oneapi/tbb/parallel_for.h>)
#include <warpfold/policy/par.hpp>
#endif

namespace {

#if __has_include(<oneapi/tbb/parallel_for.h>)
constexpr auto host_threads = wf::par;
#else
constexpr auto host_threads = wf::seq;
#endif

const std::vector<int> one_two_three = {1, 2, 3};

__global__ void trap() { __trap(); }

/// Runs the test case `name` of this program in a separate process, and returns its exit code.
int run_alone(const char* name) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "/proc/self/exe", "--no-skip",
          (std::string("--test-case=") + name).c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

TEST_CASE("host memory given to device is invalid_range before anything is launched") {
  const wf::device_buffer<int> good(one_two_three);
  const auto check_good = [&] { CHECK(wf::reduce(wf::device, good) == 6); };
  if (wf::runtime::current_device_info().reads_pageable_memory) {
    MESSAGE("this GPU reads the host's memory");
    CHECK(wf::reduce(wf::device, one_two_three) == 6);
    return;
  }
  const auto throws = [](const auto& f, const char* part) {
    test::check_throws<wf::invalid_range>(f, part);
  };
  throws([&] { (void)wf::reduce(wf::device, one_two_three); }, "pageable host memory");
  check_good();
  throws([&] { (void)wf::reduce(wf::device, one_two_three); }, "wf::device_buffer");
  throws([&] { (void)wf::reduce(wf::device, one_two_three.begin(), one_two_three.end()); },
         "pageable host memory");
  check_good();
  throws(
      [&] {
        (void)wf::reduce(wf::device,
                         wf::project(wf::zip(good, one_two_three), test::product_of_pair{}),
                         wf::plus{});
      },
      "pageable host memory");
  check_good();
  long long out = 0;
  throws([&] { wf::reduce_async(wf::device, good, wf::plus{}, &out); }, "output");
  throws([&] { wf::reduce_async(wf::device, good, wf::plus{}, static_cast<long long*>(nullptr)); },
         "null");
  check_good();
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("device memory given to host policies is invalid_range") {
  const wf::device_buffer<int> on_gpu(one_two_three);
  test::check_throws<wf::invalid_range>([&] { (void)wf::reduce(wf::seq, on_gpu); },
                                        "device memory");
  test::check_throws<wf::invalid_range>([&] { (void)wf::reduce(host_threads, on_gpu); },
                                        "wf::device");
  test::check_throws<wf::invalid_range>(
      [&] {
        (void)wf::reduce(host_threads,
                         wf::project(wf::zip(one_two_three, on_gpu), test::product_of_pair{}),
                         wf::plus{});
      },
      "device memory");
  long long out = 0;
  test::check_throws<wf::invalid_range>(
      [&] { wf::reduce_async(host_threads, on_gpu, wf::plus{}, &out); }, "device memory");
  CHECK(wf::reduce(wf::seq, one_two_three) == 6);
  CHECK(wf::reduce(host_threads, one_two_three) == 6);
  CHECK(wf::reduce(wf::device, on_gpu) == 6);
}

TEST_CASE("[fault] a buffer that is too large throws out_of_memory, and the next call works") {
  const wf::device_buffer<int> good(one_two_three);
  const auto ask = [] { wf::device_buffer<char> b(std::size_t{1} << 46); };
  test::check_throws<wf::out_of_memory>(ask, "cudaMalloc");
  test::check_throws<std::bad_alloc>(ask, "device_buffer");
  test::check_throws<std::bad_alloc>([] { wf::device_buffer<double> b(std::size_t{1} << 62); },
                                     "exceeds the address space");
  CHECK(wf::reduce(wf::device, good) == 6);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("[trap] an earlier failure on the stream is a cuda_error that names it") {
  // The failure breaks the context of the process, so the case runs in a separate process.
  CHECK(run_alone("[trap] child*") == 0);
}

TEST_CASE("[trap] child: reduce after a kernel that failed" * doctest::skip()) {
  const wf::device_buffer<int> good(one_two_three);
  CHECK(wf::reduce(wf::device, good) == 6);
  trap<<<1, 1>>>();
  for (int i = 0; i < 3; ++i) {  // each call throws; none waits forever
    try {
      (void)wf::reduce(wf::device, good);
      FAIL_CHECK("nothing was thrown");
    } catch (const wf::cuda_error& e) {
      const std::string what = e.what();
      INFO(what);
      CHECK(e.code() != cudaSuccess);
      CHECK(what.find(cudaGetErrorName(static_cast<cudaError_t>(e.code()))) != std::string::npos);
    }
  }
}
