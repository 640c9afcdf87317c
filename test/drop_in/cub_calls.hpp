/// @file
/// A call of CUB's on both libraries: memory, data, and the comparison of their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/drop_in/cub.hpp>

#include "contract/device_memory.hpp"

namespace test {

/// The two libraries whose calls are compared.
struct theirs {
  using reduce = ::cub::DeviceReduce;
  using transform = ::cub::DeviceTransform;
  using run_lengths = ::cub::DeviceRunLengthEncode;
  using segmented = ::cub::DeviceSegmentedReduce;
};
struct ours {
  using reduce = warpfold::drop_in::cub::DeviceReduce;
  using transform = warpfold::drop_in::cub::DeviceTransform;
  using run_lengths = warpfold::drop_in::cub::DeviceRunLengthEncode;
  using segmented = warpfold::drop_in::cub::DeviceSegmentedReduce;
};

/// Empty, within a warp, a block, several blocks, and beyond the smallest kernels.
inline constexpr std::size_t cub_sizes[] = {0, 1, 2, 31, 33, 1000, 4099, 65537, 1000003};
/// Offsets in elements: none, and two from alignment.
inline constexpr std::size_t cub_offsets[] = {0, 1, 3};

/// Elements of a program's own type.
struct pair_of_ints {
  int x, y;
  friend __host__ __device__ bool operator==(const pair_of_ints& a, const pair_of_ints& b) {
    return a.x == b.x && a.y == b.y;
  }
  friend __host__ __device__ pair_of_ints operator+(const pair_of_ints& a, const pair_of_ints& b) {
    return {a.x + b.x, a.y + b.y};
  }
};

/// Small whole numbers: their sums are exact in every type, and so the same in any order.
template <class T>
std::vector<T> small_numbers(std::size_t n, int most = 8) {
  std::vector<T> values;
  values.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<std::uint32_t>(i) * 2654435761u;
    const int x = static_cast<int>((bits >> 16) % static_cast<unsigned>(2 * most + 1)) - most;
    values.push_back(static_cast<T>(static_cast<float>(std::is_unsigned_v<T> ? x + most : x)));
  }
  return values;
}

/// Runs `call(storage, bytes)` as CUB's calls are run: the first without storage, which must
/// enqueue nothing.
template <class Call>
void two_phases(const Call& call) {
  std::size_t bytes = 0;
  REQUIRE(call(nullptr, bytes) == cudaSuccess);
  REQUIRE(bytes >= 1);
  const warpfold::device_buffer<unsigned char> storage(bytes);
  REQUIRE(call(const_cast<unsigned char*>(storage.data()), bytes) == cudaSuccess);
}

/// Three elements in memory of the GPU; a call writes the one in the middle.
template <class Out>
class guarded_slot {
 public:
  guarded_slot() : values_(3) {
    REQUIRE(cudaMemset(values_.data(), 0x5a, 3 * sizeof(Out)) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);  // streams of their own do not wait for it
  }
  Out* pointer() { return values_.data() + 1; }
  bool is_written() const { return !is_filled(1); }
  /// Waits for all work on the GPU.
  Out value() const {
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(is_filled(0));
    CHECK(is_filled(2));
    return device_memory::values(values_.data() + 1, 1)[0];
  }

 private:
  bool is_filled(std::size_t i) const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(values_.data() + i);
    for (const unsigned char b : device_memory::values(bytes, sizeof(Out))) {
      if (b != 0x5a) return false;
    }
    return true;
  }

  warpfold::device_buffer<Out> values_;
};

/// The result of `call(library, storage, bytes, out)`.
template <class Out, class Library, class Call>
Out result_of(const Library& library, const Call& call) {
  guarded_slot<Out> out;
  two_phases([&](void* storage, std::size_t& bytes) {
    const cudaError_t status = call(library, storage, bytes, out.pointer());
    if (storage == nullptr) CHECK_FALSE(out.is_written());
    return status;
  });
  return out.value();
}

/// Calls `body(data, n)` with pointers to arrays of each size at each offset.
template <class T, class Body>
void for_each_array(const std::vector<T>& values, const Body& body) {
  for (const std::size_t n : cub_sizes) {
    if (n > values.size()) continue;
    for (const std::size_t offset : cub_offsets) {
      INFO(n, " elements, ", offset, " elements from alignment");
      const std::vector<T> part(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n));
      const device_memory::array<T> placed(part, offset * sizeof(T));
      body(placed.data(), n);
    }
  }
}

/// Compares the results of both libraries, bit for bit, at every size and offset.
/// @param call takes the library, storage, bytes, the input, the output and the size
template <class Out, class T, class Call>
void compare_with_cub(const std::vector<T>& values, const Call& call) {
  for_each_array(values, [&](const T* data, std::size_t n) {
    const auto on = [&](const auto& library) {
      return result_of<Out>(library, [&](auto lib, void* storage, std::size_t& bytes, Out* out) {
        return call(lib, storage, bytes, data, out, n);
      });
    };
    const Out found = on(ours{}), expected = on(theirs{});
    CHECK(static_cast<double>(found) == static_cast<double>(expected));
  });
}

}  // namespace test
