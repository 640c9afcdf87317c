/// @file
/// needs: cuda
/// The only place that launches: one `__global__` for every kernel of the library.
#pragma once

#include <cstddef>

#include <warpfold/runtime/cuda_check.hpp>
#include <warpfold/runtime/device_info.hpp>
#include <warpfold/runtime/device_side.hpp>

namespace warpfold::runtime {

/// How many blocks of how many threads.
struct launch_shape {
  unsigned grid = 0;
  unsigned block = 0;
};

/// Runs `body()` in every thread. One block a multiprocessor is all that is promised to the compiler:
/// with the second argument left out, ptxas saves registers for two blocks of 1024 and, to do so, starts
/// loads one after the other.
template <class Body>
__global__ void __launch_bounds__(Body::max_block, 1) run(const __grid_constant__ Body body) {
  if constexpr (requires { body.reduction.op; }) {
    if (body.reduction.view.size() == static_cast<std::size_t>(-1)) {
      name_user_functions(body.reduction, nullptr);
    }
  }
  body();
}

/// A launch as it stands in messages: "single_pass<<<1056, 256>>>".
struct launched {
  const char* kernel;
  launch_shape shape;

  message text() const { return message(kernel, "<<<", shape.grid, ", ", shape.block, ">>>"); }
};

/// How many blocks of `block` threads of this kernel the current GPU holds at once, asked of the driver.
/// @throws no_device, cuda_error
template <class Body>
unsigned resident_blocks(unsigned block) {
  int per_multiprocessor = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, run<Body>,
                                                      static_cast<int>(block), 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<unsigned>(per_multiprocessor * current_device_info().multiprocessors);
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
/// @throws unsupported_kernel  if the block is not a multiple of 32 up to `Body::max_block`
/// @throws cuda_error  with the kernel's name and shape, also for the failure of an earlier operation
///                     that the launch reports
template <class Body>
launched launch(const char* kernel, const Body& body, launch_shape shape, cudaStream_t stream) {
  if (shape.block == 0 || shape.block > Body::max_block || shape.block % 32 != 0) {
    throw unsupported_kernel("warpfold: kernel ", kernel, " was asked for blocks of ", shape.block,
                             " threads; it takes a multiple of 32, up to ", Body::max_block);
  }
  void* arguments[] = {const_cast<void*>(static_cast<const void*>(&body))};
  const launched what{kernel, shape};
  check(cudaLaunchKernel(reinterpret_cast<const void*>(&run<Body>), dim3(shape.grid),
                         dim3(shape.block), arguments, 0, stream),
        "cudaLaunchKernel", [&] { return message("the kernel was ", what.text()); });
  return what;
}

}  // namespace warpfold::runtime
