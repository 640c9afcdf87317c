/// @file
/// The test suite for policies that fold expressions of several arrays, several axes, and into
/// several outputs. The fixtures are those of transform_contract.hpp.
#pragma once

#include "contract/axis_contract.hpp"

namespace test {

template <int Rank>
using indices = std::array<std::size_t, Rank>;

/// Calls `f(index)` for all indices; the last one varies fastest.
template <int Rank, class F>
void for_each_index(const indices<Rank>& extent, const F& f) {
  indices<Rank> index{};
  std::size_t n = 1;
  for (const std::size_t e : extent) n *= e;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t rest = i;
    for (int d = Rank; d-- > 0; rest /= extent[d]) index[d] = rest % extent[d];
    f(index);
  }
}

template <int Rank>
std::size_t place_of(const box<Rank>& b, const std::type_identity_t<indices<Rank>>& index) {
  std::size_t at = b.first;
  for (int d = 0; d < Rank; ++d) at += index[d] * b.stride[d];
  return at;
}

/// An array in the fixture's memory, with some strides.
template <class Fixture, class T, int Rank>
struct placed_array {
  std::vector<T> values;
  typename Fixture::template array<T> memory;
  box<Rank> shape;

  /// `offset`: elements between the start of the memory, which is aligned, and the first one.
  placed_array(const box<Rank>& s, std::size_t offset, unsigned salt = 0)
      : values(filled(s.span(), salt)), memory(values, offset * sizeof(T)), shape(s) {}

  auto span() const { return span_of<const T>(memory.data(), shape); }
  const T& operator()(const indices<Rank>& index) const { return values[place_of(shape, index)]; }

 private:
  static std::vector<T> filled(std::size_t n, unsigned salt) {
    std::vector<T> v = axis_values<T>(n + salt);
    v.erase(v.begin(), v.begin() + salt);
    return v;
  }
};

/// Folds `expression` along `Axes` into an output of shape `out`. Compares with a loop over
/// `value(index)`, and checks that no other memory changes.
template <class Fixture, class Out, int... Axes, std::size_t N, class Expression, class Value,
          class Op, int Kept>
void check_expression(const std::array<std::size_t, N>& extent, const Expression& expression,
                      const Value& value, const Op& op, box<Kept> out) {
  constexpr int Rank = static_cast<int>(N);
  static_assert(Kept + sizeof...(Axes) == Rank);
  out.first += axis_guards;
  const std::vector<Out> before = before_writing<Out>(out.span() + axis_guards);
  typename Fixture::template target<Out> target(before, 0);
  wf::reduce_axes<Axes...>(Fixture::policy(), expression, op, span_of<Out>(target.data(), out));
  const std::vector<Out> got = target.values();

  bool folds[Rank] = {};
  ((folds[Axes] = true), ...);
  using T = std::remove_cvref_t<decltype(value(indices<Rank>{}))>;
  using A = typename wf::axis_reduction<T, Op, int>::accumulator;
  std::vector<std::vector<A>> seen(out.span() + axis_guards);
  std::vector<std::size_t> counted(seen.size());
  for_each_index<Rank>(extent, [&](const indices<Rank>& index) {
    indices<Kept> kept{};
    for (int d = 0, k = 0; d < Rank; ++d) {
      if (!folds[d]) kept[k++] = index[d];
    }
    const std::size_t at = place_of(out, kept);
    const A x = [&]() -> A {
      if constexpr (wf::lifts_indexed<Op, T>) {
        return op.lift(value(index), counted[at]);
      } else if constexpr (wf::lifts_element<Op, T>) {
        return op.lift(value(index));
      } else {
        return static_cast<A>(value(index));
      }
    }();
    ++counted[at];
    if (seen[at].empty()) {
      seen[at].push_back(x);
    } else {
      seen[at][0] = static_cast<A>(op(seen[at][0], x));
    }
  });
  std::size_t wrong = 0, first_wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Out expected = seen[i].empty() ? before[i] : wf::detail::result_as<Out>(op, seen[i][0]);
    if (!alike(got[i], expected) && wrong++ == 0) first_wrong = i;
  }
  INFO("the first wrong at ", static_cast<long>(first_wrong) - static_cast<long>(axis_guards));
  CHECK(wrong == 0);
}

