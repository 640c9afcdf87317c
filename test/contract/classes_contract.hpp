/// @file
/// The test suite for policies that fold classes of values. The fixtures are those of
/// transform_contract.hpp. Every result is compared with a loop.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/view/zip.hpp>

#include "contract/transform_contract.hpp"

namespace test {

/// How the labels of the values are distributed.
enum class labeling { uniform, equal, skewed, runs, sorted };

inline std::vector<unsigned> labels_of(labeling how, std::size_t n, std::size_t classes) {
  random_bits random;
  std::vector<unsigned> labels(n);
  const auto most = static_cast<unsigned>(classes);
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned r = random();
    labels[i] = how == labeling::uniform  ? r % most
                : how == labeling::equal  ? most - 1
                : how == labeling::skewed ? (r >> 8) % (r % 4 == 0 ? 1 : most)
                : how == labeling::runs   ? static_cast<unsigned>(i / 7) % most
                                          : static_cast<unsigned>(i * classes / n);
  }
  return labels;
}

/// Op that keeps the larger of two, without an identity.
struct larger_of_two {
  WARPFOLD_HD int operator()(int a, int b) const { return b > a ? b : a; }
};

/// A state without a default constructor, and an op with an identity.
struct depth {
  int value;
  WARPFOLD_HD explicit depth(int v) : value(v) {}
};
struct deepest {
  WARPFOLD_HD depth operator()(depth a, depth b) const { return a.value > b.value ? a : b; }
  WARPFOLD_HD static depth lift(int x) { return depth(x); }
  WARPFOLD_HD static depth identity() { return depth(-1); }
};

/// A point, and points with their number: states of 8 and 12 bytes.
struct position {
  float x, y;
  friend WARPFOLD_HD position operator+(position a, position b) { return {a.x + b.x, a.y + b.y}; }
  friend bool operator==(const position&, const position&) = default;
};
struct cluster {
  float x, y;
  int count;
  friend bool operator==(const cluster&, const cluster&) = default;
};
struct cluster_of_position {
  WARPFOLD_HD cluster operator()(position p) const { return {p.x, p.y, 1}; }
};
struct plus_cluster {
  WARPFOLD_HD cluster operator()(const cluster& a, const cluster& b) const {
    return {a.x + b.x, a.y + b.y, a.count + b.count};
  }
  WARPFOLD_HD static cluster identity() { return {0, 0, 0}; }
};

struct product_of_values {
  WARPFOLD_HD long long operator()(int a, int b) const { return static_cast<long long>(a) * b; }
};

template <class Fixture>
void check_classes(labeling how, std::size_t n, std::size_t classes) {
  INFO(n, " values of ", classes, " classes, labels ", static_cast<int>(how));
  using wf::plus;
  const auto labels = labels_of(how, n, classes);
  random_bits random;
  std::vector<int> values(n), counts(classes), most(classes), places(classes);
  std::vector<float> floats(n), float_sums(classes);
  std::vector<long long> sums(classes), products(classes);
  std::vector<std::size_t> seen(classes);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<int>(random() % 2001) - 1000;
    floats[i] = static_cast<float>(values[i] % 16);
    const std::size_t c = labels[i];
    ++counts[c];
    sums[c] += values[i];
    float_sums[c] += floats[i];
    products[c] += static_cast<long long>(values[i]) * values[i];
    if (seen[c]++ == 0 || values[i] > most[c]) {
      most[c] = values[i];
      places[c] = static_cast<int>(i);
    }
  }
  const auto policy = Fixture::policy();
  typename Fixture::template array<unsigned> at(labels, 4);
  typename Fixture::template array<int> in(values, 4);
  typename Fixture::template array<float> real(floats, 0);
  const std::span<const unsigned> l(at.data(), n);
  const std::span<const int> v(in.data(), n);
  const std::span<const float> f(real.data(), n);
  const auto span_of = [&](auto& target) { return std::span(target.data(), classes); };

  typename Fixture::template target<int> counted(std::vector<int>(classes, -1), 0);
  wf::count_by_class(policy, l, classes, span_of(counted));
  CHECK((counted.values() == counts));
  typename Fixture::template target<long long> summed(std::vector<long long>(classes, -1), 0);
  wf::reduce_by_class(policy, l, v, classes, plus{}, span_of(summed));
  CHECK((summed.values() == sums));
  typename Fixture::template target<float> real_sums(std::vector<float>(classes, -1), 0);
  wf::reduce_by_class(policy, l, f, classes, plus{}, span_of(real_sums));
  CHECK((real_sums.values() == float_sums));
  wf::reduce_by_class(policy, l, wf::project(wf::zip(v, v), product_of_values{}), classes, plus{},
                      span_of(summed));
  CHECK((summed.values() == products));
  typename Fixture::template target<int> found(std::vector<int>(classes, -1), 0);
  wf::reduce_by_class(policy, l, v, classes, wf::arg(wf::maximum{}), span_of(found));
  const auto index = found.values();
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < classes; ++c) wrong += seen[c] != 0 && index[c] != places[c];
  CHECK(wrong == 0);

  // Without an identity every class needs a value.
  bool all = n != 0;
  for (const std::size_t s : seen) all = all && s != 0;
  if (all) {
    wf::reduce_by_class(policy, l, v, classes, larger_of_two{}, span_of(found));
    CHECK((found.values() == most));
  }
}

