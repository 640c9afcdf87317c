/// @file
/// The test suite for policies that fold lists of ranges. The fixtures are those of
/// transform_contract.hpp, and the folds those of segments_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/norm.hpp>
#include <warpfold/reduce_many.hpp>

#include "contract/segments_contract.hpp"

namespace test {

/// Folds the ranges of `in` with these bounds, and compares the results with a loop.
template <class Fold, class Elements>
void check_ranges(const Elements& in, const bounds& b) {
  using fixture = typename Fold::fixture;
  using T = typename Fold::element;
  std::vector<std::span<const T>> ranges;
  for (std::size_t r = 0; r < b.size(); ++r) {
    ranges.push_back(in.range(in.values.size()).subspan(b.begin[r], b.end[r] - b.begin[r]));
  }
  check_segments_are<fixture, typename Fold::out>(
      b.size(),
      [&](auto out) { wf::reduce_many(fixture::policy(), ranges, typename Fold::op{}, out); },
      [&](std::size_t r) { return in.want(b.begin[r], b.end[r]); });
}

/// A list of ranges in the memory of the fixture, which its policy reads.
template <class Fixture, class T>
class list_in_memory {
 public:
  explicit list_in_memory(const std::vector<std::span<const T>>& ranges)
      : count_(ranges.size()),
        pointers_(all_of(ranges, [](const auto& r) { return r.data(); }), 0),
        sizes_(all_of(ranges, [](const auto& r) { return static_cast<int>(r.size()); }), 4) {}

  auto get() const {
    return wf::ranges_at(range_of<Fixture, const T*>(pointers_, count_),
                         range_of<Fixture, int>(sizes_, count_));
  }

 private:
  static auto all_of(const auto& ranges, const auto& f) {
    std::vector<decltype(f(ranges[0]))> all;
    for (const auto& r : ranges) all.push_back(f(r));
    return all;
  }

  std::size_t count_;
  typename Fixture::template array<const T*> pointers_;
  typename Fixture::template array<int> sizes_;
};

/// Whether ranges of these lengths, one after the other from `offset` bytes on with `gap` elements
/// between them, have the bits of `reduce` by wf::seq, each alone.
template <class Fixture, class T, class Op>
bool have_bits_of_reduce(const std::vector<std::size_t>& lengths, const std::vector<T>& values,
                         std::size_t offset, std::size_t gap, const Op& op) {
  using result = decltype(wf::reduce(wf::seq, std::span<const T>(values), op));
  const typename Fixture::template array<T> placed(values, offset);
  std::vector<std::span<const T>> ranges;
  std::vector<result> want;
  std::size_t at = 0;
  for (const std::size_t n : lengths) {
    if (at + n > values.size()) at = gap;  // overlaps earlier ones
    ranges.push_back({placed.data() + at, n});
    want.push_back(wf::reduce(wf::seq, std::span<const T>(values.data() + at, n), op));
    at += n + gap;
  }
  const auto have_bits = [&](const char* what, const auto& list) {
    typename Fixture::template target<result> out(std::vector<result>(want.size()), 0);
    wf::reduce_many(Fixture::policy(), list, op, std::span(out.data(), want.size()));
    const auto got = out.values();
    for (std::size_t r = 0; r < want.size(); ++r) {
      if (std::memcmp(&got[r], &want[r], sizeof(result)) == 0) continue;
      MESSAGE(what, ": range ", r, " of ", lengths[r], " elements differs");
      return false;
    }
    return true;
  };
  if (!have_bits("a list of the host", ranges)) return false;
  if (gap % 2 == 0) return true;  // the emulation takes long
  const list_in_memory<Fixture, T> list(ranges);
  return have_bits("a list of the policy", list.get());
}

/// Long ranges, of which some blocks fold parts, beside short ones and empty ones.
template <class T>
std::vector<std::vector<std::size_t>> long_and_short(std::size_t most) {
  constexpr std::size_t part = 16384 / sizeof(T), limit = 65536 / sizeof(T);
  std::vector<std::vector<std::size_t>> lists{
      {most},
      {most, 0, 1, most / 2 + 1},
      {1, most, 2, 3},
      {limit - 1, limit, limit + 1},
      {2 * part, 2 * part + 1, 3 * part - 1, 3 * part, 3 * part + 1, 5, 0, 4 * part},
      {0, 0, 7 * part + 3, 0, 0},
      {100, 7 * part + 3, 1025, 7 * part, 0, 8 * part},
      std::vector<std::size_t>(20, 3 * part + 5)};
  std::vector<std::size_t> many(300, 100);  // a larger table
  for (std::size_t r = 0; r < many.size(); r += 17) many[r] = r % 2 == 0 ? 0 : 2 * part + r;
  many[0] = many[299] = most;
  lists.push_back(many);
  return lists;
}

/// Ranges of these lengths anywhere in `elements` elements.
inline bounds anywhere(const std::vector<std::size_t>& lengths, std::size_t elements) {
  random_bits random;
  bounds b;
  b.elements = elements;
  for (const std::size_t n : lengths) {
    b.begin.push_back(random() % (elements - n + 1));
    b.end.push_back(b.begin.back() + n);
  }
  return b;
}

}  // namespace test

