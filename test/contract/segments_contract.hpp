/// @file
/// The test suite for policies that fold segments. The fixtures are those of
/// transform_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/op/arg_by.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/view/reverse.hpp>

#include "contract/order_certificate.hpp"
#include "contract/transform_contract.hpp"

namespace test {

/// Begins and ends of segments, and the number of elements that they are in.
struct bounds {
  std::vector<std::size_t> begin, end;
  std::size_t elements = 0;

  std::size_t size() const { return begin.size(); }
  /// Of adjacent segments, as offsets of type T.
  template <class T = int>
  std::vector<T> offsets() const {
    std::vector<T> all{static_cast<T>(begin.empty() ? 0 : begin.front())};
    for (const std::size_t e : end) all.push_back(static_cast<T>(e));
    return all;
  }
};

/// Adjacent segments of these lengths. Elements before the first and after the last one are in no
/// segment.
inline bounds adjacent(const std::vector<std::size_t>& lengths, std::size_t before = 3,
                       std::size_t after = 5) {
  bounds b;
  std::size_t at = before;
  for (const std::size_t n : lengths) {
    b.begin.push_back(at);
    b.end.push_back(at += n);
  }
  b.elements = at + after;
  return b;
}

/// Lengths around everything that a policy may treat differently, many of them 0 or small.
inline std::vector<std::size_t> mixed_lengths(bool with_empty) {
  random_bits random;
  std::vector<std::size_t> lengths;
  for (const std::size_t n : {0,  1,  2,   7,   8,   15,  16,  17,  31,   32,    33,    63,
                              64, 65, 127, 255, 256, 511, 512, 513, 4099, 16384, 16385, 50001}) {
    if (n != 0 || with_empty) lengths.push_back(n);
    for (int i = 0; i < 40; ++i) lengths.push_back(random() % 9 + (with_empty ? 0 : 1));
  }
  return lengths;
}

/// Segments anywhere in the elements: with gaps, in any order, and overlapping.
inline bounds scattered(std::size_t count, std::size_t elements, bool with_empty) {
  random_bits random;
  bounds b;
  b.elements = elements;
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t most = s % 50 == 0 ? 20000 : 40;
    const std::size_t n = random() % most + (with_empty ? 0 : 1);
    b.begin.push_back(random() % (elements - n + 1));
    b.end.push_back(b.begin.back() + n);
  }
  return b;
}

/// The fold of elements `from` to `to - 1`, one after the other. `A` is the accumulator.
template <class A, class T, class Op>
A fold_of_segment(const std::vector<T>& v, std::size_t from, std::size_t to, const Op& op) {
  const auto lift = [&](std::size_t i) -> A {
    if constexpr (requires { op.lift(v[i], i); }) {
      return op.lift(v[i], i - from);
    } else if constexpr (requires { op.lift(v[i]); }) {
      return op.lift(v[i]);
    } else {
      return static_cast<A>(v[i]);
    }
  };
  if (from == to) {
    if constexpr (requires { op.template identity<A>(); }) return op.template identity<A>();
  }
  A total = lift(from);
  for (std::size_t i = from + 1; i < to; ++i) total = static_cast<A>(op(total, lift(i)));
  return total;
}

/// Elements whose sums are exact in any order; a few stand out.
template <class T>
std::vector<T> segment_values(std::size_t n) {
  random_bits random;
  std::vector<T> values(n);
  for (T& x : values) {
    const auto number = [&] { return static_cast<int>(random() % (random() % 64 ? 5 : 100)); };
    if constexpr (std::is_same_v<T, three_floats>) {
      x = {static_cast<float>(number()), static_cast<float>(number()), 1};
    } else {
      x = static_cast<T>(number());
    }
  }
  return values;
}

template <class R>
bool same_result(const R& a, const R& b) {
  if constexpr (std::is_same_v<R, wf::moments>) {
    const auto near = [](double x, double y) {
      return x - y <= 1e-9 * (1 + y * y) && y - x <= 1e-9 * (1 + y * y);
    };
    return a.count == b.count && near(a.mean, b.mean) && near(a.m2, b.m2);
  } else if constexpr (requires { wf::get<2>(a); }) {
    return same_result(wf::get<0>(a), wf::get<0>(b)) && same_result(wf::get<1>(a), wf::get<1>(b)) &&
           same_result(wf::get<2>(a), wf::get<2>(b));
  } else {
    return equal<R>(a, b);
  }
}

/// Calls `fold(out)` with memory for the results, and compares them with those of `want(s)`. No
/// other element changes.
template <class Fixture, class Out, class Fold, class Want>
void check_segments_are(std::size_t count, const Fold& fold, const Want& want) {
  constexpr std::size_t guard = 9;
  std::vector<Out> before(count + 2 * guard);
  for (Out& x : before) std::memset(static_cast<void*>(&x), 0x35, sizeof(Out));
  typename Fixture::template target<Out> target(before, 0);
  fold(std::span<Out>(target.data() + guard, count));
  const std::vector<Out> got = target.values();
  std::vector<Out> expected = before;
  for (std::size_t s = 0; s < count; ++s) expected[guard + s] = want(s);
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool same = i < guard || i >= guard + count
                          ? std::memcmp(&got[i], &expected[i], sizeof(Out)) == 0
                          : same_result(got[i], expected[i]);
    if (!same && wrong++ == 0) first = i;
  }
  INFO(count, " segments; the first wrong one is ",
       static_cast<long>(first) - static_cast<long>(guard));
  CHECK(wrong == 0);
}