/// Counts labels of type `T`, `offset` bytes after a word, and sums values by them. The sums of the
/// values are below 2^24, so that floats hold them exactly and any order gives the same bits.
template <class Fixture, class T>
void check_labels_of(labeling how, std::size_t n, std::size_t classes, std::size_t offset) {
  INFO(n, " labels of ", sizeof(T), " bytes at ", offset, ", ", classes, " classes, ",
       static_cast<int>(how));
  const auto wide = labels_of(how, n, classes);
  const std::vector<T> labels(wide.begin(), wide.end());
  std::vector<std::size_t> counts(classes);
  std::vector<float> values(n), sums(classes);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(i % 3);
    ++counts[wide[i]];
    sums[wide[i]] += values[i];
  }
  REQUIRE(*std::max_element(sums.begin(), sums.end()) < 1 << 24);
  typename Fixture::template array<T> at(labels, offset);
  typename Fixture::template array<float> in(values, 0);
  typename Fixture::template target<std::size_t> counted(std::vector<std::size_t>(classes, 9), 0);
  typename Fixture::template target<float> summed(std::vector<float>(classes, -1), 0);
  const std::span<const T> l(at.data(), n);
  wf::count_by_class(Fixture::policy(), l, classes, std::span(counted.data(), classes));
  CHECK((counted.values() == counts));
  wf::reduce_by_class(Fixture::policy(), l, std::span<const float>(in.data(), n), classes,
                      wf::plus{}, std::span(summed.data(), classes));
  CHECK((summed.values() == sums));
}

/// Sums points by class, and sums and counts them in one call.
template <class Fixture>
void check_clusters(labeling how, std::size_t n, std::size_t classes) {
  INFO(n, " points of ", classes, " classes, labels ", static_cast<int>(how));
  const auto labels = labels_of(how, n, classes);
  std::vector<position> points(n), sums(classes);
  std::vector<cluster> clusters(classes);
  for (std::size_t i = 0; i < n; ++i) {
    points[i] = {static_cast<float>(i % 11), static_cast<float>(i % 7)};
    sums[labels[i]] = sums[labels[i]] + points[i];
    clusters[labels[i]] = plus_cluster{}(clusters[labels[i]], cluster_of_position{}(points[i]));
  }
  REQUIRE(n * 10 < std::size_t{1} << 24);  // floats hold the sums exactly
  typename Fixture::template array<unsigned> at(labels, 0);
  typename Fixture::template array<position> in(points, 0);
  const std::span<const unsigned> l(at.data(), n);
  const std::span<const position> p(in.data(), n);
  typename Fixture::template target<position> summed(
      std::vector<position>(classes, position{-1, -1}), 0);
  wf::reduce_by_class(Fixture::policy(), l, p, classes, wf::plus{},
                      std::span(summed.data(), classes));
  CHECK((summed.values() == sums));
  typename Fixture::template target<cluster> found(
      std::vector<cluster>(classes, cluster{-1, -1, -1}), 0);
  wf::reduce_by_class(Fixture::policy(), l, wf::project(p, cluster_of_position{}), classes,
                      plus_cluster{}, std::span(found.data(), classes));
  CHECK((found.values() == clusters));
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("counts, sums, places and products of every class", Fixture,
                          class_folds) {
  for (const test::labeling how :
       {test::labeling::uniform, test::labeling::equal, test::labeling::skewed,
        test::labeling::runs, test::labeling::sorted}) {
    for (const std::size_t n : {0, 1, 31, 33, 1000, 40001}) {
      for (const std::size_t classes : {1, 2, 7, 32, 256})
        test::check_classes<Fixture>(how, n, classes);
    }
  }
  test::check_classes<Fixture>(test::labeling::uniform, 20000, 20000);
  test::check_classes<Fixture>(test::labeling::skewed, 5000, 70000);
}

TEST_CASE_TEMPLATE_DEFINE("states of 24 bytes, and the same bits twice", Fixture, class_states) {
  constexpr std::size_t n = 30000, classes = 37;
  const auto labels = test::labels_of(test::labeling::skewed, n, classes);
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = 1 / static_cast<float>(i + 1);
  std::vector<double> sums(classes);
  std::vector<std::size_t> counts(classes);
  for (std::size_t i = 0; i < n; ++i) {
    sums[labels[i]] += values[i];
    ++counts[labels[i]];
  }
  typename Fixture::template array<unsigned> at(labels, 0);
  typename Fixture::template array<float> in(values, 0);
  const std::span<const unsigned> l(at.data(), n);
  const std::span<const float> v(in.data(), n);
  typename Fixture::template target<wf::moments> out(std::vector<wf::moments>(classes), 0);
  wf::reduce_by_class(Fixture::policy(), l, v, classes, wf::moments_op{},
                      std::span(out.data(), classes));
  const auto moments = out.values();
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    const double mean = counts[c] == 0 ? 0 : sums[c] / static_cast<double>(counts[c]);
    wrong += moments[c].count != counts[c] || std::abs(moments[c].mean - mean) > 1e-12;
  }
  CHECK(wrong == 0);
  typename Fixture::template target<float> first(std::vector<float>(classes), 0),
      again(std::vector<float>(classes), 0);
  wf::reduce_by_class(Fixture::policy(), l, v, classes, wf::plus{},
                      std::span(first.data(), classes));
  wf::reduce_by_class(Fixture::policy(), l, v, classes, wf::plus{},
                      std::span(again.data(), classes));
  CHECK((first.values() == again.values()));
}