// --- for folds -----------------------------------------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("short ranges of every length and alignment", Fold, many_short) {
  constexpr std::size_t least = std::is_same_v<typename Fold::op, test::add_parts> ? 1 : 0;
  const test::segmented_elements<Fold> in(6000);
  test::bounds b;
  for (std::size_t n = least; n < 70; ++n) {
    for (std::size_t from = 0; from < 16; ++from) {
      b.begin.push_back(from + n);
      b.end.push_back(b.begin.back() + n);
    }
  }
  test::check_ranges<Fold>(in, b);
  // As long as a warp folds, and a little longer.
  std::vector<std::size_t> lengths;
  for (const std::size_t bytes : {2048, 4096}) {
    for (std::size_t more = 0; more < 3; ++more) {
      lengths.push_back(bytes / sizeof(typename Fold::element) - 1 + more);
      test::check_ranges<Fold>(in, test::anywhere(lengths, 6000));
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("ranges of any lengths", Fold, many_mixed) {
  constexpr bool takes_empty = !std::is_same_v<typename Fold::op, test::add_parts>;
  const test::segmented_elements<Fold> in;
  for (const auto& lengths : {test::mixed_lengths(takes_empty),
                              std::vector<std::size_t>{100000 - 8},
                              {16384, 1, 90000},
                              std::vector<std::size_t>(3, 20000),
                              std::vector<std::size_t>{}}) {
    test::check_ranges<Fold>(in, test::anywhere(lengths, 100000));
  }
}

TEST_CASE_TEMPLATE_DEFINE("more ranges than a launch takes", Fold, many_ranges) {
  const test::segmented_elements<Fold> in(5000);
  for (const std::size_t count : {127, 128, 129, 1023, 1024, 1025, 2500}) {
    std::vector<std::size_t> lengths(count, 3);
    lengths.front() = 1100;
    lengths.back() = 2200;
    test::check_ranges<Fold>(in, test::anywhere(lengths, 5000));
  }
}

// --- for fixtures --------------------------------------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("every kind of list", Fixture, many_lists) {
  const auto policy = Fixture::policy();
  const typename Fixture::template array<int> a({1, 2, 3}, 4), b({10, 20}, 0), c({}, 0);
  using span = std::span<const int>;
  const span x(a.data(), 3), y(b.data(), 2), z(c.data(), std::size_t{0});
  typename Fixture::template target<int> out({-1, -1, -1}, 0);
  const std::span to(out.data(), 3);
  const auto is = [&](int first, int second, int third) {
    const bool same = out.values() == std::vector<int>{first, second, third};
    wf::reduce_many(policy, {z, z, z}, wf::plus{}, -1, to);
    return same;
  };

  wf::reduce_many(policy, {x, y, z}, wf::plus{}, to);
  CHECK(is(6, 30, 0));
  wf::reduce_many_async(policy, {y, z, x}, wf::plus{}, to);
  CHECK(is(30, 0, 6));
  wf::reduce_many_async(policy, {y, z, x}, wf::plus{}, 100, to);
  CHECK(is(130, 100, 106));
  const std::array list{x, z, y};
  wf::reduce_many(policy, list, wf::plus{}, to);
  CHECK(is(6, 0, 30));
  const span c_array[] = {x, x, y};
  wf::reduce_many(policy, c_array, wf::plus{}, to);
  CHECK(is(6, 6, 30));
  wf::reduce_many(policy, std::vector<span>{y, x, z}, wf::plus{}, to);
  CHECK(is(30, 6, 0));
  wf::reduce_many_async(policy, std::span(c_array).first(2), wf::plus{}, to.first(2));
  CHECK(is(6, 6, -1));
  wf::reduce_many(policy, list.data(), 3, wf::plus{}, to);
  CHECK(is(6, 0, 30));
  wf::reduce_many(policy, list.begin(), list.end(), wf::plus{}, out.data());
  CHECK(is(6, 0, 30));
  wf::reduce_many(policy, {wf::as_view(x), wf::as_view(y), wf::as_view(x)}, wf::maximum{}, to);
  CHECK(is(3, 20, 3));
  // The index in the range.
  wf::reduce_many(policy, {x, y, x}, wf::arg(wf::maximum{}), to);
  CHECK(is(2, 1, 2));
  wf::reduce_many(policy, std::vector<span>{}, wf::plus{}, to.first(0));
  CHECK(is(-1, -1, -1));
}

TEST_CASE_TEMPLATE_DEFINE("a NaN is in the result of its own range only", Fixture, many_nan) {
  std::vector<float> values(600, 2);
  values[300] = std::numeric_limits<float>::quiet_NaN();
  const typename Fixture::template array<float> placed(values, 4);
  typename Fixture::template target<float> out({0, 0, 0}, 0);
  const std::span<const float> all(placed.data(), 600);
  wf::reduce_many(Fixture::policy(), {all.first(300), all.subspan(299, 5), all.subspan(301)},
                  wf::maximum{}, std::span(out.data(), 3));
  CHECK(out.values()[0] == 2);
  CHECK(std::isnan(out.values()[1]));
  CHECK(out.values()[2] == 2);
}

TEST_CASE_TEMPLATE_DEFINE("inits, ops without an identity, and outputs that accumulate", Fixture,
                          many_inits) {
  const auto policy = Fixture::policy();
  const typename Fixture::template array<unsigned char> a({200, 100}, 1), b({7, 9, 250}, 0);
  using span = std::span<const unsigned char>;
  const std::array ranges{span(a.data(), 2), span(), span(b.data(), 3)};
  typename Fixture::template target<int> out({-1, -1, -1}, 0);
  const std::span to(out.data(), 3);

  const auto larger = [] WARPFOLD_HD(int x, int y) { return x < y ? y : x; };
  wf::reduce_many(policy, ranges, larger, 150, to);
  CHECK(out.values() == std::vector<int>{200, 150, 250});
  wf::reduce_many(policy, ranges, 210, larger, to);
  CHECK(out.values() == std::vector<int>{210, 210, 250});
  wf::reduce_many_async(policy, {ranges[0], ranges[1], ranges[2]}, 1, wf::plus{}, to);
  CHECK(out.values() == std::vector<int>{301, 1, 267});
  wf::reduce_many(policy, ranges, wf::with_identity(larger, 3), to);
  CHECK(out.values() == std::vector<int>{200, 3, 250});
  wf::reduce_many_async(policy, ranges, wf::plus{}, wf::accumulate(to));
  CHECK(out.values() == std::vector<int>{500, 3, 516});
  // A range without elements needs no identity if the output keeps its value.
  wf::reduce_many(policy, ranges, larger, wf::accumulate(to));
  CHECK(out.values() == std::vector<int>{500, 3, 516});
  // In the type of op(init, x): an unsigned char would wrap.
  const typename Fixture::template array<int> one({1}, 0);
  wf::reduce_many(policy, ranges, wf::plus{}, wf::value_at(one.data()), to);
  CHECK(out.values() == std::vector<int>{301, 1, 267});
}

TEST_CASE_TEMPLATE_DEFINE("one output, with a stride, or several", Fixture, many_outputs) {
  namespace cs = cuda::std;
  const auto policy = Fixture::policy();
  const std::vector<float> values(50000, 1);
  const typename Fixture::template array<float> a({3, 1, 2}, 0), b({2, 5, 4}, 0), c(values, 0);
  using span = std::span<const float>;
  const std::array ranges{span(a.data(), 3), span(c.data(), 50000), span(b.data(), 3)};
  typename Fixture::template target<float> out(std::vector<float>(8, -1), 0);
  typename Fixture::template target<int> places(std::vector<int>(3, -1), 0);

  using strided = cs::mdspan<float, cs::dextents<int, 1>, cs::layout_stride>;
  const auto every = [&](int first, int step) {
    return strided(out.data() + first, cs::layout_stride::mapping<cs::dextents<int, 1>>(
                                           cs::dextents<int, 1>(3), cs::array<int, 1>{step}));
  };
  wf::reduce_many(policy, ranges, wf::plus{}, every(1, 2));
  CHECK(out.values() == std::vector<float>{-1, 6, -1, 50000, -1, 11, -1, -1});
  using whole = cs::mdspan<int, cs::dextents<int, 1>>;
  wf::reduce_many(policy, ranges, wf::all(wf::plus{}, wf::arg(wf::minimum{})),
                  wf::zip(every(0, 3), whole(places.data(), 3)));
  CHECK(out.values() == std::vector<float>{6, 6, -1, 50000, -1, 11, 11, -1});
  CHECK(places.values() == std::vector<int>{1, 0, 0});
}

TEST_CASE_TEMPLATE_DEFINE("each range has the bits of wf::seq", Fixture, many_order) {
  std::vector<std::size_t> lengths{120000, 5000, 333, 0, 16384, 1, 70001};
  for (std::size_t n = 0; n < 300; ++n) lengths.push_back(n * n % 2050);
  const auto has_seq_bits = [&]<class T, class Op>(const std::vector<T>& v, const Op& op,
                                                   std::size_t offset) {
    const typename Fixture::template array<T> placed(v, offset);
    std::vector<std::span<const T>> ranges, on_host;
    for (std::size_t r = 0; r < lengths.size(); ++r) {
      const std::size_t from = r * 7 % 1000;
      ranges.push_back({placed.data() + from, lengths[r]});
      on_host.push_back({v.data() + from, lengths[r]});
    }
    std::vector<T> want(lengths.size());
    typename Fixture::template target<T> out(std::vector<T>(lengths.size()), 0);
    wf::reduce_many(wf::seq, on_host, T(1), op, want);
    wf::reduce_many(Fixture::policy(), ranges, T(1), op, std::span(out.data(), lengths.size()));
    const auto got = out.values();
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < want.size(); ++r) {
      wrong += std::memcmp(&got[r], &want[r], sizeof(T)) == 0 ? 0 : 1;
    }
    return wrong == 0;
  };
  CHECK(has_seq_bits(test::ordered_elements(130000), test::ordered_hash{}, 8));
  std::vector<float> values(130000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<float>(i + 1);
  CHECK(has_seq_bits(values, wf::plus{}, 4));
  // Short ranges only: a warp for each.
  for (std::size_t& n : lengths) n %= 512;
  CHECK(has_seq_bits(test::ordered_elements(2000), test::ordered_hash{}, 0));
  values.resize(2000);
  CHECK(has_seq_bits(values, wf::plus{}, 4));
}

TEST_CASE_TEMPLATE_DEFINE("long ranges beside short ones have the bits of reduce by wf::seq",
                          Fixture, many_divided) {
  constexpr std::size_t n = 300007;
  std::vector<float> floats(n);
  for (std::size_t i = 0; i < n; ++i) floats[i] = 1 / static_cast<float>(i % 1000 + 1) - 0.25f;
  for (const auto& lengths : test::long_and_short<float>(n - 7)) {
    for (const std::size_t offset : {std::size_t{0}, sizeof(float)}) {
      for (const std::size_t gap : {0, 1, 4}) {
        CHECK(test::have_bits_of_reduce<Fixture>(lengths, floats, offset, gap, wf::plus{}));
      }
    }
    CHECK(test::have_bits_of_reduce<Fixture>(lengths, floats, 0, 1, wf::norm_2_op{}));
    CHECK(test::have_bits_of_reduce<Fixture>(lengths, floats, 4, 1, wf::maximum{}));
  }
  const auto ordered = test::ordered_elements(n);
  const auto hash = wf::with_identity(test::ordered_hash{}, std::uint64_t{7});
  for (const auto& lengths : test::long_and_short<std::uint64_t>(150000)) {
    CHECK(test::have_bits_of_reduce<Fixture>(lengths, ordered, 0, 3, hash));
    CHECK(test::have_bits_of_reduce<Fixture>(lengths, ordered, 8, 0, hash));
  }
  std::vector<signed char> chars(n);
  for (std::size_t i = 0; i < n; ++i) chars[i] = static_cast<signed char>(i * 37 % 251);
  for (const auto& lengths : test::long_and_short<signed char>(n - 7)) {
    CHECK(test::have_bits_of_reduce<Fixture>(lengths, chars, 1, 1, wf::plus{}));
    CHECK(test::have_bits_of_reduce<Fixture>(lengths, chars, 0, 5, wf::minimum{}));
  }
}

TEST_CASE_TEMPLATE_DEFINE("long ranges of large states, which blocks do not post", Fixture,
                          many_divided_large) {
  std::vector<test::wide_hash> v(20000);
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (std::size_t k = 0; k < 13; ++k) v[i].of[k] = (i * 13 + k + 1) * 0xbf58476d1ce4e5b9;
  }
  const auto hash = wf::with_identity(test::hash_each{}, v[3]);
  for (const std::vector<std::size_t>& lengths :
       {std::vector<std::size_t>{20000},
        {19000, 0, 1, 2000, 513, 700, 7000},
        std::vector<std::size_t>(300, 640)}) {  // more long ranges than a list has room for
    CHECK(test::have_bits_of_reduce<Fixture>(lengths, v, 0, 1, hash));
  }
}

