// wf::soa: the arrays of all fields on the GPU.
// needs: boost
#include <doctest/doctest.h>

#include <limits>
#include <utility>

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/policy/cub.hpp>
#include <warpfold/runtime/current_device.hpp>

#include "contract/policy_contract.hpp"
#include "view/soa_elements.hpp"

namespace {

template <class T, auto Number>
struct subject {
  using type = T;
  static constexpr auto number = Number;
};

struct doubled_charge {
  WARPFOLD_HD double operator()(const test::padded& p) const { return 2 * p.charge; }
};

}  // namespace

using padded = subject<test::padded, &test::padded::charge>;
using placed = subject<test::placed, &test::placed::id>;
using with_arrays = subject<test::with_arrays, &test::with_arrays::weight>;
using flagged = subject<test::flagged, &test::flagged::low>;
using seven = subject<test::seven, &test::seven::e>;
using single = subject<test::single, &test::single::value>;
using composed = subject<test::composed, &test::composed::third>;

TEST_CASE_TEMPLATE("elements come back from the GPU, and reduce there as a vector of them does", S,
                   padded, placed, with_arrays, flagged, seven, single, composed) {
  using T = typename S::type;
  for (const std::size_t n : test::soa_sizes) {
    INFO(n, " elements");
    const auto all = test::elements<T>(n);
    const wf::soa<T> soa(all);
    REQUIRE(soa.size() == n);
    CHECK(soa.empty() == (n == 0));
    CHECK(soa.to_host() == all);
    if (n != 0) CHECK(soa[n - 1] == all[n - 1]);
    test::check_reductions<T, S::number>(soa, all, wf::device);
  }
}

TEST_CASE("with other kernels and policies") {
  for (const std::size_t n : test::soa_sizes) {
    INFO(n, " elements");
    const auto all = test::elements<test::flagged>(n);
    const wf::soa<test::flagged> soa(all);
    test::check_reductions<test::flagged, &test::flagged::value>(
        soa, all, wf::device.with_kernel(wf::kernel::sequential_addressing<128>{}));
    // Not a struct with padding: CUB copies that between its launches, unwritten, as initcheck then
    // says.
    const auto without_padding = test::elements<test::seven>(n);
    test::check_reductions<test::seven, &test::seven::e>(wf::soa<test::seven>(without_padding),
                                                         without_padding, wf::baseline::cub);
    if (wf::runtime::current_device_info().compute_capability >= 90) {
      test::check_reductions<test::flagged, &test::flagged::value>(
          soa, all, wf::device.with_kernel(wf::kernel::bulk_copy{}));
    }
  }
}

TEST_CASE("copied from the host's arrays, with room left there") {
  const auto all = test::elements<test::padded>(1000);
  wf::host_soa<test::padded> host;
  for (const auto& p : all) host.push(p);
  const wf::soa<test::padded> soa(host);
  CHECK(soa.to_host() == all);
  CHECK(wf::reduce(wf::device, wf::project(soa, doubled_charge{}), wf::plus{}) ==
        2 * wf::reduce(wf::seq, host.field<&test::padded::charge>()));
}

TEST_CASE("fields are written on the GPU") {
  wf::soa<test::placed> soa(test::elements<test::placed>(500));
  const auto ids = soa.field<&test::placed::id>();
  static_assert(std::is_same_v<decltype(ids), const std::span<int>>);
  const std::vector<int> numbers(500, 3);
  wf::runtime::check(cudaMemcpy(ids.data(), numbers.data(), ids.size_bytes(), cudaMemcpyDefault),
                     "cudaMemcpy");
  CHECK(wf::reduce(wf::device, soa.field<&test::placed::id>()) == 1500);

  wf::soa<test::placed> moved(std::move(soa));
  CHECK(soa.empty());
  CHECK(wf::reduce(wf::device, soa.field<&test::placed::id>()) == 0);
  CHECK(wf::reduce(wf::device, moved.field<&test::placed::id>()) == 1500);
  soa = std::move(moved);
  CHECK(soa[499].id == 3);
}

TEST_CASE("policies of the other side say that they cannot reach it") {
  const auto all = test::elements<test::seven>(10);
  const wf::host_soa<test::seven> host(all);
  const wf::soa<test::seven> there(all);
  test::check_throws<wf::invalid_range>([&] { (void)wf::reduce(wf::seq, there, test::merge{}); },
                                        "device memory");
  if (!wf::runtime::current_device_info().reads_pageable_memory) {
    test::check_throws<wf::invalid_range>(
        [&] { (void)wf::reduce(wf::device, host, test::merge{}); }, "pageable");
  }
}

TEST_CASE("more than there is memory for is out_of_memory, and the next one works") {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  for (const std::size_t n : {all, all / 28 + 1, all / 28, std::size_t{1} << 50}) {
    INFO(n, " elements");
    CHECK_THROWS_AS((void)wf::soa<test::seven>(n), wf::out_of_memory);
  }
  CHECK(wf::soa<test::seven>(test::elements<test::seven>(5)).to_host() ==
        test::elements<test::seven>(5));
}

TEST_CASE("zip_to: the caller's arrays") {
  const auto all = test::elements<test::padded>(70001);
  const wf::soa<test::padded> soa(all);
  const auto view =
      wf::zip_to<test::padded>(soa.field<&test::padded::tag>(), soa.field<&test::padded::charge>(),
                               soa.field<&test::padded::kind>());
  CHECK(wf::reduce(wf::device, view, test::merge{}) == wf::reduce(wf::seq, all, test::merge{}));
}
