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
  CHECK(runs(fold({6, 20}, {20, 1}, true), "ordered_rows"));
  CHECK(runs(fold({6, 20}, {20, 1}, false), "ordered_columns"));
  CHECK(runs(fold({8, 20}, {1, 8}, true), "ordered_columns"));
  CHECK(runs(fold({6, 1}, {1, 1}, true), "ordered_columns"));
  CHECK(runs(fold({6, 2}, {2, 1}, true), "ordered_rows"));
  CHECK(fold({0, 4}, {4, 1}, true).launches.empty());
  CHECK(runs(fold({0, 4}, {4, 1}, false), "ordered_columns"));
}

TEST_CASE("long rows: a block each, and shorter ones where they are few") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  const auto rows = [&](std::size_t count, std::size_t n) {
    return test::check_products<float, float>(kernel, {count, n}, {n, 1}, {n, 1}, {false, true}, 0,
                                              gpu);
  };
  CHECK(runs(rows(31, 512), "ordered_rows"));
  CHECK(runs(rows(31, 516), "ordered_long_rows"));
  CHECK(runs(rows(3, 512), "ordered_long_rows"));
  CHECK(runs(rows(3, 128), "ordered_rows"));
}