TEST_CASE_TEMPLATE_DEFINE("parts of ranges: places, results without identity, and outputs", Fixture,
                          many_divided_results) {
  const auto policy = Fixture::policy();
  std::vector<int> values(100000, 1);
  for (const std::size_t i : {7u, 30000u, 60001u, 99999u}) values[i] = 5;
  const typename Fixture::template array<int> placed(values, 4);
  const std::span<const int> all(placed.data(), values.size());
  typename Fixture::template target<int> out(std::vector<int>(4, -1), 0);
  const std::span to(out.data(), 4);
  const std::array ranges{all, all.subspan(8), all.subspan(60002), all.first(1)};
  wf::reduce_many(policy, ranges, wf::arg(wf::maximum{}), to);
  CHECK(out.values() == std::vector<int>{7, 29992, 39997, 0});
  const auto larger = [] WARPFOLD_HD(int a, int b) { return a < b ? b : a; };
  wf::reduce_many(policy, ranges, larger, to);
  CHECK(out.values() == std::vector<int>{5, 5, 5, 1});
  wf::reduce_many(policy, ranges, wf::plus{}, 3, to);
  CHECK(out.values() == std::vector<int>{100019, 100007, 40005, 4});
  wf::reduce_many(policy, ranges, wf::plus{}, wf::accumulate(to));
  CHECK(out.values() == std::vector<int>{200035, 200011, 80007, 5});
}

