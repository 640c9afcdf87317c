/// @file
/// The test suite for policies that transform segments. The fixtures are those of
/// transform_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/transform_segments.hpp>

#include "contract/segments_contract.hpp"

namespace test {

/// Distinguishes every pair of an element and a value.
struct mixed_with {
  template <class X, class V>
  WARPFOLD_HD double operator()(const X& x, const V& v) const {
    return static_cast<double>(x) * 3 + static_cast<double>(v) * 1000;
  }
};
struct next_by_value {
  WARPFOLD_HD unsigned operator()(unsigned x, unsigned v) const { return x * 5 + v; }
};
struct three_plus {
  WARPFOLD_HD three_floats operator()(const three_floats& x, float v) const {
    return {x.x + v, x.y - v, x.z * v};
  }
};
/// The difference of an element and the fold of its segment.
struct less_fold {
  template <class X, class A>
  WARPFOLD_HD double operator()(const X& x, const A& folded) const {
    return static_cast<double>(x) - static_cast<double>(folded);
  }
  template <class X>
  WARPFOLD_HD double operator()(const X& x, const wf::moments& folded) const {
    return static_cast<double>(x) - folded.mean + folded.m2;
  }
  template <class X>
  WARPFOLD_HD double operator()(const X& x, const wf::indexed<X>& folded) const {
    return static_cast<double>(x) - static_cast<double>(folded.index);
  }
  template <class X, class A, class B, class C, class D>
  WARPFOLD_HD double operator()(const X& x, const wf::tuple<A, B, C, D>& folded) const {
    return static_cast<double>(x) - static_cast<double>(wf::get<0>(folded)) +
           2 * wf::get<1>(folded).mean - 3 * wf::get<2>(folded).mean;
  }
  WARPFOLD_HD three_floats operator()(const three_floats& x, const three_floats& folded) const {
    return {x.x - folded.x, x.y - folded.y, x.z - folded.z};
  }
};
/// Composes the functions x -> a x + b: associative and not commutative. It has no identity.
struct composed {
  struct line {
    unsigned a, b;
    WARPFOLD_HD explicit operator double() const { return a * 7.0 + b; }
  };
  WARPFOLD_HD line lift(unsigned x, std::size_t i) const {
    return {2 * x + 1, x + static_cast<unsigned>(i)};
  }
  WARPFOLD_HD line operator()(const line& f, const line& g) const {
    return {f.a * g.a, f.a * g.b + f.b};
  }
};
struct summed_triples {
  WARPFOLD_HD three_floats operator()(const three_floats& x, const three_floats& y) const {
    return {x.x + y.x, x.y + y.y, x.z + y.z};
  }
};
struct tenfold {
  WARPFOLD_HD float operator()(float x) const { return x * 10; }
};

template <class Fixture>
struct segment_transforms {
  static constexpr auto policy = [] { return Fixture::policy(); };
  template <class T>
  using array = typename Fixture::template array<T>;
  template <class T>
  using target = typename Fixture::template target<T>;

