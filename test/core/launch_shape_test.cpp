// Launch shapes: counts that exceed 32 bits, the text for messages, and the shapes that are
// refused.
#include <warpfold/core/launch_shape.hpp>

#include <doctest/doctest.h>

#include <string>

namespace wf = warpfold;

namespace {

std::string text_of(const wf::launch_shape& shape) {
  return wf::launched{"sum", shape}.text().c_str();
}

void check_refused(const wf::launch_shape& shape, const char* why) {
  CHECK_THROWS_WITH_AS(wf::check_shape("sum", 1024, shape), doctest::Contains(why),
                       wf::unsupported_kernel);
}

}  // namespace

static_assert(wf::launch_extent(70000, 70000, 3).count() == 14'700'000'000u);
static_assert(wf::launch_shape{.grid = 0x7fffffff, .block = 1024}.threads() == 0x1ff'ffff'fc00u);
static_assert(wf::launch_extent(7) == wf::launch_extent(7, 1, 1));
static_assert(wf::launch_extent(7) != wf::launch_extent(7, 2));

TEST_CASE("a launch prints as in CUDA, without extents of one") {
  CHECK(text_of({.grid = 1056, .block = 256}) == "sum<<<1056, 256>>>");
  CHECK(text_of({.grid = 2, .block = 64, .shared_bytes = 49152}) == "sum<<<2, 64, 49152>>>");
  CHECK(text_of({.grid = {4, 3}, .block = {8, 4, 2}}) == "sum<<<(4, 3), (8, 4, 2)>>>");
  CHECK(text_of({.grid = {4, 1, 3}, .block = 32}) == "sum<<<(4, 1, 3), 32>>>");
}

TEST_CASE("blocks are whole warps, up to what the kernel takes") {
  wf::check_shape("sum", 1024, {.grid = 1, .block = 32});
  wf::check_shape("sum", 1024, {.grid = 1, .block = {16, 2, 32}});
  check_refused({.grid = 1, .block = 0}, "kernel sum was asked for blocks of 0 threads");
  check_refused({.grid = 1, .block = 48}, "blocks of 48 threads; it takes a multiple of 32");
  check_refused({.grid = 1, .block = 1056}, "blocks of 1056 threads");
  check_refused({.grid = 1, .block = {32, 8, 8}}, "blocks of 2048 threads");
  CHECK_THROWS_WITH_AS(wf::check_shape("sum", 256, {.grid = 1, .block = 288}),
                       doctest::Contains("up to 256"), wf::unsupported_kernel);
}

TEST_CASE("grids and blocks within CUDA's limits of each dimension") {
  wf::check_shape("sum", 1024, {.grid = {0x7fffffff, 65535, 65535}, .block = 32});
  wf::check_shape("sum", 1024, {.grid = 1, .block = {1, 1, 64}});
  check_refused({.grid = 0x80000000, .block = 32}, "2147483647 x 65535 x 65535");
  check_refused({.grid = {1, 65536}, .block = 32}, "2147483647 x 65535 x 65535");
  check_refused({.grid = {1, 1, 65536}, .block = 32}, "2147483647 x 65535 x 65535");
  check_refused({.grid = 1, .block = {1, 1, 96}}, "more than 64 in z");
  check_refused({.grid = 0, .block = 32}, "a grid without blocks");
  check_refused({.grid = {8, 0}, .block = 32}, "a grid without blocks");
}

TEST_CASE("too many blocks give a grid that the launch rejects") {
  CHECK(wf::grid_of(0) == 0);
  CHECK(wf::grid_of(0x7fffffff) == 0x7fffffff);
  for (const std::size_t blocks : {std::size_t{0x80000000}, (std::size_t{1} << 32) + 1}) {
    check_refused({.grid = wf::grid_of(blocks), .block = 32}, "2147483647 x 65535 x 65535");
  }
}
