/// @file
/// The ways to run a reduction that this program was built with.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "element.hpp"
#include "value.hpp"

namespace warpfold::program {

/// One policy of the library, for arrays of types known at run time.
struct engine {
  std::string_view name;  ///< as one writes it: wf::par
  bool is_baseline;

  /// Whether `fold` was compiled for this element and op (and for elements that are not
  /// contiguous).
  bool (*built_for)(const array&, op);

  /// Folds a piece into the total of the pieces before it, if there are any. Engines on a GPU take
  /// a whole array, in its memory.
  void (*fold)(const array& piece, op, std::optional<value>& total);

  /// The name of the kernel that a whole array of this length would run.
  std::string (*kernel)(const array& whole, op);

  /// The library's plan for a whole array, printed.
  std::string (*explain)(const array& whole, op);
};

/// The engine whose functions are the static members of `Functions`.
template <class Functions>
constexpr engine make_engine(std::string_view name, bool is_baseline) {
  return {name,
          is_baseline,
          Functions::built_for,
          Functions::fold,
          Functions::kernel,
          Functions::explain};
}

/// The policies on host threads; the first is the automatic choice.
std::span<const engine> host_engines();

/// The policies on the GPU, the automatic choice first; none in a build without CUDA.
std::span<const engine> device_engines();

/// Called with the bytes done, now and then.
using on_progress = std::function<void(std::size_t bytes)>;

/// A copy of an array in the GPU's memory. A field of a struct is packed on the way.
class device_copy {
 public:
  /// @throws warpfold::no_device, warpfold::out_of_memory, warpfold::cuda_error
  device_copy(const array& host, const on_progress& progress);
  ~device_copy();
  device_copy(device_copy&&) noexcept;
  device_copy& operator=(device_copy&&) = delete;

  const array& on_device() const { return array_; }

 private:
  struct memory;
  memory* memory_ = nullptr;
  array array_;
};

/// The GPU as `warpfold info` shows it.
struct gpu_info {
  bool usable = false;
  std::string name;        ///< or, if none is usable, why
  std::string built_with;  ///< CUDA's version, or why there is none
  std::string driver;      ///< the CUDA version it supports
  std::string capability;  ///< compute capability
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t free_bytes = 0;
};
gpu_info query_gpu();

/// What a sum of floating-point numbers is, nearly, and how large its terms are: by component,
/// computed in float64.
struct sum_estimate {
  double sum[3] = {};
  double magnitude[3] = {};
  int components = 0;
};
/// Adds a piece to the estimate; elements must be floating-point.
void add_to_estimate(const array& piece, sum_estimate& estimate);

}  // namespace warpfold::program
