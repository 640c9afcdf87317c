// Rows and columns of more than 2^32 elements, and more than 2^32 of them, on the GPU.
// needs: cccl
#include <cstddef>
#include <type_traits>
#include <vector>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/policy/device.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform_axis.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

constexpr std::size_t large = std::size_t{1} << 32, n = large + 9;

template <class T>
using matrix = cuda::std::mdspan<T, cuda::std::dextents<std::size_t, 2>>;

struct plus_fold {
  WARPFOLD_HD signed char operator()(signed char x, signed char fold) const {
    return static_cast<signed char>(x + fold);
  }
};

/// Two lines of `n` ones each, with a 2 at three places.
wf::device_buffer<signed char> two_lines(const std::vector<std::size_t>& twos) {
  wf::device_buffer<signed char> v(2 * n);
  REQUIRE(cudaMemset(v.data(), 1, 2 * n) == cudaSuccess);
  for (const std::size_t at : twos) REQUIRE(cudaMemset(v.data() + at, 2, 1) == cudaSuccess);
  return v;
}

}  // namespace

TEST_CASE("[large] two rows of more than 2^32 elements, and as many columns") {
  // Two in row 0, behind 2^32; one in row 1, in column 2.
  const auto v = two_lines({n - 1, large + 1, n + 2});
  const matrix<const signed char> m(v.data(), 2, n);
  wf::device_buffer<std::size_t> sums(2);
  wf::reduce_axis<1>(wf::device, m, wf::plus{}, sums);
  CHECK(sums.to_host() == std::vector<std::size_t>{n + 2, n + 1});
  wf::device_buffer<signed char> most(n);
  wf::reduce_axis<0>(wf::device, m, wf::maximum{}, most);
  CHECK(wf::reduce(wf::device, most, wf::plus{}) == static_cast<long long>(n + 3));
  CHECK(test::device_memory::values(most.data() + large, 9) ==
        std::vector<signed char>{1, 2, 1, 1, 1, 1, 1, 1, 2});
}

TEST_CASE("[large] two columns of more than 2^32 elements, and as many rows") {
  // Two in the last rows, one in row 1.
  const auto v = two_lines({2 * n - 1, 2 * (large + 1), 2});
  const matrix<const signed char> m(v.data(), n, 2);
  wf::device_buffer<std::size_t> sums(2);
  wf::reduce_axis<0>(wf::device, m, wf::plus{}, sums);
  CHECK(sums.to_host() == std::vector<std::size_t>{n + 2, n + 1});
  wf::device_buffer<signed char> most(n);
  wf::reduce_axis<1>(wf::device, m, wf::maximum{}, most);
  CHECK(wf::reduce(wf::device, most, wf::plus{}) == static_cast<long long>(n + 3));
  CHECK(test::device_memory::values(most.data() + large, 9) ==
        std::vector<signed char>{1, 2, 1, 1, 1, 1, 1, 1, 2});
}

TEST_CASE("[large] more than 2^32 elements of rows and of columns, written in place") {
  auto v = two_lines({n - 1, 1});
  const auto in_place = [&](std::size_t rows, std::size_t columns, auto axis) {
    wf::transform_axis<axis()>(wf::device, matrix<const signed char>(v.data(), rows, columns),
                               wf::maximum{}, matrix<signed char>(v.data(), rows, columns),
                               plus_fold{});
    return wf::reduce(wf::device, v, wf::plus{});
  };
  const auto whole = static_cast<long long>(n);
  // Row 0 has two elements of 2, and then 3 and 4; row 1 has 2.
  CHECK(in_place(2, n, std::integral_constant<int, 1>()) == 3 * whole + 2 + 2 * whole);
  CHECK(test::device_memory::values(v.data() + n - 2, 3) == std::vector<signed char>{3, 4, 2});
  // Rows of two neighbors: (3, 4), (3, 3), ..., of which one is (4, 2), (2, 2), ...
  CHECK(in_place(n, 2, std::integral_constant<int, 1>()) ==
        7 + 8 + (whole - 3) * 6 + 8 + 6 + (whole - 1) * 4);
  CHECK(test::device_memory::values(v.data() + n - 3, 5) ==
        std::vector<signed char>{6, 6, 8, 6, 4});
  // Columns: (7, 6), (8, 4), (6, 4), ..., (8, 4). Their folds take 4 GB of scratch memory.
  CHECK(in_place(2, n, std::integral_constant<int, 0>()) == 27 + 28 + (whole - 3) * 22 + 28);
  CHECK(test::device_memory::values(v.data() + n - 2, 4) ==
        std::vector<signed char>{12, 16, 13, 12});
}
