/// @file
/// Folds of products of two arrays by one kernel in the emulation, compared with a loop.
#pragma once

#include <vector>

#include <doctest/doctest.h>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/expression_reduction.hpp>

#include "view/shapes.hpp"

namespace wf = warpfold;

namespace test {

struct product {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const {
    return a * b;
  }
};
using product_value = wf::detail::projected_value<
    wf::detail::zipped_value<wf::detail::array_value, wf::detail::array_value>, product>;

using strides = std::vector<std::size_t>;

/// Folds the axes `folds` of two arrays with `kernel`; returns what the launches did. The first
/// element of the second array is at `offset`.
template <class A, class B, class Op = wf::plus, class Kernel>
wf::emulation::report check_products(const Kernel& kernel, const strides& extent,
                                     const strides& of_a, const strides& of_b,
                                     const std::vector<bool>& folds, std::size_t offset = 0,
                                     const wf::device_info& gpu = wf::emulation::default_gpu) {
  using source = wf::array_source<product_value, A, B>;
  using Out = typename wf::axis_reduction<typename source::value_type, Op, int>::accumulator;
  using work_type = wf::expression_reduction<source, Op, Out>;
  const auto shapes = test::shapes(extent, {of_a, of_b});
  wf::detail::array_shape out;
  bool folded[wf::detail::max_array_rank] = {};
  for (std::size_t d = 0; d < extent.size(); ++d) {
    folded[d] = folds[d];
    if (!folds[d]) out.extent[out.rank++] = extent[d];
  }
  out = out.row_major();
  // In words of 16 bytes, so that the first elements are aligned.
  std::vector<wf::word> a_memory(shapes[0].span() * sizeof(A) / 16 + 1);
  std::vector<wf::word> b_memory((shapes[1].span() + offset) * sizeof(B) / 16 + 1);
  auto* const a = reinterpret_cast<A*>(a_memory.data());
  auto* const b = reinterpret_cast<B*>(b_memory.data()) + offset;
  for (std::size_t i = 0; i < shapes[0].span(); ++i) a[i] = static_cast<A>(i * i % 7);
  for (std::size_t i = 0; i < shapes[1].span(); ++i) b[i] = static_cast<B>(i % 5);
  std::vector<Out> got(out.count());

  const std::size_t bytes[] = {sizeof(A), sizeof(B)};
  const work_type work{{{a, {b}}, {}},
                       {got.data()},
                       wf::detail::layout_of<2, 1>(shapes.data(), folded, bytes, &out),
                       {shapes[0].span(), shapes[1].span(), got.size()},
                       Op{}};
  wf::emulation::report report;
  wf::emulation::launcher on(gpu, &report);
  on.allow(a, shapes[0].span() * sizeof(A), false);
  on.allow(b, shapes[1].span() * sizeof(B), false);
  on.allow(got.data(), got.size() * sizeof(Out), true);
  kernel.enqueue(work, on);

  std::vector<Out> expected(got.size());
  std::vector<std::size_t> counted(got.size());
  std::size_t n = 1;
  for (const std::size_t e : extent) n *= e;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t rest = i, at_a = 0, at_b = 0, at = 0, step = 1;
    for (std::size_t d = extent.size(); d-- > 0; rest /= extent[d]) {
      const std::size_t own = rest % extent[d];
      at_a += own * of_a[d];
      at_b += own * of_b[d];
      if (folds[d]) continue;
      at += own * step;
      step *= extent[d];
    }
    const Out x = work.lift(product{}(a[at_a], b[at_b]), counted[at]);
    expected[at] = counted[at]++ == 0 ? x : work.fold().apply(expected[at], x);
  }
  CHECK(got == expected);
  return report;
}

/// The number of loads of `bytes` bytes by a lane.
inline std::size_t loads_of(const wf::emulation::report& r, unsigned bytes) {
  std::size_t loads = 0;
  for (const auto& site : r.launches[0].sites) {
    if (site.what == wf::emulation::traffic::global_load && site.access_bytes == bytes) {
      loads += site.lanes;
    }
  }
  return loads;
}

}  // namespace test
