// Launches against a CUDA runtime of this file's own, which records the calls: what the driver is
// asked for each launch, and how often.
// needs: cccl
#include <warpfold/runtime/compiled_kernel.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace wf = warpfold;

namespace {

// The driver that the test imagines, and what it was asked.
struct driver {
  int capability = 90;     // of the GPU
  int compiled_for = 90;   // of the kernel
  int device = 0;          // the current one
  bool has_kernel = true;  // the program has code for the GPU
  bool fails_launches = false;
  std::vector<std::string> calls;
};
driver now;

cudaError_t record(const std::string& call, bool works = true) {
  now.calls.push_back(call);
  return works ? cudaSuccess : cudaErrorNoKernelImageForDevice;
}

struct relaxed_mode {
  bool on = false;
} relaxed;

}  // namespace

extern "C" {
cudaError_t CUDARTAPI cudaGetDevice(int* id) {
  *id = now.device;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  *count = 2;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* to, cudaDeviceAttr what, int) {
  *to = what == cudaDevAttrMultiProcessorCount            ? 100
        : what == cudaDevAttrComputeCapabilityMajor       ? now.capability / 10
        : what == cudaDevAttrComputeCapabilityMinor       ? now.capability % 10
        : what == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 200'000
                                                          : 0;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes* to, const void*) {
  to->ptxVersion = now.compiled_for;
  to->sharedSizeBytes = 1'000;
  return record(relaxed.on ? "attributes, relaxed" : "attributes", now.has_kernel);
}
cudaError_t CUDARTAPI cudaFuncGetName(const char** name, const void*) {
  *name = "the_tested_kernel";
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaFuncSetAttribute(const void*, cudaFuncAttribute, int bytes) {
  return record("allow " + std::to_string(bytes));
}
cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* to, const void*, int block,
                                                                    size_t shared) {
  *to = shared == 0 ? 2048 / block : 1;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaLaunchKernel(const void* entry, dim3 grid, dim3 block, void** arguments,
                                       size_t shared, cudaStream_t) {
  CHECK(entry == &now);
  return record("launch " + std::to_string(grid.x) + " " + std::to_string(block.x) + " " +
                    std::to_string(shared) + " of " +
                    std::to_string(*static_cast<const int*>(arguments[0])),
                !now.fails_launches);
}
cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* entry,
                                          void** arguments) {
  CHECK(entry == &now);
  std::string call = "launch " + std::to_string(config->gridDim.x) + " " +
                     std::to_string(config->blockDim.x) + " " +
                     std::to_string(config->dynamicSmemBytes) + " of " +
                     std::to_string(*static_cast<const int*>(arguments[0]));
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& a = config->attrs[i];
    if (a.id == cudaLaunchAttributeClusterDimension) {
      call += ", clusters of " + std::to_string(a.val.clusterDim.x);
    }
    if (a.id == cudaLaunchAttributeProgrammaticStreamSerialization &&
        a.val.programmaticStreamSerializationAllowed == 1) {
      call += ", early";
    }
  }
  return record(call, !now.fails_launches);
}
cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  const bool was = relaxed.on;
  relaxed.on = *mode == cudaStreamCaptureModeRelaxed;
  *mode = was ? cudaStreamCaptureModeRelaxed : cudaStreamCaptureModeGlobal;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetLastError() { return record("clear the error"); }
const char* CUDARTAPI cudaGetErrorName(cudaError_t) { return "the name"; }
const char* CUDARTAPI cudaGetErrorString(cudaError_t) { return "the text"; }
cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
}

namespace {

using strings = std::vector<std::string>;

strings take_calls() { return std::exchange(now.calls, {}); }

wf::runtime::compiled_kernel kernel_with(const wf::runtime::kernel_needs& needs) {
  return wf::runtime::compiled_kernel(&now, needs);
}

const wf::device_info& gpu() { return wf::runtime::current_device_info(); }

const int body = 17;

}  // namespace

TEST_CASE("the first launch loads the kernel in relaxed capture mode, later ones only launch") {
  now = {};
  auto kernel = kernel_with({.max_block = 256});
  kernel.launch(gpu(), {"k", {.grid = 5, .block = 64}}, &body, nullptr);
  CHECK(take_calls() == strings{"attributes, relaxed", "launch 5 64 0 of 17"});
  CHECK_FALSE(relaxed.on);
  kernel.launch(gpu(), {"k", {.grid = 6, .block = 256}}, &body, nullptr);
  CHECK(kernel.architecture(gpu()) == 90);
  CHECK(take_calls() == strings{"launch 6 256 0 of 17"});
}

TEST_CASE("each GPU loads the kernel, and may have code of another architecture") {
  now = {};
  auto kernel = kernel_with({.max_block = 256, .min_architecture = 90});
  kernel.launch(gpu(), {"k", {.grid = 1, .block = 32}}, &body, nullptr);
  CHECK(take_calls() == strings{"attributes, relaxed", "launch 1 32 0 of 17"});
  now.device = 1;
  now.compiled_for = 120;
  kernel.launch(gpu(), {"k", {.grid = 1, .block = 32}}, &body, nullptr);
  CHECK(take_calls() == strings{"attributes, relaxed", "launch 1 32 0 of 17"});
  CHECK(kernel.architecture(gpu()) == 120);
  now.device = 0;
  CHECK(kernel.architecture(gpu()) == 90);
  CHECK(take_calls().empty());
}

