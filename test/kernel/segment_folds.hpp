/// @file
/// Folds of segments by one kernel in the emulation.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/op/plus.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace wf = warpfold;

namespace test {

/// The elements that were folded: the lowest and the highest index, their number, and a sum that
/// tells which they are. Has no identity.
struct stretch {
  int first, last, count;
  unsigned sum;
  friend bool operator==(const stretch&, const stretch&) = default;
};
struct join {
  WARPFOLD_HD stretch operator()(const stretch& a, const stretch& b) const {
    return {a.first < b.first ? a.first : b.first, a.last < b.last ? b.last : a.last,
            a.count + b.count, a.sum + b.sum};
  }
};
inline stretch stretch_of(std::size_t i) {
  const auto n = static_cast<unsigned>(i);
  return {static_cast<int>(i), static_cast<int>(i), 1, n * n * 2654435761u + n};
}
inline std::vector<stretch> stretches(std::size_t n) {
  std::vector<stretch> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = stretch_of(i);
  return all;
}

template <class T>
auto by_offsets(const std::vector<T>& offsets) {
  return wf::segments_by_offsets(wf::contiguous_view<T>(offsets.data(), offsets.size()));
}

/// A GPU with few multiprocessors: each block has several tiles.
inline wf::device_info gpu_of(int multiprocessors) {
  wf::device_info gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = multiprocessors;
  return gpu;
}

/// Folds with `kernel`; returns what the launches did. `valid`: the offsets are. `wrong` receives
/// the first segment whose bounds are wrong.
template <class View, class Segments, class Op, class Out, class Kernel>
wf::emulation::report fold_segments(const Kernel& kernel, const View& view,
                                    const Segments& segments, const Op& op, std::vector<Out>& out,
                                    int multiprocessors = 132, bool valid = true,
                                    wf::detail::wrong_segment* wrong = nullptr) {
  using output = wf::contiguous_output<Out>;
  wf::segmented_reduction<View, Segments, Op, wf::no_init, output> work{
      view, segments, op, {}, {output(out.data(), out.size())}};
  wf::emulation::report report;
  wf::emulation::launcher on(gpu_of(multiprocessors), &report);
  if (!valid) on.let_races_happen();
  if (wrong != nullptr) {
    work.check_bounds({wrong, work.elements()});
    on.allow(wrong, sizeof *wrong, true);
  }
  work.visit_read(
      [&](const void* p, std::size_t bytes, std::size_t) { on.allow(p, bytes, false); });
  work.visit_written(
      [&](const void* p, std::size_t bytes, std::size_t) { on.allow(p, bytes, true); });
  kernel.enqueue(work, on);
  on.finish();
  return report;
}

/// The same for `n` stretches, of which the segments have those that the offsets say.
template <class T, class Kernel>
wf::emulation::report check_stretches(const Kernel& kernel, std::size_t n,
                                      const std::vector<T>& offsets, int multiprocessors = 132) {
  const std::vector<stretch> all = stretches(n);
  const stretch untouched{-5, -5, 0, 0};
  std::vector<stretch> out(offsets.size() - 1, untouched);
  auto report = fold_segments(kernel, wf::contiguous_view<stretch>(all.data(), n),
                              by_offsets(offsets), join{}, out, multiprocessors);
  std::size_t wrong = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto b = static_cast<std::size_t>(offsets[s]),
               e = static_cast<std::size_t>(offsets[s + 1]);
    stretch want = untouched;
    for (std::size_t i = b; i < e; ++i) want = i == b ? all[i] : join{}(want, all[i]);
    wrong += out[s] != want;
  }
  CHECK(wrong == 0);
  return report;
}

/// Sums of `n` ones in segments, whose elements begin `offset` elements of 4 bytes after a word.
template <class Element = float, class T, class Kernel>
wf::emulation::report check_lengths(const Kernel& kernel, std::size_t n,
                                    const std::vector<T>& offsets, int multiprocessors = 132,
                                    std::size_t offset = 0) {
  std::vector<wf::word> memory((n + offset) / 4 + 2);
  auto* const ones = reinterpret_cast<Element*>(memory.data()) + offset;
  for (std::size_t i = 0; i < n; ++i) ones[i] = 1;
  using sum = typename wf::op_traits<wf::plus, Element>::accumulator;
  std::vector<sum> out(offsets.size() - 1, -5);
  auto report = fold_segments(kernel, wf::contiguous_view<Element>(ones, n), by_offsets(offsets),
                              wf::plus{}, out, multiprocessors);
  std::size_t wrong = 0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    wrong += out[s] != static_cast<sum>(offsets[s + 1] - offsets[s]);
  }
  CHECK(wrong == 0);
  return report;
}

/// Offsets of segments of `length` elements from `first` on, up to `n`.
inline std::vector<int> equal_offsets(int length, int n, int first = 0) {
  std::vector<int> offsets{first};
  while (offsets.back() + length <= n) offsets.push_back(offsets.back() + length);
  return offsets;
}

}  // namespace test
