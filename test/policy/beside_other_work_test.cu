// Runs wf::device while other work runs on the GPU: a waiting kernel, streams of other priorities,
// another process.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cuda/std/complex>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/bitwise.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/policy/cub.hpp>

#include "contract/device_memory.hpp"
#include "contract/oracle.hpp"

namespace {

using wf::runtime::check;

__global__ void wait_for(const volatile int* flag) {
  if (threadIdx.x == 0) {
    while (*flag == 0) __nanosleep(2000);
  }
  __syncthreads();
}

struct stream {
  cudaStream_t handle = nullptr;

  explicit stream(int priority = 0) {
    check(cudaStreamCreateWithPriority(&handle, cudaStreamNonBlocking, priority),
          "cudaStreamCreateWithPriority");
  }
  stream(const stream&) = delete;
  ~stream() { cudaStreamDestroy(handle); }

  // Whether all of its work ends within a second.
  bool ends_soon() const {
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::seconds(1)) {
      if (cudaStreamQuery(handle) == cudaSuccess) return true;
    }
    return false;
  }
};

// A kernel that waits until its destructor runs. It takes all threads of half of the
// multiprocessors, and half of the threads of the others.
class waiting_kernel {
 public:
  // The kernel uses no shared memory, but makes `shared_percent` of each multiprocessor's memory
  // shared memory; -1: the driver chooses.
  explicit waiting_kernel(int shared_percent) {
    check(cudaHostAlloc(&flag_, sizeof *flag_, cudaHostAllocMapped), "cudaHostAlloc");
    *flag_ = 0;
    check(cudaFuncSetAttribute(wait_for, cudaFuncAttributePreferredSharedMemoryCarveout,
                               shared_percent),
          "cudaFuncSetAttribute");
    const auto multiprocessors =
        static_cast<unsigned>(wf::runtime::current_device_info().multiprocessors);
    wait_for<<<multiprocessors * 3 / 2, 1024, 0, stream_.handle>>>(flag_);
    check(cudaGetLastError(), "the waiting kernel");
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(5)) {
    }
  }
  waiting_kernel(const waiting_kernel&) = delete;
  ~waiting_kernel() {
    *const_cast<volatile int*>(flag_) = 1;
    cudaStreamSynchronize(stream_.handle);
    cudaFreeHost(flag_);
  }

 private:
  int* flag_ = nullptr;
  stream stream_;
};

// An array of ones, and memory for the sum of some of them.
template <class T>
struct numbers {
  using result_type = decltype(wf::reduce(wf::seq, std::span<const T>(), wf::plus{}));
  static constexpr std::size_t most = std::size_t{1} << 25;
  wf::device_buffer<T> values{most};
  wf::device_buffer<result_type> sum{1};

  numbers() {
    const std::vector<T> ones(most, T(1));
    wf::runtime::copy_to_device(values.data(), ones.data(), most * sizeof(T));
  }

  // Whether the sum of the first `n` elements is complete within a second.
  template <class Policy>
  bool sums_soon(const Policy& policy, std::size_t n, const stream& on) {
    wf::reduce_async(policy.on(on.handle), std::span<const T>(values.data(), n), wf::plus{},
                     sum.data());
    return on.ends_soon();
  }
  result_type result() const { return test::device_memory::values(sum.data(), 1)[0]; }
};

}  // namespace

// docs/beside_other_work.md explains why the size of the shared part of a multiprocessor's memory
// matters here.
TEST_CASE("single_pass starts beside a kernel that holds half of every multiprocessor [large]") {
  numbers<int> data;
  const stream own;
  const auto single_pass = wf::device.with_kernel(wf::kernel::single_pass<>{});
  const auto sizes = {std::size_t{1},       std::size_t{1000},    std::size_t{1} << 14,
                      std::size_t{1} << 18, std::size_t{1} << 22, data.most};
  // Loads the kernels first, because loading may wait for the GPU.
  for (const std::size_t n : sizes) CHECK(data.sums_soon(single_pass, n, own));
  for (const int shared_percent : {-1, 4, 12, 25, 50, 100}) {
    CAPTURE(shared_percent);
    for (const std::size_t n : sizes) {
      CAPTURE(n);
      {
        const waiting_kernel waiting(shared_percent);
        CHECK(data.sums_soon(single_pass, n, own));
      }
      CHECK(data.result() == static_cast<long long>(n));
    }
  }
}

