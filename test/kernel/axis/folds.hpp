/// @file
/// Folds along an axis by one kernel in the emulation, compared with a loop, in small shapes that
/// stand for all of its branches.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/axis_reduction.hpp>

#include "view/shapes.hpp"

namespace wf = warpfold;

namespace test {

using wf::detail::array_shape;

inline array_shape dense(const std::vector<std::size_t>& extents) {
  return shape(extents, std::vector<std::size_t>(extents.size())).row_major();
}
inline std::size_t place(const array_shape& s, std::size_t i) {
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
                                   const array_shape& kept, const array_shape& to,
                                   const Op& op = {}, std::size_t offset = 0) {
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
inline const auto large = wf::all(wf::plus{}, wf::minimum{}, wf::maximum{}, wf::arg(wf::minimum{}),
                                  wf::arg(wf::maximum{}));

}  // namespace test