TEST_CASE_TEMPLATE_DEFINE("points and their numbers", Fixture, class_clusters) {
  for (const test::labeling how : {test::labeling::uniform, test::labeling::equal}) {
    for (const std::size_t classes : {32, 100, 400}) {
      test::check_clusters<Fixture>(how, 100, classes);
      test::check_clusters<Fixture>(how, 20000, classes);
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("states without a default constructor", Fixture, class_depths) {
  typename Fixture::template array<int> labels({0, 1, 0, 3}, 0);
  typename Fixture::template array<int> values({5, 2, 7, 4}, 0);
  typename Fixture::template target<test::depth> out(std::vector<test::depth>(4, test::depth(9)),
                                                     0);
  wf::reduce_by_class(Fixture::policy(), std::span<const int>(labels.data(), 4),
                      std::span<const int>(values.data(), 4), 4, test::deepest{},
                      std::span(out.data(), 4));
  const int* const found = reinterpret_cast<const int*>(out.data());
  const std::vector<int> depths = Fixture::values(found, 4);
  CHECK((depths == std::vector<int>{7, 2, -1, 4}));
}

TEST_CASE_TEMPLATE_DEFINE("labels of other types", Fixture, class_labels) {
  const std::vector<std::int8_t> narrow{2, 0, 2, 1};
  const std::vector<std::uint64_t> wide{2, 0, 2, 1};
  typename Fixture::template array<std::int8_t> a(narrow, 0);
  typename Fixture::template array<std::uint64_t> b(wide, 0);
  typename Fixture::template target<int> out(std::vector<int>(4, 9), 0);
  wf::count_by_class(Fixture::policy(), std::span<const std::int8_t>(a.data(), 4), 4,
                     std::span(out.data(), 4));
  CHECK((out.values() == std::vector<int>{1, 1, 2, 0}));
  wf::count_by_class_async(Fixture::policy(), std::span<const std::uint64_t>(b.data(), 4), 3,
                           std::span(out.data(), 3));
  CHECK((out.values() == std::vector<int>{1, 1, 2, 0}));
}

TEST_CASE_TEMPLATE_DEFINE("bytes, shorts and ints as labels, at any address", Fixture,
                          class_addresses) {
  const auto check = []<class T>(T, std::size_t classes) {
    for (std::size_t offset = 0; offset < 16; offset += sizeof(T) < 4 ? 5 * sizeof(T) : sizeof(T)) {
      for (const std::size_t n : {0, 1, 15, 16, 17, 31, 33, 1000}) {
        test::check_labels_of<Fixture, T>(test::labeling::uniform, n, classes, offset);
      }
    }
    // A block has 512 words, and a grid of up to 132 * 512 words has one for each thread.
    constexpr std::size_t tile = 512 * 16 / sizeof(T);
    for (const std::size_t n : {tile - 1, tile, tile + 1}) {
      test::check_labels_of<Fixture, T>(test::labeling::equal, n, classes, 0);
      test::check_labels_of<Fixture, T>(test::labeling::skewed, n, classes, sizeof(T));
    }
  };
  check(std::uint8_t{}, 256);
  check(std::int8_t{}, 128);
  check(std::uint16_t{}, 1000);
  check(std::int16_t{}, 5000);
  check(int{}, 3);
  check(std::uint64_t{}, 300);
}
