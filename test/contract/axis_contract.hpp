/// @file
/// The test suite for policies that fold along an axis. The fixtures are those of
/// transform_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>

#include "contract/transform_contract.hpp"

namespace test {

namespace cs = cuda::std;

/// The extents and strides of an array, in elements, and the position of its first element.
template <int Rank>
struct box {
  std::array<std::size_t, Rank> extent{};
  std::array<std::size_t, Rank> stride{};
  std::size_t first = 0;

  std::size_t count() const {
    std::size_t n = 1;
    for (const std::size_t e : extent) n *= e;
    return n;
  }
  /// The number of elements that its memory must have.
  std::size_t span() const {
    if (count() == 0) return first;
    std::size_t last = first;
    for (int d = 0; d < Rank; ++d) last += (extent[d] - 1) * stride[d];
    return last + 1;
  }
  /// The position of the `i`-th element in the order of the indices.
  std::size_t place(std::size_t i) const {
    std::size_t at = first;
    for (int d = Rank; d-- > 0;) {
      at += i % extent[d] * stride[d];
      i /= extent[d];
    }
    return at;
  }
};

template <int Rank>
box<Rank> right(const std::array<std::size_t, Rank>& extent) {
  box<Rank> b{extent, {}, 0};
  std::size_t step = 1;
  for (int d = Rank; d-- > 0; step *= extent[d]) b.stride[d] = step;
  return b;
}
template <int Rank>
box<Rank> left(const std::array<std::size_t, Rank>& extent) {
  box<Rank> b{extent, {}, 0};
  std::size_t step = 1;
  for (int d = 0; d < Rank; step *= extent[d++]) b.stride[d] = step;
  return b;
}
/// A part of a row-major array that has `more` additional elements in each dimension, `more / 2` of
/// them before the part.
template <int Rank>
box<Rank> part(const std::array<std::size_t, Rank>& extent, std::size_t more) {
  auto around = extent;
  for (std::size_t& e : around) e += more;
  box<Rank> b = right<Rank>(around);
  b.extent = extent;
  for (const std::size_t s : b.stride) b.first += more / 2 * s;
  return b;
}
/// Every second element in each dimension, with the dimensions of `part` in reverse order.
template <int Rank>
box<Rank> spread(const std::array<std::size_t, Rank>& extent) {
  box<Rank> b = left<Rank>(extent);
  for (std::size_t& s : b.stride) s = s * 2 + (s > 1 ? 2 : 0);
  // No two elements share an address: each stride is at least the span of the previous dimensions.
  std::size_t reach = 1;
  for (int d = 0; d < Rank; ++d) {
    if (b.stride[d] < reach) b.stride[d] = reach;
    reach = b.stride[d] * (extent[d] == 0 ? 1 : extent[d]) + 1;
  }
  return b;
}

/// The mdspan of a box.
template <class T, int Rank>
auto span_of(T* memory, const box<Rank>& b) {
  if constexpr (Rank == 0) {
    return cs::mdspan<T, cs::extents<std::size_t>>(memory + b.first);
  } else {
    using extents = cs::dextents<std::size_t, Rank>;
    using mapping = typename cs::layout_stride::template mapping<extents>;
    cs::array<std::size_t, Rank> e{}, s{};
    for (int d = 0; d < Rank; ++d) {
      e[d] = b.extent[d];
      s[d] = b.stride[d];
    }
    return cs::mdspan<T, extents, cs::layout_stride>(memory + b.first, mapping(extents(e), s));
  }
}

template <int Axis, int Rank>
std::array<std::size_t, Rank - 1> without(const std::array<std::size_t, Rank>& extent) {
  std::array<std::size_t, Rank - 1> kept{};
  for (int d = 0, k = 0; d < Rank; ++d) {
    if (d != Axis) kept[k++] = extent[d];
  }
  return kept;
}

/// The result of the op for the elements `element(i)`, in order.
template <class Op, class T, class Element>
auto fold_plainly(const Op& op, std::size_t n, const Element& element) {
  using A = typename wf::axis_reduction<T, Op, int>::accumulator;
  const auto lift = [&](const T& x, [[maybe_unused]] std::size_t i) -> A {
    if constexpr (wf::lifts_indexed<Op, T>) {
      return op.lift(x, i);
    } else if constexpr (wf::lifts_element<Op, T>) {
      return op.lift(x);
    } else {
      return static_cast<A>(x);
    }
  };
  if (n == 0) {
    if constexpr (wf::op_traits<Op, A>::has_identity) return wf::op_traits<Op, A>::identity(op);
  }
  A total = lift(element(std::size_t{0}), 0);
  for (std::size_t i = 1; i < n; ++i) total = static_cast<A>(op(total, lift(element(i), i)));
  return total;
}

template <class T>
bool alike(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, wf::moments>) {
    const auto near = [](double x, double y) {
      return std::abs(x - y) <= 1e-9 * (1 + std::abs(x) + std::abs(y));
    };
    return a.count == b.count && near(a.mean, b.mean) && near(a.m2, b.m2);
  } else if constexpr (requires { wf::get<0>(a); }) {
    if constexpr (requires { wf::get<2>(a); }) {
      return alike(wf::get<0>(a), wf::get<0>(b)) && alike(wf::get<1>(a), wf::get<1>(b)) &&
             alike(wf::get<2>(a), wf::get<2>(b));
    } else {
      return alike(wf::get<0>(a), wf::get<0>(b)) && alike(wf::get<1>(a), wf::get<1>(b));
    }
  } else {
    return equal<T>(a, b);
  }
}

