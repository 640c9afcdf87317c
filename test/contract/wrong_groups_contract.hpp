/// @file
/// Wrong offsets and labels, and unusual keys and lists. With wrong ones results are unspecified,
/// but no kernel accesses other memory, and the next call is right. Guards around the outputs show
/// wrong writes; memcheck and the emulation show all accesses.
///
/// `Fixture` is that of transform_contract.hpp with two more members: `elements`, and
/// `unchecked(memory, call)`, which calls `call(policy, then)`. `then(policy, work)` runs the
/// kernel of the work without checks of the data.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <warpfold/op/softmax.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform_segments.hpp>

#include "contract/transform_contract.hpp"

namespace test {

/// An array that a kernel may read, or read and write.
struct allowed_array {
  const void* first;
  std::size_t bytes;
  bool is_written;
};

template <class Fixture, class T>
class read_array {
 public:
  explicit read_array(const std::vector<T>& values) : size_(values.size()), placed_(values, 0) {}
  std::span<const T> span() const { return {placed_.data(), size_}; }
  allowed_array allowed() const { return {placed_.data(), size_ * sizeof(T), false}; }

 private:
  std::size_t size_;
  typename Fixture::template array<T> placed_;
};

/// An output with other elements around it, which must not change.
template <class Fixture, class T>
class guarded_output {
 public:
  explicit guarded_output(std::size_t n)
      : size_(n), all_(std::vector<T>(n + 2 * guard, static_cast<T>(mark)), 0) {}
  std::span<T> span() { return {all_.data() + guard, size_}; }
  allowed_array allowed() { return {span().data(), size_ * sizeof(T), true}; }
  bool has_guards() const {
    const std::vector<T> all = all_.values();
    const auto is_mark = [](T x) { return x == static_cast<T>(mark); };
    return std::all_of(all.begin(), all.begin() + guard, is_mark) &&
           std::all_of(all.end() - guard, all.end(), is_mark);
  }
  std::vector<T> values() const {
    const std::vector<T> all = all_.values();
    return {all.begin() + guard, all.end() - guard};
  }

 private:
  static constexpr std::ptrdiff_t guard = 600;
  static constexpr int mark = 77;
  std::size_t size_;
  typename Fixture::template target<T> all_;
};

/// Offsets of segments of `n` elements that decrease, lie outside, or are equal.
template <class T>
std::vector<std::vector<T>> wrong_offsets(std::size_t n) {
  constexpr auto least = (std::numeric_limits<T>::min)(), most = (std::numeric_limits<T>::max)();
  const T end = n < static_cast<std::size_t>(most) ? static_cast<T>(n) : most;
  const auto below = [](int k) { return static_cast<T>(-k); };  // the greatest ones if unsigned
  const auto part = [end](int k) { return static_cast<T>(end / 8 * k); };
  std::vector<std::vector<T>> all{{0, most},
                                  {below(1), end},
                                  {most, most, most},
                                  {least, 5, most},
                                  {end, 0},
                                  {part(6), part(4), part(2)},
                                  {0, most, part(1), most},
                                  {end, most, most},
                                  {0, end, 0, end},
                                  {below(9), below(5), below(1), 0, 4},
                                  {most, least, most, least},
                                  {part(2), part(1), part(4), part(3), end, 0, end, most},
                                  std::vector<T>(1000, part(3)),
                                  std::vector<T>(1000, most),
                                  std::vector<T>(1000, below(3))};
  random_bits random;
  std::vector<T> any;
  for (int s = 0; s < 700; ++s) {
    const auto number = static_cast<int>(random() >> random() % 24);
    any.push_back(static_cast<T>(s % 2 == 0 ? number : -number / 2));
  }
  all.push_back(any);
  // Right segments, of which some bounds are wrong.
  std::vector<T> some;
  for (std::size_t s = 0; s < 700 && s * 3 < static_cast<std::size_t>(end); ++s) {
    some.push_back(s % 7 == 5 ? any[s] : static_cast<T>(3 * s));
  }
  all.push_back(some);
  return all;
}

template <class Fixture, class T>
void check_wrong_offsets() {
  const std::size_t n = Fixture::elements;
  std::vector<int> numbers(n);
  std::vector<float> floats(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] = static_cast<int>(i % 11);
    floats[i] = static_cast<float>(i % 7);
  }
  const read_array<Fixture, int> in(numbers);
  const read_array<Fixture, float> real(floats);
  const std::vector<T> right{0, 3, 3, 40, static_cast<T>(n)};
  const read_array<Fixture, T> right_offsets(right);
  std::vector<long long> sums(4);
  wf::reduce_segments(wf::seq, numbers, right, wf::plus{}, sums);

