/// @file
/// The documents that the library's kernels are from, and what they measured.
#pragma once

#include <array>
#include <string_view>

namespace warpfold::program {

/// A document.
struct source {
  std::string_view name;      ///< in tables
  std::string_view title;     ///< with its language
  std::string_view gpu;       ///< that it measured on; empty where it measures nothing
  std::string_view measured;  ///< on what data, and what its times include
};

/// The figures of one kernel in its source; 0 if not stated.
struct source_figures {
  const source* from = nullptr;
  double milliseconds = 0;
  double gigabytes_per_second = 0;
  double bytes = 0;  ///< of the data, to tell a bandwidth where the source has a time only
};

namespace sources {

inline constexpr source pycuda{
    "PyCUDA", "\"PyCUDA: parallel reduction, norm, dot product\", in Croatian", "", ""};
inline constexpr source harris{
    "Harris", "M. Harris's kernels in \"Parallel Reduction\", in Chinese", "RTX 3050 Laptop",
    "2^22 int32, blocks of 128; the GPU's memory has 192 GB/s at most"};
inline constexpr source blog{
    "blog",
    "\"A basic example, part II: implementation of the kernel\", a blog of 2012, in Spanish", "",
    ""};
inline constexpr source numba{
    "Numba", "\"CUDA by Numba examples\" 2/4, in Chinese", "Tesla T4",
    "10^9 float32 (grid_2d: 20000 x 20000); its times include adding the blocks' sums on the host"};

inline constexpr std::array all{pycuda, harris, blog, numba};

/// The document of this name; null if there is none.
constexpr const source* named(std::string_view name) {
  for (const source& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace sources
}  // namespace warpfold::program
