/// @file
/// needs: cuda
/// The only place that launches: one `__global__` for every kernel of the library.
#pragma once

#include <cstddef>

#include <warpfold/collective/memory_order.hpp>
#include <warpfold/runtime/cuda_check.hpp>
#include <warpfold/runtime/device_info.hpp>

namespace warpfold::runtime {

/// The most warps of a block.
inline constexpr int max_warps = 32;

/// How many blocks of how many threads.
struct launch_shape {
  unsigned grid = 0;
  unsigned block = 0;
};

/// Where a kernel leaves its result: in `*out`, and, if `flag` is set, with word to a waiting host.
template <class Out>
struct result_sink {
  Out* out;
  unsigned* flag;   ///< in pinned memory, or null
  unsigned signal;  ///< what to write there

  template <class Result>
  WARPFOLD_DEVICE void deliver(const Result& result) const {
    *out = static_cast<Out>(result);
    if (flag != nullptr) collective::signal_host(flag, signal);
  }
};

/// Runs `body()` in every thread. One block a multiprocessor is all that is promised to the compiler:
/// with the second argument left out, ptxas saves registers for two blocks of 1024 and, to do so, starts
/// loads one after the other.
template <class Body>
__global__ void __launch_bounds__(Body::max_block, 1) run(const __grid_constant__ Body body) {
  body();
}

/// A launch as it stands in messages: "single_pass<<<1056, 256>>>".
struct launched {
  const char* kernel;
  launch_shape shape;

  message text() const { return message(kernel, "<<<", shape.grid, ", ", shape.block, ">>>"); }
};

/// How many blocks of `block` threads of this kernel the current GPU holds at once. Asked of the
/// driver once a kernel, device and block size.
/// @throws no_device, cuda_error
template <class Body>
unsigned resident_blocks(unsigned block) {
  static unsigned known[max_devices][max_warps];
  const device_info& device = current_device_info();
  unsigned& entry = known[device.id][(block - 1) / 32];
  unsigned blocks = __atomic_load_n(&entry, __ATOMIC_RELAXED);
  if (blocks == 0) {
    int per_multiprocessor = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, run<Body>,
                                                        static_cast<int>(block), 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    blocks = static_cast<unsigned>(per_multiprocessor * device.multiprocessors);
    __atomic_store_n(&entry, blocks, __ATOMIC_RELAXED);
  }
  return blocks;
}

/// What the compiler made of a kernel, and what the device allows it.
template <class Body>
cudaFuncAttributes attributes_of() {
  cudaFuncAttributes a{};
  check(cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(&run<Body>)),
        "cudaFuncGetAttributes");
  return a;
}

/// Enqueues `body` on `stream` and returns.
/// @throws cuda_error  with the kernel's name and shape, also for the failure of an earlier operation
///                     that the launch reports
template <class Body>
launched launch(const char* kernel, const Body& body, launch_shape shape, cudaStream_t stream) {
  void* arguments[] = {const_cast<void*>(static_cast<const void*>(&body))};
  const launched what{kernel, shape};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(&run<Body>), dim3(shape.grid),
                         dim3(shape.block), arguments, 0, stream),
        "cudaLaunchKernel", [&] { return message("the kernel was ", what.text()); });
  return what;
}

}  // namespace warpfold::runtime
