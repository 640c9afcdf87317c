// The plans of folds along an axis on an emulated GPU.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include <cstdint>

#include <doctest/doctest.h>

#include <cuda/std/mdspan>

#include <warpfold/explain_axis.hpp>

#include "contract/emulated_plan.hpp"

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

struct three_floats {
  float x[3];
  friend WARPFOLD_HD three_floats operator+(const three_floats& a, const three_floats&) {
    return a;
  }
};

template <class T>
using matrix = cs::mdspan<const T, cs::dextents<std::size_t, 2>>;

/// A matrix whose elements cannot be read, at `offset` elements after an aligned address.
template <class T>
matrix<T> unreadable(std::size_t rows, std::size_t columns, std::size_t offset = 0) {
  return matrix<T>(reinterpret_cast<const T*>(std::uintptr_t{1} << 40) + offset, rows, columns);
}

}  // namespace

TEST_CASE("the plan of an emulated fold along an axis: kernels, shapes and loads") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 132;
  const auto policy = wf::emulated.emulating(gpu);
  const wf::plus sum{};
  const wf::plan rows = wf::explain_axis<1>(policy, unreadable<float>(1000, 8), sum);
  test::check_plan(rows, {"ordered_rows", 8, 256, 1, 4, 16});
  CHECK(rows.bytes == 32000);
  CHECK(rows.bytes_written == 4000);
  CHECK(rows.threads >= 1);
  CHECK(rows.expected_time == 0);  // that of a GPU is unknown
  CHECK_FALSE(rows.on_gpu);

  const wf::plan tiles = wf::explain_axis<1>(policy, unreadable<double>(1000, 5), sum);
  test::check_plan(tiles, {"ordered_row_tiles", 3, 256, 1, 2, 16});
  CHECK(tiles.dynamic_shared_bytes == 16384);
  test::check_plan(wf::explain_axis<1>(policy, unreadable<float>(2000, 5000), sum),
                   {"ordered_long_rows", 2000, 160, 1, 4, 16});
  test::check_plan(wf::explain_axis<1>(policy, unreadable<float>(4, 1 << 20), sum),
                   {"ordered_long_rows", 512, 256, 1, 4, 16});
  test::check_plan(wf::explain_axis<0>(policy, unreadable<float>(31, 1024), sum),
                   {"ordered_columns", 32, 32, 1, 4, 16});
  test::check_plan(wf::explain_axis<0>(policy, unreadable<float>(31, 1024, 1), sum),
                   {"ordered_columns", 64, 32, 1, 1, 4});
  test::check_plan(wf::explain_axis<0>(policy, unreadable<three_floats>(31, 1024), sum),
                   {"ordered_columns", 128, 32, 1, 1, 12});
  test::check_plan(wf::explain_axis<0>(policy, unreadable<float>(3, 300'001), sum),
                   {"ordered_few_rows", 293, 128, 1, 1, 4});
  test::check_plan(wf::explain_axis<0>(policy, unreadable<float>(1 << 20, 4), sum),
                   {"ordered_columns", 512, 512, 1, 4, 16});
  test::check_plan(wf::explain_axis<1>(policy, unreadable<float>(0, 8), sum),
                   {"none", 0, 0, 0, 0, 0});

  const auto products = [](std::size_t n, std::size_t length) {
    return wf::project(wf::zip(unreadable<float>(n, length), unreadable<float>(n, length)),
                       [](float x, float y) { return x * y; });
  };
  test::check_plan(wf::explain_axis<1>(policy, products(256, 4096), sum),
                   {"ordered_long_rows", 512, 256, 1, 4, 16});
  test::check_plan(wf::explain_axis<1>(policy, products(4, 1 << 20), sum),
                   {"ordered_long_rows", 512, 256, 1, 4, 16});
  test::check_plan(wf::explain_axis<0>(policy, products(31, 1023), sum),
                   {"ordered_columns", 64, 128, 1, 1, 4});
}
