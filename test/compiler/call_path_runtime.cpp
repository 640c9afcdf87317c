// A CUDA runtime without a GPU, for call_path.cu. It knows one H100 and launches nothing: a launch
// prints the addresses of the functions that were entered, and throws.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime_api.h>

namespace {

bool is_recording = false;
int depth = 0;

int launched() {
  is_recording = false;
  throw 1;
}

}  // namespace

// The compiler calls these when a function is entered and left (-finstrument-functions).
extern "C" void __cyg_profile_func_enter(void* function, void*) {
  if (is_recording) std::printf("%d %p\n", depth, function);
  ++depth;
}
extern "C" void __cyg_profile_func_exit(void*, void*) { --depth; }

void record(bool on) { is_recording = on; }

float* memory() {
  static void* const p = std::aligned_alloc(512, std::size_t{4} << 20);
  return static_cast<float*>(p);
}

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) {
  return static_cast<cudaError_t>(launched());
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) {
  return static_cast<cudaError_t>(launched());
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* id) {
  *id = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = 9;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = 132;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 2048;
      break;
    case cudaDevAttrL2CacheSize:
      *value = 50 << 20;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = 227 << 10;
      break;
    default:
      *value = 0;
  }
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** p, std::size_t bytes) {
  *p = std::calloc(bytes, 1);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** p, std::size_t bytes, unsigned) { return cudaMalloc(p, bytes); }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* a, const void*) {
  *a = {};
  a->ptxVersion = 90;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int,
                                                          std::size_t) {
  *blocks = 2;
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* a, const void* p) {
  *a = {};
  a->type = cudaMemoryTypeDevice;
  a->devicePointer = const_cast<void*>(p);
  return cudaSuccess;
}