  for (const std::vector<T>& wrong : wrong_offsets<T>(n)) {
    CAPTURE(wrong.size());
    CAPTURE(static_cast<long long>(wrong[0]));
    CAPTURE(static_cast<long long>(wrong[1]));
    const read_array<Fixture, T> offsets(wrong);
    const std::size_t count = wrong.size() - 1;
    guarded_output<Fixture, long long> folds(count);
    CHECK_NOTHROW(Fixture::unchecked({in.allowed(), offsets.allowed(), folds.allowed()},
                                     [&](const auto& policy, const auto& then) {
                                       wf::detail::with_segments(policy, in.span(), offsets.span(),
                                                                 wf::plus{}, wf::no_init{},
                                                                 folds.span(), then);
                                     }));
    CHECK(folds.has_guards());
    guarded_output<Fixture, float> out(n);
    CHECK_NOTHROW(Fixture::unchecked({real.allowed(), offsets.allowed(), out.allowed()},
                                     [&](const auto& policy, const auto& then) {
                                       wf::detail::with_folded_segments(
                                           policy, real.span(), offsets.span(), wf::softmax_op{},
                                           out.span(), wf::detail::call_fold{}, then);
                                     }));
    CHECK(out.has_guards());

    guarded_output<Fixture, long long> found(4);
    wf::reduce_segments(Fixture::policy(), in.span(), right_offsets.span(), wf::plus{},
                        found.span());
    CHECK(found.values() == sums);
  }
}

/// Labels of any numbers: those from 0 to `classes` - 1 are counted and folded.
template <class Fixture, class T>
void check_wrong_labels(std::size_t classes) {
  CAPTURE(classes);
  const std::size_t n = Fixture::elements;
  random_bits random;
  std::vector<T> labels(n);
  std::vector<int> values(n), counts(classes);
  std::vector<long long> sums(classes);
  for (std::size_t i = 0; i < n; ++i) {
    const auto any = static_cast<T>(random() >> 3);
    labels[i] = i % 3 == 0 ? any : static_cast<T>(random() % (2 * classes) - classes / 2);
    if (i % 101 == 0) labels[i] = (std::numeric_limits<T>::min)();
    if (i % 103 == 0) labels[i] = (std::numeric_limits<T>::max)();
    values[i] = static_cast<int>(i % 13) - 6;
    const auto label = static_cast<std::uint64_t>(labels[i]);
    if (label >= classes) continue;
    ++counts[label];
    sums[label] += values[i];
  }
  const read_array<Fixture, T> of(labels);
  const read_array<Fixture, int> in(values);
  guarded_output<Fixture, int> counted(classes);
  CHECK_NOTHROW(Fixture::unchecked(
      {of.allowed(), counted.allowed()}, [&](const auto& policy, const auto& then) {
        wf::detail::with_counts(policy, of.span(), classes, counted.span(), then);
      }));
  CHECK(counted.has_guards());
  CHECK((counted.values() == counts));
  guarded_output<Fixture, long long> summed(classes);
  CHECK_NOTHROW(Fixture::unchecked({of.allowed(), in.allowed(), summed.allowed()},
                                   [&](const auto& policy, const auto& then) {
                                     wf::detail::with_classes(policy, of.span(), in.span(), classes,
                                                              wf::plus{}, summed.span(), then);
                                   }));
  CHECK(summed.has_guards());
  CHECK((summed.values() == sums));
}