/// An element type, an op, and the type of the results.
template <class Fixture, class T, class Op, class Out>
struct segment_fold {
  using fixture = Fixture;
  using element = T;
  using op = Op;
  using out = Out;
};

struct add_parts {
  WARPFOLD_HD three_floats operator()(const three_floats& a, const three_floats& b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};
using several_ops = decltype(wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{})));
using several_results = wf::tuple<float, float, wf::indexed<float>>;

template <class Fixture>
using segment_folds =
    std::tuple<segment_fold<Fixture, float, wf::plus, float>,
               segment_fold<Fixture, int, wf::maximum, int>,
               segment_fold<Fixture, signed char, wf::plus, long long>,
               segment_fold<Fixture, three_floats, add_parts, three_floats>,
               segment_fold<Fixture, float, wf::arg_op<wf::minimum>, wf::indexed<float>>,
               segment_fold<Fixture, short, wf::moments_op, wf::moments>,
               segment_fold<Fixture, float, several_ops, several_results>,
               segment_fold<Fixture, double, wf::compensated_plus, double>>;

}  // namespace test

// --- for folds -----------------------------------------------------------------------------------

namespace test {

/// Elements one element from the alignment of the memory, and the results of their segments.
template <class Fold>
struct segmented_elements {
  using fixture = typename Fold::fixture;
  using T = typename Fold::element;
  using Out = typename Fold::out;
  using op_type = typename Fold::op;
  using accumulator =
      typename wf::reduction<decltype(wf::lifted(std::declval<wf::contiguous_view<T>>(),
                                                 std::declval<op_type>())),
                             op_type>::accumulator;

  std::vector<T> values;
  typename fixture::template array<T> placed;

  explicit segmented_elements(std::size_t n = 100000)
      : values(segment_values<T>(n)), placed(values, sizeof(T)) {}

