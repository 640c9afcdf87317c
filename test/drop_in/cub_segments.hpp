/// @file
/// CUB's calls on segments, on both libraries: offsets, and the comparison of the results.
#pragma once

#include <cstddef>
#include <vector>

#include "drop_in/cub_calls.hpp"

namespace test {

/// Offsets of segments of 0 to `longest` elements, the last one at most `n`.
template <class T = int>
std::vector<T> offsets_of(std::size_t n, std::size_t longest) {
  std::vector<T> offsets{0};
  std::size_t at = 0;
  for (unsigned s = 1;; ++s) {
    at += (s * 2654435761u >> 9) % (longest + 1);
    if (at > n) return offsets;
    offsets.push_back(static_cast<T>(at));
  }
}

/// Offsets for kernels of every kind: many short segments, long ones, one, and an empty one.
inline std::vector<std::vector<int>> many_offsets(std::size_t n) {
  const int all = static_cast<int>(n);
  return {offsets_of(n, 16), offsets_of(n, 3000), {0, 7, 7, all / 2, all}, {0, all}, {all, all}};
}

/// The results of `call(library, storage, bytes, out, segments)`. Memory around them stays as it
/// is.
template <class Out, class Library, class Call>
std::vector<Out> results_of_segments(const Library& library, std::size_t segments,
                                     const Call& call) {
  warpfold::device_buffer<unsigned char> bytes((segments + 2) * sizeof(Out));
  REQUIRE(cudaMemset(bytes.data(), 0x5a, bytes.size()) == cudaSuccess);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  auto* const out = reinterpret_cast<Out*>(bytes.data());
  two_phases([&](void* storage, std::size_t& size) {
    return call(library, storage, size, out + 1, segments);
  });
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const auto written =
      device_memory::values(static_cast<const unsigned char*>(bytes.data()), bytes.size());
  for (std::size_t i = 0; i < sizeof(Out); ++i) {
    CHECK(written[i] == 0x5a);
    CHECK(written[(segments + 1) * sizeof(Out) + i] == 0x5a);
  }
  return device_memory::values(static_cast<const Out*>(out + 1), segments);
}

/// True for equal numbers, and for pairs with equal members.
template <class T>
bool is_equal(const T& a, const T& b) {
  if constexpr (requires { a.key; }) {
    return a.key == b.key && a.value == b.value;
  } else {
    return a == b;
  }
}

/// Compares the results of `call(library, storage, bytes, out, segments)`.
template <class Out, class Call>
void compare_segments(std::size_t segments, const Call& call) {
  INFO(segments, " segments");
  const auto found = results_of_segments<Out>(ours{}, segments, call);
  const auto expected = results_of_segments<Out>(theirs{}, segments, call);
  std::size_t wrong = 0, first = segments;
  for (std::size_t s = 0; s < segments; ++s) {
    if (is_equal(found[s], expected[s])) continue;
    if (wrong++ == 0) first = s;
  }
  INFO("the first wrong result is that of segment ", first);
  CHECK(wrong == 0);
}

/// The same for all `many_offsets`: `call(library, storage, bytes, in, out, segments, offsets)`.
template <class Out, class T, class Call>
void compare_all_segments(const std::vector<T>& values, const Call& call) {
  const device_memory::array<T> in(values, sizeof(T));
  for (const auto& offsets : many_offsets(values.size())) {
    const device_memory::array<int> bounds(offsets, 0);
    compare_segments<Out>(offsets.size() - 1, [&](auto lib, void* storage, std::size_t& bytes,
                                                  Out* out, std::size_t segments) {
      return call(lib, storage, bytes, in.data(), out, segments, bounds.data());
    });
  }
}

}  // namespace test
