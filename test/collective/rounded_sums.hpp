/// @file
/// Sums in the emulation that round differently in another order.
#pragma once

#include <array>
#include <span>

#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

namespace test {

inline constexpr float large = 16777216;  // one more is not a float: large + 1 == large

/// Floats that start at a word, all zero.
template <std::size_t N>
struct zeros {
  alignas(128) std::array<float, N> at{};
};

/// The fold of the first `n` values by single_pass in blocks of `block` threads.
template <class Op, std::size_t N>
float sum_of(const zeros<N>& values, unsigned block, unsigned grid, const Op& op,
             std::size_t n = N) {
  const auto policy =
      warpfold::emulated.with_kernel(warpfold::kernel::single_pass<>{.block = block, .grid = grid});
  return warpfold::reduce(policy, std::span<const float>(values.at.data(), n), op);
}

}  // namespace test
