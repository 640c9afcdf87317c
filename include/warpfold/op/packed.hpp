/// @file
/// Ops that fold packed numbers as they are, several in a register.
///
/// Source: the SIMD instructions of the GPU for such registers (CUDA Math API, "SIMD Intrinsics").
#pragma once

#include <concepts>
#include <cstdint>

#include <warpfold/core/packed_numbers.hpp>

namespace warpfold {

/// An op that folds the packed elements of type `T` in 16 bytes. It has a member
///
///     template <packable T>
///     __host__ __device__ auto fold_packed(const std::uint32_t (&registers)[4]) const;
///
/// which returns the fold of all of them, in a type that converts to the op's accumulator without
/// loss. It is not used if an init changes the accumulator to a type that is not a number or that
/// would change the elements' order. Derived ops do not inherit it: an op of yours declares
/// `using exactly = its_name`.
template <class Op, class T>
concept folds_packed =
    detail::packable<T> && requires(const Op& op, const std::uint32_t (&registers)[4]) {
      requires std::same_as<typename Op::exactly, Op>;
      op.template fold_packed<T>(registers);
    };

namespace detail {

// `op` over all elements of four registers: `componentwise` combines pairs of registers, then `op`
// the elements of the last.
template <class T, class Op, class OfRegisters>
WARPFOLD_HD constexpr T fold_registers(const std::uint32_t (&r)[4], const Op& op,
                                       const OfRegisters& componentwise) {
  const std::uint32_t all = componentwise(componentwise(r[0], r[1]), componentwise(r[2], r[3]));
  T folded = unpack<T>(all, 0);
  WARPFOLD_UNROLL
  for (int k = 1; k < packed_count<T>; ++k) folded = op(folded, unpack<T>(all, k));
  return folded;
}

// `op` of the elements at the same positions of two registers: one instruction on the GPU.
template <class T, class Op>
WARPFOLD_HD constexpr std::uint32_t each_of(std::uint32_t a, std::uint32_t b, const Op& op) {
  T both[packed_count<T>] = {};
  for (int k = 0; k < packed_count<T>; ++k) both[k] = op(unpack<T>(a, k), unpack<T>(b, k));
  return pack(both);
}

}  // namespace detail

}  // namespace warpfold
