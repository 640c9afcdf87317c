/// @file
/// `warpfold ladder`: every kernel of the library on the GPU, checked, timed and beside its
/// source's figures. Above, what the command is; below, what the GPU's side (ladder.cu) does for
/// it.
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

/// What `warpfold ladder` is asked for.
struct ladder_options {
  element type = element::int32;
  op what = op::plus;
  std::vector<std::size_t> sizes;    ///< in elements; none: the source's, 2^22
  std::vector<std::string> kernels;  ///< by name; none: all
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

/// A line of the table.
struct rung {
  std::string_view name;
  source_figures source;
};

/// The kernels in their order, CUB last; none in a build without CUDA.
std::span<const rung> ladder_rungs();

/// Whether it was compiled for this element and op.
bool ladder_built_for(element e, op o);

/// A rung's reduction of one array: what it gave, and how to have it again.
struct rung_call {
  value result{};
  launch_extent grid;   ///< of the first launch
  launch_extent block;  ///< likewise
  int launches = 0;     ///< 0 where it is not known: CUB's
  std::function<void()> enqueue;
};

/// The GPU, with what timing needs.
class ladder_gpu {
 public:
  /// @throws warpfold::no_device, warpfold::out_of_memory, warpfold::cuda_error
  ladder_gpu();
  ~ladder_gpu();
  ladder_gpu(const ladder_gpu&) = delete;             // it owns a stream
  ladder_gpu& operator=(const ladder_gpu&) = delete;  // likewise

  /// Bytes a second of plain 16-byte loads: the best of a few launch shapes, over
  /// `ceiling_bytes()`.
  double read_ceiling();
  std::size_t ceiling_bytes() const;

  /// Reduces once.
  /// @param rung  its place in `ladder_rungs()`
  /// @throws unsupported_kernel  if the kernel cannot do it
  rung_call reduce(std::size_t rung, const array& on_device, op o);

  /// Seconds that one call takes when none of its data is in the L2 cache.
  double cold_seconds(const rung_call& call);

 private:
  struct state;
  state* state_;
};

}  // namespace warpfold::program