  /// Compares the output with a loop. In place, if `to` is the offset of the input.
  template <class X, class V, class Y, class F, class Segments>
  static void check(const bounds& b, const Segments& segments, const F& f, std::size_t from,
                    std::size_t to) {
    std::vector<X> in(b.elements);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<X>(i * 7 % 120);
    std::vector<V> values(b.size());
    for (std::size_t s = 0; s < values.size(); ++s) values[s] = static_cast<V>(s % 119 + 1);
    std::vector<Y> want(b.elements, static_cast<Y>(99));
    for (std::size_t s = 0; s < b.size(); ++s) {
      for (std::size_t i = b.begin[s]; i < b.end[s]; ++i) {
        want[i] = static_cast<Y>(f(in[i], values[s]));
      }
    }
    INFO(b.size(), " segments of ", b.elements, " elements, ", sizeof(X), " to ", sizeof(Y),
         " bytes, at ", from, " and ", to);
    const array<X> x(in, from);
    const array<V> v(values, sizeof(V));
    target<Y> y(std::vector<Y>(b.elements, static_cast<Y>(99)), to);
    wf::transform_segments(policy(), std::span(x.data(), in.size()), segments,
                           std::span(v.data(), values.size()), std::span(y.data(), in.size()), f);
    CHECK((y.values() == want));
  }
  template <class Offset, class X, class V, class Y, class F = mixed_with>
  static void check_offsets(const bounds& b, std::size_t from = 0, std::size_t to = 0,
                            const F& f = {}) {
    const array<Offset> offsets(b.offsets<Offset>(), sizeof(Offset));
    check<X, V, Y>(b, std::span(offsets.data(), b.size() + 1), f, from, to);
  }
  static void check_in_place(const bounds& b, std::size_t at) {
    std::vector<unsigned> in(b.elements), values(b.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned>(i);
    for (std::size_t s = 0; s < values.size(); ++s) values[s] = static_cast<unsigned>(s);
    std::vector<unsigned> want = in;
    for (std::size_t s = 0; s < b.size(); ++s) {
      for (std::size_t i = b.begin[s]; i < b.end[s]; ++i) {
        want[i] = next_by_value{}(in[i], values[s]);
      }
    }
    const array<int> offsets(b.offsets<int>(), 0);
    const array<unsigned> v(values, 0);
    target<unsigned> y(in, at);
    wf::transform_segments(
        policy(), std::span(y.data(), in.size()), std::span(offsets.data(), b.size() + 1),
        std::span(v.data(), values.size()), std::span(y.data(), in.size()), next_by_value{});
    CHECK((y.values() == want));
  }

  static void check_results() {
    const bounds mixed = adjacent(mixed_lengths(true));
    check_offsets<int, int, int, int>(mixed);
    check_offsets<unsigned, float, float, float>(mixed, 4, 8);
    check_offsets<long long, signed char, int, double>(mixed, 1, 8);
    check_offsets<std::size_t, double, signed char, signed char>(mixed, 8, 3);
    check_in_place(mixed, 0);
    check_in_place(mixed, 4);
    // Everything in one segment, in none, and in segments of one element.
    check_offsets<int, float, float, float>(adjacent({20000}, 0, 0));
    check_offsets<int, float, float, float>(adjacent({}, 0, 5000));
    check_offsets<int, float, float, float>(adjacent({0}, 2500, 2500));
    check_offsets<int, float, float, float>(adjacent(std::vector<std::size_t>(9000, 1), 0, 0), 4);
    // Many empty segments between two elements, more than the ends of a block.
    std::vector<std::size_t> sparse(7000, 0);
    for (const std::size_t s : {3u, 1030u, 1031u, 5000u, 6999u}) sparse[s] = s == 1031 ? 900 : 2;
    check_offsets<int, int, int, int>(adjacent(sparse));
    check_in_place(adjacent(sparse, 0, 0), 8);
    for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 15u, 33u, 4095u, 4097u}) {
      for (const std::size_t at : {0u, 4u, 12u}) {
        check_offsets<int, int, int, int>(adjacent({n / 2, n - n / 2}, 0, 0), at, (at + 8) % 16);
      }
    }
  }

