// kernel::ordered_rows in the emulation: the declared order of rows of up to 256 chunks, whole or
// cut, aligned or not.
// needs: boost_context
#include <warpfold/kernel/axis/in_order/rows.hpp>

#include "kernel/axis/in_order/ordered.hpp"

TEST_CASE("lanes of a row, and several chunks for each lane") {
  constexpr wf::kernel::ordered_rows rows;
  for (const std::size_t length :
       {1u, 2u, 4u, 12u, 28u, 60u, 64u, 100u, 128u, 250u, 256u, 500u, 512u}) {
    test::check_ordered_rows(rows, 3, length, length);
  }
  test::check_ordered_rows(rows, 2049, 4, 4);
  // So many rows that a lane takes several.
  test::check_ordered_rows(rows, 5000, 12, 12);
}

TEST_CASE("rows that do not start at words, or have gaps") {
  constexpr wf::kernel::ordered_rows rows;
  for (const std::size_t length : {3u, 33u, 101u, 255u, 257u}) {
    test::check_ordered_rows(rows, 5, length, length + 3);
    test::check_ordered_rows(rows, 5, length, length, 1);
  }
}