struct product_of_two {
  template <class Pair>
  WARPFOLD_HD auto operator()(const Pair& p) const {
    return wf::get<0>(p) * wf::get<1>(p);
  }
};
struct distance_of_two {
  template <class Pair>
  WARPFOLD_HD auto operator()(const Pair& p) const {
    const auto d = wf::get<0>(p) - wf::get<1>(p);
    return d < 0 ? -d : d;
  }
};
struct doubled {
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return x + x;
  }
};
struct negated {
  WARPFOLD_HD int operator()(int x) const { return -x; }
};
struct sum_of_three {
  template <class Triple>
  WARPFOLD_HD auto operator()(const Triple& t) const {
    return wf::get<0>(t) + 10 * wf::get<1>(t) + 100 * wf::get<2>(t);
  }
};
struct x_times {
  template <class Pair>
  WARPFOLD_HD float operator()(const Pair& p) const {
    return wf::get<0>(p).x * static_cast<float>(wf::get<1>(p));
  }
};

/// Sums of products of two matrices, along both axes.
template <class Fixture, class A, class B>
void check_products(const box<2>& left_shape, const box<2>& right_shape, std::size_t offset = 0) {
  const auto& extent = left_shape.extent;
  INFO(extent[0], " x ", extent[1]);
  const placed_array<Fixture, A, 2> a(left_shape, 0);
  const placed_array<Fixture, B, 2> b(right_shape, offset, 7);
  const auto e = wf::project(wf::zip(a.span(), b.span()), product_of_two{});
  const auto value = [&](const auto& i) { return a(i) * b(i); };
  check_expression<Fixture, double, 1>(extent, e, value, wf::plus{}, right<1>({extent[0]}));
  check_expression<Fixture, double, 0>(extent, e, value, wf::plus{}, right<1>({extent[1]}));
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("products of two matrices along both axes", Fixture,
                          expression_products) {
  for (const auto& extent : {test::indices<2>{1, 1},
                             {1, 37},
                             {37, 1},
                             {5, 64},
                             {70, 12},
                             {19, 260},
                             {2, 9000},
                             {9000, 3},
                             {300, 9},
                             {8, 1030}}) {
    const auto plain = test::right<2>(extent);
    test::check_products<Fixture, float, float>(plain, plain);
    if (extent[0] * extent[1] > 10000) continue;
    test::check_products<Fixture, float, float>(plain, test::left<2>(extent));
    test::check_products<Fixture, float, float>(test::left<2>(extent), test::left<2>(extent), 1);
    test::check_products<Fixture, short, double>(test::part<2>(extent, 8), plain);
  }
  const test::indices<2> extent{21, 40};
  test::check_products<Fixture, float, float>(test::part<2>(extent, 4), test::part<2>(extent, 8));
  test::check_products<Fixture, float, float>(test::spread<2>(extent), test::part<2>(extent, 3));
  test::check_products<Fixture, signed char, int>(test::right<2>(extent), test::right<2>(extent),
                                                  1);
}

TEST_CASE_TEMPLATE_DEFINE("vectors that repeat along the rows or columns", Fixture,
                          expression_broadcasts) {
  for (const auto& extent : {test::indices<2>{1, 5}, {64, 12}, {33, 129}, {3, 2000}, {2000, 4}}) {
    INFO(extent[0], " x ", extent[1]);
    const test::placed_array<Fixture, float, 2> m(test::right<2>(extent), 0);
    const test::placed_array<Fixture, float, 1> row(test::right<1>({extent[1]}), 0, 3);
    const test::placed_array<Fixture, float, 1> column(test::right<1>({extent[0]}), 1, 5);
    const auto by_row =
        wf::project(wf::zip(m.span(), wf::broadcast<1>(row.span())), test::product_of_two{});
    const auto by_column =
        wf::project(wf::zip(m.span(), wf::broadcast<0>(std::span(column.memory.data(), extent[0]))),
                    test::distance_of_two{});
    const auto of_row = [&](const auto& i) { return m(i) * row({i[1]}); };
    const auto of_column = [&](const auto& i) { return std::abs(m(i) - column({i[0]})); };
    const auto rows = test::right<1>({extent[0]}), columns = test::right<1>({extent[1]});
    test::check_expression<Fixture, double, 1>(extent, by_row, of_row, wf::plus{}, rows);
    test::check_expression<Fixture, double, 0>(extent, by_row, of_row, wf::plus{}, columns);
    test::check_expression<Fixture, double, 1>(extent, by_column, of_column, wf::plus{}, rows);
    test::check_expression<Fixture, double, 0>(extent, by_column, of_column, wf::plus{}, columns);
  }
  // Every pair of two vectors.
  const test::placed_array<Fixture, int, 1> a(test::right<1>({50}), 0);
  const test::placed_array<Fixture, int, 1> b(test::right<1>({36}), 0, 9);
  const auto pairs = wf::project(wf::zip(wf::broadcast<0>(a.span()), wf::broadcast<1>(b.span())),
                                 test::distance_of_two{});
  const auto of_pair = [&](const auto& i) { return std::abs(a({i[0]}) - b({i[1]})); };
  test::check_expression<Fixture, int, 1>(test::indices<2>{50, 36}, pairs, of_pair, wf::minimum{},
                                          test::right<1>({50}));
  test::check_expression<Fixture, int, 0>(test::indices<2>{50, 36}, pairs, of_pair, wf::minimum{},
                                          test::right<1>({36}));
}

TEST_CASE_TEMPLATE_DEFINE("a function of one array, and expressions in expressions", Fixture,
                          expression_functions) {
  const test::indices<2> extent{21, 40};
  const auto rows = test::right<1>({extent[0]});
  const test::placed_array<Fixture, int, 2> a(test::right<2>(extent), 0);
  const test::placed_array<Fixture, int, 2> b(test::left<2>(extent), 0, 2);
  const test::placed_array<Fixture, signed char, 1> c(test::right<1>({40}), 0, 4);
  const auto negative = wf::project(a.span(), test::negated{});
  const auto minus = [&](const auto& i) { return -a(i); };
  test::check_expression<Fixture, int, 1>(extent, negative, minus, wf::maximum{}, rows);
  test::check_expression<Fixture, wf::indexed<int>, 1>(extent, negative, minus,
                                                       wf::arg(wf::maximum{}), rows);
  test::check_expression<Fixture, wf::moments, 0>(extent, negative, minus, wf::moments_op{},
                                                  test::spread<1>({40}));
  const auto all = wf::project(
      wf::zip(negative, wf::project(b.span(), test::doubled{}), wf::broadcast<1>(c.span())),
      test::sum_of_three{});
  const auto value = [&](const auto& i) { return -a(i) + 20 * b(i) + 100 * c({i[1]}); };
  test::check_expression<Fixture, long long, 1>(extent, all, value, wf::plus{}, rows);
  test::check_expression<Fixture, wf::indexed<int>, 0>(extent, all, value, wf::arg(wf::minimum{}),
                                                       test::right<1>({40}));
  // An op without an identity, tuples as elements, and structs beside numbers.
  const auto greater = [] WARPFOLD_HD(int x, int y) { return x < y ? y : x; };
  test::check_expression<Fixture, int, 1>(extent, all, value, greater, rows);
  const test::placed_array<Fixture, test::three_floats, 2> s(test::right<2>(extent), 0);
  const auto mixed = wf::project(wf::zip(s.span(), a.span()), test::x_times{});
  const auto of_struct = [&](const auto& i) { return s(i).x * static_cast<float>(a(i)); };
  test::check_expression<Fixture, float, 1>(extent, mixed, of_struct, wf::plus{}, rows);
  test::check_expression<Fixture, float, 0>(extent, mixed, of_struct, wf::plus{},
                                            test::right<1>({40}));
}

namespace test {

template <class Fixture, int... Axes, std::size_t N>
void check_axes(const std::array<std::size_t, N>& extent) {
  constexpr int Rank = static_cast<int>(N), Kept = Rank - static_cast<int>(sizeof...(Axes));
  indices<Kept> kept{};
  bool folds[Rank] = {};
  ((folds[Axes] = true), ...);
  for (int d = 0, k = 0; d < Rank; ++d) {
    if (!folds[d]) kept[k++] = extent[d];
  }
  for (const auto& shape :
       {right<Rank>(extent), left<Rank>(extent), part<Rank>(extent, 4), spread<Rank>(extent)}) {
    const placed_array<Fixture, float, Rank> a(shape, 0);
    const auto value = [&](const auto& i) { return a(i); };
    check_expression<Fixture, double, Axes...>(extent, a.span(), value, wf::plus{},
                                               right<Kept>(kept));
    check_expression<Fixture, std::size_t, Axes...>(extent, a.span(), value, wf::arg(wf::maximum{}),
                                                    left<Kept>(kept));
  }
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("several axes, and ranks up to 8", Fixture, expression_axes) {
  test::check_axes<Fixture, 0, 2>(test::indices<3>{5, 6, 8});
  test::check_axes<Fixture, 0, 1>(test::indices<3>{12, 7, 20});
  test::check_axes<Fixture, 2, 1>(test::indices<3>{7, 4, 36});
  test::check_axes<Fixture, 0, 1, 2>(test::indices<3>{9, 11, 13});
  test::check_axes<Fixture, 1, 3>(test::indices<4>{3, 4, 5, 12});
  test::check_axes<Fixture, 3>(test::indices<6>{2, 3, 2, 4, 3, 2});
  test::check_axes<Fixture, 1, 4, 7>(test::indices<8>{2, 3, 1, 2, 3, 2, 2, 4});
  test::check_axes<Fixture, 0, 2>(test::indices<3>{1, 2, 12000});
}

TEST_CASE_TEMPLATE_DEFINE("several outputs, and indices alone", Fixture, expression_outputs) {
  constexpr std::size_t rows = 33, columns = 24;
  const auto policy = Fixture::policy();
  const test::placed_array<Fixture, float, 2> m(test::right<2>({rows, columns}), 0);
  const auto check = [&](auto axis, std::size_t results, std::size_t length) {
    typename Fixture::template target<double> sums(std::vector<double>(results), 0);
    typename Fixture::template target<int> places(std::vector<int>(2 * results, -1), 0);
    typename Fixture::template target<wf::moments> all(std::vector<wf::moments>(results), 0);
    const test::box<1> every_second{{results}, {2}, 1};
    wf::reduce_axis<axis.value>(
        policy, m.span(), wf::all(wf::plus{}, wf::arg(wf::minimum{}), wf::moments_op{}),
        wf::zip(test::span_of<double>(sums.data(), test::right<1>({results})),
                test::span_of<int>(places.data(), every_second),
                test::span_of<wf::moments>(all.data(), test::right<1>({results}))));
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < results; ++r) {
      double sum = 0;
      std::size_t least = 0;
      const auto at = [&](std::size_t i) { return axis.value == 0 ? m({i, r}) : m({r, i}); };
      for (std::size_t i = 0; i < length; ++i) {
        sum += at(i);
        if (at(i) < at(least)) least = i;
      }
      wrong += sums.values()[r] != sum;
      wrong += places.values()[2 * r + 1] != static_cast<int>(least);
      wrong += places.values()[2 * r] != -1;
      wrong += all.values()[r].count != length;
    }
    CHECK(wrong == 0);
    // The kernels of one array write indices alone, too.
    typename Fixture::template target<int> again(std::vector<int>(results), 0);
    wf::reduce_axis<axis.value>(policy, m.span(), wf::arg(wf::minimum{}),
                                std::span<int>(again.data(), results));
    wrong = 0;
    for (std::size_t r = 0; r < results; ++r) {
      wrong += again.values()[r] != places.values()[2 * r + 1];
    }
    CHECK(wrong == 0);
  };
  check(std::integral_constant<int, 0>{}, columns, rows);
  check(std::integral_constant<int, 1>{}, rows, columns);
}

TEST_CASE_TEMPLATE_DEFINE("results combined with what the outputs hold", Fixture,
                          expression_accumulates) {
  const auto policy = Fixture::policy();
  for (const std::size_t columns : {20, 30000}) {
    const test::placed_array<Fixture, float, 2> a(test::right<2>({2, columns}), 0);
    const auto twice = wf::project(wf::zip(a.span(), a.span()), test::sum_of_pair{});
    float sum = 0;
    for (std::size_t i = 0; i < columns; ++i) sum += 2 * a({1, i});
    typename Fixture::template target<float> sums({0, 10, 20, 30}, 0);
    const auto out = test::span_of<float>(sums.data() + 1, test::right<1>({2}));
    wf::reduce_axis<1>(policy, twice, wf::plus{}, wf::accumulate(out));
    CHECK(sums.values()[2] == 20 + sum);
    CHECK(sums.values()[3] == 30);
    // Two outputs.
    typename Fixture::template target<float> extrema({5000, 9000, 0}, 0);
    typename Fixture::template target<double> all({0.5, 1.5}, 0);
    const auto both = wf::zip(test::span_of<double>(all.data(), test::right<1>({2})),
                              test::span_of<float>(extrema.data(), test::box<1>{{2}, {2}, 0}));
    wf::reduce_axis<1>(policy, a.span(), wf::all(wf::plus{}, wf::maximum{}), wf::accumulate(both));
    double total = 1.5;
    float most = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      total += a({1, i});
      most = a({1, i}) > most ? a({1, i}) : most;
    }
    CHECK(all.values()[1] == total);
    CHECK(extrema.values() == std::vector<float>{5000, 9000, most});
    // An axis of extent 0 changes nothing; the kernels of one array accumulate functions of it.
    const auto before = sums.values();
    const auto empty = test::span_of<const float>(a.memory.data(), test::right<2>({2, 0}));
    const auto lesser = [] WARPFOLD_HD(float x, float y) { return y < x ? y : x; };
    wf::reduce_axis<1>(policy, wf::project(wf::zip(empty, empty), test::sum_of_pair{}), lesser,
                       wf::accumulate(out));
    CHECK(sums.values() == before);
    wf::reduce_axis<1>(policy, wf::project(a.span(), test::doubled{}), wf::plus{},
                       wf::accumulate(out));
    CHECK(sums.values()[2] == before[2] + sum);
  }
}

TEST_CASE_TEMPLATE_DEFINE("expressions without elements, and what is refused", Fixture,
                          expression_errors) {
  const auto policy = Fixture::policy();
  const std::vector<float> values(64, 1);
  const typename Fixture::template array<float> placed(values, 0);
  typename Fixture::template target<float> target(std::vector<float>(16, 7), 0);
  using matrix = test::cs::mdspan<const float, test::cs::dextents<std::size_t, 2>>;
  const float* const data = placed.data();
  const std::span<float> out(target.data(), 8);
  const auto fold = [&](const matrix& a, const matrix& b, const auto& to) {
    return [&policy, a, b, to] {
      wf::reduce_axis<0>(policy, wf::project(wf::zip(a, b), test::product_of_two{}), wf::plus{},
                         to);
    };
  };
  fold(matrix(data, 0, 3), matrix(nullptr, 0, 3), out.first(3))();
  CHECK(target.values()[2] == 0);
  CHECK(target.values()[3] == 7);
  fold(matrix(nullptr, 5, 0), matrix(nullptr, 5, 0), out.first(0))();
  const auto none = [] WARPFOLD_HD(float a, float b) { return a + b; };
  const auto nothing =
      wf::project(wf::zip(matrix(data, 0, 3), matrix(data, 0, 3)), test::product_of_two{});
  CHECK_THROWS_AS(wf::reduce_axis<0>(policy, nothing, none, out.first(3)), wf::empty_range);

  const matrix m(data, 4, 8);
  CHECK(test::refuses(fold(m, matrix(data, 4, 7), out), "extents of 8 and 7 in dimension 1"));
  CHECK(test::refuses(fold(m, m, out.first(7)), "the reduction produces 8"));
  CHECK(test::refuses(fold(m, matrix(nullptr, 4, 8), out), "the input is a null pointer"));
  CHECK(test::refuses(fold(m, matrix(target.data() - 28, 4, 8), out), "overlaps the input"));
  const auto repeated = wf::project(
      wf::zip(wf::broadcast<1>(std::span(data, 8)), wf::broadcast<1>(std::span(data, 8))),
      test::product_of_two{});
  CHECK(test::refuses([&] { wf::reduce_axis<1>(policy, repeated, wf::plus{}, out); },
                      "repeats along dimension 0"));
  using vector = test::cs::mdspan<float, test::cs::dextents<std::size_t, 1>>;
  CHECK(test::refuses(
      [&] {
        wf::reduce_axis<0>(policy, m, wf::all(wf::plus{}, wf::maximum{}),
                           wf::zip(vector(target.data(), 8), vector(target.data() + 7, 8)));
      },
      "pass outputs with memory of their own"));
}
