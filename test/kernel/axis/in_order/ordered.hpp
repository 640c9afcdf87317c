/// @file
/// Folds along an axis by one kernel in the emulation, compared with the definition of the declared
/// order: by an op that tells every tree apart.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/op/plus.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/axis_reduction.hpp>

#include "contract/order_certificate.hpp"
#include "view/shapes.hpp"

namespace wf = warpfold;

namespace test {

/// Folds elements of type `T` with `kernel`: `kept` and `to` are the shapes of the results in the
/// input and in the output. Returns what the launches did.
/// @param offset elements before the first one in an aligned array
template <class T, class Op, class Kernel>
wf::emulation::report check_order(const Kernel& kernel, const Op& op, std::size_t length,
                                  std::size_t step, const wf::detail::array_shape& kept,
                                  std::size_t offset = 0,
                                  const wf::device_info& gpu = wf::emulation::default_gpu) {
  const std::size_t n = kept.span() + (length - 1) * step;
  INFO(kept.count(), " results of ", length, " elements, ", step, " apart, from element ", offset);
  std::vector<wf::word> memory((n + offset) * sizeof(T) / sizeof(wf::word) + 2);
  T* const in = reinterpret_cast<T*>(memory.data()) + offset;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t bits = (i + 1) * 0xbf58476d1ce4e5b9;
    if constexpr (requires { in[i].of[0]; }) {
      for (std::size_t k = 0; k < std::size(in[i].of); ++k) in[i].of[k] = bits ^ k;
    } else if constexpr (std::is_floating_point_v<T>) {
      in[i] = static_cast<T>(static_cast<double>(bits >> 20) * 0x1p-40);
    } else {
      in[i] = static_cast<T>(bits);
    }
  }
  std::vector<T> out(kept.count());
  const wf::detail::array_shape to = kept.row_major();
  const wf::axis_reduction<T, Op, T> axis{
      in, out.data(), wf::detail::layout_of(length, step, kept, to), n, out.size(), op};
  wf::emulation::report report;
  wf::emulation::launcher on(gpu, &report);
  on.allow(in, n * sizeof(T), false);
  on.allow(out.data(), out.size() * sizeof(T), true);
  kernel.enqueue(axis, on);
  on.finish();

  std::size_t wrong = 0;
  for (std::size_t o = 0; o < out.size(); ++o) {
    std::size_t first = 0, rest = o;
    for (int d = kept.rank; d-- > 0; rest /= kept.extent[d]) {
      first += rest % kept.extent[d] * kept.stride[d];
    }
    const T expected =
        recursive_fold<T>(op, [&](std::size_t i) { return in[first + i * step]; }, 0, length);
    wrong += std::memcmp(&out[o], &expected, sizeof(T)) != 0;
  }
  CHECK(wrong == 0);
  return report;
}

/// Rows of `length` elements, `pitch` apart.
template <class Kernel>
void check_ordered_rows(const Kernel& kernel, std::size_t rows, std::size_t length,
                        std::size_t pitch, std::size_t offset = 0) {
  const wf::detail::array_shape kept = shape({rows}, {pitch});
  check_order<std::uint64_t>(kernel, ordered_hash{}, length, 1, kept, offset);
  check_order<float>(kernel, wf::plus{}, length, 1, kept, offset);
}

/// The columns of `outers` row-major matrices without gaps.
template <class T = std::uint64_t, class Op = ordered_hash, class Kernel>
wf::emulation::report check_ordered_columns(const Kernel& kernel, std::size_t outers,
                                            std::size_t length, std::size_t across,
                                            std::size_t offset = 0) {
  return check_order<T>(kernel, Op{}, length, across, shape({outers, across}, {length * across, 1}),
                        offset);
}

}  // namespace test
