// The current device's properties are those that CUDA reports for it. device_guard: another device
// is current, and then the one before.
#include <warpfold/runtime/current_device.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

TEST_CASE("the properties are those of cudaGetDeviceProperties") {
  int id = -1;
  REQUIRE(cudaGetDevice(&id) == cudaSuccess);
  CHECK(wf::runtime::current_device() == id);
  cudaDeviceProp p{};
  REQUIRE(cudaGetDeviceProperties(&p, id) == cudaSuccess);
  const wf::device_info& gpu = wf::runtime::current_device_info();
  CHECK(gpu.id == id);
  CHECK(gpu.multiprocessors == p.multiProcessorCount);
  CHECK(gpu.compute_capability == p.major * 10 + p.minor);
  CHECK(gpu.threads_per_multiprocessor == p.maxThreadsPerMultiProcessor);
  CHECK(gpu.l2_bytes == static_cast<std::size_t>(p.l2CacheSize));
  CHECK(gpu.shared_bytes_per_block == p.sharedMemPerBlockOptin);
  CHECK(gpu.reads_pageable_memory == (p.pageableMemoryAccessUsesHostPageTables != 0));
  // From 0.1 TB/s on, and below 100 TB/s: in bytes per second, not in kilobits.
  CHECK(gpu.peak_bandwidth > 1e11);
  CHECK(gpu.peak_bandwidth < 1e14);
  CHECK(&wf::runtime::current_device_info() == &gpu);  // queried once
}

TEST_CASE("the device before is current again, also after an error") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  const int before = wf::runtime::current_device();
  {
    const wf::runtime::device_guard on(count - 1);
    CHECK(wf::runtime::current_device() == count - 1);
  }
  CHECK(wf::runtime::current_device() == before);
  CHECK_THROWS_AS(wf::runtime::device_guard{count}, wf::error);
  CHECK(wf::runtime::current_device() == before);
  CHECK(cudaGetLastError() == cudaSuccess);
}
