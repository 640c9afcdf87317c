// The kernels that fold along an axis, each by itself, in small shapes that stand for all of its
// branches.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/axis_shape.hpp>

#include "view/axis_shapes.hpp"

namespace wf = warpfold;

namespace {

using test::shape;
using wf::detail::axis_shape;

axis_shape dense(const std::vector<std::size_t>& extents) {
  return shape(extents, std::vector<std::size_t>(extents.size())).row_major();
}
std::size_t place(const axis_shape& s, std::size_t i) {
  std::size_t at = 0;
  for (int d = s.rank; d-- > 0; i /= s.extent[d]) at += i % s.extent[d] * s.stride[d];
  return at;
}

/// 8 bytes that are aligned to 4.
struct two_floats {
  float x, y;
  friend bool operator==(const two_floats&, const two_floats&) = default;
};
struct add_two {
  WARPFOLD_HD two_floats operator()(const two_floats& a, const two_floats& b) const {
    return {a.x + b.x, a.y + b.y};
  }
};

/// Small whole numbers; the last one of all is the least.
template <class T>
T element(std::size_t i, std::size_t n) {
  const auto x = static_cast<float>(i + 1 == n ? -100 : static_cast<int>(i * i % 61));
  if constexpr (std::is_same_v<T, two_floats>) {
    return {x, x + 1};
  } else {
    return static_cast<T>(x);
  }
}

/// Folds with `kernel` and compares; returns what the launches did.
template <class T, class Op = wf::plus, class Kernel>
wf::emulation::report check_kernel(const Kernel& kernel, std::size_t length, std::size_t step,
                                   const axis_shape& kept, const axis_shape& to, const Op& op = {},
                                   std::size_t offset = 0) {
  using Out = typename wf::axis_reduction<T, Op, T>::accumulator;
  using axis_type = wf::axis_reduction<T, Op, Out>;
  const std::size_t n = kept.span() + (length == 0 ? 0 : (length - 1) * step);
  std::vector<wf::word> memory((n + offset) * sizeof(T) / sizeof(wf::word) + 2);
  auto* const in =
      reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(memory.data()) + offset * alignof(T));
  for (std::size_t i = 0; i < n; ++i) new (in + i) T(element<T>(i, n));
  alignas(16) static Out out[20000];
  REQUIRE(to.span() <= 20000);
  const axis_type axis{in, out, wf::detail::layout_of(length, step, kept, to), n, to.span(), op};

  wf::emulation::report report;
  wf::emulation::launcher on(wf::emulation::default_gpu, &report);
  on.allow(in, n * sizeof(T), false);
  on.allow(out, to.span() * sizeof(Out), true);
  kernel.enqueue(axis, on);

  std::size_t wrong = 0;
  for (std::size_t o = 0; o < kept.count(); ++o) {
    const T* const from = in + place(kept, o);
    auto total = axis.lift(from[0], 0);
    for (std::size_t i = 1; i < length; ++i) {
      total = axis.fold().apply(total, axis.lift(from[i * step], i));
    }
    wrong += !(out[place(to, o)] == total);
  }
  CHECK(wrong == 0);
  // Each result is written once.
  std::size_t written = 0;
  for (const auto& site : report.launches.back().sites) {
    if (site.what == wf::emulation::traffic::global_store) written += site.bytes_used;
  }
  CHECK(written == kept.count() * sizeof(Out));
  return report;
}

/// Rows of `length` without gaps.
template <class T, class Op = wf::plus, class Kernel>
wf::emulation::report check_rows(const Kernel& kernel, std::size_t rows, std::size_t length,
                                 const Op& op = {}, std::size_t offset = 0) {
  INFO(rows, " rows of ", length);
  return check_kernel<T>(kernel, length, 1, shape({rows}, {length}), dense({rows}), op, offset);
}
/// Columns of row-major matrices without gaps.
template <class T, class Op = wf::plus>
wf::emulation::report check_columns(std::size_t outers, std::size_t length, std::size_t across,
                                    const Op& op = {}) {
  INFO(outers, " x ", length, " x ", across);
  return check_kernel<T>(wf::kernel::axis_columns{}, length, across,
                         shape({outers, across}, {length * across, 1}), dense({outers, across}),
                         op);
}

const auto large = wf::all(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::arg(wf::minimum{}),
                           wf::arg(wf::maximum{}));

}  // namespace

