// wf::staged on the host and in the emulation: whole elements, and that the copies are coalesced.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/kernel/ladder/grid_stride.hpp>
#include <warpfold/policy/emulated.hpp>

#include "contract/staged_contract.hpp"

namespace {

struct on_host : test::host_memory {
  static auto policy() { return wf::emulated; }
};

struct float3_like {
  float x, y, z;
};
struct sum_of_floats {
  float operator()(const float3_like& v) const { return v.x + v.y + v.z; }
};

template <class T>
wf::emulation::launch_counts counted(std::size_t n, std::size_t offset, bool staged) {
  const on_host::array<T> placed(test::any_bytes<T>(n), offset);
  const std::span<const T> range(placed.data(), n);
  const auto policy = wf::emulated.counting();
  const auto hashes = wf::project(range, test::hash_of_bytes{});
  if (staged) {
    (void)wf::reduce(policy, wf::staged(hashes));
  } else {
    (void)wf::reduce(policy.with_kernel(wf::kernel::grid_stride<>{}), hashes);
  }
  REQUIRE(!policy.report().launches.empty());
  return policy.report().launches[0];
}

/// What the copies of a staged launch did.
wf::emulation::site_counts copies_of(const wf::emulation::launch_counts& launch) {
  wf::emulation::site_counts all;
  for (const auto& s : launch.sites) {
    if (s.what != wf::emulation::traffic::global_load || s.access_bytes != 16) continue;
    if (std::strstr(s.at.file, "kernel/staged.hpp") == nullptr) continue;
    all.requests += s.requests;
    all.sectors += s.sectors;
    all.ideal_sectors += s.ideal_sectors;
    all.bytes_used += s.bytes_used;
  }
  return all;
}

template <class T>
void check_coalesced() {
  constexpr std::size_t n = 512 * 40;
  for (std::size_t offset = 0; offset < 16; offset += alignof(T)) {
    INFO(sizeof(T), "-byte elements, ", offset, " bytes from alignment");
    const auto launch = counted<T>(n, offset, true);
    const auto copies = copies_of(launch);
    CHECK(copies.bytes_used >= (n - 1024) * sizeof(T));
    CHECK(copies.bytes_used <= n * sizeof(T));
    // A tile may begin in the middle of a sector: one more for it, and at most one a request.
    CHECK(copies.sectors <= copies.ideal_sectors + copies.requests);
    if (offset == 0 && sizeof(T) % 4 == 0) CHECK(copies.sectors == copies.ideal_sectors);
    const auto reads = launch.total(wf::emulation::traffic::shared_load);
    CHECK(reads.requests > 0);
    CHECK(reads.bank_conflicts == 0);
    CHECK(launch.total(wf::emulation::traffic::shared_store).bank_conflicts == 0);
  }
}

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(staged_sizes, on_host);
TEST_CASE_TEMPLATE_INVOKE(staged_parts, on_host);
TEST_CASE_TEMPLATE_INVOKE(staged_views, on_host);

TEST_CASE("host policies read staged ranges where they are") {
  const std::vector<float3_like> v(1001, {1, 2, 4});
  CHECK(wf::reduce(wf::seq, wf::project(wf::staged(v), sum_of_floats{}), wf::plus{}) == 7007);
}

TEST_CASE("staged copies are whole sectors, and their elements free of bank conflicts") {
  check_coalesced<float3_like>();
  check_coalesced<test::bytes_of_size<1>>();
  check_coalesced<test::bytes_of_size<3>>();
  check_coalesced<test::bytes_of_size<6, 2>>();
  check_coalesced<test::bytes_of_size<17>>();
  check_coalesced<test::bytes_of_size<20, 4>>();
  check_coalesced<test::bytes_of_size<24, 8>>();
  check_coalesced<test::bytes_of_size<28, 4>>();
  check_coalesced<test::bytes_of_size<32, 16>>();
  check_coalesced<test::bytes_of_size<36, 4>>();
  check_coalesced<test::bytes_of_size<48, 16>>();
  check_coalesced<test::bytes_of_size<50, 2>>();
  check_coalesced<test::bytes_of_size<61>>();
  check_coalesced<test::bytes_of_size<64, 16>>();
  check_coalesced<test::bytes_of_size<96, 16>>();
  check_coalesced<test::bytes_of_size<128, 16>>();
  check_coalesced<test::bytes_of_size<160, 16>>();
  check_coalesced<test::bytes_of_size<192, 16>>();
  check_coalesced<test::bytes_of_size<224, 16>>();
  check_coalesced<test::bytes_of_size<256, 16>>();
}

TEST_CASE("float3 loaded directly, a thread an element, is not coalesced") {
  constexpr std::size_t n = 512 * 40;
  const auto direct = counted<float3_like>(n, 0, false).total(wf::emulation::traffic::global_load);
  // Three loads a warp, each of which touches all twelve sectors.
  CHECK(direct.sectors == 3 * n * 12 / 32);
  CHECK(direct.ideal_sectors == n * 12 / 32);
}

TEST_CASE("packed folds are left alone where an init makes another accumulator") {
  std::vector<signed char> chars(1000, 5);
  chars[17] = -1;
  CHECK(wf::reduce(wf::emulated, chars, 0u, wf::maximum{}) ==
        wf::reduce(wf::seq, chars, 0u, wf::maximum{}));
  std::vector<short> shorts(1000, -5);
  shorts[17] = 3;
  CHECK(wf::reduce(wf::emulated, shorts, 100u, wf::minimum{}) ==
        wf::reduce(wf::seq, shorts, 100u, wf::minimum{}));
  CHECK(wf::reduce(wf::emulated, chars, 7, wf::maximum{}) == 7);
  CHECK(wf::reduce(wf::emulated, chars, 0.5, wf::plus{}) == 4994.5);
}

TEST_CASE("staged takes the blocks that it says, and GPUs with little shared memory") {
  const std::vector<float3_like> v(3000, {1, 2, 4});
  const auto sums = wf::project(wf::staged(v), sum_of_floats{});
  for (const unsigned block : {0u, 31u, 100u, 2048u}) {
    test::check_throws<wf::unsupported_kernel>(
        [&] {
          (void)wf::reduce(wf::emulated.with_kernel(wf::kernel::staged<>{block}), sums, wf::plus{});
        },
        std::to_string(block).c_str());
  }
  wf::device_info small = wf::emulation::default_gpu;
  for (const std::size_t bytes : {48 * 1024, 8 * 1024, 2 * 1024}) {
    small.shared_bytes_per_block = bytes;
    CHECK(wf::reduce(wf::emulated.emulating(small), sums, wf::plus{}) == 21000);
  }
}

TEST_CASE("elements of odd sizes are read in as few words as have their bytes") {
  // Three bytes from any on lie in two words of four.
  const auto launch = counted<test::bytes_of_size<3>>(512 * 40, 0, true);
  std::size_t requests = 0;
  for (const auto& s : launch.sites) {
    if (s.what == wf::emulation::traffic::shared_load && s.access_bytes == 4) {
      requests += s.requests;
    }
  }
  CHECK(requests == 2 * 512 * 40 / 32);
}

TEST_CASE("parts that are aligned are read from the copy") {
  using whole = test::bytes_of_size<32, 4>;
  using part = test::bytes_of_size<16, 4>;
  constexpr std::size_t n = 128 * 8;
  const on_host::array<whole> placed(test::any_bytes<whole>(n), 0);
  const std::span<const whole> range(placed.data(), n);
  const auto policy = wf::emulated.counting();
  (void)wf::reduce(policy, wf::project(wf::staged(test::parts_view<whole, part, 16>(range)),
                                       test::hash_of_bytes{}));
  std::size_t loaded = 0;
  for (const auto& s : policy.report().launches.at(0).sites) {
    if (s.what != wf::emulation::traffic::global_load) continue;
    if (std::strstr(s.at.file, "kernel/staged.hpp") != nullptr) loaded += s.bytes_used;
  }
  CHECK(loaded == n * sizeof(whole));
}

TEST_CASE("an element that leaves another array's piece is not read from its copy") {
  // Arrays of 12 and of 20 bytes that begin at one place: elements of the second lie across the end
  // of a tile of the first.
  using twelve = test::bytes_of_size<12, 4>;
  using twenty = test::bytes_of_size<20, 4>;
  constexpr std::size_t n = 1000;
  const on_host::array<twenty> placed(test::any_bytes<twenty>(n), 0);
  const std::span<const twelve> first(reinterpret_cast<const twelve*>(placed.data()), n);
  const std::span<const twenty> second(placed.data(), n);
  const auto hashes = wf::project(wf::staged(wf::zip(first, second)), test::hash_of_both{});
  CHECK(wf::reduce(wf::emulated, hashes) == wf::reduce(wf::seq, hashes));
}
