/// @file
/// needs: cuda
/// The rows of states that several GPUs of one process fold, for policy/sharded_groups.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include <warpfold/policy/device.hpp>
#include <warpfold/runtime/mailbox_set.hpp>
#include <warpfold/runtime/resource_block.hpp>

namespace warpfold::detail {

/// Each GPU folds on its stream, and copies its row to the GPU that writes the results. That GPU's
/// stream waits for the copies; the host does not wait.
class gpu_rows {
 public:
  gpu_rows(const runtime::gpu_list& gpus, int writer) : gpus_(gpus), writer_(writer) {}

  int size() const { return gpus_.count; }

  template <class Write>
  void write(const Write& write) const {
    const runtime::device_guard on(gpus_.ids[writer_]);
    write(device.on(gpus_.streams[writer_]));
  }

  template <class State, class Fold, class Write>
  void combine(const std::vector<int>& ranks, std::size_t results, const Fold& fold,
               const Write& write) const {
    const runtime::resource_ref no_resource;
    const std::size_t bytes = results * sizeof(State);
    const runtime::device_guard on_writer(gpus_.ids[writer_]);
    const runtime::resource_block rows(no_resource, bytes * ranks.size(), gpus_.streams[writer_]);
    auto* row = static_cast<State*>(rows.data());
    for (const int rank : ranks) {
      const bool is_here = gpus_.ids[rank] == gpus_.ids[writer_];
      (void)runtime::enable_peer_access(gpus_.ids[rank], gpus_.ids[writer_]);
      wait_for(writer_, rank);  // the rows are allocated in stream order
      const runtime::device_guard on(gpus_.ids[rank]);
      const joined then{*this, rank};
      if (is_here) {
        fold(rank, device.on(gpus_.streams[rank]), row);
      } else {
        const runtime::resource_block own(no_resource, bytes, gpus_.streams[rank]);
        fold(rank, device.on(gpus_.streams[rank]), static_cast<State*>(own.data()));
        runtime::check(cudaMemcpyPeerAsync(row, gpus_.ids[writer_], own.data(), gpus_.ids[rank],
                                           bytes, gpus_.streams[rank]),
                       "cudaMemcpyPeerAsync");
      }
      row += results;
    }
    write(device.on(gpus_.streams[writer_]), static_cast<const State*>(rows.data()));
  }

 private:
  // The writer's stream waits for what a rank has enqueued, also if it has thrown: the rows are
  // freed in the order of that stream.
  struct joined {
    const gpu_rows& rows;
    int rank;

    ~joined() {
      try {
        rows.wait_for(rank, rows.writer_);
      } catch (...) {  // a lost GPU, which the next call reports
      }
    }
  };

  void wait_for(int earlier, int later) const {
    if (earlier == later) return;
    cudaEvent_t done = nullptr;
    const auto destroyed = [&](cudaError_t status, const char* what) {
      if (status != cudaSuccess && done != nullptr) (void)cudaEventDestroy(done);
      runtime::check(status, what);
    };
    {
      const runtime::device_guard on(gpus_.ids[earlier]);
      destroyed(cudaEventCreateWithFlags(&done, cudaEventDisableTiming),
                "cudaEventCreateWithFlags");
      destroyed(cudaEventRecord(done, gpus_.streams[earlier]), "cudaEventRecord");
    }
    const runtime::device_guard on(gpus_.ids[later]);
    destroyed(cudaStreamWaitEvent(gpus_.streams[later], done, 0), "cudaStreamWaitEvent");
    runtime::check(cudaEventDestroy(done), "cudaEventDestroy");
  }

  runtime::gpu_list gpus_;
  int writer_;
};

}  // namespace warpfold::detail
