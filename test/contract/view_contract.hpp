/// @file
/// The test suite for views: chunks hold the elements, and kernels that load in every possible way
/// read each element once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/single_pass.hpp>

#include "contract/policy_contract.hpp"

namespace test {

/// Lengths around chunks of up to 16 elements.
inline constexpr std::size_t chunk_lengths[] = {0, 1, 2, 3, 15, 16, 17, 31, 33, 100};

/// Values with arbitrary bytes; integers if arbitrary bytes could be a NaN.
template <class T>
std::vector<T> any_values(std::size_t n) {
  random_bits random;
  std::vector<T> values(n);
  if constexpr (std::is_floating_point_v<T>) {
    for (T& x : values) x = static_cast<T>(random());
  } else {
    auto* const bytes = reinterpret_cast<unsigned char*>(values.data());
    for (std::size_t i = 0; i < n * sizeof(T); ++i) {
      bytes[i] = static_cast<unsigned char>(random());
    }
  }
  return values;
}

/// Loads that count misaligned addresses, with which a GPU would end the kernel.
struct aligned_loads {
  std::size_t* misaligned;

  WARPFOLD_HD wf::word load_word(const void* from) const {
    return load(static_cast<const wf::word*>(from));
  }
  WARPFOLD_HD std::uint32_t load_part(const void* from) const {
    return load(static_cast<const std::uint32_t*>(from));
  }
  template <class T>
  WARPFOLD_HD T load(const T* from) const {
    *misaligned += reinterpret_cast<std::uintptr_t>(from) % alignof(T) != 0;
    wf::chunk<T, 1> copy;
    __builtin_memcpy(static_cast<void*>(&copy.elements[0]), static_cast<const void*>(from),
                     sizeof(T));
    return copy.elements[0];
  }
};

/// Loads `view` as a kernel does, and compares with `view[i]`. For views of host memory.
template <class View>
void check_chunks(const View& view) {
  static_assert(wf::view<View>);
  std::size_t misaligned = 0;
  const aligned_loads loads{&misaligned};
  const wf::partition p = wf::partition_of(view);
  const std::size_t size = View::chunk_size;
  REQUIRE(p.head + p.chunks * size + p.tail == view.size());
  CHECK((p.head < size || view.size() < size));
  CHECK(p.tail < size);
  std::size_t wrong = 0;
  typename View::chunk_type chunk;
  const auto compare = [&](std::size_t at) {
    for (std::size_t k = 0; k < size; ++k) {
      wrong += !(view.get(chunk, static_cast<int>(k)) == view[at + k]);
    }
  };
  for (std::size_t c = 0; c < p.chunks; ++c) {
    view.load(chunk, p.head + c * size, loads);
    compare(p.head + c * size);
  }
  for (std::size_t at = 0; at + size <= view.size(); ++at) {
    view.load_anywhere(chunk, at, loads);
    compare(at);
  }
  for (std::size_t at = 0; at < view.size(); ++at) wrong += !(view.at(at, loads) == view[at]);
  CHECK(wrong == 0);
  CHECK(misaligned == 0);
}

/// Checks that `view` gives `want` with kernels that load chunks, elements, and copies in shared
/// memory if the GPU supports them. `op` must be exact in any order.
template <class Policy, class View, class Op, class Result>
void check_kernels(const Policy& policy, const View& view, Op op, const Result& want) {
  const auto check = [&](const char* kernel, const auto& with_kernel) {
    INFO(kernel);
    try {
      const auto got = wf::reduce(with_kernel, view, op);
      INFO(show(got), ", not ", show(want));
      CHECK(same(got, want));
    } catch (const wf::unsupported_kernel& e) {
      MESSAGE(e.what());
    }
  };
  check("automatic", policy);
  check("sequential_addressing", policy.with_kernel(wf::kernel::sequential_addressing<128>{}));
  check("single_pass", policy.with_kernel(wf::kernel::single_pass<>{}));
  check("bulk_copy", policy.with_kernel(wf::kernel::bulk_copy{}));
}

}  // namespace test