/// Elements whose sums are exact in a float in any order. A few are far from the others, so that
/// extrema are rare.
template <class T>
std::vector<T> axis_values(std::size_t n) {
  random_bits random;
  std::vector<T> values(n);
  for (T& x : values) {
    const int least = std::is_unsigned_v<T> ? 0 : -1;
    const int most = sizeof(T) == 1 ? 100 : 1000;
    const bool far = random() % 64 == 0;
    const auto number = [&] {
      const int magnitude = static_cast<int>(random() % static_cast<unsigned>(far ? most : 5));
      return random() % 2 == 0 ? magnitude : least * magnitude;
    };
    if constexpr (std::is_same_v<T, three_floats>) {
      x = {static_cast<float>(number()), static_cast<float>(number()), 1};
    } else {
      x = static_cast<T>(number());
    }
  }
  return values;
}

inline constexpr std::size_t axis_guards = 24;  // elements before and after what is written

/// Memory for the output, filled with a recognizable pattern.
template <class Out>
std::vector<Out> before_writing(std::size_t n) {
  std::vector<Out> memory(n);
  for (Out& x : memory) std::memset(static_cast<void*>(&x), 0x5a, sizeof(Out));
  return memory;
}

/// Folds `in` along `Axis` into `out`, checks the results, and checks that no other memory changed.
template <class Fixture, int Axis, class Out, class T, class Op, int Rank>
void check_axis(const box<Rank>& in, const std::vector<T>& values, const T* placed, const Op& op,
                box<Rank - 1> out, std::size_t out_offset = 0) {
  constexpr std::size_t guard_elements = axis_guards;
  out.first += guard_elements;
  const std::vector<Out> before = before_writing<Out>(out.span() + guard_elements);
  typename Fixture::template target<Out> target(before, out_offset);
  wf::reduce_axis<Axis>(Fixture::policy(), span_of<const T>(placed, in), op,
                        span_of<Out>(target.data(), out));
  const std::vector<Out> got = target.values();

  std::vector<Out> expected = before;
  const std::size_t length = in.extent[Axis];
  box<Rank - 1> kept{without<Axis, Rank>(in.extent), without<Axis, Rank>(in.stride), in.first};
  for (std::size_t o = 0; o < kept.count(); ++o) {
    const std::size_t from = kept.place(o);
    const auto folded = fold_plainly<Op, T>(
        op, length, [&](std::size_t i) { return values[from + i * in.stride[Axis]]; });
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(folded)>, Out>) {
      expected[out.place(o)] = folded;
    } else {
      expected[out.place(o)] = static_cast<Out>(wf::finished(op, folded));
    }
  }
  std::size_t wrong = 0, first_wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!alike(got[i], expected[i]) && wrong++ == 0) first_wrong = i;
  }
  INFO("axis ", Axis, " of ", length, " elements, ", kept.count(), " results; the first wrong at ",
       static_cast<long>(first_wrong) - static_cast<long>(guard_elements));
  CHECK(wrong == 0);
}

