/// @file
/// `warpfold coalescing`: one kernel in the emulation, and what each of its lines asks of memory.
/// Above, what the command is; below, what the files compiled with the emulation do for it.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <warpfold/emulation/report.hpp>

#include "element.hpp"

namespace warpfold::program {

/// How the elements lie in memory.
enum class layout {
  contiguous,  ///< side by side, from an aligned address on
  misaligned,  ///< side by side, one element off
  strided,     ///< a field of an array of structs: every third element
  zip,         ///< two arrays, whose elements are multiplied
};
inline constexpr std::array<std::string_view, 4> layout_names{"contiguous", "misaligned", "strided",
                                                              "zip"};

/// What `warpfold coalescing` is asked for.
struct coalescing_options {
  std::string kernel;
  layout view = layout::contiguous;
  element type = element::float32;
  std::size_t count = 4096;  ///< in elements
};

/// @return the exit code
/// @throws unsupported_kernel, emulation_error, std::runtime_error
int run_coalescing(const coalescing_options& options);

inline constexpr std::array coalescing_types{element::int8,  element::int16,   element::int32,
                                             element::int64, element::float32, element::float64,
                                             element::float3};

/// The names of the kernels that the emulation runs; none in a build without it.
std::span<const std::string_view> emulated_kernels();

/// Sums in the emulation, and checks the sum.
emulation::report run_emulated(const coalescing_options& options);

}  // namespace warpfold::program
