// The declared order of rows, columns and segments of one size on the GPU.
#include "contract/axis_order_contract.hpp"

#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory {
  static constexpr int shapes = 120;
  static constexpr std::size_t most_elements = 3'000'000;
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(axis_order_of_shapes, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_order_of_few_rows, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_order_of_large_states, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_order_of_expressions, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_order_of_rows, fixture);

TEST_CASE("more data than the cache holds: a second launch, and values in groups") {
  const wf::device_info& gpu = wf::runtime::current_device_info();
  const std::size_t columns = 8, rows = gpu.l2_bytes / sizeof(float) / columns * 2 + 77;
  struct large : fixture {};
  test::check_axes<large, float>(rows, 1, columns, 0, wf::plus{});
  test::check_axes<large, float>(3, 1, rows * columns / 3, 0, wf::plus{});
  test::check_axes<large, float>(rows, 1, 7, 0, wf::plus{});
  test::check_axes<large, float>(99, 1, 322'493, 0, wf::plus{});
  test::check_axes<large, float>(5, 5, 999'999, 1, wf::plus{});
  test::check_axes<large, float>(20'000, 100, 7, 0, wf::plus{});
}
