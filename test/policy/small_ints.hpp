/// @file
/// Small integers of both signs, and a matrix of them.
#pragma once

#include <cstddef>
#include <vector>

#include <cuda/std/mdspan>

namespace test {

using int_matrix = cuda::std::mdspan<const int, cuda::std::dextents<std::size_t, 2>>;

inline std::vector<int> small_ints(std::size_t n) {
  std::vector<int> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<int>(i * 7 % 31) - 9;
  return v;
}

}  // namespace test