TEST_CASE("rows by lanes: one of them, more than a block's, and one at a time") {
  constexpr wf::kernel::axis_rows rows;
  check_rows<float>(rows, 1, 4);
  check_rows<float>(rows, 2049, 4);
  check_rows<float>(rows, 70, 28, wf::arg(wf::minimum{}));
  check_rows<float>(rows, 9, 300 * 4, wf::arg(wf::minimum{}));
  check_rows<float>(rows, 9, 60, large);
  // Lanes of a row meet in five steps.
  CHECK(check_rows<float>(rows, 8, 256 * 4).launches[0].shuffles == 8 * 5);
  CHECK(check_rows<float>(rows, 64, 32 * 4).launches[0].shuffles == 8 * 8 * 5);
}

TEST_CASE("tiles: of less than two words, whole ones, and results with gaps") {
  constexpr wf::kernel::axis_row_tiles tiles;
  check_rows<float>(tiles, 1, 5);
  check_rows<float>(tiles, 2049, 2);
  check_rows<float>(tiles, 7, 99, wf::arg(wf::minimum{}));
  check_rows<float>(tiles, 5, 1024);
  check_kernel<float>(tiles, 3, 1, shape({1400}, {3}), shape({1400}, {2}));
}

TEST_CASE("blocks: rows shorter than a chunk, of several steps, and in pieces") {
  constexpr wf::kernel::axis_row_blocks blocks;
  for (std::size_t length = 1; length < 6; ++length) check_rows<float>(blocks, 2, length);
  check_rows<float>(blocks, 2, 4 * 600 + 3, wf::arg(wf::minimum{}));
  check_rows<signed char>(blocks, 1, 16 * 300 + 5, wf::arg(wf::minimum{}));
  check_rows<float>(blocks, 1, 4 * 4096 + 1, wf::arg(wf::minimum{}), 3);
  // Elements that fill words and need not lie where those begin.
  for (std::size_t offset = 0; offset < 4; ++offset) {
    INFO(offset);
    check_rows<two_floats>(blocks, 3, 301, add_two{}, offset);
  }
}

TEST_CASE("columns: three threads down, several matrices a block, and rows that are left over") {
  check_columns<float>(4, 20, 8);
  check_columns<float>(25, 100, 8);
  check_columns<float>(1, 67, 9, wf::arg(wf::minimum{}));
  check_columns<float>(1, 7, 3, wf::arg(wf::minimum{}));
  check_columns<float>(3, 7, 5);
  check_columns<double>(3, 20, 33, large);
  // More matrices than a block takes, and threads that have none.
  check_columns<float>(40, 17, 20);
}

TEST_CASE("columns in pieces, of several matrices") {
  const auto report = check_columns<double>(3, 260, 128);
  REQUIRE(report.launches.size() == 2);
  CHECK(report.launches[0].launch.shape.grid.count() > 3);
  check_columns<float>(1, 3000, 40, large);
}

TEST_CASE("pieces: so many that their threads take several each") {
  using axis_type =
      wf::axis_reduction<float, decltype(large),
                         wf::axis_reduction<float, decltype(large), int>::accumulator>;
  using state = axis_type::state;
  for (const std::size_t pieces : {1u, 4u, 5u, 16u, 17u, 63u, 600u}) {
    INFO(pieces);
    constexpr std::size_t outputs = 11;
    wf::emulation::report report;
    wf::emulation::launcher on(wf::emulation::default_gpu, &report);
    std::vector<axis_type::out_type> out(outputs, axis_type::out_type{});
    on.allow(out.data(), outputs * sizeof(axis_type::out_type), true);
    const axis_type axis{
        nullptr,
        out.data(),
        wf::detail::layout_of(pieces, 1, shape({outputs}, {pieces}), dense({outputs})),
        0,
        outputs,
        large};
    const auto states = on.scratch<state>(pieces * outputs);
    float expected = 0;
    for (std::size_t i = 0; i < pieces * outputs; ++i) {
      const auto x = static_cast<float>(i / outputs % 7 + 1);
      if (i % outputs == 0) expected += x;  // the same of each result
      new (states.data + i) state(axis.fold().state_of(axis.lift(x, i / outputs)));
    }
    wf::kernel::axis_pieces{}.enqueue(axis, states, pieces, on);
    for (const auto& result : out) CHECK(wf::get<0>(result) == expected);
  }
}
