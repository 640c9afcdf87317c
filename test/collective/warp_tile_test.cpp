// warp_tile: a tile has whole words and at most so many bytes, its elements are dealt to the lanes
// without loss, and no two lanes use the same bank.
#include <warpfold/collective/warp_tile.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace {

using warpfold::collective::warp_tile;

template <std::size_t ElementBytes, std::size_t MostBytes>
void check_tile() {
  using tile = warp_tile<ElementBytes, MostBytes>;
  INFO(ElementBytes, " bytes, tiles of ", MostBytes);
  CHECK(tile::size == 32 * tile::each);
  CHECK(tile::size * ElementBytes % 16 == 0);
  CHECK(tile::each % tile::run == 0);
  CHECK((tile::size * ElementBytes <= MostBytes || tile::each == tile::run));

  std::vector<int> times(tile::size);
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (int k = 0; k < tile::each; ++k) {
      REQUIRE(tile::element(lane, k) < tile::size);
      ++times[tile::element(lane, k)];
    }
    // Neighbors of a run are neighbors, and start at a word.
    const unsigned first = tile::element(lane, 0);
    CHECK(first * ElementBytes % 4 == 0);
    for (int k = 1; k < tile::run; ++k) {
      CHECK(tile::element(lane, k) == first + static_cast<unsigned>(k));
    }
  }
  CHECK(times == std::vector<int>(tile::size, 1));
}

/// The most lanes whose first words of 4 bytes are in one bank.
template <std::size_t ElementBytes>
int lanes_in_a_bank() {
  std::array<int, 32> lanes{};
  int most = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const auto word = warp_tile<ElementBytes, 4096>::element(lane, 0) * ElementBytes / 4;
    most = std::max(most, ++lanes[word % 32]);
  }
  return most;
}

}  // namespace

TEST_CASE("runs are the fewest elements that are whole words") {
  static_assert(warp_tile<1, 4096>::run == 4);
  static_assert(warp_tile<2, 4096>::run == 2);
  static_assert(warp_tile<3, 4096>::run == 4);
  static_assert(warp_tile<6, 4096>::run == 2);
  static_assert(warp_tile<12, 4096>::run == 1);
}

TEST_CASE("a lane takes as many elements as fit, up to sixteen") {
  static_assert(warp_tile<12, 4096>::each == 8);
  static_assert(warp_tile<12, 3072>::each == 8);
  static_assert(warp_tile<12, 3071>::each == 4);
  static_assert(warp_tile<4, 4096>::each == 16);
  static_assert(warp_tile<100, 2048>::each == 1);  // more bytes than asked for
  static_assert(warp_tile<6, 64>::each == 2);
}

TEST_CASE("every element is one lane's") {
  check_tile<1, 4096>();
  check_tile<1, 64>();
  check_tile<2, 1024>();
  check_tile<3, 4096>();
  check_tile<4, 512>();
  check_tile<6, 3000>();
  check_tile<12, 8192>();
  check_tile<20, 4096>();
  check_tile<50, 4096>();
  check_tile<97, 16384>();
}

TEST_CASE("elements of an odd number of words use all banks") {
  CHECK(lanes_in_a_bank<1>() == 1);
  CHECK(lanes_in_a_bank<2>() == 1);
  CHECK(lanes_in_a_bank<3>() == 1);
  CHECK(lanes_in_a_bank<4>() == 1);
  CHECK(lanes_in_a_bank<12>() == 1);
  CHECK(lanes_in_a_bank<20>() == 1);
  CHECK(lanes_in_a_bank<6>() == 1);
}
