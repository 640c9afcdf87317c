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
  std::string_view name;  ///< as in source code: wf::par
  bool is_baseline;

  /// Whether `fold` was compiled for this element, op and stride.
  bool (*built_for)(const array&, op);

  /// Folds a piece into the total of the previous pieces. Engines on a GPU take a whole array, in
  /// the GPU's memory.
  void (*fold)(const array& piece, op, std::optional<value>& total);

  /// The name of the kernel that a whole array of this length would run.
  std::string (*kernel)(const array& whole, op);

  /// The library's plan for a whole array, as text.
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

/// An engine of two: one for folds, and one for the ops that take whole arrays.
template <const engine& Folds, const engine& WholeArrays>
struct engine_of_both {
  static const engine& part(op o) { return takes_whole_arrays(o) ? WholeArrays : Folds; }
  static bool built_for(const array& a, op o) { return part(o).built_for(a, o); }
  static void fold(const array& piece, op o, std::optional<value>& total) {
    part(o).fold(piece, o, total);
  }
  static std::string kernel(const array& whole, op o) { return part(o).kernel(whole, o); }
  static std::string explain(const array& whole, op o) { return part(o).explain(whole, o); }
};

/// The policies on host threads; the first is the automatic choice.
std::span<const engine> host_engines();

/// The policies on the GPU, the automatic choice first; empty in a build without CUDA.
std::span<const engine> device_engines();

/// Receives the number of bytes done, at intervals.
using on_progress = std::function<void(std::size_t bytes)>;

/// A copy of an array in the GPU's memory. The copy of a field of a struct is packed.
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
  std::string name;        ///< or why no GPU is usable
  std::string built_with;  ///< the CUDA version; empty in a build without CUDA
  std::string driver;      ///< the CUDA version it supports
  std::string capability;  ///< compute capability
  int multiprocessors = 0;
  std::size_t memory_bytes = 0;
  std::size_t free_bytes = 0;
};
gpu_info query_gpu();

/// An estimate, in float64, of a floating-point sum and of the magnitude of its terms, by
/// component.
struct sum_estimate {
  double sum[3] = {};
  double magnitude[3] = {};
  int components = 0;
};
/// Adds a piece to the estimate; elements must be floating-point.
void add_to_estimate(const array& piece, sum_estimate& estimate);

}  // namespace warpfold::program