TEST_CASE_TEMPLATE_DEFINE("a list that the policy reads, of any number of ranges", Fixture,
                          many_listed) {
  const auto policy = Fixture::policy();
  std::vector<int> values(20000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i % 7) - 3;
  const typename Fixture::template array<int> placed(values, 4);
  for (const std::size_t count : {0, 1, 8, 9, 1023, 1024, 1025, 3000}) {
    test::random_bits random;
    std::vector<std::span<const int>> ranges, on_host;
    for (std::size_t r = 0; r < count; ++r) {
      // Some as long as a warp folds, a little longer, and as long as several blocks fold.
      const std::size_t n = r % 100 == 8    ? 2048 + random() % 2
                            : r % 500 == 13 ? 16384 + random() % 3000
                                            : random() % 9;
      const std::size_t from = random() % (values.size() - n);
      ranges.push_back({placed.data() + from, n});
      on_host.push_back({values.data() + from, n});
    }
    const test::list_in_memory<Fixture, int> list(ranges);
    typename Fixture::template target<int> out(std::vector<int>(count + 1, -9), 0);
    std::vector<int> want(count);
    const auto is_right = [&](const auto& op, const auto& init) {
      wf::reduce_many(wf::seq, on_host, init, op, want);
      wf::reduce_many_async(policy, list.get(), init, op, std::span(out.data(), count));
      const auto got = out.values();
      return std::vector<int>(got.begin(), got.end() - 1) == want && got.back() == -9;
    };
    CHECK(is_right(wf::plus{}, 5));
    CHECK(is_right(wf::maximum{}, -100));
    wf::reduce_many(wf::seq, on_host, wf::plus{}, wf::accumulate(want));
    wf::reduce_many(policy, list.get(), wf::plus{}, wf::accumulate(std::span(out.data(), count)));
    const auto got = out.values();
    CHECK(std::vector<int>(got.begin(), got.end() - 1) == want);
  }
}

