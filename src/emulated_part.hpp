/// @file
/// Every kernel of the list in the emulation, on some elements: what the emulated_*.cpp files
/// share. Each compiles them for other elements, so that they can be compiled side by side.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include <warpfold/policy/emulated.hpp>

#include "coalescing.hpp"
#include "host_views.hpp"
#include "kernels.hpp"

namespace warpfold::program {

/// A sum of elements of one type.
using emulated_function = emulation::report (*)(const coalescing_options&);

extern const emulated_function emulated_int8;
extern const emulated_function emulated_int16;
extern const emulated_function emulated_int32;
extern const emulated_function emulated_int64;
extern const emulated_function emulated_float32;
extern const emulated_function emulated_float64;
extern const emulated_function emulated_float3;

/// Every third element of an array: a field of structs of three. Its loads go through a reference,
/// so that the emulation sees them.
template <class T>
class field_view : public element_loads<field_view<T>, T> {
 public:
  field_view(const T* data, std::size_t size) : data_(data), size_(size) {}

  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return data_[3 * i]; }

  template <class F>
  void visit_memory(F&& f) const {
    if (size_ != 0) f(static_cast<const void*>(data_), (3 * size_ - 2) * sizeof(T), alignof(T));
  }

 private:
  const T* data_;
  std::size_t size_;
};

/// Elements at an address as aligned as cudaMalloc's; a few are 1, so that their sum is exact in
/// any type.
template <class T>
class aligned_elements {
 public:
  explicit aligned_elements(std::size_t count) : memory_(count * sizeof(T) + alignment) {
    void* at = memory_.data();
    std::size_t space = memory_.size();
    data_ = static_cast<T*>(std::align(alignment, count * sizeof(T), at, space));
    for (std::size_t i = 0; i < count; ++i) {
      const auto x = static_cast<signed char>(i % 257 == 0 ? 1 : 0);
      if constexpr (std::is_same_v<T, vec3>) {
        data_[i] = {static_cast<float>(x), 0, static_cast<float>(-x)};
      } else {
        data_[i] = static_cast<T>(x);
      }
    }
  }
  const T* data() const { return data_; }

 private:
  static constexpr std::size_t alignment = 256;

  std::vector<std::byte> memory_;
  T* data_;
};

/// The product of a pair.
struct product_of_pair {
  template <class T>
  auto operator()(const tuple<T, T>& pair) const {
    const auto& [a, b] = pair;
    if constexpr (std::is_same_v<T, vec3>) {
      return vec3{a.x * b.x, a.y * b.y, a.z * b.z};
    } else {
      return static_cast<T>(a * b);
    }
  }
};

/// Runs the kernel that is asked for.
template <element E, class View>
emulation::report sum_emulated(const coalescing_options& options, const View& view) {
  const auto op = host_op<E>(plus{});
  emulation::report report;
  const auto run = [&]<class Kernel>(const listed<Kernel>& one) {
    if constexpr (kernel::is_emulated_v<Kernel>) {
      if (one.name != options.kernel) return;
      const auto policy = emulated.counting().with_kernel(one.kernel);
      if (!(reduce(policy, view, op) == reduce(seq, view, op))) {
        throw std::runtime_error(options.kernel +
                                 " gives another sum than wf::seq in the emulation");
      }
      report = policy.report();
    }
  };
  std::apply([&](const auto&... one) { (run(one), ...); }, kernels);
  return report;
}

template <element E>
emulation::report run_emulated_on(const coalescing_options& options) {
  using T = typename host_type<E>::type;
  const std::size_t n = options.count;
  switch (options.view) {
    case layout::misaligned: {
      const aligned_elements<T> all(n + 1);
      return sum_emulated<E>(options, contiguous_view<T>(all.data() + 1, n));
    }
    case layout::strided: {
      const aligned_elements<T> all(3 * n);
      return sum_emulated<E>(options, field_view<T>(all.data(), n));
    }
    case layout::zip: {
      const aligned_elements<T> a(n), b(n);
      return sum_emulated<E>(
          options, project(zip(contiguous_view<T>(a.data(), n), contiguous_view<T>(b.data(), n)),
                           product_of_pair{}));
    }
    default: {
      const aligned_elements<T> all(n);
      return sum_emulated<E>(options, contiguous_view<T>(all.data(), n));
    }
  }
}

}  // namespace warpfold::program
