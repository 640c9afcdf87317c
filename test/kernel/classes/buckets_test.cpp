// kernel::class_buckets in the emulation: labels of every distribution and type, tables of threads
// and of warps, stored elements and accumulators. Also shares of a bucket, and the order of the
// folds.
// needs: boost_context
// flags: -O1
#include <warpfold/kernel/classes/buckets.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_class.hpp>

#include "contract/classes_contract.hpp"

namespace {

using test::labeling;

wf::emulation::report last;

/// Runs the kernel without the policy, which would refuse wrong labels.
template <class Label, class T, class Values, class Op, class Result>
void fold_into(std::vector<Result>& out, const std::vector<Label>& labels, const std::vector<T>& of,
               const Values& values, const Op& op,
               const wf::device_info& gpu = wf::emulation::default_gpu) {
  last = {};
  wf::detail::with_classes(wf::emulated, labels, values, out.size(), op, out,
                           [&](const auto&, const auto& work) {
                             wf::emulation::launcher launcher(gpu, &last);
                             launcher.allow(labels.data(), labels.size() * sizeof(Label), false);
                             launcher.allow(of.data(), of.size() * sizeof(T), false);
                             launcher.allow(out.data(), out.size() * sizeof(Result), true);
                             wf::kernel::class_buckets{}.enqueue(work, launcher);
                             launcher.finish();
                           });
}

/// Sums values by class, and compares them with a loop.
void check_sums(labeling how, std::size_t n, std::size_t classes) {
  INFO(n, " values of ", classes, " classes, labels ", static_cast<int>(how));
  const auto labels = test::labels_of(how, n, classes);
  std::vector<float> values(n), want(classes), sums(classes, -1);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(i % 13);
    want[labels[i]] += values[i];
  }
  fold_into(sums, labels, values, values, wf::plus{});
  CHECK(sums == want);
}

template <class T>
void check_wrong_labels() {
  INFO(sizeof(T), " bytes");
  constexpr std::size_t n = 3000, classes = 100;
  test::random_bits random;
  std::vector<T> labels(n);
  for (T& l : labels) l = static_cast<T>(random());
  labels[0] = (std::numeric_limits<T>::min)();
  labels[1] = (std::numeric_limits<T>::max)();
  labels[2] = static_cast<T>(classes);
  labels[3] = static_cast<T>(-1);
  std::vector<int> values(n), want(classes), sums(classes, -1);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<int>(i % 101);
    if (static_cast<std::size_t>(labels[i]) < classes) {
      want[static_cast<std::size_t>(labels[i])] += values[i];
    }
  }
  fold_into(sums, labels, values, values, wf::plus{});
  CHECK(sums == want);
}

std::vector<float> fractions(std::size_t n) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = 1 / static_cast<float>(i % 1009 + 1);
  return values;
}

}  // namespace

TEST_CASE("sums of every labeling; sizes around a tile of 4096 values") {
  for (const labeling how :
       {labeling::uniform, labeling::equal, labeling::skewed, labeling::sorted}) {
    for (const std::size_t n : {0, 1, 31, 4095, 4096, 4097, 12289}) check_sums(how, n, 200);
    for (const std::size_t classes : {1, 2, 64, 65, 128, 1000}) check_sums(how, 6000, classes);
  }
}

TEST_CASE("70000 classes, in buckets of 256") {
  check_sums(labeling::skewed, 200'000, 70'000);
  REQUIRE(last.launches.size() == 4);
  CHECK(last.launches[3].launch.shape.block.x == 32);
  CHECK(last.launches[3].launch.shape.shared_bytes == 32 * 257 * sizeof(float));
}

