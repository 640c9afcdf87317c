// The layout of a workspace's device memory, and workspaces where there is no GPU.
#include <cstdlib>

#include <warpfold/runtime/workspace.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

// Before the first CUDA call, which reads it.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

alignas(256) unsigned char memory[wf::workspace::device_bytes];

}  // namespace

static_assert(!std::is_copy_constructible_v<wf::workspace>);
static_assert(std::is_nothrow_move_constructible_v<wf::workspace>);

TEST_CASE("posts, ticket and partial states lie apart, within the memory, and aligned") {
  const auto grid = wf::workspace::grid_at(memory);
  const auto at = [](const void* p) {
    return static_cast<std::size_t>(static_cast<const unsigned char*>(p) - memory);
  };
  CHECK(at(grid.posts) == 0);
  CHECK(at(grid.ticket) >= wf::collective::post_bytes);
  CHECK(at(grid.ticket) + sizeof(unsigned) <= wf::workspace::zeroed_bytes);
  CHECK(at(grid.partials) >= wf::workspace::zeroed_bytes);  // they are not zeroed
  CHECK(at(grid.partials) + wf::collective::partial_bytes <= wf::workspace::device_bytes);
  CHECK(at(grid.partials) % 256 == 0);
}

TEST_CASE("without a GPU a workspace throws and leaks nothing") {
  REQUIRE(hidden);
  for (int i = 0; i < 2; ++i) {
    CHECK_THROWS_WITH_AS(wf::workspace(), doctest::Contains("for a reduction's workspace"),
                         wf::no_device);
  }
}
