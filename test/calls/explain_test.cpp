// explain: what the plan of a reduction says without running it, and how it is printed.
// needs: tbb boost_context
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/explain.hpp>
#include <warpfold/kernel/ladder/two_pass.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/kernel/tuned.hpp>

namespace wf = warpfold;

namespace {

/// The plan of the maximum of `n` floats that nobody can read, without its expected time, which is
/// measured.
template <class Policy>
wf::plan plan_of(const Policy& policy, std::size_t n) {
  using view = wf::contiguous_view<float>;
  const view range(reinterpret_cast<const float*>(std::uintptr_t{1} << 40), n);
  wf::plan p;
  policy.describe(wf::reduction<view, wf::maximum>{range, {}, {}}, p);
  return p;
}

std::string text_of(const wf::plan& p) {
  std::ostringstream text;
  text << p;
  return text.str();
}

}  // namespace

TEST_CASE("the plan of seq") {
  const std::vector<int> values(10);
  const wf::contiguous_view<int> view(values.data(), values.size());
  wf::plan p;
  wf::seq.describe(wf::reduction<wf::contiguous_view<int>, wf::plus>{view, {}, {}}, p);
  CHECK(p.kernel == "tree");
  CHECK(p.threads == 1);
  CHECK(p.bytes == 40);
}