TEST_CASE_TEMPLATE_DEFINE("wrong lists that the policy reads", Fixture, many_listed_errors) {
  const auto policy = Fixture::policy();
  const typename Fixture::template array<int> placed({1, 2, 3, 4}, 0);
  const std::span<const int> all(placed.data(), 4);
  const test::list_in_memory<Fixture, int> list({all, all.first(1)});
  typename Fixture::template target<int> out(std::vector<int>(2, -1), 0);
  const std::span to(out.data(), 2);
  CHECK(test::fails_with<wf::invalid_range>(
      [&] { wf::reduce_many(policy, list.get(), wf::plus{}, to.first(1)); },
      "the output has 1 elements, but there are 2 ranges"));
  const int* const* const null = nullptr;
  const typename Fixture::template array<int> sizes({1, 2}, 0);
  const std::span sizes_of(sizes.data(), 2);
  CHECK(test::fails_with<wf::invalid_range>(
      [&] { wf::reduce_many(policy, wf::ranges_at(std::span(null, 2), sizes_of), wf::plus{}, to); },
      "the list of ranges is a null pointer, but the call needs 16 bytes"));
  CHECK(test::fails_with<wf::invalid_range>(
      [&] { (void)wf::ranges_at(std::span(null, 3), sizes_of); },
      "ranges_at got 3 pointers, but 2 sizes; pass a size for each pointer"));
  CHECK(out.values() == std::vector<int>{-1, -1});
}