/// Both axes of a matrix, in both layouts, with contiguous results.
template <class Fixture, class Out, class T, class Op>
void check_matrix(std::size_t rows, std::size_t columns, const std::vector<T>& values,
                  const T* placed, const Op& op) {
  INFO(rows, " x ", columns);
  const std::array<std::size_t, 2> extent{rows, columns};
  for (const auto& in : {right<2>(extent), left<2>(extent)}) {
    check_axis<Fixture, 0, Out>(in, values, placed, op, right<1>({columns}));
    check_axis<Fixture, 1, Out>(in, values, placed, op, right<1>({rows}));
  }
}

inline constexpr std::size_t axis_sizes[] = {1, 2, 3, 7, 13, 16, 17, 31, 64, 100, 257, 1000, 4099};
inline constexpr std::size_t most_axis_elements = 150000;

struct add_three {
  WARPFOLD_HD three_floats operator()(const three_floats& a, const three_floats& b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};
/// Without an identity.
struct greater_of {
  WARPFOLD_HD int operator()(int a, int b) const { return a < b ? b : a; }
};

/// The input type, the op, and the output type.
template <class Fixture, class T, class Op, class Out>
struct folded {
  using fixture = Fixture;
  using element = T;
  using op = Op;
  using out = Out;
};

using fused = decltype(wf::all(wf::plus{}, wf::minimum{}, wf::arg(wf::maximum{})));
template <class T, class Op>
using folds_to = typename wf::axis_reduction<T, Op, int>::accumulator;

template <class Fixture>
using axis_folds =
    std::tuple<folded<Fixture, float, wf::plus, float>, folded<Fixture, double, wf::plus, double>,
               folded<Fixture, signed char, wf::plus, long long>,
               folded<Fixture, unsigned char, wf::maximum, unsigned char>,
               folded<Fixture, three_floats, add_three, three_floats>,
               folded<Fixture, int, greater_of, int>,
               folded<Fixture, float, wf::arg_op<wf::minimum>, wf::indexed<float>>,
               folded<Fixture, signed char, wf::moments_op, wf::moments>,
               folded<Fixture, float, fused, folds_to<float, fused>>,
               folded<Fixture, float, wf::compensated_plus, float>>;

}  // namespace test

// --- for folds -----------------------------------------------------------------------------------

