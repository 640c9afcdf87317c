// kernel::ordered_long_rows in the emulation: the declared order of rows of a block or of several,
// aligned or not.
// needs: boost_context
#include <warpfold/kernel/axis/in_order/long_rows.hpp>

#include "kernel/axis/in_order/ordered.hpp"

TEST_CASE("a block, and several that post their values") {
  constexpr wf::kernel::ordered_long_rows rows;
  for (const std::size_t length : {129u, 513u, 1000u, 2048u, 5001u, 20000u}) {
    for (const std::size_t count : {1u, 3u}) test::check_ordered_rows(rows, count, length, length);
  }
  test::check_ordered_rows(rows, 2, 3000, 3003, 1);
  test::check_ordered_rows(rows, 40, 1100, 1100);
}

TEST_CASE("so many parts that they are not posted, and values that cannot be") {
  constexpr wf::kernel::ordered_long_rows rows;
  test::check_order<std::uint64_t>(rows, test::ordered_hash{}, 4000, 1, test::shape({700}, {4000}));
  test::check_order<test::wide_hash>(rows, test::hash_each{}, 700, 1, test::shape({3}, {700}));
}
