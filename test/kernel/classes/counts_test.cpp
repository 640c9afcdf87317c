// kernel::class_counts in the emulation: labels of every size, wrong labels, the end of a launch,
// ranges of classes, and what counting asks of memory.
// needs: boost_context
// flags: -O1
#include <warpfold/kernel/classes/counts.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_class.hpp>

#include "contract/classes_contract.hpp"

namespace {

using wf::emulation::traffic;

struct counted {
  std::vector<int> counts;
  wf::emulation::report report;
};

/// Runs the kernel without the policy, which would refuse wrong labels.
template <class T>
counted counts_of(const std::vector<T>& labels, std::size_t classes,
                  const wf::device_info& gpu = wf::emulation::default_gpu) {
  counted result;
  result.counts.assign(classes, -1);
  const std::span<const T> l(labels);
  wf::detail::with_counts(wf::emulated, l, classes, result.counts,
                          [&](const auto&, const auto& work) {
                            wf::emulation::launcher launcher(gpu, &result.report);
                            launcher.allow(labels.data(), labels.size() * sizeof(T), false);
                            launcher.allow(result.counts.data(), classes * sizeof(int), true);
                            wf::kernel::class_counts{}.enqueue(work, launcher);
                            launcher.finish();
                          });
  return result;
}

/// The counts of a loop, which leaves wrong labels out.
template <class T>
std::vector<int> loop_over(const std::vector<T>& labels, std::size_t classes) {
  std::vector<int> counts(classes);
  for (const T l : labels) {
    if (static_cast<std::size_t>(l) < classes) ++counts[static_cast<std::size_t>(l)];
  }
  return counts;
}

template <class T>
std::vector<T> random_labels(std::size_t n) {
  test::random_bits random;
  std::vector<T> labels(n);
  for (T& l : labels) l = static_cast<T>(random());
  return labels;
}

template <class T>
void check_wrong_labels(std::size_t classes) {
  auto labels = random_labels<T>(3000);
  labels[0] = (std::numeric_limits<T>::min)();
  labels[1] = (std::numeric_limits<T>::max)();
  labels[2] = static_cast<T>(classes);
  labels[3] = static_cast<T>(-1);
  CHECK(counts_of(labels, classes).counts == loop_over(labels, classes));
}

}  // namespace

TEST_CASE("wrong labels of every type are left out") {
  for (const std::size_t classes : {1, 100, 127}) {
    check_wrong_labels<std::int8_t>(classes);
    check_wrong_labels<std::uint8_t>(classes);
    check_wrong_labels<std::int16_t>(classes);
    check_wrong_labels<std::uint16_t>(classes);
    check_wrong_labels<int>(classes);
    check_wrong_labels<unsigned>(classes);
    check_wrong_labels<std::int64_t>(classes);
  }
}

TEST_CASE("up to 4096 classes take one launch, and more take two") {
  const auto labels = random_labels<std::uint16_t>(40000);
  for (const std::size_t classes : {1, 4096, 4097, 65536}) {
    const counted c = counts_of(labels, classes);
    CHECK(c.counts == loop_over(labels, classes));
    CHECK(c.report.launches.size() == (classes <= 4096 ? 1 : 2));
  }
  CHECK(counts_of(labels, 0).report.launches.empty());
}

TEST_CASE("one block writes its counts, and many blocks add them") {
  const std::vector<std::uint8_t> few(1000, 7);
  CHECK(counts_of(few, 9).report.launches[0].launch.shape.grid.x == 1);
  const std::vector<std::uint8_t> many(100000, 7);
  const counted c = counts_of(many, 9);
  CHECK(c.report.launches[0].launch.shape.grid.x == 13);
  CHECK(c.counts == loop_over(many, 9));
}

TEST_CASE("classes in ranges: the labels are read once for each") {
  wf::device_info gpu = wf::emulation::default_gpu;
  // 32 classes, and a row for wrong labels.
  gpu.shared_bytes_per_block = 33 * sizeof(unsigned) + wf::kernel::detail::bytes_before_tables;
  const auto bytes = random_labels<std::uint8_t>(5000);
  const counted c = counts_of(bytes, 100, gpu);
  CHECK(c.counts == loop_over(bytes, 100));
  REQUIRE(c.report.launches.size() == 2);
  CHECK(c.report.launches[0].launch.shape.grid.y == 4);
  CHECK(c.report.launches[0].total(traffic::global_load).bytes_used >= 4 * bytes.size());
  const auto ints = random_labels<std::int16_t>(5000);
  CHECK(counts_of(ints, 100, gpu).counts == loop_over(ints, 100));
  gpu.shared_bytes_per_block = 4 + wf::kernel::detail::bytes_before_tables;
  CHECK_THROWS_WITH_AS(counts_of(bytes, 100, gpu),
                       doctest::Contains("do not fit 4 bytes of shared memory"),
                       wf::unsupported_kernel);
}

TEST_CASE(
    "each load is a word, and up to 256 classes have no bank conflicts, whatever the labels") {
  for (const bool are_equal : {false, true}) {
    const auto labels =
        are_equal ? std::vector<std::uint8_t>(1 << 17, 3) : random_labels<std::uint8_t>(1 << 17);
    const counted c = counts_of(labels, 256);
    CHECK(c.counts == loop_over(labels, 256));
    const auto& launch = c.report.launches.at(0);
    CHECK(launch.total(traffic::shared_load).bank_conflicts == 0);
    for (const auto& site : launch.sites) {
      if (site.what == traffic::global_load && site.bytes_used >= labels.size()) {
        CHECK(site.access_bytes == 16);
      }
    }
  }
}
