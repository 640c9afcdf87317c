/// @file
/// Divides each element of a matrix by the greatest of its row in the emulation, and compares with
/// a loop.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <cuda/std/mdspan>

#include <warpfold/op/extrema.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/transform_axis.hpp>

namespace wf = warpfold;

namespace test {

struct share {
  WARPFOLD_HD float operator()(float x, float most) const { return x / most; }
};

/// Returns what the launches did. The first elements are `offset` and `out_offset` floats after an
/// aligned address.
inline wf::emulation::report write_shares(std::size_t rows, std::size_t columns,
                                          std::size_t offset = 0, std::size_t out_offset = 0) {
  INFO(rows, " rows of ", columns);
  const std::size_t n = rows * columns;
  std::vector<wf::word> in_memory((n + offset) / 4 + 1), out_memory((n + out_offset) / 4 + 1);
  float* const in = reinterpret_cast<float*>(in_memory.data()) + offset;
  float* const out = reinterpret_cast<float*>(out_memory.data()) + out_offset;
  for (std::size_t i = 0; i < n; ++i) in[i] = static_cast<float>(i * 37 % 101 + 1);
  using extents = cuda::std::dextents<std::size_t, 2>;
  const auto policy = wf::emulated.counting();
  wf::emulation::last_report() = {};
  wf::transform_axis<1>(policy, cuda::std::mdspan<const float, extents>(in, rows, columns),
                        wf::maximum{}, std::span<float>(out, n), share{});
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < rows && columns != 0; ++r) {
    const float* const row = in + r * columns;
    const float most = *std::max_element(row, row + columns);
    for (std::size_t c = 0; c < columns; ++c) wrong += out[r * columns + c] != row[c] / most;
  }
  CHECK(wrong == 0);
  return policy.report();
}

/// The loads or stores of `bytes` each by the first launch, of all threads.
inline std::size_t accesses_of(const wf::emulation::report& r, wf::emulation::traffic what,
                               unsigned bytes) {
  std::size_t n = 0;
  for (const auto& site : r.launches[0].sites) {
    if (site.what == what && site.access_bytes == bytes) n += site.lanes;
  }
  return n;
}
inline std::size_t loads_of(const wf::emulation::report& r, unsigned bytes) {
  return accesses_of(r, wf::emulation::traffic::global_load, bytes);
}
inline std::size_t stores_of(const wf::emulation::report& r, unsigned bytes) {
  return accesses_of(r, wf::emulation::traffic::global_store, bytes);
}

}  // namespace test
