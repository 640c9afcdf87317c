// fold_columns: the declared order of every number of rows, for every height of a column, tiles,
// several columns for a thread, and threads outside of columns.
// needs: boost_context
#include <warpfold/collective/column_fold.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/fold.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

using fold_type = wf::fold<test::ordered_hash, std::uint64_t>;

/// Element `row` of a column.
constexpr std::uint64_t element(std::size_t row, std::size_t column) {
  return (row * 1000 + column + 1) * 0xbf58476d1ce4e5b9;
}
std::uint64_t folded(std::size_t first, std::size_t count, std::size_t column) {
  return test::recursive_fold<std::uint64_t>(
      test::ordered_hash{}, [&](std::size_t i) { return element(first + i, column); }, 0, count);
}

/// Folds `rows` rows of two matrices, by threads that have `Size` columns each.
template <int Size>
void check_columns(unsigned width, unsigned height, unsigned run, std::size_t rows) {
  INFO(width, " threads of ", Size, " columns, ", height, " below each other, runs of ", run, ", ",
       rows, " rows");
  constexpr unsigned size = Size;
  const unsigned of_matrix = width * height, threads = (2 * of_matrix + 31) / 32 * 32;
  std::vector<std::uint64_t> results(2 * width * size);
  test::emulated_launch on;
  const auto out = on.array(results);
  on.run({1, threads, threads * size * 8}, [=] {
    const auto storage = wf::collective::dynamic_shared<std::uint64_t>(threads * size);
    const unsigned z = threadIdx.x / of_matrix;
    const wf::collective::column_place at{
        threadIdx.x % width, threadIdx.x / width % height, width, height, z * of_matrix, z < 2};
    const unsigned column = (z * width + at.x) * size;
    const fold_type fold{};
    std::size_t staged = 0;
    const auto own = wf::collective::fold_columns<Size, fold_type, std::uint64_t>(
        fold, rows, run, storage, at,
        [&](std::size_t row, unsigned count) {
          if (row != staged) std::abort();
          staged += count;
        },
        [&](std::size_t row, unsigned count) {
          wf::chunk<std::uint64_t, Size> values;
          for (int k = 0; k < Size; ++k) {
            values.set(k, folded(row, count, column + static_cast<unsigned>(k)));
          }
          return values;
        });
    if (staged != rows) std::abort();
    if (!at.inside || at.y != 0) return;
    for (unsigned k = 0; k < size; ++k) out.store(column + k, own.elements[k]);
  });
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < results.size(); ++c) wrong += results[c] != folded(0, rows, c);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("every height, and tiles") {
  for (const unsigned height : {1u, 2u, 8u, 16u, 64u}) {
    for (const std::size_t rows : {1u, 2u, 3u, 7u, 8u, 9u, 63u, 64u, 65u, 200u, 511u}) {
      check_columns<1>(3, height, 4, rows);
    }
  }
  check_columns<4>(5, 8, 8, 1000);
  check_columns<2>(1, 1, 1, 37);
  // Columns of which several threads are in a warp.
  for (const unsigned width : {1u, 2u, 4u, 8u, 16u, 32u}) {
    for (const unsigned height : {1u, 2u, 4u, 16u}) {
      for (const std::size_t rows : {1u, 3u, 17u, 33u, 64u, 100u, 127u, 300u}) {
        check_columns<2>(width, height, 4, rows);
      }
    }
  }
  check_columns<8>(2, 4, 16, 300);  // values that are combined two at a time
}