TEST_CASE_TEMPLATE_DEFINE("matrices along both axes", Fold, axis_matrices) {
  using fixture = typename Fold::fixture;
  using T = typename Fold::element;
  using Out = typename Fold::out;
  const typename Fold::op op{};
  const auto values = test::axis_values<T>(test::most_axis_elements);
  for (const std::size_t offset : test::offsets<T>()) {
    // Every misalignment of words; for narrow elements a selection.
    if (offset % 4 != 0 && offset != 1) continue;
    const typename fixture::template array<T> placed(values, offset);
    for (const std::size_t rows : test::axis_sizes) {
      for (const std::size_t columns : test::axis_sizes) {
        if (rows * columns > test::most_axis_elements) continue;
        if (offset != 0 && (rows * columns > 20000 || rows % 2 == 0)) continue;
        INFO("offset ", offset);
        test::check_matrix<fixture, Out>(rows, columns, values, placed.data(), op);
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("few results of long axes", Fold, axis_long) {
  using fixture = typename Fold::fixture;
  using T = typename Fold::element;
  using Out = typename Fold::out;
  const typename Fold::op op{};
  const auto values = test::axis_values<T>(300004);
  const typename fixture::template array<T> placed(values, 0);
  for (const auto& [rows, columns] :
       {std::array<std::size_t, 2>{1, 300000}, std::array<std::size_t, 2>{3, 90001},
        std::array<std::size_t, 2>{16, 15000}, std::array<std::size_t, 2>{129, 2001},
        std::array<std::size_t, 2>{25, 12000}}) {
    test::check_matrix<fixture, Out>(rows, columns, values, placed.data(), op);
  }
}

// For GPU fixtures, which have `many_rows`: enough rows to occupy the GPU with one warp for each.
TEST_CASE_TEMPLATE_DEFINE("many rows of some kilobytes", Fold, axis_many_rows) {
  using fixture = typename Fold::fixture;
  using T = typename Fold::element;
  constexpr std::size_t rows = fixture::many_rows;
  const auto values = test::axis_values<T>((rows + 1) * 16000 / sizeof(T));
  const typename fixture::template array<T> placed(values, 0);
  for (const std::size_t bytes : {512, 1600, 4096, 4112, 5000, 16000}) {
    test::check_matrix<fixture, typename Fold::out>(rows + 1, bytes / sizeof(T), values,
                                                    placed.data(), typename Fold::op{});
  }
}

// --- for fixtures --------------------------------------------------------------------------------

namespace test {

template <class Fixture, int Axis, int Rank>
void check_layouts(const std::array<std::size_t, Rank>& extent, const std::vector<int>& values,
                   const int* placed) {
  const auto kept = without<Axis, Rank>(extent);
  for (const auto& in : {right<Rank>(extent), left<Rank>(extent), part<Rank>(extent, 3),
                         part<Rank>(extent, 4), spread<Rank>(extent)}) {
    REQUIRE(in.span() <= values.size());
    check_axis<Fixture, Axis, long long>(in, values, placed, wf::plus{}, right<Rank - 1>(kept));
    check_axis<Fixture, Axis, long long>(in, values, placed, wf::plus{}, left<Rank - 1>(kept), 8);
    check_axis<Fixture, Axis, long long>(in, values, placed, wf::plus{}, part<Rank - 1>(kept, 2));
    check_axis<Fixture, Axis, long long>(in, values, placed, wf::plus{}, spread<Rank - 1>(kept));
  }
  if constexpr (Axis + 1 < Rank) check_layouts<Fixture, Axis + 1, Rank>(extent, values, placed);
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("ranks 1 to 5 along each axis, and layouts", Fixture, axis_ranks) {
  const auto values = test::axis_values<int>(300000);
  const typename Fixture::template array<int> placed(values, 0);
  for (const std::size_t n : {1, 5, 4096, 50000}) {
    test::check_layouts<Fixture, 0, 1>({n}, values, placed.data());
  }
  test::check_layouts<Fixture, 0, 2>({33, 20}, values, placed.data());
  test::check_layouts<Fixture, 0, 2>({5, 1500}, values, placed.data());
  test::check_layouts<Fixture, 0, 2>({1500, 8}, values, placed.data());
  test::check_layouts<Fixture, 0, 3>({5, 12, 16}, values, placed.data());
  test::check_layouts<Fixture, 0, 3>({40, 3, 7}, values, placed.data());
  test::check_layouts<Fixture, 0, 3>({1, 9, 1}, values, placed.data());
  test::check_layouts<Fixture, 0, 4>({3, 8, 5, 4}, values, placed.data());
  test::check_layouts<Fixture, 0, 5>({3, 2, 5, 4, 3}, values, placed.data());
  test::check_layouts<Fixture, 0, 5>({2, 1, 4, 2, 8}, values, placed.data());
}

TEST_CASE_TEMPLATE_DEFINE("the library's layouts, and ranges as outputs", Fixture, axis_outputs) {
  constexpr std::size_t rows = 37, columns = 53;
  const auto values = test::axis_values<float>(rows * columns);
  const typename Fixture::template array<float> placed(values, 0);
  const auto policy = Fixture::policy();
  using extents = test::cs::dextents<int, 2>;
  const test::cs::mdspan<const float, extents> m(placed.data(), rows, columns);
  const test::cs::mdspan<const float, extents, test::cs::layout_left> turned(placed.data(), columns,
                                                                             rows);
  const test::cs::mdspan<const float, test::cs::extents<int, 37, 53>> fixed(placed.data());
  std::vector<double> expected(columns);
  for (std::size_t i = 0; i < rows * columns; ++i) expected[i % columns] += values[i];

  const std::vector<double> nothing(columns);
  typename Fixture::template target<double> target(nothing, 0);
  const std::span<double> out(target.data(), columns);
  wf::reduce_axis<0>(policy, m, wf::plus{}, out);
  CHECK(target.values() == expected);
  wf::reduce_axis<1>(
      policy, turned, [] WARPFOLD_HD(float a, float b) { return a + b; },
      std::span<double, columns>(target.data(), columns));
  CHECK(target.values() == expected);
  wf::reduce_axis_async<0>(policy, fixed, wf::plus{},
                           test::cs::mdspan<double, test::cs::extents<int, 53>>(target.data()));
  CHECK(target.values() == expected);

  // One result: an mdspan of rank 0, or a range of one.
  const test::cs::mdspan<const float, test::cs::dextents<int, 1>> all(placed.data(),
                                                                      rows * columns);
  double sum = 0, least = 0;
  for (const double x : expected) sum += x;
  for (const float x : values) least = x < least ? x : least;
  wf::reduce_axis<0>(policy, all, wf::plus{},
                     test::cs::mdspan<double, test::cs::extents<int>>(target.data()));
  CHECK(target.values()[0] == sum);
  wf::reduce_axis<0>(policy, all, wf::minimum{}, out.first(1));
  CHECK(target.values()[0] == least);
  CHECK(target.values()[1] == expected[1]);
}

TEST_CASE_TEMPLATE_DEFINE("axes and results that are not there", Fixture, axis_empty) {
  const auto policy = Fixture::policy();
  const std::vector<float> values(16, 1);
  const typename Fixture::template array<float> placed(values, 0);
  using matrix = test::cs::mdspan<const float, test::cs::dextents<std::size_t, 2>>;
  const std::vector<float> before(8, 7);
  typename Fixture::template target<float> target(before, 0);
  const std::span<float> out(target.data(), 5);

  wf::reduce_axis<0>(policy, matrix(placed.data(), 0, 5), wf::plus{}, out);
  CHECK(target.values() == std::vector<float>{0, 0, 0, 0, 0, 7, 7, 7});
  wf::reduce_axis<1>(policy, matrix(nullptr, 3, 0), wf::with_identity(wf::plus{}, 9), out.first(3));
  CHECK(target.values() == std::vector<float>{9, 9, 9, 0, 0, 7, 7, 7});
  const auto none = [] WARPFOLD_HD(float a, float b) { return a + b; };
  CHECK_THROWS_AS(wf::reduce_axis<0>(policy, matrix(placed.data(), 0, 5), none, out),
                  wf::empty_range);

  // Without results, the call accesses no memory.
  wf::reduce_axis<1>(policy, matrix(nullptr, 0, 5), none, out.first(0));
  wf::reduce_axis<1>(policy, matrix(nullptr, 0, 0), none, std::span<float>());
  wf::reduce_axis_async<0>(policy, matrix(placed.data(), 4, 0), wf::plus{}, out.first(0));
  // The stride between empty rows is 0.
  using cube = test::cs::mdspan<const float, test::cs::dextents<std::size_t, 3>>;
  using results = test::cs::mdspan<float, test::cs::dextents<std::size_t, 2>>;
  wf::reduce_axis<0>(policy, cube(placed.data(), 4, 5, 0), wf::plus{},
                     results(target.data(), 5, 0));
  CHECK(target.values() == std::vector<float>{9, 9, 9, 0, 0, 7, 7, 7});
}

namespace test {

/// Whether `call` throws an `invalid_range` whose message contains `of`.
template <class Call>
bool refuses(const Call& call, const char* of) {
  try {
    call();
  } catch (const wf::invalid_range& e) {
    const bool told = std::strstr(e.what(), of) != nullptr;
    if (!told) MESSAGE(e.what());
    return told;
  }
  return false;
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("what a fold along an axis refuses", Fixture, axis_errors) {
  const auto policy = Fixture::policy();
  const std::vector<float> values(64, 1);
  typename Fixture::template target<float> placed(values, 0);
  typename Fixture::template target<float> target(values, 0);
  float* const data = placed.data();
  using matrix = test::cs::mdspan<const float, test::cs::dextents<std::size_t, 2>>;
  using vector = test::cs::mdspan<float, test::cs::dextents<std::size_t, 1>>;
  const matrix m(data, 4, 8);
  const auto fold = [&](const matrix& in, const auto& out) {
    return [&policy, in, out] { wf::reduce_axis<0>(policy, in, wf::plus{}, out); };
  };
  const auto good = std::span<float>(target.data(), 8);

  CHECK(test::refuses(fold(m, good.first(7)), "has 7 elements, but the reduction produces 8"));
  CHECK(test::refuses(fold(m, vector(target.data(), 4)),
                      "extent of 4 in dimension 0, but the reduction produces 8"));
  const test::box<1> one_place{{8}, {0}, 0};
  CHECK(test::refuses(fold(m, test::span_of<float>(target.data(), one_place)),
                      "strides of 0 elements"));
  const test::cs::mdspan<const float, test::cs::dextents<std::size_t, 3>> cube(data + 40, 2, 4, 3);
  const auto fold_cube = [&](std::size_t of_four, std::size_t of_three) {
    const test::box<2> places{{4, 3}, {of_four, of_three}, 0};
    return [&policy, &target, cube, places] {
      wf::reduce_axis<0>(policy, cube, wf::plus{}, test::span_of<float>(target.data(), places));
    };
  };
  CHECK(test::refuses(fold_cube(1, 1), "extents of 4 x 3 and strides of 1, 1 elements"));
  CHECK(test::refuses(fold_cube(2, 3), "several results would be written to one element"));
  // Overlaps at both ends, and in gaps.
  CHECK(test::refuses(fold(m, std::span<float>(data, 8)), "overlaps the input"));
  CHECK(test::refuses(fold(m, std::span<float>(data + 31, 8)), "overlaps the input"));
  CHECK(test::refuses(fold(matrix(data + 8, 4, 8), std::span<float>(data + 1, 8)),
                      "overlaps the input"));
  fold(m, std::span<float>(data + 32, 8))();
  fold(matrix(data + 8, 4, 8), std::span<float>(data, 8))();

  CHECK(test::refuses(fold(matrix(nullptr, 4, 8), good), "the input is a null pointer"));
  CHECK(test::refuses(fold(m, std::span<float>(static_cast<float*>(nullptr), 8)),
                      "the output is a null pointer"));
  auto* const bytes = reinterpret_cast<unsigned char*>(data);
  const matrix odd(reinterpret_cast<const float*>(bytes + 2), 4, 8);
  CHECK(test::refuses(fold(odd, good), "not aligned"));
  constexpr std::size_t huge = std::size_t{1} << 33;
  CHECK(test::refuses(fold(matrix(data, huge, huge), good), "larger than the address space"));
  const test::box<2> far{{2, 8}, {std::size_t{1} << 63, 1}, 0};
  CHECK(test::refuses(
      [&] { wf::reduce_axis<0>(policy, test::span_of<const float>(data, far), wf::plus{}, good); },
      "larger than the address space"));
  CHECK(test::refuses(fold(matrix(data, 1, (std::size_t{1} << 62) - 2), good),
                      "larger than the address space"));
  using signed_extents = test::cs::dextents<int, 2>;
  const test::cs::mdspan<const float, signed_extents, test::cs::layout_stride> reversed(
      data + 31, test::cs::layout_stride::mapping<signed_extents>(signed_extents(4, 8),
                                                                  test::cs::array<int, 2>{-8, -1}));
  CHECK(test::refuses([&] { wf::reduce_axis<0>(policy, reversed, wf::plus{}, good); },
                      "dimension 0 of the mdspan has a negative stride, -8"));
  CHECK(target.values() == values);
  // Addresses that interleave are refused, although they are distinct.
  CHECK(test::refuses(fold_cube(3, 4), "or the dimensions interleave"));
  fold_cube(1, 5)();
  std::vector<float> written = values;
  for (const int p : {0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 13}) written[p] = 2;
  CHECK(target.values() == written);
}

TEST_CASE_TEMPLATE_DEFINE("the same bits on every run", Fixture, axis_repeats) {
  std::vector<float> values(400000);
  test::random_bits random;
  for (float& x : values) x = static_cast<float>(random() % 1000003) * 1.000001f;
  const typename Fixture::template array<float> placed(values, 0);
  using matrix = test::cs::mdspan<const float, test::cs::dextents<std::size_t, 2>>;
  for (const std::size_t columns : {1, 3, 16, 100, 4099}) {
    const std::size_t rows = values.size() / columns;
    const matrix m(placed.data(), rows, columns);
    const std::vector<float> nothing(rows + columns);
    std::vector<float> seen[2];
    for (auto& s : seen) {
      typename Fixture::template target<float> target(nothing, 0);
      wf::reduce_axis<0>(Fixture::policy(), m, wf::plus{},
                         std::span<float>(target.data(), columns));
      wf::reduce_axis<1>(Fixture::policy(), m, wf::plus{},
                         std::span<float>(target.data() + columns, rows));
      s = target.values();
    }
    CHECK(std::memcmp(seen[0].data(), seen[1].data(), seen[0].size() * sizeof(float)) == 0);
  }
}
