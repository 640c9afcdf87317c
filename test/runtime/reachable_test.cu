// Checks of the memory that a GPU accesses, and of device memory that host threads would.
#include <warpfold/runtime/reachable.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

namespace {

using wf::runtime::check_device_pointer;
using wf::runtime::check_host_pointer;

}  // namespace

TEST_CASE("a GPU accesses its own memory, pinned and managed memory") {
  const wf::device_buffer<int> device(4);
  check_device_pointer(device.data(), 16, 4);
  void* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 16) == cudaSuccess);
  check_device_pointer(pinned, 16, 4);
  check_host_pointer(pinned, 16, 4);
  CHECK(cudaFreeHost(pinned) == cudaSuccess);
  void* managed = nullptr;
  REQUIRE(cudaMallocManaged(&managed, 16) == cudaSuccess);
  check_device_pointer(managed, 16, 4);
  check_host_pointer(managed, 16, 4);
  CHECK(cudaFree(managed) == cudaSuccess);
}

TEST_CASE("null, misaligned and pageable memory is refused, and no error stays behind") {
  CHECK_THROWS_AS(check_device_pointer(nullptr, 16, 4), wf::invalid_range);
  check_device_pointer(nullptr, 0, 4);  // nothing is read
  const wf::device_buffer<unsigned char> device(16);
  CHECK_THROWS_AS(check_device_pointer(device.data() + 1, 4, 4), wf::invalid_range);
  if (!wf::runtime::current_device_info().reads_pageable_memory) {
    const std::vector<int> pageable(4);
    CHECK_THROWS_WITH_AS(check_device_pointer(pageable.data(), 16, 4, "the input"),
                         doctest::Contains("the input at 0x"), wf::invalid_range);
  }
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("many arrays: each pointer is checked, also in an allocation that is known") {
  const wf::device_buffer<int> first(1000), second(1000);
  wf::runtime::device_pointer_checks checks;
  for (int round = 0; round < 3; ++round) {
    for (const int* const p : {first.data(), second.data()}) {
      for (int i = 0; i < 1000; i += 7) checks.check(p + i, 4, 4, "the input");
    }
  }
  checks.check(nullptr, 0, 4, "the input");
  CHECK_THROWS_AS(checks.check(nullptr, 4, 4, "the input"), wf::invalid_range);
  const auto* const odd = reinterpret_cast<const unsigned char*>(first.data()) + 2;
  CHECK_THROWS_AS(checks.check(odd, 4, 4, "the input"), wf::invalid_range);
  const auto known = wf::runtime::detail::allocation_of(first.data() + 10);
  CHECK(known.bytes >= 4000);
  CHECK(known.contains(first.data()));
  CHECK(known.contains(first.data() + 999));
  CHECK_FALSE(known.contains(second.data()));
  const std::size_t all = wf::runtime::allocated_bytes_from(first.data());
  CHECK(all >= 4000);
  CHECK(wf::runtime::allocated_bytes_from(first.data() + 10) == all - 40);
  CHECK(wf::runtime::allocated_bytes_from(nullptr) == 0);
  const std::vector<int> pageable(4);
  CHECK(wf::runtime::detail::allocation_of(pageable.data()).bytes == 0);
  CHECK(wf::runtime::allocated_bytes_from(pageable.data()) == 0);
  if (!wf::runtime::current_device_info().reads_pageable_memory) {
    CHECK_THROWS_WITH_AS(checks.check(pageable.data(), 16, 4, "the input"),
                         doctest::Contains("the input at 0x"), wf::invalid_range);
  }
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("device memory is refused for host threads") {
  const wf::device_buffer<int> device(4);
  CHECK_THROWS_WITH_AS(check_host_pointer(device.data(), 16, 4),
                       doctest::Contains("in device memory, which host threads cannot access"),
                       wf::invalid_range);
}
