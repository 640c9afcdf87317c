// kernel::thread_unrolled: its launches, its sums in the emulation, and the range as scratch.
// needs: boost_context
#include <warpfold/kernel/ladder/thread_unrolled.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::thread_unrolled;

TEST_CASE("one launch for every factor in the number of elements") {
  const auto launches = [](std::size_t n) {
    return test::launches_of(thread_unrolled<4>{}, n).launches.size();
  };
  CHECK(launches(0) == 1);
  CHECK(launches(7) == 1);
  CHECK(launches(8) == 2);  // two threads of four
  CHECK(launches(11) == 2);
  CHECK(launches(31) == 2);
  CHECK(launches(32) == 3);
  const auto on = test::launches_of(thread_unrolled<4>{.block = 64}, 4 * 4 * 65);
  CHECK(on.blocks() == counts{5, 2, 1, 1, 1});  // 260 threads, 65, 16, 4, 1
  CHECK(on.scratches == counts{260});
  CHECK(test::launches_of(thread_unrolled<4>{}, 7).scratches.empty());
}

TEST_CASE("sums, with a remainder for the first threads or without") {
  test::check_sums(thread_unrolled<2>{.block = 32}, 2 * 32);
  test::check_sums(thread_unrolled<4>{}, 4);
  test::check_sums(thread_unrolled<>{}, 8 * 256);
  test::check_sums(thread_unrolled<64>{.block = 1024}, 64);
}

TEST_CASE("coalesced loads, and neither barriers nor shared memory") {
  const auto report = test::emulated_sum(thread_unrolled<8>{}, 8 * 256);
  const auto& first = report.launches.at(0);
  const auto loads = first.total(test::traffic::global_load);
  CHECK(loads.requests == 8 * 8);
  CHECK(loads.sectors == loads.ideal_sectors);
  CHECK(first.total(test::traffic::global_store).lanes == 256);
  CHECK(first.barriers == 0);
  CHECK(first.total(test::traffic::shared_store).requests == 0);
}

TEST_CASE("in place: the same sum, in the range's own memory") {
  const auto sum_in = [](std::vector<float>& values, bool in_place) {
    const thread_unrolled<4> kernel{.in_place = in_place};
    wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
    float result = -77;
    on.allow(values.data(), values.size() * sizeof(float), in_place);
    on.allow(&result, sizeof result, true);
    const test::sum_of_view<wf::contiguous_view<float>> r{{values.data(), values.size()}, {}, {}};
    kernel.enqueue(r, wf::collective::result_sink<float>{&result, nullptr, 0}, on);
    return result;
  };
  std::vector<float> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<float>(i + 3);
  const std::vector<float> before = values;
  const float sum = sum_in(values, false);
  CHECK(values == before);
  CHECK(sum_in(values, true) == sum);
  CHECK(values != before);
  CHECK(test::launches_of(thread_unrolled<4>{.in_place = true}, 5000).scratches.empty());
}

TEST_CASE("ranges and blocks that it does not take") {
  // Sums of ints are of 64 bits.
  CHECK_REFUSED("works in place only on", thread_unrolled<4>{.in_place = true},
                test::elements<int>(100));
  CHECK_REFUSED("works in place only on", thread_unrolled<4>{.in_place = true},
                (wf::contiguous_view<const float>(nullptr, 100)));
  const auto range = test::elements<float>(1000);
  CHECK_REFUSED("blocks of 0 threads", thread_unrolled<4>{.block = 0}, range);
  CHECK_REFUSED("multiple of 32", thread_unrolled<4>{.block = 1056}, range);
}
