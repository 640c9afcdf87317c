/// @file
/// needs: cccl
/// A kernel as the host sees it: what it needs, what the driver says about it, and its launch.
/// Nothing here is a template, so that a program compiles it once for all its kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/launch_shape.hpp>
#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/cuda_check.hpp>
#include <warpfold/runtime/current_device.hpp>

namespace warpfold::runtime {

/// The members of a kernel's body that its launch needs (kernel/body.hpp).
struct kernel_needs {
  int max_block;                 ///< threads
  int min_architecture = 0;      ///< 90 for compute capability 9.0; 0 for any
  bool may_start_early = false;  ///< the body waits for the launch before by itself
};

/// One kernel of the program. Safe with many threads.
class compiled_kernel {
 public:
  /// @param entry the `__global__` function
  constexpr compiled_kernel(const void* entry, const kernel_needs& needs)
      : entry_(entry), needs_(needs) {}

  /// The attributes of the kernel's code for the current GPU.
  /// @throws no_device,cuda_error if there is no GPU, or the program has no code for it
  cudaFuncAttributes attributes() const {
    const relaxed_capture relaxed;  // CUDA may load the kernel
    cudaFuncAttributes a{};
    check(cudaFuncGetAttributes(&a, entry_), "cudaFuncGetAttributes", [&] {
      const char* name = "?";
      (void)cudaFuncGetName(&name, entry_);
      return message("for the kernel ", name);
    });
    return a;
  }

  /// The compute capability that the kernel's code for a GPU was compiled for; the GPU's may be
  /// higher. Later calls return what the first one read.
  /// @param gpu the current GPU, also below
  /// @throws as attributes()
  int architecture(const device_info& gpu) {
    unsigned char* const known = &architecture_[gpu.id];
    int read = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (read == 0) {
      read = attributes().ptxVersion;
      __atomic_store_n(known, static_cast<unsigned char>(read), __ATOMIC_RELAXED);
    }
    return read;
  }

  /// Refuses a kernel that was compiled for an older architecture than it needs. The driver would
  /// translate such PTX to code that runs, but does nothing where the kernel uses newer
  /// instructions.
  /// @throws unsupported_kernel if the kernel was compiled for an older architecture
  void check_architecture(const device_info& gpu, const char* kernel) {
    const int needed = needs_.min_architecture;
    if (needed == 0 || architecture(gpu) >= needed) return;
    const int compiled_for = architecture(gpu);
    throw_error<unsupported_kernel>(
        "warpfold: kernel ", kernel, " is compiled for compute capability ", compiled_for / 10, ".",
        compiled_for % 10, " in this program, but needs ", needed / 10, ".", needed % 10,
        "; compile for it (-arch=sm_90, or CMAKE_CUDA_ARCHITECTURES)");
  }

  /// The number of blocks of this shape that the GPU holds at once, queried from the driver.
  /// @throws no_device,cuda_error if there is no GPU, or the query fails
  unsigned resident_blocks(const device_info& gpu, const launch_shape& shape) const {
    int per_multiprocessor = 0;
    check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &per_multiprocessor, entry_, static_cast<int>(shape.block.count()), shape.shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return static_cast<unsigned>(per_multiprocessor * gpu.multiprocessors);
  }

  /// The number of blocks of `max_block` threads, without dynamic shared memory, that one
  /// multiprocessor holds at once; at least 1. Later calls return what the first one read.
  /// @throws no_device,cuda_error as resident_blocks
  unsigned resident_blocks_per_multiprocessor(const device_info& gpu) {
    unsigned char* const known = &resident_blocks_per_multiprocessor_[gpu.id];
    unsigned read = __atomic_load_n(known, __ATOMIC_RELAXED);
    if (read == 0) {
      const relaxed_capture relaxed;  // CUDA may load the kernel
      read = resident_blocks(gpu, {1, static_cast<unsigned>(needs_.max_block)}) /
             static_cast<unsigned>(gpu.multiprocessors);
      if (read == 0) read = 1;
      __atomic_store_n(known, static_cast<unsigned char>(read), __ATOMIC_RELAXED);
    }
    return read;
  }

  /// Allows launches to use all dynamic shared memory that the GPU gives a block: more than 48 KB,
  /// static and dynamic, needs this. Asks the driver once per GPU.
  void allow_dynamic_shared(const device_info& gpu) {
    const std::uint64_t bit = std::uint64_t{1} << gpu.id;
    if ((__atomic_load_n(&allowed_, __ATOMIC_ACQUIRE) & bit) != 0) return;
    const std::size_t most = gpu.shared_bytes_per_block - attributes().sharedSizeBytes;
    check(cudaFuncSetAttribute(entry_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(most)),
          "cudaFuncSetAttribute");
    __atomic_fetch_or(&allowed_, bit, __ATOMIC_RELEASE);
  }

  /// Enqueues the kernel on `stream` and returns.
  /// @param body the kernel's argument
  /// @throws unsupported_kernel if the kernel or the GPU does not support the shape
  /// @throws cuda_error with the kernel's name and shape; also if the launch reports the failure
  ///     of an earlier operation
  void launch(const device_info& gpu, const launched& what, const void* body, cudaStream_t stream) {
    const launch_shape& shape = what.shape;
    check_shape(what.kernel, needs_.max_block, shape);
    const int compiled_for = load(gpu);
    if (compiled_for < needs_.min_architecture) check_architecture(gpu, what.kernel);
    if (shape.shared_bytes != 0) allow_dynamic_shared(gpu);
    // Only code for such GPUs waits for the launch before (collective/launch_overlap.hpp).
    const bool overlaps =
        needs_.may_start_early && compiled_for >= 90 && gpu.compute_capability >= 90;
    const auto where = [&] { return message("the kernel was ", what.text()); };
    void* arguments[] = {const_cast<void*>(body)};
    const dim3 grid(shape.grid.x, shape.grid.y, shape.grid.z);
    const dim3 block(shape.block.x, shape.block.y, shape.block.z);
    if (shape.cluster == 1 && !overlaps) {
      check(cudaLaunchKernel(entry_, grid, block, arguments, shape.shared_bytes, stream),
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
    check(cudaLaunchKernelExC(&config, entry_, arguments), "cudaLaunchKernelExC", where);
  }

 private:
  /// Loads the kernel before its first launch on a GPU. CUDA loads kernels when a GPU first uses
  /// them, and a capture of this thread or of another one may forbid that. The launch reports a
  /// kernel that cannot be loaded.
  /// @return as architecture(); 0 if the kernel cannot be loaded
  int load(const device_info& gpu) noexcept {
    unsigned char* const known = &architecture_[gpu.id];
    if (const int read = __atomic_load_n(known, __ATOMIC_RELAXED); read != 0) return read;
    const relaxed_capture relaxed;
    cudaFuncAttributes a{};
    if (cudaFuncGetAttributes(&a, entry_) != cudaSuccess) {
      (void)cudaGetLastError();
      return 0;
    }
    __atomic_store_n(known, static_cast<unsigned char>(a.ptxVersion), __ATOMIC_RELAXED);
    return a.ptxVersion;
  }

  const void* entry_;
  kernel_needs needs_;
  // Used through builtins: <atomic> costs nvcc half a second.
  unsigned char architecture_[max_devices] = {};  // of the code for each GPU; 0: not loaded yet
  unsigned char resident_blocks_per_multiprocessor_[max_devices] = {};  // 0: not read yet
  std::uint64_t allowed_ = 0;  // a bit for each GPU; see allow_dynamic_shared()
};

static_assert(max_devices <= 64, "one bit for each GPU");

}  // namespace warpfold::runtime
