/// @file
/// The memory of one shard of `wf::sharded`: on a GPU, or on the host for an emulated GPU.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>

#include <warpfold/core/error.hpp>
#include <warpfold/runtime/stream.hpp>

#if defined(__CUDACC__)
#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/current_device.hpp>
#endif

namespace warpfold::runtime {

/// Some blocks of equal size to copy. The steps are from the start of a block to the next one.
struct block_copy {
  void* to;
  std::size_t to_step;
  const void* from;
  std::size_t from_step;
  std::size_t bytes;  ///< of a block
  std::size_t count;
};

struct shard_place;

/// How to use the memory of a place.
struct shard_functions {
  /// Throws out_of_memory if there is none.
  void* (*allocate)(const shard_place&, std::size_t bytes);
  void (*free)(void*) noexcept;
  /// Throws cuda_error if copies cannot be waited for, because the stream is being captured.
  void (*require_ready)(const shard_place&);
  /// Copies between the host and the place. May return before the copy is done.
  void (*copy)(const shard_place&, const block_copy&, bool to_place);
  /// Returns after the copies before it.
  void (*wait)(const shard_place&);
};

/// Where a shard lies: a GPU and a stream on it, or the host.
struct shard_place {
  const shard_functions* functions;
  int id;
  stream_handle stream;
};

/// The alignment of a shard on the host, as GPU allocations have it.
inline constexpr std::align_val_t shard_alignment{256};

/// Memory of the host.
inline shard_place host_place() {
  static constexpr shard_functions functions{
      [](const shard_place&, std::size_t bytes) {
        void* const p = ::operator new(bytes, shard_alignment, std::nothrow);
        if (p == nullptr) {
          throw_error<out_of_memory>("warpfold: no memory for a shard of ", bytes,
                                     " bytes; use a smaller array");
        }
        return p;
      },
      [](void* p) noexcept { ::operator delete(p, shard_alignment); }, [](const shard_place&) {},
      [](const shard_place&, const block_copy& c, bool) {
        for (std::size_t i = 0; i < c.count; ++i) {
          std::memcpy(static_cast<unsigned char*>(c.to) + i * c.to_step,
                      static_cast<const unsigned char*>(c.from) + i * c.from_step, c.bytes);
        }
      },
      [](const shard_place&) {}};
  return {&functions, 0, nullptr};
}

#if defined(__CUDACC__)
namespace detail {

inline void* allocate_shard(const shard_place& place, std::size_t bytes) {
  const relaxed_capture relaxed;
  const device_guard on(place.id);
  void* p = nullptr;
  check(cudaMalloc(&p, bytes), "cudaMalloc",
        [&] { return message("for a shard of ", bytes, " bytes on GPU ", place.id); });
  return p;
}

inline void free_shard(void* p) noexcept {
  const relaxed_capture relaxed;
  (void)cudaFree(p);
}

inline void require_ready_shard(const shard_place& place) {
  const device_guard on(place.id);
  if (!is_capturing(place.stream)) return;
  throw_error<cuda_error>(
      cudaErrorStreamCaptureUnsupported,
      message("warpfold: a copy of a sharded array waits, which is not possible on a "
              "stream that is being captured into a graph; copy before the capture, "
              "or enqueue cudaMemcpyAsync for each shard"));
}

inline void copy_shard(const shard_place& place, const block_copy& c, bool to_place) {
  constexpr std::size_t most_step = 0x7fffffff;  // cudaDevAttrMaxPitch
  const cudaMemcpyKind kind = to_place ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
  const auto where = [&] { return message("for the shard on GPU ", place.id); };
  const device_guard on(place.id);
  if (c.count > 1 && c.to_step <= most_step && c.from_step <= most_step) {
    check(cudaMemcpy2DAsync(c.to, c.to_step, c.from, c.from_step, c.bytes, c.count, kind,
                            place.stream),
          "cudaMemcpy2DAsync", where);
    return;
  }
  for (std::size_t i = 0; i < c.count; ++i) {
    check(cudaMemcpyAsync(static_cast<unsigned char*>(c.to) + i * c.to_step,
                          static_cast<const unsigned char*>(c.from) + i * c.from_step, c.bytes,
                          kind, place.stream),
          "cudaMemcpyAsync", where);
  }
}

inline void wait_for_shard(const shard_place& place) {
  const device_guard on(place.id);
  check(cudaStreamSynchronize(place.stream), "cudaStreamSynchronize",
        [&] { return message("after the copies of the shard on GPU ", place.id); });
}

}  // namespace detail

/// Memory of a GPU. Copies run on the stream.
inline shard_place gpu_place(int id, stream_handle stream) {
  static constexpr shard_functions functions{detail::allocate_shard, detail::free_shard,
                                             detail::require_ready_shard, detail::copy_shard,
                                             detail::wait_for_shard};
  return {&functions, id, stream};
}
#endif

}  // namespace warpfold::runtime