TEST_CASE_TEMPLATE_DEFINE("wrong ranges and outputs are refused, and nothing is written", Fixture,
                          many_errors) {
  const auto policy = Fixture::policy();
  const typename Fixture::template array<int> placed({1, 2, 3, 4, 5, 6, 7, 8}, 0);
  using span = std::span<const int>;
  const span all(placed.data(), 8);
  const std::vector<int> untouched(4, -1);
  typename Fixture::template target<int> out(untouched, 0);
  const std::span to(out.data(), 4);
  const auto larger = [] WARPFOLD_HD(int a, int b) { return a < b ? b : a; };
  const auto refuses = [&](auto error, const std::vector<span>& ranges, const auto& op,
                           const auto& output, const char* message) {
    const bool told = test::fails_with<typename decltype(error)::type>(
        [&] { wf::reduce_many_async(policy, ranges, op, output); }, message);
    return told && out.values() == untouched;
  };
  constexpr std::type_identity<wf::invalid_range> range{};
  constexpr std::type_identity<wf::empty_range> empty{};

  CHECK(refuses(range, {all, all}, wf::plus{}, to,
                "the output has 4 elements, but there are 2 ranges; pass an output with one "
                "element for each range"));
  CHECK(refuses(empty, {all, all.first(0), all.first(0)}, larger, to.first(3),
                "range 1 of the list is empty: the op has no identity and no init was given"));
  const int* const null = nullptr;
  CHECK(refuses(range, {all, span(null, 3)}, wf::plus{}, to.first(2),
                "a range of the list is a null pointer, but the call needs 12 bytes"));
  const int* const odd =
      reinterpret_cast<const int*>(reinterpret_cast<std::uintptr_t>(placed.data()) + 2);
  CHECK(refuses(range, {all, span(odd, 3)}, wf::plus{}, to.first(2), "is not aligned to its"));
  CHECK(refuses(range, {all, to.subspan(1, 2)}, wf::plus{}, to.first(2), "overlaps the input"));
  CHECK(refuses(range, {all, all}, wf::plus{}, std::span<int>(to.data(), 0),
                "the output has 0 elements"));
  // The init of several ranges in the output.
  CHECK(test::fails_with<wf::invalid_range>(
      [&] {
        wf::reduce_many(policy, {all, all}, wf::plus{}, wf::value_at(to.data()), to.first(2));
      },
      "overlaps the input"));
  CHECK(out.values() == untouched);
}
