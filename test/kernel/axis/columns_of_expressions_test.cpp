// kernel::axis_columns in the emulation: the arrangement of threads, pieces, loads.
// needs: boost_context
#include <warpfold/kernel/axis/columns.hpp>

#include "kernel/axis/expressions.hpp"

namespace {

constexpr wf::kernel::axis_columns kernel;

// Products of the columns of two matrices without gaps.
template <class A = float, class B = float, class Op = wf::plus>
wf::emulation::report columns(std::size_t length, std::size_t n, std::size_t offset = 0) {
  INFO(n, " columns of ", length);
  return test::check_products<A, B, Op>(kernel, {length, n}, {n, 1}, {n, 1}, {true, false}, offset);
}

}  // namespace

TEST_CASE("few and many columns, short and long") {
  columns(1, 1);
  columns(3, 2060);
  columns(50, 12);
  CHECK(columns(4000, 3).launches.size() == 2);
  CHECK(columns(9, 100).launches.size() == 1);
  columns<float, float, wf::arg_op<wf::maximum>>(4000, 4);
  columns<float, float, wf::arg_op<wf::minimum>>(70, 33);
}

TEST_CASE("words where all rows are aligned, single elements otherwise") {
  const auto words = columns(24, 64);
  CHECK(test::loads_of(words, 16) >= 2 * 24 * 64 / 4);
  CHECK(test::loads_of(words, 4) == 0);
  const auto one = columns(24, 64, 1);
  CHECK(test::loads_of(one, 16) > 0);
  CHECK(test::loads_of(one, 4) > 0);
  CHECK(test::loads_of(columns(24, 63), 16) == 0);
  columns<signed char, double>(20, 48);
  // The last chunk of padded rows is not whole.
  test::check_products<float, float>(kernel, {20, 30}, {32, 1}, {32, 1}, {true, false});
  CHECK(test::check_products<float, float>(kernel, {5000, 6}, {8, 1}, {8, 1}, {true, false})
            .launches.size() == 2);
}

TEST_CASE("rows without gaps that are not whole words are merged if the L2 cache is too small") {
  auto gpu = wf::emulation::default_gpu;
  gpu.l2_bytes = 4096;
  const auto merged = [&]<class Op>(std::size_t length, std::size_t n, std::size_t offset, Op) {
    return test::check_products<float, float, Op>(kernel, {length, n}, {n, 1}, {n, 1},
                                                  {true, false}, offset, gpu);
  };
  const auto words = merged(24, 63, 0, wf::plus{});
  CHECK(words.launches.size() == 2);
  CHECK(test::loads_of(words, 16) >= 2 * 24 * 63 / 4);
  CHECK(test::loads_of(words, 4) == 0);
  merged(27, 63, 0, wf::arg_op<wf::minimum>{});
  CHECK(test::loads_of(merged(24, 63, 1, wf::plus{}), 16) == 0);
  // Two axes with a gap between them are not one row.
  const test::strides gap{400, 63, 1};
  test::check_products<float, float>(kernel, {4, 6, 63}, gap, gap, {true, true, false}, 0, gpu);
  // Neither are rows of an array that repeats along them.
  test::check_products<float, float>(kernel, {24, 63}, {63, 1}, {63, 0}, {true, false}, 0, gpu);
}

TEST_CASE("arrays that repeat along the columns or the results") {
  const auto r =
      test::check_products<float, float>(kernel, {32, 64}, {64, 1}, {1, 0}, {true, false});
  CHECK(test::loads_of(r, 16) == test::loads_of(r, 4));
  test::check_products<float, float>(kernel, {32, 64}, {64, 1}, {0, 1}, {true, false});
}

TEST_CASE("outer results, several axes, and no neighbors") {
  test::check_products<float, float>(kernel, {5, 7, 12}, {84, 12, 1}, {84, 12, 1},
                                     {false, true, false});
  test::check_products<float, float, wf::arg_op<wf::minimum>>(
      kernel, {4, 3, 5, 6}, {90, 30, 6, 1}, {0, 30, 6, 1}, {true, false, true, false});
  test::check_products<int, short>(kernel, {9, 8}, {40, 3}, {2, 30}, {true, false});
}
