// kernel::tried_groups: exact sums of rows, columns and segments in the emulation against seq: for
// elements, ops, inits and numbers whose sums fit two doubles or not; its launches.
// needs: boost_context
#include <warpfold/kernel/tried_groups.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/counted.hpp>

#include "kernel/launches.hpp"
#include "op/exact_kinds.hpp"

namespace {

constexpr auto exact = wf::plus{}.exact();

template <class T>
std::vector<T> numbers(test::exact_kind kind, std::size_t n) {
  if constexpr (std::is_floating_point_v<T>) {
    return test::numbers_of_kind<T>(kind, n, n + static_cast<unsigned>(kind));
  } else {
    const auto parts = numbers<typename T::value_type>(kind, 2 * n);
    std::vector<T> v;
    for (std::size_t i = 0; i < n; ++i) v.emplace_back(parts[2 * i], parts[2 * i + 1]);
    return v;
  }
}

template <class T>
bool are_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return test::is_same_sum(x, y); });
}

/// Calls `call(policy, results)` with both policies, and compares the results.
template <class R>
void check_both(std::size_t results, const auto& call) {
  std::vector<R> want(results), got(results);
  call(wf::seq, want);
  call(wf::emulated, got);
  CHECK(are_same(got, want));
}

// Some are empty, some of a warp, and some of a block.
const std::vector<int> offsets{0, 0, 1, 4, 4, 13, 45, 110, 400, 1500, 1501, 6000, 6000};
constexpr std::size_t elements = 6000;

}  // namespace

TEST_CASE_TEMPLATE("exact sums of segments", T, float, double, std::complex<float>,
                   std::complex<double>) {
  for (const test::exact_kind kind : test::all_exact_kinds) {
    CAPTURE(static_cast<int>(kind));
    const std::vector<T> v = numbers<T>(kind, elements);
    check_both<T>(offsets.size() - 1, [&](const auto& policy, auto& out) {
      wf::reduce_segments(policy, v, offsets, exact, out);
    });
  }
}

TEST_CASE_TEMPLATE("exact sums along axes", T, float, double) {
  for (const test::exact_kind kind : test::all_exact_kinds) {
    for (const std::size_t columns : {1u, 3u, 64u, 1000u}) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(columns);
      const std::size_t rows = elements / columns;
      const std::vector<T> v = numbers<T>(kind, rows * columns);
      const cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>> m(v.data(), rows,
                                                                              columns);
      check_both<T>(
          rows, [&](const auto& policy, auto& out) { wf::reduce_axis<1>(policy, m, exact, out); });
      check_both<T>(columns, [&](const auto& policy, auto& out) {
        wf::reduce_axis<0>(policy, m, exact, out);
      });
    }
  }
}

TEST_CASE("outputs that accumulate are combined once with each result") {
  for (const test::exact_kind kind : test::all_exact_kinds) {
    CAPTURE(static_cast<int>(kind));
    const std::vector<float> v = numbers<float>(kind, elements);
    check_both<float>(offsets.size() - 1, [&](const auto& policy, auto& out) {
      out.assign(offsets.size() - 1, 5.0f);
      wf::reduce_segments(policy, v, offsets, exact, wf::accumulate(out));
    });
    const cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>> m(v.data(), 60, 100);
    check_both<float>(60, [&](const auto& policy, auto& out) {
      out.assign(60, 5.0f);
      wf::reduce_axis<1>(policy, m, exact, wf::accumulate(out));
    });
  }
}

TEST_CASE("other results of exact sums of segments") {
  for (const test::exact_kind kind : test::all_exact_kinds) {
    CAPTURE(static_cast<int>(kind));
    const std::vector<float> v = numbers<float>(kind, elements);
    const std::vector<double> wide = numbers<double>(kind, elements);
    const auto check = [&]<class R>(R, const auto& of, const auto& op, const auto&... init) {
      check_both<R>(offsets.size() - 1, [&](const auto& policy, auto& out) {
        wf::reduce_segments(policy, of, offsets, op, init..., out);
      });
    };
    check(0.0, v, wf::plus{}.exact<double>());
    check(0.0f, wide, wf::plus{}.exact<float>());
    check(0.0f, v, exact, 0x1p-100f);
    check(0.0f, v, wf::exact_squares_op<float>{});
    check(0.0, wide, wf::exact_squares_op<double>{});
  }
}

TEST_CASE_TEMPLATE("exact sums of classes and lists", T, float, double) {
  for (const test::exact_kind kind : test::all_exact_kinds) {
    CAPTURE(static_cast<int>(kind));
    const std::vector<T> v = numbers<T>(kind, 3000);
    for (const int classes : {3, 700}) {
      std::vector<int> labels;
      for (std::size_t i = 0; i < v.size(); ++i) {
        labels.push_back(static_cast<int>(i * i % static_cast<unsigned>(classes)));
      }
      check_both<T>(static_cast<std::size_t>(classes), [&](const auto& policy, auto& out) {
        wf::reduce_by_class(policy, labels, v, static_cast<std::size_t>(classes), exact, out);
      });
    }
    std::vector<std::span<const T>> list;
    for (const std::size_t n : {0, 1, 30, 400, 2500}) list.emplace_back(v.data() + 7, n);
    check_both<T>(list.size(), [&](const auto& policy, auto& out) {
      wf::reduce_many(policy, list, exact, out);
    });
    check_both<T>(list.size(), [&](const auto& policy, auto& out) {
      wf::reduce_many(policy, list, exact, T{2}, out);
    });
    // Each result is combined once, also if another range needs more digits.
    check_both<T>(list.size(), [&](const auto& policy, auto& out) {
      out.assign(list.size(), T{5});
      wf::reduce_many(policy, list, exact, wf::accumulate(out));
    });
  }
}

TEST_CASE("a GPU with too little shared memory is refused before the first launch") {
  auto gpu = wf::emulation::default_gpu;
  gpu.shared_bytes_per_block = 30 * 1024;
  const auto policy = wf::emulated.emulating(gpu);
  const std::vector<double> v(100, 1.0);
  std::vector<double> out(2, -1);
  CHECK_THROWS_WITH_AS(wf::reduce_segments(policy, v, std::vector<int>{0, 50, 100}, exact, out),
                       doctest::Contains("kernel fold_marked needs 38784 bytes"),
                       wf::unsupported_kernel);
  CHECK(out == std::vector<double>{-1, -1});
}
