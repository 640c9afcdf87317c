// kernel::listed_ranges in the emulation: its launch, and what it loads.
// needs: boost_context
#include <warpfold/kernel/many/listed.hpp>

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_many.hpp>

namespace wf = warpfold;

namespace {

/// The one launch for the sums of ranges of these lengths, one after the other in memory.
wf::emulation::launch_counts launch_of(const std::vector<std::size_t>& lengths) {
  std::size_t all = 0;
  for (const std::size_t n : lengths) all += n;
  const std::vector<float> values(all, 1);
  std::vector<const float*> pointers;
  std::vector<unsigned> sizes;
  for (std::size_t at = 0; const std::size_t n : lengths) {
    pointers.push_back(values.data() + at);
    sizes.push_back(static_cast<unsigned>(n));
    at += n;
  }
  std::vector<float> sums(lengths.size(), -1);
  wf::reduce_many(wf::emulated.counting(), wf::ranges_at(pointers, sizes), wf::plus{}, sums);
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    wrong += sums[r] != static_cast<float>(lengths[r]);
  }
  CHECK(wrong == 0);
  const auto& launches = wf::emulation::last_report().launches;
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].launch.kernel == std::string("listed_ranges"));
  return launches[0];
}

std::size_t bytes_loaded(const wf::emulation::launch_counts& launch) {
  return launch.total(wf::emulation::traffic::global_load).bytes_used;
}

}  // namespace

TEST_CASE(
    "one launch for any number of ranges: a warp for each, and two helpers a multiprocessor") {
  const auto blocks = [](std::size_t count) {
    return launch_of(std::vector<std::size_t>(count, 3)).launch.shape.grid.count();
  };
  CHECK(blocks(1) == 1 + 2 * 132);
  CHECK(blocks(8) == 1 + 2 * 132);
  CHECK(blocks(3001) == 376 + 2 * 132);
}

TEST_CASE("elements are loaded once, whoever folds them") {
  // By warps; each of the 32 lanes reads the pointer and the size.
  CHECK(bytes_loaded(launch_of(std::vector<std::size_t>(80, 256))) <= 80 * (1024 + 32 * 12));
  // By helpers.
  const std::size_t long_ones = bytes_loaded(launch_of({40000, 3, 100000}));
  CHECK(long_ones >= 4 * 140003);
  CHECK(long_ones < 4 * 140003 + 400000);
}

TEST_CASE("the list takes no memory of the arguments") {
  using list = decltype(wf::ranges_at(std::declval<const std::vector<const double*>&>(),
                                      std::declval<const std::vector<int>&>()));
  using folds = wf::segmented_reduction<wf::contiguous_view<double>, wf::range_of_many, wf::plus,
                                        wf::no_init, wf::contiguous_output<double>>;
  using reduction = wf::reduction<wf::contiguous_view<double>, wf::plus>;
  static_assert(sizeof(wf::kernel::listed_ranges::body<list, folds, reduction>) < 256);
}
