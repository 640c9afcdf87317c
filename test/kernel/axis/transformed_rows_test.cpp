// kernel::transformed_rows in the emulation: lanes and blocks per row, and the width of loads.
// needs: boost_context cccl
#include <warpfold/kernel/axis/transformed_rows.hpp>

#include <numeric>

#include <cuda/std/mdspan>

#include "kernel/axis/row_shares.hpp"

namespace {

// The launch for rows of `n` floats, each `pitch` after the one before.
wf::emulation::report rows(std::size_t count, std::size_t n, std::size_t offset = 0,
                           std::size_t out_offset = 0) {
  const auto r = test::write_shares(count, n, offset, out_offset);
  REQUIRE(r.launches.size() == 1);
  CHECK(std::string(r.launches[0].launch.kernel) == "transformed_rows");
  return r;
}
unsigned blocks(const wf::emulation::report& r) { return r.launches[0].launch.shape.grid.x; }
unsigned threads(const wf::emulation::report& r) { return r.launches[0].launch.shape.block.x; }

}  // namespace

TEST_CASE("a few lanes, a warp, and a block per row") {
  CHECK(blocks(rows(512, 4)) == 2);    // one lane each
  CHECK(blocks(rows(64, 128)) == 8);   // 32 lanes with one chunk
  CHECK(blocks(rows(64, 1024)) == 8);  // 32 lanes with eight
  const auto block = rows(3, 1028);    // 257 chunks
  CHECK(blocks(block) == 3);
  CHECK(threads(block) == 64);
  CHECK(threads(rows(1, 32768)) == 1024);
}

TEST_CASE("words where all rows are aligned, single elements otherwise") {
  const auto words = rows(6, 64);
  CHECK(test::loads_of(words, 16) == 6 * 64 / 4);
  CHECK(test::loads_of(words, 4) == 0);
  CHECK(test::stores_of(words, 16) == 6 * 64 / 4);
  CHECK(test::loads_of(rows(6, 64, 1), 16) == 0);
  // The output alone is misaligned.
  const auto loads = rows(6, 64, 0, 1);
  CHECK(test::loads_of(loads, 16) == 6 * 64 / 4);
  CHECK(test::stores_of(loads, 4) == 6 * 64);
  CHECK(test::loads_of(rows(6, 63), 16) == 0);
}