  /// Compares the output of a call with an op with folds of the segments by wf::seq. In place, if
  /// `out_at` is `in_place`.
  static constexpr std::size_t in_place = 99;
  template <class X, class Y, class Op, class Segments>
  static void check_fold(const bounds& b, const Segments& segments, const Op& op, std::size_t from,
                         std::size_t out_at) {
    const less_fold f;
    const std::vector<X> in = segment_values<X>(b.elements);
    std::vector<Y> before(b.elements);
    for (Y& y : before) std::memset(static_cast<void*>(&y), 0x35, sizeof(Y));
    if constexpr (std::is_same_v<X, Y>) {
      if (out_at == in_place) before = in;
    }
    std::vector<Y> want = before;
    for (std::size_t s = 0; s < b.size(); ++s) {
      if (b.begin[s] == b.end[s]) continue;
      const auto folded =
          wf::reduce(wf::seq, std::span(in).subspan(b.begin[s], b.end[s] - b.begin[s]), op);
      for (std::size_t i = b.begin[s]; i < b.end[s]; ++i) {
        want[i] = static_cast<Y>(f(in[i], folded));
      }
    }
    INFO(b.size(), " segments of ", b.elements, " elements, ", sizeof(X), " to ", sizeof(Y),
         " bytes, at ", from, " and ", out_at);
    const array<X> x(in, from);
    target<Y> y(before, out_at == in_place ? 4 * sizeof(Y) : out_at);
    std::span<const X> read(x.data(), in.size());
    if constexpr (std::is_same_v<X, Y>) {
      if (out_at == in_place) read = {y.data(), in.size()};
    }
    wf::transform_segments(policy(), read, segments, op, std::span(y.data(), in.size()), f);
    const std::vector<Y> got = y.values();
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (std::memcmp(&got[i], &want[i], sizeof(Y)) != 0 && wrong++ == 0) first = i;
    }
    INFO("the first wrong element is ", first);
    CHECK(wrong == 0);
  }
  template <class Offset, class X, class Y, class Op>
  static void check_fold_by_offsets(const bounds& b, const Op& op, std::size_t from = 0,
                                    std::size_t to = 0) {
    const array<Offset> offsets(b.offsets<Offset>(), sizeof(Offset));
    check_fold<X, Y>(b, std::span(offsets.data(), b.size() + 1), op, from, to);
  }

  static void check_folds() {
    const bounds mixed = adjacent(mixed_lengths(true));
    check_fold_by_offsets<int, int, int>(mixed, wf::plus{});
    check_fold_by_offsets<int, float, float>(mixed, wf::plus{}, 4, 8);
    check_fold_by_offsets<int, float, float>(mixed, wf::plus{}, 4, in_place);
    check_fold_by_offsets<long long, signed char, double>(mixed, wf::maximum{}, 1, 8);
    // Results of another type of the same size.
    check_fold_by_offsets<int, int, float>(mixed, wf::plus{}, 4);
    check_fold_by_offsets<int, float, int>(mixed, wf::moments_op{}, 4);
    check_fold_by_offsets<std::size_t, double, signed char>(mixed, wf::minimum{}, 8, 3);
    check_fold_by_offsets<int, unsigned, double>(mixed, composed{}, 8);
    check_fold_by_offsets<unsigned, float, float>(mixed, wf::moments_op{}, 8, in_place);
    check_fold_by_offsets<int, float, double>(mixed, wf::arg(wf::maximum{}));
    // States and elements of other kinds take two launches.
    check_fold_by_offsets<int, float, float>(
        mixed, wf::all(wf::plus{}, wf::moments_op{}, wf::moments_op{}, wf::moments_op{}), 4);
    check_fold_by_offsets<int, three_floats, three_floats>(mixed, summed_triples{}, 0, in_place);
    check_fold_by_offsets<int, three_floats, three_floats>(adjacent({3, 0, 20000}),
                                                           summed_triples{});
    // Everything in one segment, in none, and in segments of one element.
    for (const std::size_t n : {1u, 20000u, 300000u}) {
      check_fold_by_offsets<int, float, float>(adjacent({n}, 0, 0), wf::plus{}, 0, in_place);
    }
    check_fold_by_offsets<int, float, float>(adjacent({}, 0, 5000), wf::plus{});
    check_fold_by_offsets<int, float, float>(adjacent({0}, 2500, 2500), wf::plus{});
    check_fold_by_offsets<int, int, int>(adjacent(std::vector<std::size_t>(9000, 1), 0, 0),
                                         wf::plus{}, 4);
    // Tiles that are full, and segments around their size; then long ones beside short ones.
    for (const std::size_t n : {7u, 8u, 64u, 4095u, 4096u, 4097u}) {
      check_fold_by_offsets<int, float, float>(
          adjacent(std::vector<std::size_t>(20000 / n + 3, n), n % 4, 0), wf::plus{}, 4, 12);
    }
    std::vector<std::size_t> some(3000, 3);
    for (std::size_t s = 0; s < some.size(); s += 700) some[s] = 30000 + s;
    check_fold_by_offsets<int, unsigned, double>(adjacent(some), composed{});
    std::vector<std::size_t> sparse(7000, 0);
    for (const std::size_t s : {3u, 1030u, 1031u, 5000u, 6999u}) sparse[s] = s == 1031 ? 900 : 2;
    check_fold_by_offsets<int, int, int>(adjacent(sparse), wf::plus{}, 4, in_place);
    for (const std::size_t n : {1u, 2u, 5u, 15u, 33u, 4097u}) {
      for (const std::size_t at : {0u, 4u, 12u}) {
        check_fold_by_offsets<int, int, int>(adjacent({n / 2, n - n / 2}, 0, 0), wf::plus{}, at,
                                             (at + 8) % 16);
      }
    }
    check_fold<float, float>(adjacent(std::vector<std::size_t>(500, 33), 0, 0),
                             wf::segments_of_size(33), wf::moments_op{}, 4, in_place);
    for (const std::size_t longest : {40u, 60000u}) {
      const bounds b = scattered_apart(longest);
      const array<std::size_t> begins(b.begin, 0), ends(b.end, 8);
      const auto segments = wf::segments_between(std::span(begins.data(), b.size()),
                                                 std::span(ends.data(), b.size()));
      for (int times = 0; times < 2; ++times) {  // the second one has the memory of the first
        check_fold<int, int>(b, segments, wf::plus{}, 4, in_place);
        check_fold<unsigned, double>(b, segments, composed{}, 4, 8);
      }
    }
  }

  // Segments with gaps, in random order.
  static bounds scattered_apart(std::size_t longest) {
    random_bits random;
    bounds b;
    std::vector<std::size_t> order;
    for (std::size_t s = 0; s < 300; ++s) order.push_back(s);
    for (std::size_t s = order.size(); s > 1; --s) std::swap(order[s - 1], order[random() % s]);
    b.begin.resize(300);
    b.end.resize(300);
    std::size_t at = 3;
    for (const std::size_t s : order) {
      b.begin[s] = at;
      b.end[s] = at += s % 100 == 7 ? longest : random() % 40;
      at += random() % 3;
    }
    b.elements = at + 1;
    return b;
  }

  // Some of these are divided among blocks.
  static void check_bounds() {
    for (const std::size_t longest : {40u, 5000u, 60000u}) {
      const bounds b = scattered_apart(longest);
      const array<std::size_t> begins(b.begin, 0), ends(b.end, 8);
      const auto segments = wf::segments_between(std::span(begins.data(), b.size()),
                                                 std::span(ends.data(), b.size()));
      for (int times = 0; times < 2; ++times) {  // the second one has the memory of the first
        check<int, int, int>(b, segments, mixed_with{}, 4, 8);
        check<signed char, float, double>(b, segments, mixed_with{}, 1, 0);
      }
    }
  }

  static void check_views() {
    const std::vector<float> in{1, 2, 3, 4};
    const array<float> x(in, 0);
    const std::span<const float> elements(x.data(), 4);
    target<double> y(std::vector<double>(4, -1), 0);
    const std::span<double> out(y.data(), 4);
    const std::vector<unsigned char> b{3, 0}, e{4, 2};
    const array<unsigned char> begins(b, 0), ends(e, 0);
    wf::transform_segments(
        policy(), wf::project(elements, tenfold{}),
        wf::segments_between(std::span(begins.data(), 2), std::span(ends.data(), 2)),
        wf::counting(5, 2), out, mixed_with{});
    CHECK(y.values() == std::vector<double>{6030, 6060, -1, 5120});
    const array<float> v(std::vector<float>{1, 2}, 0);
    wf::transform_segments(policy(), elements, wf::segments_of_size(2), std::span(v.data(), 2), out,
                           mixed_with{});
    CHECK(y.values() == std::vector<double>{1003, 1006, 2009, 2012});
    wf::transform_segments(policy(), wf::reverse(elements), wf::segments_of_size(1), elements, out,
                           mixed_with{});
    CHECK(y.values() == std::vector<double>{1012, 2009, 3006, 4003});
    std::vector<three_floats> triples(1000, three_floats{1, 2, 3});
    const array<three_floats> t(triples, 0);
    target<three_floats> to(triples, 0);
    wf::transform_segments(policy(), std::span(t.data(), 1000), wf::segments_of_size(250),
                           std::span(x.data(), 4), std::span(to.data(), 1000), three_plus{});
    const std::vector<three_floats> got = to.values();
    for (std::size_t i = 0; i < 1000; ++i) {
      const float value = in[i / 250];
      if (got[i].x == 1 + value && got[i].y == 2 - value && got[i].z == 3 * value) continue;
      FAIL_CHECK("element ", i);
      break;
    }
  }

  static void check_forms() {
    target<int> v({1, 3, 5, 5}, 0);
    const array<int> offsets({0, 2, 4}, 0), add({10, 20}, 0);
    const std::span<int> elements(v.data(), 4);
    wf::transform_segments_async(policy(), elements, std::span(offsets.data(), 3),
                                 std::span(add.data(), 2), elements, wf::plus{});
    CHECK(v.values() == std::vector<int>{11, 13, 25, 25});
    std::string message;
    try {
      wf::transform_segments(policy(), elements, std::span(offsets.data(), 3),
                             std::span(add.data(), 1), elements, wf::plus{});
    } catch (const wf::invalid_range& e) {
      message = e.what();
    }
    CHECK(message.find("there are 2 segments and 1 values") != std::string::npos);
    CHECK(v.values() == std::vector<int>{11, 13, 25, 25});
    wf::transform_segments_async(policy(), elements, std::span(offsets.data(), 3), wf::plus{},
                                 elements, wf::plus{});
    CHECK(v.values() == std::vector<int>{35, 37, 75, 75});
    wf::transform_segments(policy(), elements.data(), 4, std::span(offsets.data(), 3), wf::plus{},
                           elements, wf::plus{});
    CHECK(v.values() == std::vector<int>{107, 109, 225, 225});
  }
};

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("each element and the fold of its segment", Fixture,
                          transform_segments_folds) {
  test::segment_transforms<Fixture>::check_folds();
}
TEST_CASE_TEMPLATE_DEFINE("each element and the value of its segment, by offsets", Fixture,
                          transform_segments_results) {
  test::segment_transforms<Fixture>::check_results();
}
TEST_CASE_TEMPLATE_DEFINE("each element and the value of its segment, in any order", Fixture,
                          transform_segments_bounds) {
  test::segment_transforms<Fixture>::check_bounds();
}
TEST_CASE_TEMPLATE_DEFINE("views as elements and values of segments", Fixture,
                          transform_segments_views) {
  test::segment_transforms<Fixture>::check_views();
}
TEST_CASE_TEMPLATE_DEFINE("transforms of segments without waiting, and wrong sizes", Fixture,
                          transform_segments_forms) {
  test::segment_transforms<Fixture>::check_forms();
}

