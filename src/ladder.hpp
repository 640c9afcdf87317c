/// @file
/// `warpfold ladder`: checks and times every kernel of the library on the GPU, beside the figures
/// of its source. First the command's options; then the functions of ladder.cu.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <warpfold/core/launch_shape.hpp>

#include "engine.hpp"
#include "source_figures.hpp"

namespace warpfold::program {

/// The options of `warpfold ladder`.
struct ladder_options {
  element type = element::int32;
  op what = op::plus;
  std::vector<std::size_t> sizes;    ///< in elements; empty: 2^22, the size of the sources
  std::vector<std::string> kernels;  ///< by name; empty: all
  std::string json;                  ///< files to write, or empty
  std::string markdown;
};

/// @return the exit code
/// @throws no_device, std::runtime_error
int run_ladder(const ladder_options& options);

/// The elements and ops that the ladder is built for.
inline constexpr std::array ladder_types{element::int32, element::float32, element::float64,
                                         element::uint8};
inline constexpr std::array ladder_ops{op::plus, op::minimum, op::maximum};

/// One line of the table.
struct rung {
  std::string_view name;
  source_figures source;
};

/// The kernels in order, CUB last; empty in a build without CUDA.
std::span<const rung> ladder_rungs();

/// Whether the ladder was compiled for this element and op.
bool ladder_built_for(element e, op o);

/// One reduction of an array by one kernel: its result, and a function that repeats it.
struct rung_call {
  value result{};
  launch_extent grid;   ///< of the first launch
  launch_extent block;  ///< likewise
  int launches = 0;     ///< 0 if unknown (CUB)
  std::function<void()> enqueue;
};

/// The GPU, with the stream and events that time calls.
class ladder_gpu {
 public:
  /// @throws warpfold::no_device, warpfold::out_of_memory, warpfold::cuda_error
  ladder_gpu();
  ~ladder_gpu();
  ladder_gpu(const ladder_gpu&) = delete;             // it owns a stream
  ladder_gpu& operator=(const ladder_gpu&) = delete;  // likewise

  /// The bandwidth of plain 16-byte loads in bytes per second: the best of several launch shapes,
  /// on `ceiling_bytes()` bytes.
  double read_ceiling();
  std::size_t ceiling_bytes() const;

  /// Reduces once.
  /// @param rung  an index of `ladder_rungs()`
  /// @throws unsupported_kernel  if the kernel does not support the GPU or the range
  rung_call reduce(std::size_t rung, const array& on_device, op o);

  /// The seconds of one call with a cold L2 cache.
  double cold_seconds(const rung_call& call);

 private:
  struct state;
  state* state_;
};

}  // namespace warpfold::program
