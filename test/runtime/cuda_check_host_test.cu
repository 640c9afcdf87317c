// CUDA's status codes become the library's exceptions, with a text that says what to do.
#include <warpfold/runtime/cuda_check.hpp>

#include <doctest/doctest.h>

#include <string>

namespace wf = warpfold;

namespace {

template <class E>
std::string text_of(cudaError_t status) {
  try {
    wf::runtime::check(status, "cudaSomething");
  } catch (const E& e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("success returns, and builds no message") {
  bool asked = false;
  wf::runtime::check(cudaSuccess, "cudaSomething");
  wf::runtime::check(cudaSuccess, "cudaSomething", [&] {
    asked = true;
    return "for nothing";
  });
  CHECK_FALSE(asked);
}

TEST_CASE("memory that is exhausted is out_of_memory") {
  const std::string text = text_of<wf::out_of_memory>(cudaErrorMemoryAllocation);
  CHECK(contains(text, "warpfold: cudaSomething failed: cudaErrorMemoryAllocation ("));
  CHECK(contains(text, "Free device memory, or pass memory with policy.with(...)"));
}

TEST_CASE("no GPU and no driver are no_device, which says what was looked for") {
  for (const cudaError_t status :
       {cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorSystemNotReady,
        cudaErrorSystemDriverMismatch, cudaErrorCompatNotSupportedOnDevice, cudaErrorStubLibrary}) {
    const std::string text = text_of<wf::no_device>(status);
    INFO(text);
    CHECK(contains(text, cudaGetErrorName(status)));
    CHECK(contains(text, ". Looked for an NVIDIA GPU with a driver for CUDA "));
    CHECK(contains(text, " or later; the driver "));
    CHECK(contains(text, "Use wf::par or wf::seq"));
  }
}

TEST_CASE("a program without code for the GPU is no_device with another remedy") {
  const std::string text = text_of<wf::no_device>(cudaErrorNoKernelImageForDevice);
  CHECK(contains(text, "CMAKE_CUDA_ARCHITECTURES"));
  CHECK_FALSE(contains(text, "Looked for"));
}

TEST_CASE("every other status is a cuda_error with its code") {
  try {
    wf::runtime::check(cudaErrorIllegalAddress, "cudaSomething",
                       [] { return wf::message("the kernel was ", 7); });
    FAIL_CHECK("nothing was thrown");
  } catch (const wf::cuda_error& e) {
    CHECK(e.code() == cudaErrorIllegalAddress);
    CHECK(contains(e.what(), "cudaSomething failed: cudaErrorIllegalAddress ("));
    CHECK(contains(e.what(), "); the kernel was 7"));
  }
}
