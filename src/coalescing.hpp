/// @file
/// `warpfold coalescing`: runs one kernel in the emulation and counts the memory traffic of each of
/// its lines. First the command's options; then the functions compiled with the emulation.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include <warpfold/emulation/report.hpp>

#include "element.hpp"

namespace warpfold::program {

/// The memory layout of the elements.
enum class layout {
  contiguous,  ///< adjacent, starting at an aligned address
  misaligned,  ///< adjacent, starting one element after an aligned address
  strided,     ///< a field of an array of structs: every third element
  zip,         ///< the products of two arrays
};
inline constexpr std::array<std::string_view, 4> layout_names{"contiguous", "misaligned", "strided",
                                                              "zip"};

/// The options of `warpfold coalescing`.
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

/// The names of the emulated kernels; empty in a build without the emulation.
std::span<const std::string_view> emulated_kernels();

/// Computes a sum in the emulation, and checks it.
/// @throws std::runtime_error  if the program was built without the emulation of the type
emulation::report run_emulated(const coalescing_options& options);

/// The requests and sectors of a kernel's global loads, one line for each layout of the elements.
std::string layouts_text(const std::string& kernel);

/// The sum of 64 numbers by a kernel that lacks a barrier, in the emulation: the kernel's loop, and
/// the error that the emulation reports.
struct found_race {
  std::string_view code;
  std::string error;
};
found_race run_racing_kernel();

/// Prints what the emulation shows, and draws the work of each kernel as an SVG file.
void show_emulation(const std::string& picture);

}  // namespace warpfold::program