  std::span<const T> range(std::size_t n) const { return {placed.data(), n}; }
  Out want(std::size_t from, std::size_t to) const {
    return static_cast<Out>(
        wf::finished(op_type{}, fold_of_segment<accumulator>(values, from, to, op_type{})));
  }
};

/// Adjacent segments `b` of `in` by their offsets.
template <class Fold, class Elements, class Bounds>
void check_segments_by_offsets(const Elements& in, const Bounds& b) {
  using fixture = typename Fold::fixture;
  const typename fixture::template array<int> offsets(b.offsets(), 0);
  check_segments_are<fixture, typename Fold::out>(
      b.size(),
      [&](auto out) {
        wf::reduce_segments(fixture::policy(), in.range(b.elements),
                            std::span(offsets.data(), b.size() + 1), typename Fold::op{}, out);
      },
      [&](std::size_t s) { return in.want(b.begin[s], b.end[s]); });
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("segments by offsets", Fold, segment_results) {
  constexpr bool takes_empty = !std::is_same_v<typename Fold::op, test::add_parts>;
  const test::segmented_elements<Fold> in;
  for (const auto& lengths : {test::mixed_lengths(takes_empty), std::vector<std::size_t>(3000, 3),
                              std::vector<std::size_t>{100000 - 8}, std::vector<std::size_t>{}}) {
    const auto b = test::adjacent(lengths);
    REQUIRE(b.elements <= in.values.size());
    test::check_segments_by_offsets<Fold>(in, b);
  }
}

// Enough for the kernel that gives all blocks equal shares.
TEST_CASE_TEMPLATE_DEFINE("many segments by offsets", Fold, segment_many) {
  constexpr bool takes_empty = !std::is_same_v<typename Fold::op, test::add_parts>;
  const test::segmented_elements<Fold> in(800000);
  test::random_bits random;
  for (const std::size_t mean : {2, 60, 3000}) {
    std::vector<std::size_t> lengths;
    for (std::size_t total = 0; total < 600000; total += lengths.back()) {
      const bool is_long = random() % 300 == 0;
      const std::size_t most = is_long ? 20000 : 2 * mean;
      lengths.push_back(random() % most + (takes_empty ? 0 : 1));
    }
    lengths.push_back(120001);
    const auto b = test::adjacent(lengths);
    test::check_segments_by_offsets<Fold>(in, b);
  }
}

namespace test {

/// Segments `b` of `in` by their begins and ends.
template <class Fold, class Elements, class Bounds>
void check_segments_by_bounds(const Elements& in, const Bounds& b) {
  using fixture = typename Fold::fixture;
  const typename fixture::template array<std::size_t> begins(b.begin, 0), ends(b.end, 0);
  check_segments_are<fixture, typename Fold::out>(
      b.size(),
      [&](auto out) {
        wf::reduce_segments(fixture::policy(), in.range(b.elements),
                            wf::segments_between(std::span(begins.data(), b.size()),
                                                 std::span(ends.data(), b.size())),
                            typename Fold::op{}, out);
      },
      [&](std::size_t s) { return in.want(b.begin[s], b.end[s]); });
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("segments by bounds", Fold, segment_shapes) {
  constexpr bool takes_empty = !std::is_same_v<typename Fold::op, test::add_parts>;
  const test::segmented_elements<Fold> in;
  const auto b = test::scattered(6000, 60000, takes_empty);
  test::check_segments_by_bounds<Fold>(in, b);
}

// For policies that are slow.
TEST_CASE_TEMPLATE_DEFINE("few segments by offsets and bounds", Fold, segment_few) {
  constexpr bool takes_empty = !std::is_same_v<typename Fold::op, test::add_parts>;
  const test::segmented_elements<Fold> in;
  test::random_bits random;
  for (const std::size_t mean : {1, 3, 40, 3000}) {
    std::vector<std::size_t> lengths;
    for (std::size_t total = 0; total < 12000; total += lengths.back()) {
      lengths.push_back(random() % (2 * mean) + (takes_empty ? 0 : 1));
    }
    const auto b = test::adjacent(lengths);
    test::check_segments_by_offsets<Fold>(in, b);
  }
  const auto b = test::scattered(60, 30000, takes_empty);
  test::check_segments_by_bounds<Fold>(in, b);
}

TEST_CASE_TEMPLATE_DEFINE("segments of one size", Fold, segment_sizes) {
  using fixture = typename Fold::fixture;
  const test::segmented_elements<Fold> in;
  for (const std::size_t n : {1, 2, 3, 7, 8, 32, 100, 600, 5000, 30000}) {
    for (const std::size_t elements : {n, std::size_t{30000} / n * n}) {
      test::check_segments_are<fixture, typename Fold::out>(
          elements / n,
          [&](auto out) {
            wf::reduce_segments(fixture::policy(), in.range(elements), wf::segments_of_size(n),
                                typename Fold::op{}, out);
          },
          [&](std::size_t s) { return in.want(s * n, (s + 1) * n); });
    }
  }
}

// --- for fixtures --------------------------------------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("offsets of every integer type", Fixture, segment_offset_types) {
  const auto values = test::segment_values<int>(120);
  const typename Fixture::template array<int> placed(values, 0);
  const auto b = test::adjacent({5, 0, 40, 1, 60, 0});
  const auto check = [&](auto type) {
    using T = decltype(type);
    const auto offsets = b.template offsets<T>();
    const typename Fixture::template array<T> bounds(offsets, 0);
    test::check_segments_are<Fixture, long long>(
        b.size(),
        [&](auto out) {
          wf::reduce_segments(Fixture::policy(), std::span(placed.data(), b.elements),
                              std::span(bounds.data(), offsets.size()), wf::plus{}, out);
        },
        [&](std::size_t s) {
          return test::fold_of_segment<long long>(values, b.begin[s], b.end[s], wf::plus{});
        });
  };
  check(static_cast<signed char>(0));
  check(static_cast<unsigned char>(0));
  check(static_cast<short>(0));
  check(0U);
  check(0LL);
  check(0UL);
}

TEST_CASE_TEMPLATE_DEFINE("views of elements and of offsets", Fixture, segment_views) {
  const auto policy = Fixture::policy();
  const std::size_t n = 5000;
  const auto x = test::segment_values<float>(n);
  const auto y = test::segment_values<float>(n + 1);
  const typename Fixture::template array<float> px(x, 0), py(y, 4);
  const std::span<const float> a(px.data(), n), b(py.data() + 1, n);
  const std::size_t begins[] = {0, 1, 1, 130, 4900, n};
  const auto offsets = wf::project(wf::counting(0, 6), [] WARPFOLD_HD(int s) {
    return s == 0 ? 0 : s == 1 ? 1 : s == 2 ? 1 : s == 3 ? 130 : s == 4 ? 4900 : 5000;
  });
  const auto check = [&](const auto& view, const auto& element) {
    test::check_segments_are<Fixture, float>(
        5, [&](auto out) { wf::reduce_segments(policy, view, offsets, wf::plus{}, out); },
        [&](std::size_t s) {
          float total = 0;
          for (std::size_t i = begins[s]; i < begins[s + 1]; ++i) total += element(i);
          return total;
        });
  };
  const auto times = [] WARPFOLD_HD(float p, float q) { return p * q; };
  const auto square = [] WARPFOLD_HD(float p) { return p * p; };
  check(wf::project(wf::zip(a, b), times), [&](std::size_t i) { return x[i] * y[i + 1]; });
  check(wf::project(a, square), [&](std::size_t i) { return x[i] * x[i]; });
  check(
      wf::project(wf::counting(0, n), [] WARPFOLD_HD(int i) { return static_cast<float>(i % 7); }),
      [&](std::size_t i) { return static_cast<float>(i % 7); });

  check(wf::reverse(a), [&](std::size_t i) { return x[n - 1 - i]; });

  std::vector<signed char> bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<signed char>(i * 7);
  const typename Fixture::template array<signed char> chars(bytes, 3);
  check(wf::packed(std::span(chars.data(), n)),
        [&](std::size_t i) { return static_cast<float>(bytes[i]); });

  std::vector<test::three_floats> structs(n);
  for (std::size_t i = 0; i < n; ++i) structs[i] = {x[i], 0, y[i]};
  const typename Fixture::template array<test::three_floats> placed(structs, 4);
  check(wf::project(wf::staged(std::span(placed.data(), n)),
                    [] WARPFOLD_HD(const test::three_floats& t) { return t.x - t.z; }),
        [&](std::size_t i) { return x[i] - y[i]; });
}

TEST_CASE_TEMPLATE_DEFINE("inits, ops without an identity, and outputs that accumulate", Fixture,
                          segment_inits) {
  const auto policy = Fixture::policy();
  const std::vector<unsigned char> values{200, 100, 7, 9, 250};
  const std::vector<int> offsets{0, 2, 2, 5};
  const typename Fixture::template array<unsigned char> placed(values, 0);
  const typename Fixture::template array<int> bounds(offsets, 0);
  const std::span range(placed.data(), values.size());
  const std::span at(bounds.data(), offsets.size());
  typename Fixture::template target<int> out({-1, -1, -1}, 0);
  const std::span to(out.data(), 3);

  const auto larger = [] WARPFOLD_HD(int a, int b) { return a < b ? b : a; };
  wf::reduce_segments(policy, range, at, larger, 150, to);
  CHECK(out.values() == std::vector<int>{200, 150, 250});
  wf::reduce_segments(policy, range, at, 210, larger, to);
  CHECK(out.values() == std::vector<int>{210, 210, 250});
  wf::reduce_segments_async(policy, range, at, 1, wf::plus{}, to);
  CHECK(out.values() == std::vector<int>{301, 1, 267});
  wf::reduce_segments(policy, range, at, wf::with_identity(larger, 3), to);
  CHECK(out.values() == std::vector<int>{200, 3, 250});
  wf::reduce_segments_async(policy, range, at, wf::plus{}, wf::accumulate(to));
  CHECK(out.values() == std::vector<int>{500, 3, 516});
  // A segment without elements needs no identity if the output keeps its value.
  wf::reduce_segments(policy, range, at, larger, wf::accumulate(to));
  CHECK(out.values() == std::vector<int>{500, 3, 516});
  wf::reduce_segments_async(policy, range, at, wf::logical_or{}, false, to);
  CHECK(out.values() == std::vector<int>{1, 0, 1});
  // An empty segment keeps the sign of a zero.
  typename Fixture::template target<float> zeros({-0.0f, -0.0f, -0.0f}, 0);
  const typename Fixture::template array<float> addends(std::vector<float>(5, 0.0f), 0);
  wf::reduce_segments(policy, std::span(addends.data(), 5), at, wf::plus{},
                      wf::accumulate(std::span(zeros.data(), 3)));
  const auto kept = zeros.values();
  CHECK(!std::signbit(kept[0]));
  CHECK(std::signbit(kept[1]));
  // In the type of op(init, x): an unsigned char would wrap.
  const typename Fixture::template array<int> one({1}, 0);
  wf::reduce_segments(policy, range, at, wf::plus{}, wf::value_at(one.data()), to);
  CHECK(out.values() == std::vector<int>{301, 1, 267});
}

TEST_CASE_TEMPLATE_DEFINE("one output, with a stride, or several", Fixture, segment_outputs) {
  namespace cs = cuda::std;
  const auto policy = Fixture::policy();
  const std::vector<float> values{3, 1, 2, 2, 5, 4};
  const std::vector<int> offsets{0, 3, 3, 6};
  const typename Fixture::template array<float> placed(values, 0);
  const typename Fixture::template array<int> bounds(offsets, 0);
  const std::span range(placed.data(), values.size());
  const std::span at(bounds.data(), offsets.size());
  typename Fixture::template target<float> out(std::vector<float>(8, -1), 0);
  typename Fixture::template target<int> places(std::vector<int>(3, -1), 0);

  using strided = cs::mdspan<float, cs::dextents<int, 1>, cs::layout_stride>;
  const auto every = [&](int first, int step) {
    return strided(out.data() + first, cs::layout_stride::mapping<cs::dextents<int, 1>>(
                                           cs::dextents<int, 1>(3), cs::array<int, 1>{step}));
  };
  wf::reduce_segments(policy, range, at, wf::plus{}, every(1, 2));
  CHECK(out.values() == std::vector<float>{-1, 6, -1, 0, -1, 11, -1, -1});
  // The index in the segment; no element has the greatest index.
  wf::reduce_segments(policy, range, at, wf::arg(wf::maximum{}), std::span(places.data(), 3));
  CHECK(places.values()[0] == 0);
  CHECK(places.values()[2] == 1);
  using whole = cs::mdspan<int, cs::dextents<int, 1>>;
  wf::reduce_segments(policy, range, at, wf::all(wf::plus{}, wf::arg(wf::minimum{})),
                      wf::zip(every(0, 3), whole(places.data(), 3)));
  CHECK(out.values() == std::vector<float>{6, 6, -1, 0, -1, 11, 11, -1});
  CHECK(places.values()[0] == 1);
  CHECK(places.values()[2] == 0);
  // A pointer has no size; a span has one element for each segment.
  wf::reduce_segments(policy, range, at, wf::maximum{}, -2, out.data());
  CHECK(out.values() == std::vector<float>{3, -2, 5, 0, -1, 11, 11, -1});
}

TEST_CASE_TEMPLATE_DEFINE("the index in the range instead of the one in the segment", Fixture,
                          segment_range_index) {
  const auto policy = Fixture::policy();
  constexpr std::size_t n = 30000;
  std::vector<float> values(n);
  test::random_bits random;
  for (float& x : values) x = static_cast<float>(random() % 50);  // with ties
  std::vector<int> offsets{5, 5};
  for (int length = 0; offsets.back() < 9000; ++length) {
    offsets.push_back(offsets.back() + length % 90);
  }
  offsets.insert(offsets.end(), {15000, 15000, 29000});
  const std::size_t count = offsets.size() - 1;
  const typename Fixture::template array<float> placed(values, 0);
  const typename Fixture::template array<int> bounds(offsets, 0);
  const std::span range(placed.data(), n);
  const std::span at(bounds.data(), offsets.size());
  using indexed = wf::indexed<float>;
  const auto folded = [&](const auto& segments, const auto& op, std::size_t size) {
    typename Fixture::template target<indexed> out(std::vector<indexed>(size, {-1, 7}), 0);
    wf::reduce_segments(policy, range, segments, op, std::span(out.data(), size));
    return out.values();
  };
  // The same results, moved by the begins.
  const auto check = [&](const auto& segments, const auto& op, std::size_t size,
                         const auto& begin) {
    auto expected = folded(segments, op, size);
    for (std::size_t s = 0; s < size; ++s) expected[s] = expected[s].moved(begin(s));
    CHECK(folded(wf::with_range_index(segments), op, size) == expected);
  };
  const auto offset = [&](std::size_t s) { return static_cast<std::size_t>(offsets[s]); };
  check(at, wf::arg(wf::maximum{}), count, offset);
  check(wf::segments_between(at.first(count), at.last(count)), wf::arg(wf::maximum{}), count,
        offset);
  const auto hundreds = [](std::size_t s) { return 100 * s; };
  check(wf::segments_of_size(100), wf::arg(wf::maximum{}), n / 100, hundreds);
  check(wf::segments_of_size(100), wf::arg(wf::minimum{}).last(), n / 100, hundreds);
  check(wf::segments_of_size(100), wf::arg(wf::minimum{}.ignoring_nan()), n / 100, hundreds);
  const auto found = folded(wf::with_range_index(at), wf::arg(wf::maximum{}), count);
  CHECK(found[0].index == indexed::nowhere);
  CHECK(found[count - 1].index >= 15000);
  CHECK(values[found[count - 1].index] == found[count - 1].value);

  // One of several results; without waiting.
  typename Fixture::template target<float> sums(std::vector<float>(count, -1), 0);
  typename Fixture::template target<std::size_t> places(std::vector<std::size_t>(count, 1), 0);
  using floats = cuda::std::mdspan<float, cuda::std::dextents<int, 1>>;
  using sizes = cuda::std::mdspan<std::size_t, cuda::std::dextents<int, 1>>;
  wf::reduce_segments_async(policy, range, wf::with_range_index(at),
                            wf::all(wf::plus{}, wf::arg(wf::maximum{})),
                            wf::zip(floats(sums.data(), static_cast<int>(count)),
                                    sizes(places.data(), static_cast<int>(count))));
  const auto indices = places.values();
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < count; ++s) wrong += indices[s] != found[s].index;
  CHECK(wrong == 0);
  // What the output holds has an index in the range, and is not moved.
  std::vector<indexed> best(count, {25, 3});
  typename Fixture::template target<indexed> kept(best, 0);
  wf::reduce_segments(policy, range, wf::with_range_index(at), wf::arg(wf::maximum{}),
                      wf::accumulate(std::span(kept.data(), count)));
  for (std::size_t s = 0; s < count; ++s) best[s] = wf::arg(wf::maximum{})(best[s], found[s]);
  CHECK(kept.values() == best);
}

TEST_CASE_TEMPLATE_DEFINE("inits, outputs and views of segments of one size", Fixture,
                          segment_size_forms) {
  namespace cs = cuda::std;
  const auto policy = Fixture::policy();
  constexpr std::size_t n = 6, count = 50;
  const auto x = test::segment_values<float>(n * count);
  const auto y = test::segment_values<float>(n * count + 1);
  const typename Fixture::template array<float> px(x, 0), py(y, 4);
  const std::span<const float> a(px.data(), n * count), b(py.data() + 1, n * count);
  const auto sum = [&](std::size_t s, const auto& element) {
    double total = 0;
    for (std::size_t i = s * n; i < (s + 1) * n; ++i) total += element(i);
    return total;
  };
  const auto of_x = [&](std::size_t i) { return x[i]; };
  const auto of_products = [&](std::size_t i) { return x[i] * y[i + 1]; };
  const auto segments = wf::segments_of_size(n);
  const auto products =
      wf::project(wf::zip(a, b), [] WARPFOLD_HD(float p, float q) { return p * q; });
  const auto squares = wf::project(a, [] WARPFOLD_HD(float p) { return p * p; });

  // The result has the type of op(init, x).
  test::check_segments_are<Fixture, double>(
      count,
      [&](auto out) { wf::reduce_segments_async(policy, a, segments, wf::plus{}, 0.25, out); },
      [&](std::size_t s) { return sum(s, of_x) + 0.25; });
  const typename Fixture::template array<int> start({1000}, 0);
  test::check_segments_are<Fixture, float>(
      count,
      [&](auto out) {
        wf::reduce_segments(policy, squares, segments, wf::plus{}, wf::value_at(start.data()), out);
      },
      [&](std::size_t s) {
        return static_cast<float>(sum(s, [&](std::size_t i) { return x[i] * x[i]; }) + 1000);
      });
  const auto larger = [] WARPFOLD_HD(float p, float q) { return p < q ? q : p; };
  test::check_segments_are<Fixture, float>(
      count, [&](auto out) { wf::reduce_segments(policy, a, segments, larger, 3.0f, out); },
      [&](std::size_t s) {
        float greatest = 3;
        for (std::size_t i = s * n; i < (s + 1) * n; ++i) greatest = larger(greatest, x[i]);
        return greatest;
      });
  test::check_segments_are<Fixture, float>(
      count,
      [&](auto out) { wf::reduce_segments_async(policy, products, segments, wf::plus{}, out); },
      [&](std::size_t s) { return static_cast<float>(sum(s, of_products)); });
  test::check_segments_are<Fixture, float>(
      count,
      [&](auto out) {
        wf::reduce_segments(policy, a, segments, wf::plus{}, out);
        wf::reduce_segments_async(policy, squares, segments, wf::plus{}, wf::accumulate(out));
        wf::reduce_segments(policy, products, segments, wf::plus{}, wf::accumulate(out));
      },
      [&](std::size_t s) {
        return static_cast<float>(
            sum(s, [&](std::size_t i) { return x[i] + x[i] * x[i] + of_products(i); }));
      });

  // A stride, and several outputs.
  typename Fixture::template target<float> sums(std::vector<float>(3 * count, -1), 0);
  typename Fixture::template target<int> places(std::vector<int>(count, -1), 0);
  using strided = cs::mdspan<float, cs::dextents<int, 1>, cs::layout_stride>;
  using whole = cs::mdspan<int, cs::dextents<int, 1>>;
  const strided every_third(
      sums.data() + 1, cs::layout_stride::mapping<cs::dextents<int, 1>>(cs::dextents<int, 1>(count),
                                                                        cs::array<int, 1>{3}));
  const auto check = [&] {
    const auto got = sums.values();
    const auto at = places.values();
    std::size_t wrong = 0;
    for (std::size_t s = 0; s < count; ++s) {
      wrong += got[3 * s + 1] != static_cast<float>(sum(s, of_x)) || got[3 * s] != -1;
      std::size_t first = 0;
      for (std::size_t i = 1; i < n; ++i) first = x[s * n + i] > x[s * n + first] ? i : first;
      wrong += at[s] != static_cast<int>(first);
    }
    CHECK(wrong == 0);
  };
  wf::reduce_segments(policy, a, segments, wf::plus{}, every_third);
  wf::reduce_segments(policy, a, segments, wf::arg(wf::maximum{}), std::span(places.data(), count));
  check();
  wf::reduce_segments(policy, a, segments, wf::all(wf::plus{}, wf::arg(wf::maximum{})),
                      wf::zip(every_third, whole(places.data(), count)));
  check();
  wf::reduce_segments(policy, a.first(0), segments, wf::plus{}, sums.data());
  check();
}

namespace test {

template <class Error, class Call>
bool fails_with(const Call& call, const char* of) {
  try {
    call();
  } catch (const Error& e) {
    const bool told = std::strstr(e.what(), of) != nullptr;
    if (!told) MESSAGE(e.what());
    return told;
  }
  return false;
}

/// The error of the first segment with wrong bounds.
template <class Segments>
std::string error_of_bounds(const Segments& segments, std::size_t elements) {
  const std::size_t s =
      wf::detail::first_invalid_segment<true>(segments, elements, 0, segments.size());
  return "warpfold: segment " + std::to_string(s) + " begins at " +
         std::to_string(segments.begin(s)) + " and ends at " + std::to_string(segments.end(s)) +
         ", but the range has " + std::to_string(elements) + " elements;";
}

}  // namespace test

// For policies that read the bounds before they start.
TEST_CASE_TEMPLATE_DEFINE("wrong bounds, sizes and outputs", Fixture, segment_errors) {
  const auto policy = Fixture::policy();
  const std::vector<float> values(100000, 1);
  const typename Fixture::template array<float> placed(values, 0);
  std::vector<int> offsets(90001);
  for (std::size_t s = 0; s < offsets.size(); ++s) offsets[s] = static_cast<int>(s);
  const auto untouched = std::vector<float>(offsets.size() - 1, -1);
  typename Fixture::template target<float> out(untouched, 0);
  const auto larger = [] WARPFOLD_HD(float a, float b) { return a < b ? b : a; };
  const auto refused = [&](auto error, const std::vector<int>& wrong, const auto& op,
                           const char* message) {
    const typename Fixture::template array<int> bounds(wrong, 0);
    const bool told = test::fails_with<typename decltype(error)::type>(
        [&] {
          wf::reduce_segments(policy, std::span(placed.data(), values.size()),
                              std::span(bounds.data(), wrong.size()), op,
                              std::span(out.data(), wrong.size() - 1));
        },
        message);
    return told && out.values() == untouched;
  };
  constexpr std::type_identity<wf::invalid_range> range{};
  constexpr std::type_identity<wf::empty_range> empty{};

  auto wrong = offsets;
  wrong[70001] = 70003;
  CHECK(refused(range, wrong, wf::plus{},
                "segment 70001 begins at 70003 and ends at 70002, but the range has 100000"));
  wrong[3] = 1;  // the first one is reported
  CHECK(refused(range, wrong, wf::plus{}, "segment 2 begins at 2 and ends at 1,"));
  CHECK(refused(range, wrong, larger, "segment 2 begins at 2 and ends at 1,"));
  wrong = offsets;
  wrong.back() = 100001;
  CHECK(refused(range, wrong, wf::plus{}, "segment 89999 begins at 89999 and ends at 100001"));
  wrong.back() = 100000;
  wrong[0] = -1;
  CHECK(refused(range, wrong, wf::plus{}, "segment 0 begins at -1 and ends at 1"));
  CHECK(refused(range, {0, 5, -2, 7}, wf::plus{}, "segment 1 begins at 5 and ends at -2"));
  wrong = offsets;
  wrong[80001] = 80000;
  CHECK(refused(empty, wrong, larger, "segment 80000 is empty, from 80000 to 80000"));
  CHECK(refused(empty, {100000, 100000}, larger, "segment 0 is empty"));

  const std::vector<long> begins{0, 10, 50}, ends{5, 10, 40}, far{5, 10, 100001};
  const typename Fixture::template array<long> b(begins, 0), e(ends, 0), f(far, 0);
  const auto between = [&](const long* last, const auto& op) {
    return [&, last] {
      wf::reduce_segments(policy, std::span(placed.data(), values.size()),
                          wf::segments_between(std::span(b.data(), 3), std::span(last, 3)), op,
                          std::span(out.data(), 3));
    };
  };
  CHECK(test::fails_with<wf::invalid_range>(between(e.data(), wf::plus{}),
                                            "segment 2 begins at 50 and ends at 40"));
  CHECK(test::fails_with<wf::invalid_range>(between(f.data(), wf::plus{}), "ends at 100001"));
  CHECK(test::fails_with<wf::empty_range>(between(f.data(), larger), "segment 1 is empty"));
  CHECK(out.values() == untouched);

  const std::span small(placed.data(), 10);
  CHECK(test::fails_with<wf::invalid_range>(
      [&] {
        wf::reduce_segments(policy, small, wf::segments_of_size(3), wf::plus{},
                            std::span(out.data(), 3));
      },
      "the range has 10 elements, which segments of 3 elements do not divide"));
  CHECK(test::fails_with<wf::invalid_range>(
      [&] {
        wf::reduce_segments(policy, small, wf::segments_of_size(5), wf::plus{},
                            std::span(out.data(), 3));
      },
      "the output has 3 elements, but there are 2 segments"));
  typename Fixture::template target<int> two_bounds({0, 4, 10}, 0);
  CHECK(test::fails_with<wf::invalid_range>(
      [&] {
        wf::reduce_segments(policy, small, std::span(two_bounds.data(), 3), wf::plus{},
                            std::span(out.data(), 3));
      },
      "the output has 3 elements, but 3 offsets make only 2 segments; pass S + 1 offsets"));
  using vector = cuda::std::mdspan<float, cuda::std::dextents<int, 1>>;
  CHECK(test::fails_with<wf::invalid_range>(
      [&] {
        wf::reduce_segments(policy, small, wf::segments_of_size(5), wf::plus{},
                            vector(out.data(), 1));
      },
      "the output has 1 elements, but there are 2 segments"));
  typename Fixture::template target<float> own(std::vector<float>(20, 1), 0);
  CHECK(test::fails_with<wf::invalid_range>(
      [&] {
        wf::reduce_segments(policy, std::span(own.data(), 10), wf::segments_of_size(5), wf::plus{},
                            std::span(own.data() + 9, 2));
      },
      "overlaps the input"));
  wf::reduce_segments(policy, std::span(own.data(), 10), wf::segments_of_size(5), wf::plus{},
                      std::span(own.data() + 10, 2));
  CHECK(own.values()[11] == 5);
  CHECK(test::fails_with<wf::invalid_range>(
      [&] {
        wf::reduce_segments(policy, std::span(own.data(), 10),
                            std::span(static_cast<const int*>(nullptr), 3), wf::plus{},
                            std::span(own.data() + 10, 2));
      },
      "the array of the segments is a null pointer"));
}

// For calls that wait, with every policy.
TEST_CASE_TEMPLATE_DEFINE("wrong bounds: the first such segment is named, and later calls work",
                          Fixture, segment_wrong_bounds) {
  constexpr std::size_t n = 40000;
  const typename Fixture::template array<float> placed(std::vector<float>(n, 1), 0);
  const std::span range(placed.data(), n);
  const auto sums = [&](const std::vector<long long>& offsets, auto op) {
    const typename Fixture::template array<long long> bounds(offsets, 0);
    typename Fixture::template target<float> out(std::vector<float>(offsets.size() - 1, -1), 0);
    wf::reduce_segments(Fixture::policy(), range, std::span(bounds.data(), offsets.size()), op,
                        std::span(out.data(), offsets.size() - 1));
    return out.values();
  };
  for (const std::size_t length : {2u, 30u, 200u, 3000u, 20000u}) {
    std::vector<long long> offsets{0};
    while (offsets.back() + static_cast<long long>(length) <= static_cast<long long>(n)) {
      offsets.push_back(offsets.back() + static_cast<long long>(length));
    }
    const std::vector<float> expected(offsets.size() - 1, static_cast<float>(length));
    for (const std::size_t at : {std::size_t{0}, offsets.size() / 2, offsets.size() - 1}) {
      for (const long long wrong : {-3ll, static_cast<long long>(n) + 1, 1ll << 40, 1ll}) {
        if (length == 20000 && wrong == 1) continue;  // valid
        auto bad = offsets;
        bad[at] = wrong;
        if (at == 0 && wrong == 1) bad[1] = 0;
        const wf::contiguous_view<const long long> view(bad.data(), bad.size());
        const std::string message = test::error_of_bounds(wf::segments_by_offsets(view), n);
        CHECK(test::fails_with<wf::invalid_range>([&] { sums(bad, wf::plus{}); }, message.c_str()));
        CHECK(sums(offsets, wf::plus{}) == expected);
      }
    }
  }
  // All of them are wrong; the type of the bounds tells how they are printed.
  std::vector<long long> all(5001);
  for (std::size_t s = 0; s < all.size(); ++s) all[s] = -static_cast<long long>(s);
  CHECK(test::fails_with<wf::invalid_range>([&] { sums(all, wf::plus{}); },
                                            "segment 0 begins at 0 and ends at -1, but"));
  const std::vector<unsigned short> begins{0, 7, 50}, ends{5, 3, 40};
  const typename Fixture::template array<unsigned short> b(begins, 0), e(ends, 0);
  typename Fixture::template target<float> out(std::vector<float>(3, -1), 0);
  CHECK(test::fails_with<wf::invalid_range>(
      [&] {
        wf::reduce_segments(Fixture::policy(), range,
                            wf::segments_between(std::span(b.data(), 3), std::span(e.data(), 3)),
                            wf::maximum{}, 0.0f, std::span(out.data(), 3));
      },
      "segment 1 begins at 7 and ends at 3, but the range has 40000 elements"));
}

TEST_CASE_TEMPLATE_DEFINE("the same bits on every run, whatever the other segments", Fixture,
                          segment_repeats) {
  test::random_bits random;
  std::vector<float> values(200000);
  for (float& x : values) x = static_cast<float>(random() % 1000003) * 1.000001f;
  const typename Fixture::template array<float> placed(values, 0);
  const std::span range(placed.data(), values.size());
  const auto sums = [&](const std::vector<int>& offsets) {
    const typename Fixture::template array<int> bounds(offsets, 0);
    typename Fixture::template target<float> out(std::vector<float>(offsets.size() - 1), 0);
    wf::reduce_segments(Fixture::policy(), range, std::span(bounds.data(), offsets.size()),
                        wf::plus{}, std::span(out.data(), offsets.size() - 1));
    return out.values();
  };
  const std::vector<int> offsets{0, 3, 60000, 60100, 61000, 200000};
  const auto first = sums(offsets);
  CHECK(sums(offsets) == first);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    CHECK(sums({offsets[s], offsets[s + 1]})[0] == first[s]);
  }
}

/// Checks that each segment of hashes and of sums has the bits of wf::seq.
template <class Fixture, class Segments, class HostSegments>
void check_segment_order(const std::vector<std::uint64_t>& elements, const Segments& segments,
                         const HostSegments& on_host, std::size_t count) {
  const auto has_seq_bits = [&]<class T, class Op>(const std::vector<T>& v, const Op& op,
                                                   std::size_t offset) {
    const typename Fixture::template array<T> placed(v, offset);
    typename Fixture::template target<T> out(std::vector<T>(count), 0);
    std::vector<T> want(count);
    wf::reduce_segments(wf::seq, v, on_host, T(1), op, want);
    wf::reduce_segments(Fixture::policy(), std::span(placed.data(), v.size()), segments, T(1), op,
                        std::span(out.data(), count));
    const auto got = out.values();
    std::size_t wrong = 0;
    for (std::size_t s = 0; s < count; ++s) {
      wrong += std::memcmp(&got[s], &want[s], sizeof(T)) == 0 ? 0 : 1;
    }
    return wrong == 0;
  };
  CHECK(has_seq_bits(elements, test::ordered_hash{}, 8));
  std::vector<float> values(elements.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(elements[i] % 1000003) * 1.000001f;
  }
  CHECK(has_seq_bits(values, wf::plus{}, 4));
}

TEST_CASE_TEMPLATE_DEFINE("each segment has the bits of wf::seq", Fixture, segment_order) {
  test::random_bits random;
  // The mean lengths select the kernels' ways, and single segments are far longer.
  for (const unsigned most : {2u, 20u, 120u, 700u, 9000u}) {
    CAPTURE(most);
    std::vector<int> offsets{0};
    const auto add = [&](unsigned length) {
      offsets.push_back(offsets.back() + static_cast<int>(length));
    };
    add(70001);
    while (offsets.back() < 200'000) add(random() % 97 == 0 ? random() % 5000 : random() % most);
    add(30001);
    const std::size_t count = offsets.size() - 1;
    const auto elements = test::ordered_elements(static_cast<std::size_t>(offsets.back()));
    const typename Fixture::template array<int> bounds(offsets, 0);
    check_segment_order<Fixture>(elements, std::span(bounds.data(), offsets.size()), offsets,
                                 count);
    const std::span<const int> begins(bounds.data(), count), ends(bounds.data() + 1, count);
    check_segment_order<Fixture>(
        elements, wf::segments_between(begins, ends),
        wf::segments_between(std::span(offsets).first(count), std::span(offsets).subspan(1)),
        count);
  }
}
