// The plans of folds along an axis on a GPU.
#include <warpfold/explain_axis.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <cuda/std/mdspan>

#include <warpfold/op/extrema.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

using matrix = cs::mdspan<const float, cs::dextents<std::size_t, 2>>;

void check(const wf::plan& p, const char* kernel, int launches) {
  INFO(kernel);
  CHECK(p.policy == "device");
  CHECK(p.on_gpu);
  CHECK(p.kernel == kernel);
  CHECK(p.launches == launches);
  CHECK(p.bytes == p.elements * sizeof(float));
  CHECK(p.grid.count() > 0);
  CHECK(p.block.count() >= 32);
  CHECK(p.chunk == 4);
  CHECK(p.load_bytes == 16);
  CHECK(p.registers > 0);
  // A thread that folds more tiles of columns than one keeps their values there.
  if (p.kernel != "ordered_columns") CHECK(p.local_bytes == 0);
  CHECK(p.max_threads_per_block >= static_cast<int>(p.block.count()));
  CHECK(p.occupancy > 0);
  CHECK(p.bandwidth > 0);
  CHECK(p.expected_time > static_cast<double>(p.bytes + p.bytes_written) / p.bandwidth);
}

}  // namespace

TEST_CASE("explain_axis says which kernel, in which shape, and what it reads and writes") {
  constexpr std::size_t n = 1 << 22;
  const wf::device_buffer<float> v(n);
  const auto of = [&](std::size_t rows, std::size_t columns) {
    return matrix(v.data(), rows, columns);
  };
  const wf::plus sum{};
  check(wf::explain_axis<1>(wf::device, of(n / 8, 8), sum), "ordered_rows", 1);
  check(wf::explain_axis<1>(wf::device, of(1000, 63), sum), "ordered_row_tiles", 1);
  check(wf::explain_axis<1>(wf::device, of(800, 5001), sum), "ordered_long_rows", 1);
  check(wf::explain_axis<1>(wf::device, of(1, n), sum), "ordered_long_rows", 1);
  check(wf::explain_axis<0>(wf::device, of(31, 1024), sum), "ordered_columns", 1);
  check(wf::explain_axis<0>(wf::device, of(n / 16, 16), sum), "ordered_columns", 1);
  const wf::plan few = wf::explain_axis<0>(wf::device, of(3, 1'000'001), sum);
  CHECK(few.kernel == "ordered_few_rows");
  CHECK(few.load_bytes == 4);
  CHECK(few.local_bytes == 0);
  const auto any = wf::maximum{};
  check(wf::explain_axis<1>(wf::device, of(n / 8, 8), any), "axis_rows", 1);
  check(wf::explain_axis<1>(wf::device, of(1000, 511), any), "axis_row_tiles", 1);
  check(wf::explain_axis<1>(wf::device, of(800, 5001), any), "axis_row_blocks", 1);
  check(wf::explain_axis<1>(wf::device, of(1, n), any), "axis_row_blocks", 2);
  check(wf::explain_axis<0>(wf::device, of(31, 1024), any), "axis_columns", 1);
  check(wf::explain_axis<0>(wf::device, of(n / 16, 16), any), "axis_columns", 2);

  const wf::plan tiles = wf::explain_axis<1>(wf::device, of(1000, 511), any);
  CHECK(tiles.dynamic_shared_bytes == 16384);
  CHECK(tiles.bytes_written == 4000);
  const wf::plan none = wf::explain_axis<1>(wf::device, of(0, 8), sum);
  CHECK(none.kernel == "none");
  CHECK(none.launches == 0);

  const auto rows = wf::explain_axis<1>(wf::device, of(n / 8, 8), sum);
  CHECK(rows.grid == static_cast<unsigned>(n / 8 / 1024));  // two lanes, and eight rows for each
  CHECK(rows.block == 256u);
}

TEST_CASE("explain_axis rejects the same arguments as reduce_axis, and reads no elements") {
  const auto explained = [](const matrix& m, const auto& op) {
    return wf::explain_axis<0>(wf::device, m, op);
  };
  const std::vector<float> host(32);
  const wf::device_buffer<float> v(host);
  constexpr std::size_t huge = std::size_t{1} << 33;
  CHECK_THROWS_AS(explained(matrix(v.data(), huge, huge), wf::plus{}), wf::invalid_range);
  CHECK_THROWS_AS(explained(matrix(nullptr, 4, 8), wf::plus{}), wf::invalid_range);
  if (!wf::runtime::current_device_info().reads_pageable_memory) {
    CHECK_THROWS_AS(explained(matrix(host.data(), 4, 8), wf::plus{}), wf::invalid_range);
  }
  CHECK_THROWS_AS(wf::explain_axis<0>(wf::seq, matrix(v.data(), 4, 8), wf::plus{}),
                  wf::invalid_range);
  const auto none = [] __host__ __device__(float a, float b) { return a + b; };
  CHECK_THROWS_AS(explained(matrix(v.data(), 0, 8), none), wf::empty_range);
  CHECK(explained(matrix(v.data(), 4, 8), none).kernel == "ordered_columns");
}
