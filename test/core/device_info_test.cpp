// device_info: a GPU that nobody described has nothing, so no kernel takes it for a larger one.
// needs: boost_context
#include <warpfold/core/device_info.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <vector>

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

// A launcher copies it, and programs name its members.
static_assert(std::is_trivially_copyable_v<wf::device_info>);
static_assert(std::is_aggregate_v<wf::device_info>);

TEST_CASE("defaults are zero") {
  const wf::device_info none;
  CHECK(none.id == 0);
  CHECK(none.multiprocessors == 0);
  CHECK(none.compute_capability == 0);
  CHECK(none.threads_per_multiprocessor == 0);
  CHECK(none.l2_bytes == 0);
  CHECK(none.shared_bytes_per_block == 0);
  CHECK(none.peak_bandwidth == 0);
  CHECK_FALSE(none.reads_pageable_memory);
}

TEST_CASE("a kernel that needs a certain GPU refuses one without properties") {
  const std::vector<int> values(1000, 1);
  const auto reduce_on = [&](const wf::device_info& gpu) {
    return wf::reduce(wf::emulated.emulating(gpu).with_kernel(wf::kernel::bulk_copy{}), values);
  };
  CHECK(reduce_on(wf::emulation::default_gpu) == 1000);
  CHECK_THROWS_AS((void)reduce_on(wf::device_info{}), wf::unsupported_kernel);
}
