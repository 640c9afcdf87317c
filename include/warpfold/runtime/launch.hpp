/// @file
/// needs: cuda
/// Launches kernels: one `__global__` function for every kernel of the library, and the launcher
/// that kernels enqueue with: a stream, scratch memory, and the properties of the GPU. NVRTC sees
/// only the `__global__` function.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/body.hpp>

#if !defined(__CUDACC_RTC__)
#include <warpfold/runtime/compiled_kernel.hpp>
#include <warpfold/runtime/current_device.hpp>
#include <warpfold/runtime/scratch.hpp>
#endif

namespace warpfold::runtime {

/// The number of blocks for which the registers of a multiprocessor must suffice: the second launch
/// bound. Without it, ptxas saves registers for two blocks of 1024 threads and serializes loads.
/// Compute capability 7.5 has 1024 threads per multiprocessor, 8.6 to 8.9 have 1536, and ptxas
/// spills for 8.0: below 9.0, bodies with more get the bound for 1024.
template <class Body>
inline constexpr int min_blocks_per_multiprocessor = 1;
template <class Body>
  requires requires { Body::min_blocks_per_multiprocessor; }
inline constexpr int min_blocks_per_multiprocessor<Body> =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    Body::min_blocks_per_multiprocessor * Body::max_block > 1024
        ? 1024 / Body::max_block
        :
#endif
        Body::min_blocks_per_multiprocessor;

/// Runs `body()` in every thread.
template <class Body>
__global__ void __launch_bounds__(Body::max_block, min_blocks_per_multiprocessor<Body>)
    run(const __grid_constant__ Body body) {
  kernel::name_user_functions(body);
  body();
}

#if !defined(__CUDACC_RTC__)

/// The kernel that runs `Body`.
template <class Body>
compiled_kernel& kernel_of() {
  static_assert(kernel::check_body<Body>());
  static compiled_kernel kernel(reinterpret_cast<const void*>(&run<Body>), [] {
    kernel_needs needs{.max_block = Body::max_block};
    if constexpr (requires { Body::min_architecture; }) {
      needs.min_architecture = Body::min_architecture;
    }
    if constexpr (requires { requires Body::waits_for_launch_before; }) {
      needs.may_start_early = true;
    }
    return needs;
  }());
  return kernel;
}

/// Enqueues `body` on `stream` and returns.
/// @param gpu the current GPU
/// @throws unsupported_kernel,cuda_error as compiled_kernel::launch
template <class Body>
void launch(const launched& what, const Body& body, cudaStream_t stream,
            const device_info& gpu = current_device_info()) {
  kernel_of<Body>().launch(gpu, what, &body, stream);
}

/// Launches on the current GPU. The emulation has a class with the same functions
/// (runtime/emulated_launcher.hpp). So has `plan::note_taker`, which only records launches.
class launcher {
 public:
  /// @param gpu the current GPU
  launcher(runtime::scratch& memory, cudaStream_t stream,
           const device_info& gpu = current_device_info())
      : scratch_(memory), stream_(stream), gpu_(gpu) {}

  const device_info& gpu() const { return gpu_; }

  /// The memory through which the blocks of one launch combine their states.
  collective::grid_storage grid() const { return scratch_.grid(); }

  /// Returns device memory for `count` values, valid until the call's last launch has ended. Call
  /// it once in `enqueue`.
  /// @throws out_of_memory if there is no memory
  template <class T>
  collective::global_array<T> scratch(std::size_t count) {
    return {static_cast<T*>(scratch_.partials(count * sizeof(T))), count};
  }

  /// Lets another kernel call `scratch`. It may get the same memory, because its launches follow
  /// all earlier ones.
  void start_next_kernel() const {}

  /// The number of blocks of `Body::max_block` threads that a multiprocessor holds at once.
  /// @throws cuda_error if the query fails
  template <class Body>
  unsigned resident_blocks_per_multiprocessor() const {
    return kernel_of<Body>().resident_blocks_per_multiprocessor(gpu_);
  }

  /// Enqueues one launch after the earlier ones.
  /// @throws unsupported_kernel,cuda_error as runtime::launch
  template <class Body>
  void launch(const char* kernel, const Body& body, const launch_shape& shape) {
    last_ = {kernel, shape};
    kernel_of<Body>().launch(gpu_, last_, &body, stream_);
    has_launched_ = true;
  }

  /// The last launch, for messages.
  const launched& last() const { return last_; }
  bool has_launched() const { return has_launched_; }

 private:
  runtime::scratch& scratch_;
  cudaStream_t stream_;
  const device_info& gpu_;
  launched last_;
  bool has_launched_ = false;
};

#endif

}  // namespace warpfold::runtime
