/// @file
/// needs: cuda
/// Launches kernels: one `__global__` function for every kernel of the library, and the launcher
/// that kernels enqueue with: a stream, scratch memory, and the properties of the GPU.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/body.hpp>
#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/cuda_check.hpp>
#include <warpfold/runtime/current_device.hpp>
#include <warpfold/runtime/scratch.hpp>

namespace warpfold::runtime {

/// Runs `body()` in every thread. The second launch bound promises the compiler one block per
/// multiprocessor. Without it, ptxas saves registers for two blocks of 1024 threads and serializes
/// loads.
template <class Body>
__global__ void __launch_bounds__(Body::max_block, 1) run(const __grid_constant__ Body body) {
  kernel::name_user_functions(body);
  body();
}

/// The number of blocks of this kernel and shape that the current GPU holds at once, queried from
/// the driver.
/// @throws no_device,cuda_error if there is no GPU, or the query fails
template <class Body>
unsigned resident_blocks(const launch_shape& shape) {
  int per_multiprocessor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, run<Body>,
                                                      static_cast<int>(shape.block.count()),
                                                      shape.shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<unsigned>(per_multiprocessor * current_device_info().multiprocessors);
}

/// The attributes of a compiled kernel.
template <class Body>
cudaFuncAttributes attributes_of() {
  cudaFuncAttributes a{};
  check(cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(&run<Body>)),
        "cudaFuncGetAttributes");
  return a;
}

/// The compute capability that a kernel was compiled for; the GPU's may be higher.
template <class Body>
int compiled_for() {
  static const int capability = attributes_of<Body>().ptxVersion;
  return capability;
}

/// Refuses a kernel that was compiled for an older architecture than it needs. The driver would
/// translate such PTX to code that runs, but does nothing where the kernel uses newer instructions.
/// @throws unsupported_kernel if the kernel was compiled for an older architecture
template <class Body>
void check_architecture(const char* kernel) {
  if constexpr (requires { Body::min_architecture; }) {
    const int compiled_for = runtime::compiled_for<Body>();
    if (compiled_for >= Body::min_architecture) return;
    throw unsupported_kernel(
        "warpfold: kernel ", kernel, " is compiled for compute capability ", compiled_for / 10, ".",
        compiled_for % 10, " in this program, but needs ", Body::min_architecture / 10, ".",
        Body::min_architecture % 10, "; compile for it (-arch=sm_90, or CMAKE_CUDA_ARCHITECTURES)");
  }
}

/// Allows launches of this kernel to use all dynamic shared memory that the current GPU gives a
/// block: more than 48 KB, static and dynamic, needs this. Called once per GPU.
template <class Body>
void allow_dynamic_shared() {
  static bool asked[max_devices];
  const device_info& gpu = current_device_info();
  bool* const here = &asked[gpu.id];
  if (__atomic_load_n(here, __ATOMIC_ACQUIRE)) return;
  const std::size_t most = gpu.shared_bytes_per_block - attributes_of<Body>().sharedSizeBytes;
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(&run<Body>),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)),
        "cudaFuncSetAttribute");
  __atomic_store_n(here, true, __ATOMIC_RELEASE);
}

/// Loads a kernel. CUDA loads kernels when they are first used, and a capture of this thread or of
/// another one may forbid that. Returns true; the launch reports a kernel that cannot be loaded.
template <class Body>
bool load_kernel() noexcept {
  const relaxed_capture relaxed;
  cudaFuncAttributes a{};
  if (cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(&run<Body>)) != cudaSuccess) {
    (void)cudaGetLastError();
  }
  return true;
}

/// Enqueues `body` on `stream` and returns.
/// @throws unsupported_kernel if the kernel or the GPU does not support the shape
/// @throws cuda_error with the kernel's name and shape; also if the launch reports the failure of
///     an earlier operation
template <class Body>
void launch(const launched& what, const Body& body, cudaStream_t stream) {
  kernel::check_body<Body>();
  const launch_shape& shape = what.shape;
  check_shape(what.kernel, Body::max_block, shape);
  [[maybe_unused]] static const bool is_loaded = load_kernel<Body>();
  check_architecture<Body>(what.kernel);
  const auto* const kernel = reinterpret_cast<const void*>(&run<Body>);
  const auto where = [&] { return message("the kernel was ", what.text()); };
  if (shape.shared_bytes != 0) allow_dynamic_shared<Body>();
  void* arguments[] = {const_cast<void*>(static_cast<const void*>(&body))};
  const dim3 grid(shape.grid.x, shape.grid.y, shape.grid.z);
  const dim3 block(shape.block.x, shape.block.y, shape.block.z);
  bool overlaps = false;
  if constexpr (requires { requires Body::waits_for_launch_before; }) {
    // Only code for such GPUs waits for the launch before (collective/launch_overlap.hpp).
    overlaps = compiled_for<Body>() >= 90 && current_device_info().compute_capability >= 90;
  }
  if (shape.cluster == 1 && !overlaps) {
    check(cudaLaunchKernel(kernel, grid, block, arguments, shape.shared_bytes, stream),
          "cudaLaunchKernel", where);
    return;
  }
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (shape.cluster != 1) {
    cudaLaunchAttribute& a = attributes[count++];
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = shape.cluster;
    a.val.clusterDim.y = 1;
    a.val.clusterDim.z = 1;
  }
  if (overlaps) {
    cudaLaunchAttribute& a = attributes[count++];
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  check(cudaLaunchKernelExC(&config, kernel, arguments), "cudaLaunchKernelExC", where);
}

/// Launches on the current GPU. The emulation has a class with the same functions
/// (runtime/emulated_launcher.hpp). So has `plan::note_taker`, which only records launches.
class launcher {
 public:
  /// @param memory for kernels that need scratch
  launcher(runtime::scratch& memory, cudaStream_t stream)
      : scratch_(&memory), stream_(stream), gpu_(current_device_info()) {}
  /// For kernels that need no scratch.
  explicit launcher(cudaStream_t stream) : stream_(stream), gpu_(current_device_info()) {}

  const device_info& gpu() const { return gpu_; }

  /// The memory through which the blocks of one launch combine their states.
  collective::grid_storage grid() const { return scratch_->grid(); }

  /// Returns device memory for `count` values, valid until the call's last launch has ended. Call
  /// it once in `enqueue`.
  /// @throws out_of_memory if there is no memory
  template <class T>
  collective::global_array<T> scratch(std::size_t count) {
    return {static_cast<T*>(scratch_->partials(count * sizeof(T))), count};
  }

  /// Enqueues one launch after the earlier ones.
  /// @throws unsupported_kernel,cuda_error as runtime::launch
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
  runtime::scratch* scratch_ = nullptr;
  cudaStream_t stream_;
  const device_info& gpu_;
  launched last_;
  bool has_launched_ = false;
};

}  // namespace warpfold::runtime
