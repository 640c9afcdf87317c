// Runs of more than 2^32 equal keys, more than 2^32 runs, and classes of as many values, on the
// GPU.
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/policy/device.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/runtime/buffer.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

constexpr std::size_t large = std::size_t{1} << 32;

/// Three runs: 5 keys, `large` keys, and the rest.
struct key_of_three {
  WARPFOLD_HD int operator()(std::size_t i) const { return i < 5 ? 7 : i < large + 5 ? 8 : 9; }
};
struct parity {
  WARPFOLD_HD signed char operator()(std::size_t i) const {
    return static_cast<signed char>(i % 2);
  }
};
struct one {
  WARPFOLD_HD signed char operator()(std::size_t) const { return 1; }
};

}  // namespace

TEST_CASE("[large] a run of more than 2^32 keys, and classes of more than 2^32 values") {
  const std::size_t n = large + 12'345;
  const auto numbers = wf::counting(std::size_t{0}, n);
  wf::device_buffer<int> keys(3);
  wf::device_buffer<std::size_t> sums(3);
  CHECK(wf::reduce_by_key(wf::device, wf::project(numbers, key_of_three{}),
                          wf::project(numbers, one{}), wf::plus{}, keys, sums) == 3);
  CHECK(keys.to_host() == std::vector<int>{7, 8, 9});
  CHECK(sums.to_host() == std::vector<std::size_t>{5, large, 12'340});

  wf::device_buffer<std::size_t> of_classes(3);
  wf::reduce_by_class(wf::device, wf::project(numbers, parity{}), wf::project(numbers, one{}), 3,
                      wf::plus{}, of_classes);
  CHECK(of_classes.to_host() == std::vector<std::size_t>{n - n / 2, n / 2, 0});
}

TEST_CASE("[large] more than 2^32 runs") {
  const std::size_t n = large + 7;
  wf::device_buffer<signed char> keys(n), lengths(n);
  REQUIRE(cudaMemset(keys.data(), 9, n) == cudaSuccess);
  REQUIRE(cudaMemset(lengths.data(), 9, n) == cudaSuccess);
  CHECK(wf::run_lengths(wf::device, wf::project(wf::counting(std::size_t{0}, n), parity{}), keys,
                        lengths) == n);
  CHECK(wf::reduce(wf::device, lengths, wf::plus{}) == static_cast<long long>(n));
  CHECK(wf::reduce(wf::device, lengths, wf::maximum{}) == 1);
  CHECK(wf::reduce(wf::device, keys, wf::plus{}) == static_cast<long long>(n / 2));
  CHECK(test::device_memory::values(keys.data() + large - 1, 4) ==
        std::vector<signed char>{1, 0, 1, 0});
}
