/// @file
/// needs: boost_context
/// The argument of a kernel's `enqueue` in the emulation. Host threads run the blocks, and a launch
/// has ended when `launch` returns. Empty for nvcc, like block.hpp.
#pragma once

#if !defined(__CUDACC__)

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/emulation/block.hpp>
#include <warpfold/kernel/body.hpp>

namespace warpfold::emulation {

/// The GPU that is emulated by default: the properties of an H100.
inline constexpr device_info default_gpu{.id = 0,
                                         .multiprocessors = 132,
                                         .compute_capability = 90,
                                         .threads_per_multiprocessor = 2048,
                                         .l2_bytes = std::size_t{50} << 20,
                                         .shared_bytes_per_block = 227 * 1024,
                                         .peak_bandwidth = 3.35e12,
                                         .reads_pageable_memory = true};

/// Launches the kernels of one call.
class launcher {
 public:
  /// @param gpu the emulated GPU
  /// @param counts receives the counts of each launch; may be null
  launcher(const device_info& gpu, report* counts) : gpu_(gpu), counts_(counts) {}

  /// Adds global memory that the launches may read, or read and write.
  void allow(const void* p, std::size_t bytes, bool writable) {
    const auto* const begin = static_cast<const std::byte*>(p);
    memory_.push_back({begin, begin + bytes, writable});
  }
  /// Allows loads from any address: the range hides its memory.
  void allow_all_loads() { checks_loads_ = false; }

  /// Disables the checks for races and for reads of uninitialized shared memory, to show their
  /// effects.
  void let_races_happen() { checks_races_ = false; }

  const device_info& gpu() const { return gpu_; }

  collective::grid_storage grid() {
    if (grid_.posts == nullptr) {
      grid_.posts = static_cast<collective::post*>(memory_of(collective::post_bytes, 0));
      grid_.ticket = static_cast<unsigned*>(memory_of(collective::ticket_bytes, 0));
      grid_.partials = memory_of(collective::partial_bytes + collective::marked_bytes, unwritten);
    }
    return grid_;
  }

  /// @throws error if a kernel calls it twice: on a GPU the second call frees the memory of the
  ///     first
  template <class T>
  collective::global_array<T> scratch(std::size_t count) {
    if (asked_) {
      throw_error<error>(
          "warpfold: a kernel called scratch twice; call it once, for all of its memory; see "
          "kernel/concept.hpp");
    }
    asked_ = true;
    // As on a GPU, a little is part of the grid's memory.
    const std::size_t bytes = count * sizeof(T);
    return {static_cast<T*>(bytes <= collective::partial_bytes ? grid().partials
                                                               : memory_of(bytes, unwritten)),
            count};
  }

  void start_next_kernel() { asked_ = false; }

  /// Call after the last launch.
  /// @throws error if the kernel left posts or the ticket nonzero, because the next launch needs
  ///     zeros
  void finish() const {
    if (grid_.posts == nullptr) return;
    bool clean = *grid_.ticket == 0 && *grid_.marked() == 0;
    for (std::size_t i = 0; i < collective::post_bytes / sizeof(collective::post); ++i) {
      clean = clean && grid_.posts[i].low == 0 && grid_.posts[i].high == 0;
    }
    if (!clean) {
      throw_error<error>(
          "warpfold: a kernel left posts or the ticket of its grid nonzero, and the next launch on "
          "a GPU would read them; set them to zero");
    }
  }

  /// The number of blocks of `Body::max_block` threads that a multiprocessor holds at once: as many
  /// as fit its threads.
  template <class Body>
  unsigned resident_blocks_per_multiprocessor() const {
    return gpu_.blocks_of_threads(Body::max_block);
  }

  /// Runs one launch.
  /// @throws unsupported_kernel before it starts, if the kernel does not support the shape
  /// @throws emulation_error if the kernel does what CUDA leaves undefined
  template <class Body>
  void launch(const char* kernel, const Body& body, const launch_shape& shape) {
    static_assert(kernel::check_body<Body>());
    check_shape(kernel, Body::max_block, shape);
    launch(kernel, any_body::of(body), shape);
  }

 private:
  void launch(const char* kernel, const any_body& body, const launch_shape& shape) {
    if (shape.shared_bytes > gpu_.shared_bytes_per_block) {
      throw_error<unsupported_kernel>(
          "warpfold: kernel ", kernel, " asks for ", shape.shared_bytes,
          " bytes of dynamic shared memory, and a block of this GPU has ",
          gpu_.shared_bytes_per_block);
    }
    if (shape.cluster != 1) {
      throw_error<unsupported_kernel>("warpfold: kernel ", kernel,
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
    std::atomic<std::size_t> next = 0;
    const std::size_t blocks = shape.grid.count();
    // Blocks start in the order of their numbers, as on a GPU: the last may wait for earlier ones.
    const auto run_blocks = [&] {
      try {
        block own(state);
        try {
          for (std::size_t number = next++; number < blocks && !state.failed; number = next++) {
            own.run(body, number);
          }
        } catch (const block::abandoned&) {
        }
        const std::lock_guard guard(lock);
        if (state.counts) own.add_to(counted);
      } catch (...) {
        const std::lock_guard guard(lock);
        if (!failure) failure = std::current_exception();
        state.failed = true;
      }
    };

    // A host thread costs as much as a few blocks. At most eight: each keeps a stack for every
    // thread of a block, two of the process's 65530 mappings.
    const std::size_t cores = (std::min)(8u, (std::max)(1u, std::thread::hardware_concurrency()));
    const std::size_t workers = (std::min)(cores, (blocks + 7) / 8);
    {
      std::vector<std::jthread> others;
      others.reserve(workers);
      try {
        while (others.size() + 1 < workers) others.emplace_back(run_blocks);
      } catch (const std::system_error&) {  // continue with fewer threads
      }
      run_blocks();
    }
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

  static constexpr int unwritten = 0xa5;  // every byte of uninitialized memory

  void* memory_of(std::size_t bytes, int value) {
    const std::size_t lines = bytes / sizeof(line) + 1;
    scratch_.push_back(std::make_unique_for_overwrite<line[]>(lines));
    void* const p = scratch_.back().get();
    std::memset(p, value, lines * sizeof(line));
    allow(p, bytes, true);
    return p;
  }
  struct alignas(256) line {
    std::byte bytes[256];
  };

  device_info gpu_;
  report* counts_;
  std::vector<memory_range> memory_;
  bool checks_loads_ = true;
  bool checks_races_ = true;
  std::vector<std::unique_ptr<line[]>> scratch_;
  collective::grid_storage grid_{};
  bool asked_ = false;
};

}  // namespace warpfold::emulation

#endif
