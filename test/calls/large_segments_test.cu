// Segments of more than 2^32 elements, and more than 2^32 segments, on the GPU.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/policy/device.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform_segments.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

constexpr std::size_t large = std::size_t{1} << 32;

/// Segment `s` has element `s`.
struct one_each {
  WARPFOLD_HD std::size_t operator()(std::size_t s) const { return s; }
};
struct small_number {
  WARPFOLD_HD signed char operator()(std::size_t i) const {
    return static_cast<signed char>(i % 5);
  }
};
/// The number of elements of the segment, modulo 16, if they are ones.
struct plus_fold {
  template <class Fold>
  WARPFOLD_HD signed char operator()(signed char x, const Fold& fold) const {
    return static_cast<signed char>(x + static_cast<signed char>(fold % 16));
  }
};

const std::vector<std::size_t> bounds{1, 8, 8, large - 1, large + 11, large + 12'000};

/// The sum of i % 5 for i below n.
std::size_t sum_of_small(std::size_t n) { return n / 5 * 10 + (n % 5) * (n % 5 - 1) / 2; }

}  // namespace

TEST_CASE("[large] segments of more than 2^32 elements") {
  const std::size_t n = bounds.back() + 3;
  wf::device_buffer<signed char> v(n);
  REQUIRE(cudaMemset(v.data(), 1, n) == cudaSuccess);
  const wf::device_buffer<std::size_t> offsets(bounds);
  wf::device_buffer<std::size_t> sums(std::vector<std::size_t>(5, 9));
  wf::reduce_segments(wf::device, v, offsets, wf::plus{}, sums);
  CHECK(sums.to_host() == std::vector<std::size_t>{7, 0, large - 9, 12, 11'989});

  // In place: each element becomes 1 + the length modulo 16.
  wf::transform_segments(wf::device, v, offsets, wf::plus{}, v, plus_fold{});
  CHECK(wf::reduce(wf::device, v, wf::plus{}) ==
        static_cast<long long>(1 + 7 * 8 + (large - 9) * 8 + 12 * 13 + 11'989 * 6 + 3));
  CHECK(test::device_memory::values(v.data() + large - 2, 4) ==
        std::vector<signed char>{8, 13, 13, 13});
}

TEST_CASE("[large] more than 2^32 segments") {
  const std::size_t n = large + 7;
  const auto offsets = wf::project(wf::counting(std::size_t{0}, n + 1), one_each{});
  wf::device_buffer<signed char> out(n);
  REQUIRE(cudaMemset(out.data(), 9, n) == cudaSuccess);
  wf::reduce_segments(wf::device, wf::project(wf::counting(std::size_t{0}, n), small_number{}),
                      offsets, wf::plus{}, out);
  CHECK(wf::reduce(wf::device, out, wf::plus{}) == static_cast<long long>(sum_of_small(n)));
  const std::vector<signed char> last = test::device_memory::values(out.data() + large - 2, 9);
  for (std::size_t k = 0; k < 9; ++k) CHECK(last[k] == small_number{}(large - 2 + k));

  // Each element is added to itself.
  wf::transform_segments(wf::device, out, offsets, wf::plus{}, out, plus_fold{});
  CHECK(wf::reduce(wf::device, out, wf::plus{}) == static_cast<long long>(2 * sum_of_small(n)));
}
