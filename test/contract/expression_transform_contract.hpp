/// @file
/// The test suite for policies that write expressions of several arrays. The fixtures are those of
/// transform_contract.hpp.
#pragma once

#include <warpfold/transform.hpp>

#include "contract/expression_contract.hpp"

namespace test {

struct normalized {
  WARPFOLD_HD float operator()(float x, float y, float z) const { return x - y + 100 * z; }
};

/// Writes x(i, j) - y(i) + 100 z(j) to an output of shape `out`, and checks that no other memory
/// changes.
template <class Fixture, class T>
void check_normalized(const box<2>& in, box<2> out, std::size_t offset = 0,
                      std::size_t out_offset = 0) {
  const auto& extent = in.extent;
  INFO(extent[0], " x ", extent[1]);
  const placed_array<Fixture, T, 2> x(in, offset);
  const placed_array<Fixture, float, 1> y(right<1>({extent[0]}), 1, 3);
  const placed_array<Fixture, float, 1> z(right<1>({extent[1]}), offset, 5);
  out.first += axis_guards;
  const std::vector<float> before = before_writing<float>(out.span() + axis_guards);
  typename Fixture::template target<float> target(before, out_offset * sizeof(float));
  wf::transform(Fixture::policy(),
                wf::zip(x.span(), wf::broadcast<0>(y.span()),
                        wf::broadcast<1>(std::span(z.memory.data(), extent[1]))),
                span_of<float>(target.data(), out), normalized{});
  std::vector<float> expected = before;
  for_each_index<2>(extent, [&](const indices<2>& i) {
    expected[place_of(out, i)] = normalized{}(static_cast<float>(x(i)), y({i[0]}), z({i[1]}));
  });
  const auto got = target.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    wrong += std::memcmp(&got[i], &expected[i], sizeof(float)) != 0;
  }
  CHECK(wrong == 0);
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("a matrix with one value for each row and column", Fixture,
                          expression_transforms) {
  for (const auto& extent :
       {test::indices<2>{1, 1}, {7, 3}, {5, 64}, {64, 5}, {40, 129}, {3, 1001}, {0, 4}, {4, 0}}) {
    const auto plain = test::right<2>(extent);
    test::check_normalized<Fixture, float>(plain, plain);
    test::check_normalized<Fixture, float>(plain, plain, 1, 1);
    test::check_normalized<Fixture, float>(plain, plain, 0, 3);
    test::check_normalized<Fixture, float>(plain, test::left<2>(extent));
    test::check_normalized<Fixture, short>(test::left<2>(extent), test::part<2>(extent, 4));
    test::check_normalized<Fixture, unsigned char>(plain, plain);
    test::check_normalized<Fixture, double>(test::part<2>(extent, 3), test::spread<2>(extent));
  }
}

TEST_CASE_TEMPLATE_DEFINE("expressions written in place, to ranges, and of other ranks", Fixture,
                          expression_writes) {
  const auto policy = Fixture::policy();
  constexpr std::size_t rows = 9, columns = 21;
  const std::vector<float> values = test::axis_values<float>(rows * columns);
  typename Fixture::template target<float> m(values, 0);
  const test::placed_array<Fixture, float, 1> y(test::right<1>({rows}), 0, 3);
  const auto plain = test::right<2>({rows, columns});
  const auto in = test::span_of<const float>(m.data(), plain);
  const auto sums = wf::zip(in, wf::broadcast<0>(y.span()));
  std::vector<float> expected = values;
  for (std::size_t i = 0; i < values.size(); ++i) expected[i] += y({i / columns});

  typename Fixture::template target<float> row_major(std::vector<float>(values.size()), 0);
  const std::span<float> range(row_major.data(), values.size());
  wf::transform_async(policy, sums, range, test::sum_of_pair{});
  CHECK(row_major.values() == expected);
  wf::transform(policy, sums, test::span_of<float>(m.data(), plain), test::sum_of_pair{});
  CHECK(m.values() == expected);

  // Without a broadcast, and of rank 3: a copy to another layout.
  using cube = test::cs::mdspan<const float, test::cs::dextents<int, 3>>;
  using turned = test::cs::mdspan<float, test::cs::dextents<int, 3>, test::cs::layout_left>;
  wf::transform(policy, wf::project(cube(m.data(), 3, 9, 7), test::doubled{}),
                turned(row_major.data(), 3, 9, 7), test::doubled{});
  std::size_t wrong = 0;
  const auto got = row_major.values();
  for (std::size_t i = 0; i < got.size(); ++i) {
    wrong += got[i / 63 + i / 7 % 9 * 3 + i % 7 * 27] != 4 * expected[i];
  }
  CHECK(wrong == 0);

  const auto write = [&](const auto& e, const auto& out) {
    return [&policy, e, out] { wf::transform(policy, e, out, test::sum_of_pair{}); };
  };
  CHECK(test::refuses(write(sums, range.first(5)), "has 5 elements, but the expression has 189"));
  CHECK(test::refuses(
      write(sums, test::span_of<float>(row_major.data(), test::right<2>({columns, rows}))),
      "extent of 21 in dimension 0, but the expression has 9"));
  CHECK(test::refuses(write(sums, test::span_of<float>(m.data(), test::left<2>({rows, columns}))),
                      "overlaps the range"));
  CHECK(test::refuses(
      write(sums, test::span_of<float>(row_major.data(), test::box<2>{{rows, columns}, {1, 1}, 0})),
      "several results would be written to one element"));
}
