/// @file
/// The test suite for calls along axes of arrays whose rows memory counts. The fixtures are those
/// of transform_contract.hpp. Each result is compared with that of all rows.
#pragma once

#include <warpfold/op/arg.hpp>
#include <warpfold/op/softmax.hpp>
#include <warpfold/transform_axis.hpp>

#include "contract/axis_contract.hpp"
#include "contract/counted_segments_contract.hpp"

namespace test {

struct less_fold {
  WARPFOLD_HD float operator()(float x, float fold) const { return x - fold; }
};
/// Elements for a fold in declared order, and small ones for others.
template <class T>
std::vector<T> elements_of_rows(std::size_t n) {
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    return ordered_elements(n);
  } else {
    std::vector<T> values(n);
    const auto ints = some_ints(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<T>(ints[i] % 500) / T{4};
    return values;
  }
}

/// Calls `call(array, out)` with an array of shape `b` and an output of `per_row` elements for each
/// row. Once with all rows, and then with as many as memory says.
template <class Fixture, class T, class Out, int Rank, class Call>
void check_counted_rows(const box<Rank>& b, std::size_t per_row, const Call& call,
                        std::size_t offset = 0) {
  const std::size_t rows = b.extent[0];
  const Out blank = static_cast<Out>(77);
  const typename Fixture::template array<T> placed(elements_of_rows<T>(b.span()), offset);
  const auto m = span_of<const T>(placed.data(), b);
  using target = typename Fixture::template target<Out>;
  target all(std::vector<Out>(rows * per_row, blank), 0);
  call(m, std::span<Out>(all.data(), rows * per_row));
  const auto want = all.values();
  for (const std::size_t n : counts_up_to(rows)) {
    if (n > rows) continue;
    INFO(n, " of ", rows, " rows, ", b.extent[1], " elements, strides ", b.stride[0], " and ",
         b.stride[1]);
    const typename Fixture::template array<int> count(std::vector<int>{static_cast<int>(n)}, 4);
    target out(std::vector<Out>(rows * per_row, blank), 0);
    call(wf::counted(m, count.data()), std::span<Out>(out.data(), rows * per_row));
    check_results(out.values(), want, n * per_row, blank);
  }
}

inline constexpr std::array<std::size_t, 2> shapes_of_rows[] = {
    {1, 9},   {7, 1},    {5, 3},    {300, 3},  {1000, 8},  {40, 17},  {300, 64}, {130, 257},
    {9, 999}, {6, 1024}, {700, 33}, {3, 5000}, {2, 70000}, {60, 512}, {65, 4}};

template <class Fixture, class T, class Out, class Op>
void check_counted_folds(const Op& op) {
  for (const auto& shape : shapes_of_rows) {
    const auto call = [&](const auto& m, std::span<Out> out) {
      wf::reduce_axis<1>(Fixture::policy(), m, op, out);
    };
    check_counted_rows<Fixture, T, Out, 2>(right<2>(shape), 1, call);
    check_counted_rows<Fixture, T, Out, 2>(right<2>(shape), 1, call, sizeof(T));
    check_counted_rows<Fixture, T, Out, 2>(part<2>(shape, 3), 1, call);
    check_counted_rows<Fixture, T, Out, 2>(left<2>(shape), 1, call);
  }
}

template <class Fixture, class Op, class... F>
void check_counted_transforms(const Op& op, const F&... f) {
  for (const auto& shape : shapes_of_rows) {
    const auto call = [&](const auto& m, std::span<float> out) {
      wf::transform_axis_async<1>(Fixture::policy(), m, op, out, f...);
    };
    check_counted_rows<Fixture, float, float, 2>(right<2>(shape), shape[1], call);
    check_counted_rows<Fixture, float, float, 2>(right<2>(shape), shape[1], call, 4);
    check_counted_rows<Fixture, float, float, 2>(left<2>(shape), shape[1], call);
  }
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("sums of as many rows as memory says", Fixture, counted_rows_summed) {
  test::check_counted_folds<Fixture, float, float>(wf::plus{});
  test::check_counted_folds<Fixture, int, std::int64_t>(wf::plus{});
}

TEST_CASE_TEMPLATE_DEFINE("other folds of as many rows as memory says", Fixture,
                          counted_rows_folded) {
  test::check_counted_folds<Fixture, float, float>(wf::maximum{});
  test::check_counted_folds<Fixture, std::uint64_t, std::uint64_t>(test::ordered_hash{});
  test::check_counted_folds<Fixture, signed char, int>(wf::arg(wf::minimum{}));
}

TEST_CASE_TEMPLATE_DEFINE("other axes of arrays of higher rank, and several", Fixture,
                          counted_rows_ranks) {
  const auto check = [](const std::array<std::size_t, 3>& e) {
    const auto layouts = {test::right<3>(e), test::left<3>(e), test::part<3>(e, 2)};
    for (const auto& b : layouts) {
      const auto with = [&]<class T, class Out>(const T&, const Out&, const auto& op) {
        const auto policy = Fixture::policy();
        test::check_counted_rows<Fixture, T, Out, 3>(
            b, e[2],
            [&](const auto& m, std::span<Out> out) { wf::reduce_axis<1>(policy, m, op, out); });
        test::check_counted_rows<Fixture, T, Out, 3>(
            b, e[1],
            [&](const auto& m, std::span<Out> out) { wf::reduce_axis<2>(policy, m, op, out); });
        test::check_counted_rows<Fixture, T, Out, 3>(b, 1, [&](const auto& m, std::span<Out> out) {
          wf::reduce_axes<1, 2>(policy, m, op, out);
        });
      };
      with(float{}, float{}, wf::plus{});
      with(int{}, std::int64_t{}, wf::plus{});
      test::check_counted_rows<Fixture, float, float, 3>(
          b, e[1] * e[2], [&](const auto& m, std::span<float> out) {
            wf::transform_axis<1>(Fixture::policy(), m, wf::plus{}, out, test::less_fold{});
          });
    }
  };
  check({6, 5, 4});
  check({9, 40, 64});
  check({5, 3, 700});
  check({40, 130, 5});
}

TEST_CASE_TEMPLATE_DEFINE("a softmax of as many rows as memory says", Fixture,
                          counted_rows_softmax) {
  test::check_counted_transforms<Fixture>(wf::softmax_op{});
}

TEST_CASE_TEMPLATE_DEFINE("functions of as many rows as memory says", Fixture,
                          counted_rows_transformed) {
  test::check_counted_transforms<Fixture>(wf::plus{}, test::less_fold{});
  test::check_counted_transforms<Fixture>(wf::maximum{}, test::less_fold{});
}

TEST_CASE_TEMPLATE_DEFINE("counted rows in expressions, in place, and results that are added",
                          Fixture, counted_rows_expressions) {
  const auto policy = Fixture::policy();
  for (const std::size_t columns : {3u, 64u, 300u, 3000u}) {
    const std::size_t rows = columns > 1000 ? 5 : 200, all = rows * columns;
    const auto b = test::right<2>({rows, columns});
    const auto values = test::elements_of_rows<float>(all);
    const typename Fixture::template array<float> weights(test::first_of(values, columns), 0);
    const auto w = test::range_of<Fixture, float>(weights, columns);
    const auto products = [&](const auto& m) {
      return wf::project(wf::zip(m, wf::broadcast<1>(w)), test::product_of_pair{});
    };
    const auto sums = [&](const auto& m, std::span<float> out) {
      wf::reduce_axis<1>(policy, products(m), wf::plus{}, out);
      wf::reduce_axis<1>(policy, products(m), wf::maximum{}, wf::accumulate(out));
    };
    test::check_counted_rows<Fixture, float, float, 2>(b, 1, sums);
    test::check_counted_rows<Fixture, float, float, 2>(
        b, columns, [&](const auto& m, std::span<float> out) {
          wf::transform_axis<1>(policy, products(m), wf::plus{}, out, test::less_fold{});
        });
    test::check_counted_rows<Fixture, float, float, 2>(
        b, columns, [&](const auto& m, std::span<float> out) {
          wf::transform(policy, products(m),
                        test::span_of<float>(out.data(), test::right<2>({rows, columns})),
                        test::plus_one{});
        });

    const std::size_t n = rows / 3;
    const typename Fixture::template array<std::size_t> count(std::vector<std::size_t>{n}, 0);
    typename Fixture::template target<float> out(values, 0);
    const auto m = test::span_of<float>(out.data(), b);
    wf::transform_axis<1>(policy, wf::counted(m, count.data()), wf::maximum{}, m,
                          test::less_fold{});
    auto want = values;
    wf::transform_axis<1>(wf::seq, test::span_of<float>(want.data(), test::right<2>({n, columns})),
                          wf::maximum{}, std::span(want).first(n * columns), test::less_fold{});
    CHECK(out.values() == want);
  }
}
