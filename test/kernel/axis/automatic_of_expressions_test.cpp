// kernel::automatic_axis: rows or columns, and no launch where there is nothing to do.
// needs: boost_context
#include <warpfold/kernel/axis/automatic.hpp>

#include <cstring>

#include "kernel/axis/expressions.hpp"

namespace {

constexpr wf::kernel::automatic_axis kernel;

bool runs(const wf::emulation::report& r, const char* name) {
  return r.launches.size() == 1 && std::strcmp(r.launches[0].launch.kernel, name) == 0;
}

}  // namespace

TEST_CASE("rows if neighbors in memory belong to one result") {
  using test::check_products;
  const auto fold = [](const test::strides& extent, const test::strides& strides, bool last) {
    return check_products<float, float>(kernel, extent, strides, strides, {!last, last});
  };
  CHECK(runs(fold({6, 20}, {20, 1}, true), "axis_rows"));
  CHECK(runs(fold({6, 20}, {20, 1}, false), "axis_columns"));
  CHECK(runs(fold({8, 20}, {1, 8}, true), "axis_columns"));
  CHECK(runs(fold({6, 1}, {1, 1}, true), "axis_columns"));
  CHECK(runs(fold({6, 2}, {2, 1}, true), "axis_rows"));
  CHECK(fold({0, 4}, {4, 1}, true).launches.empty());
  CHECK(runs(fold({0, 4}, {4, 1}, false), "axis_columns"));
}

TEST_CASE("long rows: a block each, unless 32 rows per multiprocessor fill the GPU") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  const auto rows = [&](std::size_t count, std::size_t n) {
    return test::check_products<float, float>(kernel, {count, n}, {n, 1}, {n, 1}, {false, true}, 0,
                                              gpu);
  };
  CHECK(runs(rows(31, 1020), "axis_rows"));
  CHECK(runs(rows(31, 1024), "axis_row_blocks"));
  CHECK(runs(rows(32, 1024), "axis_rows"));
}