// Calls that wait with an op check the bounds, with every policy.
TEST_CASE_TEMPLATE_DEFINE("wrong bounds and an op: the first such segment is named", Fixture,
                          transform_segments_wrong_bounds) {
  constexpr std::size_t n = 40000;
  const typename Fixture::template array<float> placed(std::vector<float>(n, 1), 0);
  const auto divide = [] WARPFOLD_HD(float x, float sum) { return x / sum; };
  const auto shares = [&](const std::vector<int>& offsets) {
    const typename Fixture::template array<int> bounds(offsets, 0);
    typename Fixture::template target<float> out(std::vector<float>(n, -1), 0);
    wf::transform_segments(Fixture::policy(), std::span(placed.data(), n),
                           std::span(bounds.data(), offsets.size()), wf::plus{},
                           std::span(out.data(), n), divide);
    return out.values();
  };
  for (const int length : {2, 50, 200, 2500, 20000}) {
    std::vector<int> offsets{0};
    while (offsets.back() < 40000) offsets.push_back(offsets.back() + length);
    for (const std::size_t at : {std::size_t{0}, offsets.size() / 2, offsets.size() - 1}) {
      for (const int wrong : {-3, 40001}) {
        auto bad = offsets;
        bad[at] = wrong;
        const wf::contiguous_view<const int> view(bad.data(), bad.size());
        const std::string message = test::error_of_bounds(wf::segments_by_offsets(view), n);
        CHECK(test::fails_with<wf::invalid_range>([&] { shares(bad); }, message.c_str()));
        CHECK(shares(offsets) == std::vector<float>(n, 1 / static_cast<float>(length)));
      }
    }
  }
}
