/// @file
/// needs: cuda
/// What a kernel's `enqueue` launches with: a stream, scratch, and what is known of the GPU.
#pragma once

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/runtime/launch.hpp>

namespace warpfold::runtime {

/// Launches on the current GPU. The emulation has one with the same functions (runtime/emulated_launcher.hpp), and
/// so has a `plan`, which only takes notes.
/// @tparam Scratch  has `grid()`, and `partials(bytes)`, which returns device memory
template <class Scratch>
class launcher {
 public:
  launcher(Scratch& scratch, cudaStream_t stream)
      : scratch_(scratch), stream_(stream), gpu_(current_device_info()) {}

  const device_info& gpu() const { return gpu_; }

  /// Where the blocks of one launch meet.
  collective::grid_storage grid() const { return scratch_.grid(); }

  /// Device memory for `count` values that live until the call's last launch is done. One call of `enqueue`
  /// asks for it once.
  /// @throws out_of_memory
  template <class T>
  collective::global_array<T> scratch(std::size_t count) {
    return {static_cast<T*>(scratch_.partials(count * sizeof(T))), count};
  }

  /// Enqueues one launch, after those before it.
  /// @throws unsupported_kernel, cuda_error
  template <class Body>
  void launch(const char* kernel, const Body& body, const launch_shape& shape) {
    last_ = {kernel, shape};
    runtime::launch(last_, body, stream_);
    has_launched_ = true;
  }

  /// The last launch, for messages.
  const launched& last() const { return last_; }
  bool has_launched() const { return has_launched_; }

 private:
  Scratch& scratch_;
  cudaStream_t stream_;
  const device_info& gpu_;
  launched last_;
  bool has_launched_ = false;
};

}  // namespace warpfold::runtime