TEST_CASE("300000 classes: tables of warps, and labels of two bytes in a bucket of 1024") {
  check_sums(labeling::uniform, 5000, 300'000);
  CHECK(last.launches.at(3).launch.shape.shared_bytes == 4 * 1024 * sizeof(float));
}

TEST_CASE("wrong labels of every type are left out") {
  check_wrong_labels<std::int8_t>();
  check_wrong_labels<std::uint8_t>();
  check_wrong_labels<std::int16_t>();
  check_wrong_labels<std::uint16_t>();
  check_wrong_labels<int>();
  check_wrong_labels<unsigned>();
  check_wrong_labels<std::int64_t>();
  check_wrong_labels<std::uint64_t>();
}

TEST_CASE("labels that are all wrong, and no classes") {
  const std::vector<int> labels(5000, 7), values(5000, 1);
  std::vector<int> sums(7, -1), none;
  fold_into(sums, labels, values, values, wf::plus{});
  CHECK(sums == std::vector<int>(7, 0));
  fold_into(none, labels, values, values, wf::plus{});
  CHECK(last.launches.empty());
}

TEST_CASE("the last block of a bucket folds its shares") {
  constexpr std::size_t n = 40'000, classes = 300;
  const auto labels = test::labels_of(labeling::equal, n, classes);
  const std::vector<int> values(n, 2);
  std::vector<int> sums(classes), want(classes);
  want.back() = 2 * n;
  fold_into(sums, labels, values, values, wf::plus{});
  CHECK(sums == want);
  // Up to one more share for each of five buckets.
  CHECK(last.launches.at(3).launch.shape.grid.x == n / 5120 + 5);
}

TEST_CASE("ops with an index store accumulators of 16 bytes") {
  constexpr std::size_t n = 5000, classes = 150;
  const auto labels = test::labels_of(labeling::skewed, n, classes);
  std::vector<int> values(n);
  std::vector<wf::indexed<int>> places(classes);
  std::vector<std::size_t> want(classes, n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<int>(i * i % 1000);
    std::size_t& best = want[labels[i]];
    if (best == n || values[i] > values[best]) best = i;
  }
  fold_into(places, labels, values, values, wf::arg(wf::maximum{}));
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < classes; ++c) wrong += want[c] != n && places[c].index != want[c];
  CHECK(wrong == 0);
}

TEST_CASE("computed elements, and elements of 12 bytes") {
  constexpr std::size_t n = 5000, classes = 150;
  const auto labels = test::labels_of(labeling::uniform, n, classes);
  std::vector<test::position> points(n);
  std::vector<test::cluster> want(classes), clusters(classes);
  for (std::size_t i = 0; i < n; ++i) {
    points[i] = {static_cast<float>(i % 11), static_cast<float>(i % 7)};
    want[labels[i]] = test::plus_cluster{}(want[labels[i]], test::cluster_of_position{}(points[i]));
  }
  fold_into(clusters, labels, points, wf::project(points, test::cluster_of_position{}),
            test::plus_cluster{});
  CHECK((clusters == want));
}

TEST_CASE("states of 24 bytes") {
  constexpr std::size_t n = 5000, classes = 150;
  const auto labels = test::labels_of(labeling::uniform, n, classes);
  const auto values = fractions(n);
  std::vector<wf::moments> moments(classes);
  fold_into(moments, labels, values, values, wf::moments_op{});
  std::vector<std::size_t> counts(classes);
  for (const unsigned l : labels) ++counts[l];
  for (std::size_t c = 0; c < classes; ++c) CHECK(moments[c].count == counts[c]);
}

TEST_CASE("a class without values keeps its element if the op has no identity") {
  const std::vector<int> labels{0, 70, -1, 70}, values{1, 2, 4, 8};
  std::vector<int> out(72, 7), want(72, 7);
  want[0] = 1;
  want[70] = 8;
  fold_into(out, labels, values, values, test::larger_of_two{});
  CHECK(out == want);
}

TEST_CASE("states without a default constructor") {
  const std::vector<int> labels{0, 1, 0, 3}, values{5, 2, 7, 4};
  std::vector<test::depth> out(4, test::depth(9));
  fold_into(out, labels, values, values, test::deepest{});
  const int want[] = {7, 2, -1, 4};
  for (std::size_t c = 0; c < 4; ++c) CHECK(out[c].value == want[c]);
}

TEST_CASE("sums of floats have the same bits on every run and every GPU") {
  constexpr std::size_t n = 60'000, classes = 300;
  const auto values = fractions(n);
  wf::device_info other = wf::emulation::default_gpu;
  other.multiprocessors = 3;
  other.shared_bytes_per_block = 99 * 1024;
  for (const labeling how : {labeling::uniform, labeling::skewed}) {
    const auto labels = test::labels_of(how, n, classes);
    std::vector<float> first(classes), again(classes), elsewhere(classes);
    fold_into(first, labels, values, values, wf::plus{});
    fold_into(again, labels, values, values, wf::plus{});
    fold_into(elsewhere, labels, values, values, wf::plus{}, other);
    CHECK(last.launches.at(0).launch.shape.grid.x == 5);
    CHECK(first == again);
    CHECK(first == elsewhere);
  }
}

TEST_CASE("a GPU without room for the tables or the tile is refused") {
  const std::vector<int> labels{0, 1}, values{1, 2};
  std::vector<int> out(2);
  wf::device_info small = wf::emulation::default_gpu;
  small.shared_bytes_per_block = 30 * 1024;
  CHECK_THROWS_AS(fold_into(out, labels, values, values, wf::plus{}, small),
                  wf::unsupported_kernel);
}
