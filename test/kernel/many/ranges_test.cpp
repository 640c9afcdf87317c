// kernel::many_ranges in the emulation: its launches and their shapes, and what they load.
// needs: boost_context
#include <warpfold/kernel/many/ranges.hpp>

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_many.hpp>

namespace wf = warpfold;

namespace {

/// The launches of the sums of ranges of these lengths, one after the other in memory.
std::vector<wf::emulation::launch_counts> launches_of(const std::vector<std::size_t>& lengths) {
  std::size_t all = 0;
  for (const std::size_t n : lengths) all += n;
  static std::vector<float> values;
  values.assign(all, 1);
  std::vector<std::span<const float>> ranges;
  for (std::size_t at = 0; const std::size_t n : lengths) {
    ranges.push_back(std::span(values).subspan(at, n));
    at += n;
  }
  std::vector<float> sums(lengths.size(), -1);
  wf::reduce_many(wf::emulated.counting(), ranges, wf::plus{}, sums);
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    wrong += sums[r] != static_cast<float>(lengths[r]);
  }
  CHECK(wrong == 0);
  return wf::emulation::last_report().launches;
}

bool is(const wf::emulation::launch_counts& launch, const char* kernel, unsigned blocks,
        unsigned threads) {
  return launch.launch.kernel == std::string(kernel) &&
         launch.launch.shape.grid.count() == blocks && launch.launch.shape.block.x == threads;
}

}  // namespace

TEST_CASE("a warp folds each of the short ranges, with loads of 16 bytes") {
  const auto launches = launches_of(std::vector<std::size_t>(1000, 256));
  REQUIRE(launches.size() == 1);
  CHECK(is(launches[0], "many_ranges", 125, 256));
  const auto loads = launches[0].total(wf::emulation::traffic::global_load);
  // Two loads of a warp for each range.
  CHECK(loads.bytes_used == 1000 * 1024);
  CHECK(loads.requests == 2 * 1000);
}

TEST_CASE("a block folds each range if one of them is longer than 4 KB") {
  CHECK(is(launches_of({1, 1024, 5}).at(0), "many_ranges", 1, 256));
  CHECK(is(launches_of({1, 1025, 5}).at(0), "many_ranges", 3, 256));
  CHECK(launches_of({1, 1025, 5}).size() == 1);
}

TEST_CASE("a launch takes up to 1024 ranges") {
  CHECK(launches_of(std::vector<std::size_t>(1024, 2)).size() == 1);
  const auto launches = launches_of(std::vector<std::size_t>(1025, 2));
  REQUIRE(launches.size() == 2);
  CHECK(is(launches[0], "many_ranges", 128, 256));
  CHECK(is(launches[1], "many_ranges", 1, 256));
}

TEST_CASE("several blocks fold each long range, in the launch of the others") {
  // Parts of 16 KB: 5 + 10 blocks, and one for the short range.
  auto launches = launches_of({16 * 4096 / 4 + 1, 16, 40000});
  REQUIRE(launches.size() == 1);
  CHECK(is(launches[0], "many_ranges", 5 + 10 + 1, 256));
  // Every element is read once.
  const auto loads = launches[0].total(wf::emulation::traffic::global_load);
  CHECK(loads.bytes_used >= 4 * (16385 + 16 + 40000));
  CHECK(loads.bytes_used < 4 * (16385 + 16 + 40000) + 32 * 1024);
  // No block without a part if all ranges have several.
  CHECK(is(launches_of({40000, 40000}).at(0), "many_ranges", 20, 256));
  // A block for each of the others if one of them is longer than 4 KB.
  CHECK(is(launches_of({1, 40000, 2000}).at(0), "many_ranges", 10 + 3, 256));
}

TEST_CASE("a range of two parts is not divided, and one of more is") {
  CHECK(is(launches_of({8192, 1}).at(0), "many_ranges", 2, 256));
  CHECK(is(launches_of({8193, 1}).at(0), "many_ranges", 3 + 1, 256));
}

TEST_CASE("parts are as large as an eighth of a multiprocessor's share") {
  // 27 MB are 25 KB for each eighth, so parts have 32 KB.
  const auto launches = launches_of(std::vector<std::size_t>(270, 25000));
  REQUIRE(launches.size() == 1);
  CHECK(is(launches[0], "many_ranges", 270 * 4, 256));
  // Then a block folds 64 KB.
  CHECK(is(launches_of(std::vector<std::size_t>(420, 16384)).at(0), "many_ranges", 420, 256));
}

TEST_CASE("a range of more than 256 MB has a launch of its own") {
  const auto launches = launches_of({(1u << 26) + 1, 16, 40000});
  REQUIRE(launches.size() == 2);
  CHECK(is(launches[0], "many_ranges", 10 + 1, 256));
  CHECK(launches[1].launch.kernel != std::string("many_ranges"));
  CHECK(launches_of({}).empty());
}

TEST_CASE("the argument of few ranges is smaller, and that of many fits every launch") {
  using view = wf::contiguous_view<double>;
  using folds = wf::segmented_reduction<view, wf::range_of_many, wf::plus, wf::no_init,
                                        wf::contiguous_output<double>>;
  using reduction = wf::reduction<view, wf::plus>;
  constexpr unsigned few = wf::kernel::many_ranges::few, most = wf::kernel::many_ranges::most;
  static_assert(sizeof(wf::kernel::many_ranges::body<folds, reduction, few>) < 2048);
  static_assert(sizeof(wf::kernel::many_ranges::body<folds, reduction, most>) < 14592);
}
