/// @file
/// The functions of NCCL that wf::nccl calls, for ranks that are threads and share one GPU, which
/// NCCL itself refuses. A program that includes it uses these instead of the library's.
#pragma once

#include <barrier>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include <nccl.h>

#include <cuda_runtime.h>

namespace test {

/// What the ranks of a group share.
struct nccl_group {
  struct sent_by {
    const void* data;
    cudaEvent_t is_ready, is_read;
  };

  int ranks;
  std::barrier<> all;
  std::vector<sent_by> of;

  explicit nccl_group(int n) : ranks(n), all(n), of(static_cast<std::size_t>(n)) {
    for (sent_by& s : of) {
      (void)cudaEventCreateWithFlags(&s.is_ready, cudaEventDisableTiming);
      (void)cudaEventCreateWithFlags(&s.is_read, cudaEventDisableTiming);
    }
  }
  ~nccl_group() {
    for (const sent_by& s : of) {
      (void)cudaEventDestroy(s.is_ready);
      (void)cudaEventDestroy(s.is_read);
    }
  }
  nccl_group(const nccl_group&) = delete;  // the ranks point to it
  nccl_group& operator=(const nccl_group&) = delete;
};

// Kernels that wait for each other on one GPU: a launch must not wait to load its own.
inline const bool loads_every_kernel_at_once = setenv("CUDA_MODULE_LOADING", "EAGER", 0) == 0;

}  // namespace test

struct ncclComm {
  test::nccl_group* group;
  int rank;
};

extern "C" {

inline ncclResult_t test_nccl_result(cudaError_t e) {
  return e == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  *count = comm->group->ranks;
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(const ncclComm_t, int* device) {
  return test_nccl_result(cudaGetDevice(device));
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* error) {
  *error = ncclSuccess;
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t) { return "a CUDA call failed"; }
// Of bytes only.
ncclResult_t ncclAllGather(const void* mine, void* all, std::size_t bytes, ncclDataType_t,
                           ncclComm_t comm, cudaStream_t stream) {
  test::nccl_group& group = *comm->group;
  auto& own = group.of[static_cast<std::size_t>(comm->rank)];
  own.data = mine;
  bool works = cudaEventRecord(own.is_ready, stream) == cudaSuccess;
  group.all.arrive_and_wait();
  auto* to = static_cast<unsigned char*>(all);
  for (const auto& other : group.of) {
    works = works && cudaStreamWaitEvent(stream, other.is_ready, 0) == cudaSuccess;
    works = works &&
            cudaMemcpyAsync(to, other.data, bytes, cudaMemcpyDeviceToDevice, stream) == cudaSuccess;
    to += bytes;
  }
  works = works && cudaEventRecord(own.is_read, stream) == cudaSuccess;
  group.all.arrive_and_wait();
  // What was sent stays until the others have read it.
  for (const auto& other : group.of) {
    works = works && cudaStreamWaitEvent(stream, other.is_read, 0) == cudaSuccess;
  }
  group.all.arrive_and_wait();
  return works ? ncclSuccess : ncclUnhandledCudaError;
}

}  // extern "C"
