/// @file
/// needs: boost_context
/// What a kernel's `enqueue` launches with in the emulation: blocks run over host threads, and a launch has
/// ended when `launch` returns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/emulation/block.hpp>
#include <warpfold/runtime/device_info.hpp>

namespace warpfold::emulation {

/// The GPU that is emulated unless another is asked for: an H100's numbers.
inline constexpr runtime::device_info default_gpu{.id = 0,
                                                  .multiprocessors = 132,
                                                  .compute_capability = 90,
                                                  .threads_per_multiprocessor = 2048,
                                                  .l2_bytes = std::size_t{50} << 20,
                                                  .shared_bytes_per_block = 227 * 1024,
                                                  .peak_bandwidth = 3.35e12,
                                                  .reads_pageable_memory = true};

/// Launches one call's kernels.
class launcher {
 public:
  /// @param counts  where each launch is reported, or null
  launcher(const runtime::device_info& gpu, report* counts) : gpu_(gpu), counts_(counts) {}

  /// Adds global memory that the launches may read, or read and write.
  void allow(const void* p, std::size_t bytes, bool writable) {
    const auto* const begin = static_cast<const std::byte*>(p);
    memory_.push_back({begin, begin + bytes, writable});
  }
  /// Allows loads from anywhere: the range hides its memory.
  void allow_all_loads() { checks_loads_ = false; }

  /// Lets races happen, and reads of shared memory that nobody has written: to show what comes of them.
  void let_races_happen() { checks_races_ = false; }

  const runtime::device_info& gpu() const { return gpu_; }

  collective::grid_storage grid() {
    auto* const posts = static_cast<collective::post*>(zeroed(collective::post_bytes));
    void* const partials = zeroed(collective::partial_bytes);
    return {posts, partials, static_cast<unsigned*>(zeroed(sizeof(unsigned)))};
  }

  template <class T>
  collective::global_array<T> scratch(std::size_t count) {
    return {static_cast<T*>(zeroed(count * sizeof(T))), count};
  }

  /// Runs one launch.
  /// @throws unsupported_kernel  before it starts, if the shape is not one that the kernel takes
  /// @throws emulation_error     if the kernel does what CUDA leaves undefined
  template <class Body>
  void launch(const char* kernel, const Body& body, const runtime::launch_shape& shape) {
    runtime::check_shape(kernel, Body::max_block, shape);
    if (shape.cluster != 1) {
      throw unsupported_kernel("warpfold: kernel ", kernel,
                               " launches clusters, which the emulation does not have");
    }
    launch_state state;
    state.launch = {kernel, shape};
    state.memory = memory_;
    state.checks_loads = checks_loads_;
    state.checks_races = checks_races_;
    state.counts = counts_ != nullptr;

    launch_counts counted;
    counted.launch = state.launch;
    std::exception_ptr failure;
    std::mutex lock;
    std::atomic<unsigned> next = 0;
    const auto blocks = static_cast<unsigned>(shape.grid.count());
    // Blocks start in the order of their numbers, as on a GPU: the last may wait for those before it.
    const auto run_blocks = [&] {
      block own(state);
      try {
        for (;;) {
          const unsigned number = next++;
          if (number >= blocks || state.failed) break;
          own.run(body, number);
        }
      } catch (const block::abandoned&) {
      } catch (...) {
        const std::lock_guard guard(lock);
        if (!failure) failure = std::current_exception();
        state.failed = true;
      }
      const std::lock_guard guard(lock);
      if (state.counts) own.add_to(counted);
    };

    // A host thread costs as much as a few blocks.
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const unsigned workers = std::min(cores, (blocks + 7) / 8);
    std::vector<std::thread> others;
    try {
      for (unsigned i = 1; i < workers; ++i) others.emplace_back(run_blocks);
    } catch (const std::system_error&) {  // with fewer threads, then
    }
    run_blocks();
    for (std::thread& t : others) t.join();
    if (failure) std::rethrow_exception(failure);

    if (counts_ != nullptr) {
      std::sort(counted.sites.begin(), counted.sites.end(),
                [](const site_counts& a, const site_counts& b) {
                  const int files = std::strcmp(a.at.file, b.at.file);
                  if (files != 0) return files < 0;
                  if (a.at.line != b.at.line) return a.at.line < b.at.line;
                  return a.what != b.what ? a.what < b.what : a.access_bytes < b.access_bytes;
                });
      counts_->launches.push_back(std::move(counted));
    }
  }

 private:
  void* zeroed(std::size_t bytes) {
    const std::size_t lines = (bytes + sizeof(line) - 1) / sizeof(line);
    scratch_.push_back(std::make_unique<line[]>(lines == 0 ? 1 : lines));
    void* const p = scratch_.back().get();
    allow(p, bytes, true);
    return p;
  }
  struct alignas(128) line {
    std::byte bytes[128]{};
  };

  runtime::device_info gpu_;
  report* counts_;
  std::vector<memory_range> memory_;
  bool checks_loads_ = true;
  bool checks_races_ = true;
  std::vector<std::unique_ptr<line[]>> scratch_;
};

}  // namespace warpfold::emulation
