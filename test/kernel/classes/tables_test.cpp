// kernel::class_tables in the emulation: the suite of classes, classes in several ranges, and what
// a launch asks of memory.
// needs: boost_context
// flags: -O1
#include <warpfold/kernel/classes/tables.hpp>

#include <warpfold/policy/emulated.hpp>

#include "contract/classes_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

/// A GPU whose blocks have little shared memory: 8 warps of 16 floats.
wf::device_info small_gpu() {
  wf::device_info gpu = wf::emulation::default_gpu;
  gpu.shared_bytes_per_block = 8 * 16 * sizeof(float);
  return gpu;
}

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(class_folds, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_states, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_depths, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_labels, fixture);

TEST_CASE("classes in ranges: the data is read once for each") {
  constexpr std::size_t n = 5000, classes = 50;
  const auto labels = test::labels_of(test::labeling::uniform, n, classes);
  std::vector<float> values(n), want(classes), sums(classes);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(i % 13);
    want[labels[i]] += values[i];
  }
  wf::reduce_by_class(wf::emulated.emulating(small_gpu()).counting(), labels, values, classes,
                      wf::plus{}, sums);
  CHECK(sums == want);
  const auto& report = wf::emulation::last_report();
  REQUIRE(report.launches.size() == 2);
  CHECK(report.launches[0].launch.shape.grid.y == 4);
  CHECK(report.launches[0].total(wf::emulation::traffic::global_load).bytes_used >=
        4 * n * (sizeof(unsigned) + sizeof(float)));
}

TEST_CASE("states that no block has room for are refused") {
  const std::vector<int> labels{0, 1};
  const std::vector<float> values{1, 2};
  std::vector<wf::moments> out(2);
  wf::device_info tiny = small_gpu();
  tiny.shared_bytes_per_block = 64;
  CHECK_THROWS_WITH_AS(
      wf::reduce_by_class(wf::emulated.emulating(tiny), labels, values, 2, wf::moments_op{}, out),
      doctest::Contains("do not fit 64 bytes of shared memory"), wf::unsupported_kernel);
}

TEST_CASE("wrong labels and empty classes are reported by the emulation") {
  const std::vector<int> labels{0, 5}, values{1, 2};
  std::vector<int> out(3);
  CHECK_THROWS_WITH_AS(wf::reduce_by_class(wf::emulated, labels, values, 3, wf::plus{}, out),
                       doctest::Contains("the label at index 1 is 5"), wf::invalid_range);
  const std::vector<int> right{0, 2};
  CHECK_THROWS_WITH_AS(
      wf::reduce_by_class(wf::emulated, right, values, 3, test::larger_of_two{}, out),
      doctest::Contains("class 1 has no values"), wf::empty_range);
}