TEST_CASE("a shape that the kernel does not take is refused before any CUDA call") {
  now = {};
  auto kernel = kernel_with({.max_block = 128});
  CHECK_THROWS_WITH_AS(kernel.launch(gpu(), {"k", {.grid = 1, .block = 160}}, &body, nullptr),
                       doctest::Contains("up to 128"), wf::unsupported_kernel);
  CHECK(take_calls().empty());
}

TEST_CASE("dynamic shared memory is allowed once per GPU, less what the kernel has itself") {
  now = {};
  auto kernel = kernel_with({.max_block = 256});
  const wf::launched what{"k", {.grid = 1, .block = 32, .shared_bytes = 60'000}};
  kernel.launch(gpu(), what, &body, nullptr);
  CHECK(take_calls() == strings{"attributes, relaxed", "attributes, relaxed", "allow 199000",
                                "launch 1 32 60000 of 17"});
  kernel.launch(gpu(), what, &body, nullptr);
  CHECK(take_calls() == strings{"launch 1 32 60000 of 17"});
  now.device = 1;
  kernel.launch(gpu(), what, &body, nullptr);
  CHECK(take_calls() == strings{"attributes, relaxed", "attributes, relaxed", "allow 199000",
                                "launch 1 32 60000 of 17"});
}

TEST_CASE("clusters and early starts are attributes of the launch") {
  now = {};
  auto plain = kernel_with({.max_block = 256});
  plain.launch(gpu(), {"k", {.grid = 8, .block = 32, .cluster = 4}}, &body, nullptr);
  CHECK(take_calls().back() == "launch 8 32 0 of 17, clusters of 4");
  auto early = kernel_with({.max_block = 256, .may_start_early = true});
  early.launch(gpu(), {"k", {.grid = 8, .block = 32}}, &body, nullptr);
  CHECK(take_calls().back() == "launch 8 32 0 of 17, early");
  early.launch(gpu(), {"k", {.grid = 8, .block = 32, .shared_bytes = 64, .cluster = 2}}, &body,
               nullptr);
  CHECK(take_calls().back() == "launch 8 32 64 of 17, clusters of 2, early");
  now.compiled_for = 80;  // such code does not wait for the launch before
  auto old = kernel_with({.max_block = 256, .may_start_early = true});
  old.launch(gpu(), {"k", {.grid = 8, .block = 32}}, &body, nullptr);
  CHECK(take_calls().back() == "launch 8 32 0 of 17");
}

TEST_CASE("code for an older architecture than the kernel needs is refused") {
  now = {};
  now.compiled_for = 80;
  auto kernel = kernel_with({.max_block = 256, .min_architecture = 90});
  CHECK_THROWS_WITH_AS(kernel.launch(gpu(), {"k", {.grid = 1, .block = 32}}, &body, nullptr),
                       doctest::Contains("is compiled for compute capability 8.0 in this program, "
                                         "but needs 9.0"),
                       wf::unsupported_kernel);
  CHECK(take_calls() == strings{"attributes, relaxed"});
}

TEST_CASE("attributes that the driver does not know name the kernel") {
  now = {};
  now.has_kernel = false;
  auto kernel = kernel_with({.max_block = 256});
  CHECK_THROWS_WITH_AS((void)kernel.attributes(), doctest::Contains("the_tested_kernel"),
                       wf::error);
}

TEST_CASE("a kernel that cannot be loaded is reported by its launch, with its shape") {
  now = {};
  now.has_kernel = false;
  now.fails_launches = true;
  auto kernel = kernel_with({.max_block = 256});
  const wf::launched what{"k", {.grid = 5, .block = 128}};
  CHECK_THROWS_WITH_AS(kernel.launch(gpu(), what, &body, nullptr),
                       doctest::Contains("the kernel was k<<<5, 128>>>"), wf::no_device);
  CHECK(take_calls() == strings{"attributes, relaxed", "clear the error", "launch 5 128 0 of 17",
                                "clear the error"});
  now.has_kernel = true;  // the next launch tries again
  now.fails_launches = false;
  kernel.launch(gpu(), what, &body, nullptr);
  CHECK(take_calls() == strings{"attributes, relaxed", "launch 5 128 0 of 17"});
}

TEST_CASE("resident blocks are those of all multiprocessors") {
  now = {};
  const auto kernel = kernel_with({.max_block = 1024});
  CHECK(kernel.resident_blocks(gpu(), {.grid = 1, .block = 512}) == 400);
  CHECK(kernel.resident_blocks(gpu(), {.grid = 1, .block = 512, .shared_bytes = 100'000}) == 100);
}
