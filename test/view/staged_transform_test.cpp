// wf::staged on both sides of a transformation, in the emulation, and copies between structs and soa.
// needs: boost_context boost
#include <warpfold/policy/emulated.hpp>
#include <warpfold/view/soa.hpp>

#include "contract/staged_transform_contract.hpp"

namespace {

// Of one multiprocessor, so that a warp takes many tiles.
constexpr wf::runtime::device_info small_gpu = [] {
  wf::runtime::device_info gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  return gpu;
}();

struct on_host : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated.emulating(small_gpu); }
};

struct float3_like {
  float x, y, z;
};
struct seven {
  BOOST_HANA_DEFINE_STRUCT(seven, (float, x), (float, y), (float, z), (float, m), (int, id),
                           (float, q), (float, r));
  friend bool operator==(const seven&, const seven&) = default;
};

std::vector<seven> some_structs(int n) {
  std::vector<seven> all;
  for (int i = 0; i < n; ++i) {
    const float f = static_cast<float>(i);
    all.push_back({f, f * 2, f * 3, f / 2, i, f + 1, f + 2});
  }
  return all;
}

template <class In, class Out>
wf::emulation::launch_counts copied(const In& in, Out&& out) {
  const auto policy = wf::emulated.counting();
  wf::copy(policy, in, static_cast<Out&&>(out));
  REQUIRE(policy.report().launches.size() == 1);
  return policy.report().launches[0];
}

using wf::emulation::traffic;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(staged_transforms, on_host);
TEST_CASE_TEMPLATE_INVOKE(staged_with_others, on_host);

TEST_CASE("staged transformations read and write whole sectors") {
  constexpr std::size_t n = 128 * 100;  // tiles of float3
  const on_host::array<float3_like> in(test::any_bytes<float3_like>(n), 0);
  on_host::target<float3_like> out(std::vector<float3_like>(n), 0);
  const std::span<const float3_like> from(in.data(), n);
  const std::span<float3_like> to(out.data(), n);
  const auto staged = copied(wf::staged(from), wf::staged(to));
  CHECK(std::string(staged.launch.kernel) == "staged_elementwise");
  CHECK(staged.total(traffic::global_load).sectors == n * 12 / 32);
  CHECK(staged.total(traffic::global_store).sectors == n * 12 / 32);
  CHECK(staged.total(traffic::shared_load).bank_conflicts == 0);
  CHECK(staged.total(traffic::shared_store).bank_conflicts == 0);
  // Directly, a thread's three words of 16 bytes are 48 from the next thread's.
  const auto direct = copied(from, to);
  CHECK(direct.total(traffic::global_load).sectors > n * 12 / 32);
}

TEST_CASE_TEMPLATE("elements of any size are read and written without bank conflicts", T,
                   test::bytes_of_size<3>, test::bytes_of_size<20, 4>, test::bytes_of_size<32, 16>,
                   test::bytes_of_size<50, 2>, test::bytes_of_size<64, 16>,
                   test::bytes_of_size<96, 16>, test::bytes_of_size<255>) {
  constexpr std::size_t n = 512 * 10;
  const on_host::array<T> in(test::any_bytes<T>(n), 0);
  on_host::target<T> out(std::vector<T>(n), 0);
  const auto counts =
      copied(wf::staged(std::span<const T>(in.data(), n)), wf::staged(std::span<T>(out.data(), n)));
  CHECK(std::string(counts.launch.kernel) == "staged_elementwise");
  CHECK(counts.total(traffic::global_load).sectors == n * sizeof(T) / 32);
  CHECK(counts.total(traffic::global_store).sectors == n * sizeof(T) / 32);
  CHECK(counts.total(traffic::shared_load).bank_conflicts == 0);
  CHECK(counts.total(traffic::shared_store).bank_conflicts == 0);
}

TEST_CASE("structs become soa and structs again") {
  for (const int n : {0, 1, 31, 64, 1000, 20001}) {
    INFO(n, " elements");
    const auto structs = some_structs(n);
    const auto check = [&](const auto& policy) {
      wf::host_soa<seven> apart(structs.size());
      wf::copy(policy, wf::staged(structs), apart);
      CHECK(apart.to_host() == structs);
      std::vector<seven> whole(structs.size());
      wf::copy(policy, apart, wf::staged(whole));
      CHECK(whole == structs);
      wf::copy(policy, apart, whole);  // unstaged
      CHECK(whole == structs);
    };
    check(wf::seq);
    check(on_host::policy());
  }
  const auto eleven = some_structs(11);
  wf::host_soa<seven> too_small(10);
  test::check_throws<wf::invalid_range>(
      [&] { wf::copy(wf::emulated, wf::staged(eleven), too_small); }, "10");
}

TEST_CASE("copies between structs and soa are coalesced on both sides") {
  constexpr std::size_t n = 64 * 100;  // tiles of 28 bytes
  const on_host::array<seven> in(some_structs(n), 0);
  wf::host_soa<seven> apart(n);
  const auto there = copied(wf::staged(std::span<const seven>(in.data(), n)), apart);
  CHECK(there.total(traffic::global_load).sectors == n * 28 / 32);
  CHECK(there.total(traffic::global_store).sectors == n * 28 / 32);
  on_host::target<seven> out(std::vector<seven>(n), 0);
  const auto back = copied(apart, wf::staged(std::span<seven>(out.data(), n)));
  CHECK(back.total(traffic::global_load).sectors == n * 28 / 32);
  CHECK(back.total(traffic::global_store).sectors == n * 28 / 32);
}