/// Runs of `keys`: as many outputs as runs, and not one more is written.
template <class Fixture, class T>
void check_keys(const std::vector<T>& keys) {
  const std::size_t n = keys.size();
  std::vector<int> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i % 19) - 9;
  std::vector<T> first;
  std::vector<long long> sums;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || !(keys[i] == keys[i - 1])) {
      first.push_back(keys[i]);
      sums.push_back(0);
    }
    sums.back() += values[i];
  }
  const std::size_t runs = first.size();
  CAPTURE(n);
  CAPTURE(runs);
  const read_array<Fixture, T> of(keys);
  const read_array<Fixture, int> in(values);
  guarded_output<Fixture, T> found(runs);
  guarded_output<Fixture, long long> summed(runs);
  CHECK(wf::reduce_by_key(Fixture::policy(), of.span(), in.span(), wf::plus{}, found.span(),
                          summed.span()) == runs);
  CHECK(found.has_guards());
  CHECK(summed.has_guards());
  CHECK((summed.values() == sums));
  const std::vector<T> got = found.values();
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < runs; ++r) {
    wrong += got[r] == first[r] || (got[r] != got[r] && first[r] != first[r]) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("offsets that decrease, lie outside of the range, or are equal", Fixture,
                          wrong_offset_groups) {
  test::check_wrong_offsets<Fixture, long long>();
}

TEST_CASE_TEMPLATE_DEFINE("labels of any numbers", Fixture, wrong_label_groups) {
  for (const std::size_t classes : {5, 100}) {
    test::check_wrong_labels<Fixture, std::uint8_t>(classes);
    test::check_wrong_labels<Fixture, short>(classes);
  }
  test::check_wrong_labels<Fixture, short>(5000);
}

TEST_CASE_TEMPLATE_DEFINE("keys that alternate, are equal, all differ, or are NaN", Fixture,
                          unusual_keys) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::size_t n = Fixture::elements;
  for (const std::size_t size : {std::size_t{1}, n / 5, n}) {
    std::vector<float> keys(size, 3);
    const auto fill = [&](const auto& key) {
      for (std::size_t i = 0; i < size; ++i) keys[i] = key(i);
      test::check_keys<Fixture>(keys);
    };
    fill([](std::size_t i) { return static_cast<float>(i % 2); });
    fill([](std::size_t) { return 3.0f; });
    fill([](std::size_t i) { return static_cast<float>(i); });
    fill([&](std::size_t) { return nan; });  // each NaN is a run
    fill([&](std::size_t i) { return i / 900 % 2 == 0 ? 1.0f : nan; });
    fill([&](std::size_t i) { return i % 97 == 5 ? nan : static_cast<float>(i / 1000); });
    fill([](std::size_t i) { return i % 2 == 0 ? 0.0f : -0.0f; });  // one run
  }
}

TEST_CASE_TEMPLATE_DEFINE("lists of empty ranges without memory, alone and beside others", Fixture,
                          unusual_lists) {
  const auto policy = Fixture::policy();
  const std::size_t n = Fixture::elements;
  const test::read_array<Fixture, int> in(std::vector<int>(n, 2));
  using range = std::span<const int>;
  for (const std::size_t count : {9, 1100}) {
    for (const std::size_t step : {1, 3}) {
      CAPTURE(count);
      CAPTURE(step);
      // Every `step`-th range is empty and has no address, or one behind the array.
      std::vector<range> ranges;
      std::vector<const int*> first;
      std::vector<int> sizes;
      std::vector<long long> want;
      for (std::size_t r = 0; r < count; ++r) {
        const std::size_t size = r % step == 0 ? 0 : r % 50 == 1 ? n / 2 : r % 40;
        const int* const at = size != 0    ? in.span().data()
                              : r % 3 == 0 ? in.span().data() + n
                                           : nullptr;
        ranges.push_back({at, size});
        first.push_back(at);
        sizes.push_back(static_cast<int>(size));
        want.push_back(2 * static_cast<long long>(size));
      }
      const test::read_array<Fixture, const int*> pointers(first);
      const test::read_array<Fixture, int> lengths(sizes);
      test::guarded_output<Fixture, long long> out(count), listed(count);
      CHECK_NOTHROW(wf::reduce_many(policy, ranges, wf::plus{}, out.span()));
      CHECK(out.has_guards());
      CHECK((out.values() == want));
      CHECK_NOTHROW(wf::reduce_many(policy, wf::ranges_at(pointers.span(), lengths.span()),
                                    wf::plus{}, listed.span()));
      CHECK(listed.has_guards());
      CHECK((listed.values() == want));
    }
  }
}
