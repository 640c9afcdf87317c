// kernel::axis_columns in the emulation: threads beside and below each other, and pieces.
// needs: boost_context
#include <warpfold/kernel/axis/columns.hpp>

#include "kernel/axis/folds.hpp"

namespace {

/// Columns of row-major matrices without gaps.
template <class T, class Op = wf::plus>
wf::emulation::report check_columns(std::size_t outers, std::size_t length, std::size_t across,
                                    const Op& op = {}) {
  INFO(outers, " x ", length, " x ", across);
  return test::check_kernel<T>(wf::kernel::axis_columns{}, length, across,
                               test::shape({outers, across}, {length * across, 1}),
                               test::dense({outers, across}), op);
}

}  // namespace

TEST_CASE("three threads down, several matrices a block, and rows that are left over") {
  check_columns<float>(4, 20, 8);
  check_columns<float>(25, 100, 8);
  check_columns<float>(1, 67, 9, wf::arg(wf::minimum{}));
  check_columns<float>(1, 7, 3, wf::arg(wf::minimum{}));
  check_columns<float>(3, 7, 5);
  check_columns<double>(3, 20, 33, test::large);
  // More matrices than a block takes, and threads that have none.
  check_columns<float>(40, 17, 20);
}

TEST_CASE("pieces, of several matrices") {
  const auto report = check_columns<double>(3, 260, 128);
  REQUIRE(report.launches.size() == 2);
  CHECK(report.launches[0].launch.shape.grid.count() > 3);
  check_columns<float>(1, 3000, 40, test::large);
}