TEST_CASE("the plan of the emulation") {
  const std::vector<int> values(1000);
  const wf::contiguous_view<int> view(values.data(), values.size());
  wf::plan p;
  wf::emulated.describe(wf::reduction<wf::contiguous_view<int>, wf::plus>{view, {}, {}}, p);
  CHECK(p.kernel == "single_block");
  CHECK(p.bytes == 4000);
  CHECK(p.threads == static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
}

TEST_CASE("the plan of a kernel that the caller chooses: its first launch, and how many") {
  const wf::plan two = plan_of(wf::emulated.with_kernel(wf::kernel::two_pass<64>{}), 1000);
  CHECK(two.kernel == "two_pass");
  CHECK(two.grid == wf::launch_extent(16));
  CHECK(two.block == wf::launch_extent(64));
  CHECK(two.launches == 2);
  CHECK_FALSE(two.takes_chunks);
  const wf::plan one = plan_of(wf::emulated.with_kernel(wf::kernel::single_pass<>{64, 3}), 100'000);
  CHECK(one.grid == wf::launch_extent(3));
  CHECK(one.launches == 1);
  CHECK(one.takes_chunks);
  CHECK_THROWS_AS(plan_of(wf::emulated.with_kernel(wf::kernel::single_pass<>{100, 3}), 1000),
                  wf::unsupported_kernel);
}

TEST_CASE("a plan says where its launch table comes from") {
  const std::size_t n = 1 << 20;
  const wf::device_info h100 = wf::emulation::default_gpu;
  wf::device_info rtx_5090 = h100;
  rtx_5090.compute_capability = 120;
  rtx_5090.multiprocessors = 170;
  rtx_5090.l2_bytes = std::size_t{96} << 20;
  rtx_5090.shared_bytes_per_block = 99 * 1024;
  CHECK(plan_of(wf::emulated, n).table == wf::tuning_source::measured);
  CHECK(plan_of(wf::emulated.emulating(rtx_5090), n).table == wf::tuning_source::computed);
  // 480 MB: bulk copies, if 96 KB and the barriers fit a block's shared memory.
  CHECK(plan_of(wf::emulated.emulating(rtx_5090), 120 << 20).kernel == "bulk_copy");
  const auto given = wf::emulated.with_kernel(wf::kernel::tuned{wf::tuning::of(h100)});
  CHECK(plan_of(given, n).table == wf::tuning_source::given);
  CHECK(plan_of(wf::emulated.with_kernel(wf::kernel::single_pass<>{64}), n).table ==
        wf::tuning_source::measured);
  // One block has its own shapes, and so has a kernel with the caller's.
  CHECK(plan_of(wf::emulated, 100).kernel == "single_block");
  CHECK(plan_of(wf::emulated, 100).table == wf::tuning_source::none);
  CHECK(plan_of(given, 100).table == wf::tuning_source::none);
  CHECK(plan_of(wf::emulated.with_kernel(wf::kernel::single_pass<>{64, 3}), n).table ==
        wf::tuning_source::none);

  const auto says = [&](const auto& policy, const char* line) {
    return text_of(plan_of(policy, n)).find(line) != std::string::npos;
  };
  CHECK(says(wf::emulated, "\n  launch table              measured on this kind of GPU\n"));
  CHECK(says(wf::emulated.emulating(rtx_5090),
             "\n  launch table              computed: nobody measured this kind of GPU\n"));
  CHECK(says(wf::emulated.emulating(rtx_5090),
             "\n  emulated GPU              170 multiprocessors, compute capability 12.0\n"));
  CHECK(says(wf::emulated,
             "\n  emulated GPU              132 multiprocessors, compute capability 9.0\n"));
  CHECK(says(given, "\n  launch table              given by the caller\n"));
  CHECK_FALSE(says(wf::emulated.with_kernel(wf::kernel::two_pass<64>{}), "launch table"));
}

TEST_CASE("explain adds the number of elements and an expected time") {
  const std::vector<float> v(1000);
  const wf::plan p = wf::explain(wf::seq, v);
  CHECK(p.policy == "seq");
  CHECK(p.elements == 1000);
  CHECK(p.bytes == 4000);
  CHECK(p.launches == 0);
  CHECK(p.bandwidth > 0);
  CHECK(p.expected_time >= 4000 / p.bandwidth);
  const wf::plan longer = wf::explain(wf::seq, std::vector<float>(100'000));
  CHECK(longer.bandwidth == p.bandwidth);  // measured once
  CHECK(longer.expected_time - p.expected_time ==
        doctest::Approx(99'000 * 4 / p.bandwidth).epsilon(1e-6));
}

TEST_CASE("explain refuses what reduce refuses") {
  const std::vector<float> nothing;
  CHECK(wf::explain(wf::seq, nothing).elements == 0);
  CHECK_THROWS_AS(wf::explain(wf::seq, nothing, [](float a, float b) { return a < b ? a : b; }),
                  wf::empty_range);
  const wf::contiguous_view<float> nowhere(nullptr, 3);
  CHECK_THROWS_AS(wf::explain(wf::seq, nowhere), wf::invalid_range);
}

TEST_CASE("a printed plan has a line for each field that applies") {
  wf::plan p;
  p.policy = "own";
  p.kernel = "loop";
  p.elements = 3;
  p.bytes = 12;
  CHECK(text_of(p) ==
        "policy own, kernel loop\n"
        "  elements                  3\n"
        "  bytes read                12 B\n");

  p.threads = 8;
  p.bytes = 1'234'500'000;
  p.bytes_written = 999;
  p.bandwidth = 5e9;
  p.expected_time = 0.00025;
  CHECK(text_of(p) ==
        "policy own, kernel loop\n"
        "  elements                  3\n"
        "  bytes read                1.234 GB\n"
        "  bytes written             999 B\n"
        "  host threads              8\n"
        "  measured bandwidth        5 GB/s\n"
        "  expected time             250 us\n");
}

TEST_CASE("a printed plan of a GPU says how it launches, and what a thread has") {
  wf::plan p;
  p.policy = "device";
  p.kernel = "grid_2d";
  p.device = "a GPU";
  p.on_gpu = true;
  p.grid = wf::launch_extent(64, 3);
  p.block = wf::launch_extent(8, 8, 2);
  p.launches = 2;
  p.load_bytes = 16;
  p.chunk = 4;
  p.registers = 40;
  p.occupancy = 0.746;
  const std::string text = text_of(p);
  INFO(text);
  const auto has = [&](const char* line) { return text.find(line) != std::string::npos; };
  CHECK(text.starts_with("policy device, kernel grid_2d, on a GPU\n"));
  CHECK(has("  load                      16 bytes, 4 elements per chunk\n"));
  CHECK(has("  grid                      64 x 3 blocks\n"));
  CHECK(has("  block                     8 x 8 x 2 threads\n"));
  CHECK(has("  launches                  2\n"));
  CHECK(has("  registers                 40 per thread\n"));
  CHECK(has("  occupancy                 75 %\n"));
  CHECK_FALSE(has("measured bandwidth"));
  CHECK_FALSE(has("bytes written"));
}

TEST_CASE("the host reads small ranges from its cache") {
  const std::vector<float> small(100'000), large(1'000'000);
  const wf::plan cached = wf::explain(wf::seq, small);
  const wf::plan read = wf::explain(wf::seq, large);
  CHECK(cached.bandwidth != read.bandwidth);  // two measurements
  wf::detail::measured_speed s;
  s.overhead = 1e-6;
  s.count = 3;
  s.stretches[0] = {500'000, 100e9};
  s.stretches[1] = {1'500'000, 50e9};
  s.stretches[2] = {64'000'000, 20e9};
  CHECK(s.bandwidth_of(500'000) == 100e9);
  CHECK(s.bandwidth_of(600'000) == 50e9);
  CHECK(s.bandwidth_of(100e6) == 20e9);
  CHECK(s.time_of(400'000) == doctest::Approx(5e-6));
  CHECK(s.time_of(600'000) == doctest::Approx(8e-6));
  CHECK(s.time_of(3'500'000) == doctest::Approx(126e-6));
  CHECK(s.time_of(101'500'000) == doctest::Approx(5026e-6));
}

TEST_CASE("explain on the host measures the op and the elements of the call") {
  const std::vector<float> floats(100'000, 1.0f);
  const std::vector<short> shorts(200'000, short{1});
  const auto slow = [](float x) { return x; };
  const wf::plan sum = wf::explain(wf::seq, floats);
  CHECK(wf::explain(wf::seq, floats, wf::maximum{}).bandwidth != sum.bandwidth);
  CHECK(wf::explain(wf::seq, shorts).bandwidth != sum.bandwidth);
  // The caller's functions are not called for a measurement.
  CHECK(wf::explain(wf::seq, wf::project(floats, slow), wf::maximum{}).bandwidth == sum.bandwidth);
  CHECK(wf::explain(wf::seq, floats, [](float a, float b) { return a + b; }).bandwidth ==
        sum.bandwidth);
}

TEST_CASE("a printed plan of the emulation has no time") {
  wf::plan p;
  p.policy = "emulated";
  p.kernel = "single_block";
  p.grid = wf::launch_extent(1);
  p.block = wf::launch_extent(256);
  wf::detail::expect_time(p, wf::seq);
  CHECK(p.expected_time == 0);
  const std::string text = text_of(p);
  INFO(text);
  CHECK(text.find("  emulated GPU  ") != std::string::npos);
  CHECK(text.find("  grid                      1 block\n") != std::string::npos);
  CHECK(text.find("expected time") == std::string::npos);
}

TEST_CASE("names in plans are compared by what they say") {
  const std::string tree = "tree";  // not the literal itself
  const wf::plan p = wf::explain(wf::seq, std::vector<float>(3));
  CHECK(p.kernel == tree);
  CHECK(tree == p.kernel);
  CHECK(p.kernel == tree.c_str());
  CHECK(p.kernel == wf::explain(wf::seq, std::vector<int>(5)).kernel);
  CHECK(p.kernel != p.policy);
  CHECK(p.kernel != "lane");
  CHECK(p.device.empty());
  CHECK(p.kernel.c_str() == tree);
}
