// kernel::class_tables in the emulation: the suite of classes, tables of threads and of warps, the
// end of a launch, classes in several ranges, and what a launch asks of memory.
// needs: boost_context
// flags: -O1
#include <warpfold/kernel/classes/tables.hpp>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_class.hpp>

#include "contract/classes_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

/// A GPU whose blocks have little shared memory: 8 warps of 16 floats.
wf::device_info small_gpu() {
  wf::device_info gpu = wf::emulation::default_gpu;
  gpu.shared_bytes_per_block = 8 * 16 * sizeof(float) + wf::kernel::detail::bytes_before_tables;
  return gpu;
}

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(class_folds, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_states, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_clusters, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_depths, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_labels, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_addresses, fixture);

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

namespace {

/// Sums values by class, and checks them and the launches.
/// @param threads of a block
/// @param bytes of its shared memory
void check_sums(std::size_t n, std::size_t classes, std::size_t launches, unsigned threads,
                std::size_t bytes) {
  INFO(n, " values of ", classes, " classes");
  for (const auto how : {test::labeling::uniform, test::labeling::equal, test::labeling::skewed}) {
    const auto labels = test::labels_of(how, n, classes);
    std::vector<float> values(n), want(classes), sums(classes);
    for (std::size_t i = 0; i < n; ++i) {
      values[i] = static_cast<float>(i % 13);
      want[labels[i]] += values[i];
    }
    wf::reduce_by_class(wf::emulated.counting(), labels, values, classes, wf::plus{}, sums);
    CHECK(sums == want);
    const auto& report = wf::emulation::last_report();
    REQUIRE(report.launches.size() == launches);
    const auto& first = report.launches[0];
    CHECK(first.launch.shape.block.x == threads);
    CHECK(first.launch.shape.shared_bytes == bytes);
    if (bytes == threads * (classes + 1) * sizeof(float)) {
      CHECK(first.total(wf::emulation::traffic::shared_load).bank_conflicts == 0);
      CHECK(first.total(wf::emulation::traffic::shared_store).bank_conflicts == 0);
    }
  }
}

}  // namespace

TEST_CASE("each thread has a table of few classes, and one launch folds those of all blocks") {
  check_sums(1000, 1, 1, 256, 256 * 2 * 4);
  check_sums(5000, 7, 1, 256, 256 * 8 * 4);
  check_sums(20000, 111, 1, 256, 256 * 112 * 4);
  check_sums(20000, 112, 1, 128, 128 * 113 * 4);
}

TEST_CASE("each warp has a table of more classes, and a second launch folds many states") {
  check_sums(20000, 300, 1, 256, 8 * 300 * 4);
  check_sums(20000, 1000, 2, 256, 8 * 1000 * 4);
  check_sums(60000, 220, 2, 128, 128 * 221 * 4);
}

TEST_CASE("functions of unknown cost, and states of 16 bytes") {
  constexpr std::size_t n = 9000, classes = 32;
  std::vector<int> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i * i % 1000);
  const auto labels = wf::project(values, [](int x) { return x % 32; });
  std::vector<long long> sums(classes), want(classes);
  std::vector<wf::indexed<int>> places(classes);
  for (const int x : values) want[static_cast<std::size_t>(x % 32)] += 2 * x;
  wf::reduce_by_class(wf::emulated, labels, wf::project(values, [](int x) { return 2 * x; }),
                      classes, wf::plus{}, sums);
  CHECK(sums == want);
  wf::reduce_by_class(wf::emulated, labels, values, classes, wf::arg(wf::maximum{}), places);
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    std::size_t first = n;
    for (std::size_t i = n; i-- > 0;) {
      if (values[i] % 32 != static_cast<int>(c)) continue;
      if (first == n || values[i] >= values[first]) first = i;
    }
    wrong += first != n && places[c].index != first;
  }
  CHECK(wrong == 0);
}

TEST_CASE("values with wrong labels are left out by tables of threads and of warps") {
  const std::vector<int> labels{0, 3, -1, 2, 1000, 2, -2147483647};
  const std::vector<int> values{1, 2, 4, 8, 16, 32, 64};
  for (const std::size_t more : {0, 400}) {
    const std::size_t classes = 3 + more;
    std::vector<int> out(classes, 7);
    auto own = labels;
    for (int& l : own) l += l == 3 ? static_cast<int>(more) : 0;
    wf::detail::with_classes(
        wf::emulated, own, values, classes, wf::plus{}, out, [&](const auto&, const auto& work) {
          wf::emulation::launcher launcher(wf::emulation::default_gpu, nullptr);
          launcher.allow(own.data(), own.size() * sizeof(int), false);
          launcher.allow(values.data(), values.size() * sizeof(int), false);
          launcher.allow(out.data(), classes * sizeof(int), true);
          wf::kernel::class_tables{}.enqueue(work, launcher);
          launcher.finish();
        });
    std::vector<int> want(classes);
    want[0] = 1;
    want[2] = 40;
    CHECK(out == want);
  }
}

TEST_CASE("states that no block has room for are refused") {
  const std::vector<int> labels{0, 1};
  const std::vector<float> values{1, 2};
  std::vector<wf::moments> out(2);
  wf::device_info tiny = small_gpu();
  tiny.shared_bytes_per_block = 64 + wf::kernel::detail::bytes_before_tables;
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
