// wf::host_soa in emulated kernels: the results, and coalesced loads.
// needs: boost boost_context
// slow: runs for seconds
#include <doctest/doctest.h>

#include <span>
#include <string>

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/policy/emulated.hpp>

#include "view/soa_elements.hpp"

namespace {

using wf::emulation::site_counts;
using wf::emulation::traffic;

constexpr wf::kernel::sequential_addressing<128> by_elements{};
// Small, so that short ranges have many tiles.
constexpr wf::kernel::bulk_copy by_copies{.block = 64, .stage_bytes = 4096};

template <class T, auto Member, class... Kernels>
void check_kernels(std::size_t n, const Kernels&... kernels) {
  INFO(n, " elements");
  const auto all = test::elements<T>(n);
  const wf::host_soa<T> soa(all);
  test::check_reductions<T, Member>(soa, all, wf::emulated);
  (test::check_reductions<T, Member>(soa, all, wf::emulated.with_kernel(kernels)), ...);
}

// The loads and copies of the first launch from global memory, without the posts of its blocks.
// Only this launch reads the range.
template <class Range, class Op, class Kernel>
site_counts loads_of(const Range& range, Op op, const Kernel& kernel) {
  const auto policy = wf::emulated.counting().with_kernel(kernel);
  (void)wf::reduce(policy, range, op);
  site_counts sum;
  for (const site_counts& s : policy.report().launches.front().sites) {
    const bool reads = s.what == traffic::global_load || s.what == traffic::bulk_copy;
    const std::string file = s.at.file;
    if (!reads || file.find("grid_finish") != std::string::npos ||
        file.find("posted_state") != std::string::npos) {
      continue;
    }
    sum.sectors += s.sectors;
    sum.ideal_sectors += s.ideal_sectors;
    sum.bytes_used += s.bytes_used;
  }
  return sum;
}

// Loads every byte once, in the fewest sectors.
template <class Range, class Op>
void check_coalesced(const Range& range, Op op, std::size_t bytes) {
  const auto check = [&](const auto& kernel) {
    INFO(kernel.name());
    const site_counts c = loads_of(range, op, kernel);
    CHECK(c.sectors == c.ideal_sectors);
    CHECK(c.sectors == bytes / 32);
    CHECK(c.bytes_used == bytes);
  };
  check(by_elements);
  check(by_copies);
  // Idle threads load the last chunk again.
  const site_counts c = loads_of(range, op, wf::kernel::single_pass{});
  CHECK(c.sectors == c.ideal_sectors);
  CHECK(c.bytes_used >= bytes);
}

}  // namespace

TEST_CASE("kernels give of a soa what wf::seq gives of a vector") {
  for (const std::size_t n : test::soa_sizes) {
    check_kernels<test::flagged, &test::flagged::low>(n, by_elements, by_copies);
    check_kernels<test::composed, &test::composed::third>(n);
    check_kernels<test::with_arrays, &test::with_arrays::weight>(n, by_elements, by_copies);
    check_kernels<test::seven, &test::seven::g>(n);
  }
}

TEST_CASE(
    "of a field no byte but its own is loaded, and whole elements in no sector more than they "
    "fill") {
  constexpr std::size_t n = 1 << 15;
  const wf::host_soa<test::seven> seven(test::elements<test::seven>(n));
  check_coalesced(seven.field<&test::seven::d>(), wf::plus{}, n * 4);
  check_coalesced(seven, test::merge{}, n * 28);
  const wf::host_soa<test::flagged> flagged(test::elements<test::flagged>(n));
  check_coalesced(flagged.field<&test::flagged::low>(), wf::plus{}, n);
  check_coalesced(flagged.field<&test::flagged::value>(), wf::plus{}, n * 8);
  check_coalesced(flagged, test::merge{}, n * 19);
  const wf::host_soa<test::padded> padded(test::elements<test::padded>(n));
  check_coalesced(padded, test::merge{}, n * 11);
}

TEST_CASE("zipped with what begins elsewhere") {
  const auto all = test::elements<test::flagged>(5001);
  const wf::host_soa<test::flagged> soa(all);
  const std::vector<unsigned char> bytes(5020, 1);
  for (const std::size_t offset : {0, 1, 14}) {
    const std::span<const unsigned char> others(bytes.data() + offset, 5001);
    const auto both = wf::project(wf::zip(soa, others), [](const auto& pair) {
      return wf::get<0>(pair).value + wf::get<0>(pair).low + wf::get<1>(pair);
    });
    const double sum = wf::reduce(wf::seq, both, wf::plus{});
    CHECK(wf::reduce(wf::emulated, both, wf::plus{}) == sum);
    CHECK(wf::reduce(wf::emulated.with_kernel(by_copies), both, wf::plus{}) == sum);
  }
}

TEST_CASE("one field of a vector of structs takes more sectors than its bytes fill") {
  constexpr std::size_t n = 1 << 15;
  const auto all = test::elements<test::seven>(n);
  const auto one = wf::project(all, &test::seven::d);
  const site_counts c = loads_of(one, wf::plus{}, by_elements);
  CHECK(c.sectors > 4 * (n * 4 / 32));
}
