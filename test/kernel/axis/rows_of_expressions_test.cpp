// The kernels for rows of expressions in the emulation, in the declared order (sums of floats) and
// in any (arg): lanes, blocks and parts, and the width of loads.
// needs: boost_context
#include <warpfold/kernel/axis/automatic.hpp>

#include "kernel/axis/expressions.hpp"

namespace {

constexpr wf::kernel::automatic_axis kernel;

// Products of the rows of two matrices without gaps.
template <class A = float, class B = float, class Op = wf::plus>
wf::emulation::report rows(std::size_t n, std::size_t length, std::size_t offset = 0) {
  INFO(n, " rows of ", length);
  return test::check_products<A, B, Op>(kernel, {n, length}, {length, 1}, {length, 1},
                                        {false, true}, offset);
}

}  // namespace

TEST_CASE("a few lanes, a block, and several blocks per row") {
  rows(300, 4);
  rows(5, 96);
  CHECK(rows(3, 1500).launches.size() == 1);
  CHECK(rows(2, 1024).launches[0].launch.shape.block.x == 256);
  CHECK(rows(1, 20000).launches[0].launch.shape.grid.count() > 1);
  const auto any = rows<float, float, wf::arg_op<wf::maximum>>(2, 1024);
  CHECK(any.launches[0].launch.shape.block.x == 64);
  CHECK(rows<float, float, wf::arg_op<wf::maximum>>(1, 20000).launches.size() == 2);
  rows(1, 20003);
  rows<float, float, wf::arg_op<wf::maximum>>(2, 20002);
  rows<float, float, wf::arg_op<wf::maximum>>(30, 33);
}

TEST_CASE("words where all rows are aligned, single elements otherwise") {
  const auto words = rows(6, 64);
  CHECK(test::loads_of(words, 16) >= 2 * 6 * 64 / 4);
  CHECK(test::loads_of(words, 4) == 0);
  // One array misaligned: the other one keeps its words.
  const auto one = rows(6, 64, 1);
  CHECK(test::loads_of(one, 16) > 0);
  CHECK(test::loads_of(one, 4) >= 6 * 64);
  CHECK(test::loads_of(rows(6, 63, 1), 16) == 0);
  // Chars beside doubles: one word of chars, eight of doubles.
  const auto mixed = rows<signed char, double>(4, 64);
  CHECK(test::loads_of(mixed, 16) >= 4 * 64 / 16 * 9);
  // The elements after the last whole chunk of padded rows.
  test::check_products<float, float>(kernel, {5, 30}, {32, 1}, {32, 1}, {false, true});
  // The same of more rows than two blocks have, which lanes share.
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  test::check_products<float, float>(kernel, {2100, 6}, {8, 1}, {8, 1}, {false, true}, 0, gpu);
}

TEST_CASE("an array that repeats along the row is loaded once per chunk") {
  const auto r =
      test::check_products<float, float>(kernel, {5, 64}, {64, 1}, {1, 0}, {false, true});
  CHECK(test::loads_of(r, 16) == test::loads_of(r, 4));
}

TEST_CASE("rows of several lines") {
  test::check_products<float, float>(kernel, {3, 4, 20}, {80, 20, 1}, {20, 0, 1},
                                     {true, false, true});
  test::check_products<float, float, wf::arg_op<wf::minimum>>(kernel, {6, 2, 22}, {44, 22, 1},
                                                              {1, 6, 12}, {true, false, true});
  // The last index does not vary fastest in memory.
  test::check_products<float, float, wf::arg_op<wf::maximum>>(kernel, {24, 2, 6}, {1, 144, 24},
                                                              {1, 144, 24}, {true, false, true});
  // The elements after the last whole chunk have indices that are far apart.
  test::check_products<float, float, wf::arg_op<wf::maximum>>(kernel, {3, 7, 6}, {56, 1, 8},
                                                              {56, 1, 8}, {false, true, true});
  test::check_products<float, float, wf::arg_op<wf::minimum>>(kernel, {9, 5, 4}, {64, 1, 8},
                                                              {64, 1, 8}, {false, true, true});
  test::check_products<int, short>(kernel, {60, 3, 40}, {160, 48, 1}, {120, 40, 1},
                                   {true, false, true});
}

TEST_CASE("an element is loaded once, also if rows do not fill a block or lines a chunk") {
  const auto loads = [](const wf::emulation::report& r) {
    return test::loads_of(r, 1) + test::loads_of(r, 4) + test::loads_of(r, 8);
  };
  // One row, which the lanes of one group fold.
  const auto one =
      test::check_products<float, float>(kernel, {1, 30}, {32, 1}, {1, 0}, {false, true});
  CHECK(loads(one) < 2 * 2 * 30);
  // Lines of 14 elements, of which the chars alone fill words.
  const auto lines =
      test::check_products<double, signed char>(kernel, {200, 14}, {14, 1}, {0, 1}, {true, true});
  CHECK(lines.launches[0].launch.shape.grid.count() > 1);
  CHECK(loads(lines) < 2 * 2 * 200 * 14);
  // The elements after the whole chunks of many lines: every piece takes a share.
  test::check_products<float, float, wf::arg_op<wf::maximum>>(kernel, {2000, 6}, {6, 1}, {0, 1},
                                                              {true, true});
}