// Up to the sizes of bulk copies, which need nearly all of the shared memory.
TEST_CASE_TEMPLATE("wf::device starts there wherever CUB starts [large]", T, int, float, double) {
  numbers<T> data;
  const stream own;
  const auto sizes = {
      std::size_t{1},       std::size_t{100},     std::size_t{250},  std::size_t{400},
      std::size_t{1000},    std::size_t{2000},    std::size_t{4096}, std::size_t{1} << 14,
      std::size_t{1} << 18, std::size_t{1} << 22, data.most};
  for (const std::size_t n : sizes) {
    CHECK(data.sums_soon(wf::device, n, own));
    CHECK(data.sums_soon(wf::baseline::cub, n, own));
  }
  for (const int shared_percent : {-1, 4, 12, 25, 50, 100}) {
    CAPTURE(shared_percent);
    for (const std::size_t n : sizes) {
      if (n * sizeof(T) >= 5 * wf::runtime::current_device_info().l2_bytes) continue;
      CAPTURE(n);
      // One at a time: a reduction that does not start delays the work after it.
      bool cub = false, ours = false;
      {
        const waiting_kernel waiting(shared_percent);
        ours = data.sums_soon(wf::device, n, own);
      }
      cudaStreamSynchronize(own.handle);
      CHECK(data.result() == static_cast<typename numbers<T>::result_type>(n));
      if (ours) continue;
      {
        const waiting_kernel waiting(shared_percent);
        cub = data.sums_soon(wf::baseline::cub, n, own);
      }
      cudaStreamSynchronize(own.handle);
      CHECK(!cub);
    }
  }
}

// The smallest share of shared memory, at which kernels of few registers do not start.
TEST_CASE("so do other ops and elements, in blocks of one warp and of 256 threads") {
  const std::vector<double> host(2000, 1.0);
  const test::device_memory::array<double> there(host, 0);
  wf::device_buffer<std::byte> result(256);
  const stream own;
  const auto starts = [&]<class T>(T, std::size_t n, const auto& op) {
    const std::span<const T> values(reinterpret_cast<const T*>(there.data()), n);
    using value = decltype(wf::reduce(wf::device, values, op));
    const auto call = [&] {
      wf::reduce_async(wf::device.on(own.handle), values, op,
                       reinterpret_cast<value*>(result.data()));
    };
    call();
    REQUIRE(own.ends_soon());
    const waiting_kernel waiting(4);
    call();
    CHECK(own.ends_soon());
  };
  for (const std::size_t n : {20, 300, 1000, 1999}) {
    CAPTURE(n);
    starts(char{}, n, wf::plus{});
    starts(short{}, n, wf::maximum{});
    starts(int{}, n, wf::bit_xor{});
    starts(float{}, n, wf::arg(wf::minimum{}));
    starts(int{}, n, wf::arg(wf::maximum{}));
    starts(double{}, n, wf::arg(wf::minimum{}));
    starts(1LL, n, wf::multiplies{});
    starts(int{}, n, wf::all(wf::minimum{}, wf::maximum{}));
    starts(float{}, n, wf::all(wf::plus{}, wf::minimum{}, wf::maximum{}));
    starts(cuda::std::complex<float>{}, n / 2, wf::plus{});
    starts(int{}, n, [] __device__(int a, int b) { return a < b ? b : a; });
  }
}

TEST_CASE("streams of three priorities") {
  int least = 0, greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
  test::random_bits bits;
  std::vector<int> host(300007);
  for (int& x : host) x = static_cast<int>(bits() % 2001) - 1000;
  const test::device_memory::array<int> there(host, 4);
  const std::span<const int> all(there.data(), host.size());
  constexpr std::size_t calls = 200;
  wf::device_buffer<long long> sums(3 * calls);
  wf::device_buffer<int> maxima(3 * calls);
  {
    const stream streams[] = {stream(least), stream((least + greatest) / 2), stream(greatest)};
    for (std::size_t i = 0; i < calls; ++i) {
      for (std::size_t s = 0; s < 3; ++s) {
        const auto part = all.subspan(i * s, all.size() - i * (s + 7));
        wf::reduce_async(wf::device.on(streams[s].handle), part, wf::plus{},
                         sums.data() + 3 * i + s);
        wf::reduce_async(wf::device.on(streams[s].handle), part, wf::maximum{},
                         maxima.data() + 3 * i + s);
      }
    }
    for (const stream& s : streams) check(cudaStreamSynchronize(s.handle), "cudaStreamSynchronize");
  }
  const auto got_sums = test::device_memory::values(sums.data(), sums.size());
  const auto got_maxima = test::device_memory::values(maxima.data(), maxima.size());
  for (std::size_t i = 0; i < calls; ++i) {
    for (std::size_t s = 0; s < 3; ++s) {
      const std::span<const int> part =
          std::span<const int>(host).subspan(i * s, host.size() - i * (s + 7));
      CAPTURE(i);
      CAPTURE(s);
      REQUIRE(got_sums[3 * i + s] == wf::reduce(wf::seq, part, wf::plus{}));
      REQUIRE(got_maxima[3 * i + s] == wf::reduce(wf::seq, part, wf::maximum{}));
    }
  }
}

TEST_CASE("sums of many sizes") {
  const std::vector<int> host(1000003, 3);
  const test::device_memory::array<int> there(host, 0);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t n = static_cast<std::size_t>(i) * 500;
    REQUIRE(wf::reduce(wf::device, std::span<const int>(there.data(), n), wf::plus{}) ==
            3 * static_cast<long long>(n));
  }
}

TEST_CASE("two processes on one GPU [large]") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string one = "'" + self + "' --test-case='sums of many sizes' > /dev/null";
  CHECK(std::system((one + " & first=$!; " + one + " && wait $first").c_str()) == 0);
}
