// grid_storage: its sizes, and the emulation's copy of it, which is zero where kernels rely on it
// and must be zero again after the last launch.
// needs: boost_context
#include <warpfold/collective/grid_storage.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

#include "contract/emulated_launch.hpp"

using namespace warpfold;
using namespace warpfold::collective;

TEST_CASE("8192 posts, and 128 bytes for each of 512 blocks") {
  static_assert(post_bytes == 8192 * 16);
  static_assert(partial_bytes == 512 * 128);
}

TEST_CASE("posts and the ticket are zero and aligned; partial states are not") {
  test::emulated_launch on;
  const grid_storage grid = on.launcher().grid();
  CHECK(*grid.ticket == 0);
  for (std::size_t i = 0; i < post_bytes / sizeof(post); ++i) {
    REQUIRE(grid.posts[i].low == 0);
    REQUIRE(grid.posts[i].high == 0);
  }
  CHECK(reinterpret_cast<std::uintptr_t>(grid.posts) % 16 == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(grid.partials) % 256 == 0);
  CHECK(static_cast<const unsigned char*>(grid.partials)[0] != 0);
  CHECK(static_cast<const unsigned char*>(grid.partials)[partial_bytes - 1] != 0);
  // The same for every launch of a call.
  CHECK(on.launcher().grid().posts == grid.posts);
}

TEST_CASE("a kernel that leaves a post or the ticket nonzero is refused") {
  const char* const message =
      "warpfold: a kernel left posts or the ticket of its grid nonzero, and the next launch on a "
      "GPU would read them; set them to zero";
  test::emulated_launch on;
  CHECK_NOTHROW(on.launcher().finish());  // nothing was used
  const grid_storage grid = on.launcher().grid();
  CHECK_NOTHROW(on.launcher().finish());
  grid.posts[2047].high = 1;
  CHECK_THROWS_WITH_AS(on.launcher().finish(), message, error);
  grid.posts[2047].high = 0;
  grid.posts[0].low = 1;
  CHECK_THROWS_WITH_AS(on.launcher().finish(), message, error);
  grid.posts[0].low = 0;
  *grid.ticket = 1;
  CHECK_THROWS_WITH_AS(on.launcher().finish(), message, error);
  *grid.ticket = 0;
  std::memset(grid.partials, 1, partial_bytes);  // of no consequence
  CHECK_NOTHROW(on.launcher().finish());
}

TEST_CASE("a kernel uses scratch once, with the grid's storage or without") {
  test::emulated_launch on;
  (void)on.launcher().grid();
  (void)on.launcher().scratch<int>(1);
  CHECK_NOTHROW(on.launcher().grid());
  CHECK_THROWS_AS((void)on.launcher().scratch<int>(1), error);
}
