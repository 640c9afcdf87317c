// kernel::automatic_axis_transformation: one launch where a row fits, otherwise folds in scratch.
// needs: boost_context cccl
#include <warpfold/kernel/axis/automatic_transformation.hpp>

#include <cuda/std/mdspan>

#include "kernel/axis/row_shares.hpp"

TEST_CASE("rows that one launch can hold") {
  CHECK(test::write_shares(2, 32768).launches.size() == 1);
  CHECK(test::write_shares(2, 8192, 1).launches.size() == 1);
}

TEST_CASE("longer rows are folded to scratch, with the states of their pieces behind the folds") {
  const auto r = test::write_shares(2, 32772);
  REQUIRE(r.launches.size() == 3);
  CHECK(std::string(r.launches[0].launch.kernel) == "axis_row_blocks");
  CHECK(std::string(r.launches[1].launch.kernel) == "axis_pieces");
  CHECK(std::string(r.launches[2].launch.kernel) == "elementwise_lines");
  CHECK(test::write_shares(2, 8193, 1).launches.size() > 1);
}

TEST_CASE("nothing is launched where there are no elements") {
  CHECK(test::write_shares(0, 4).launches.empty());
  CHECK(test::write_shares(4, 0).launches.empty());
}
