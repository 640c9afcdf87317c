// Arrays on several GPUs, and the engine that reduces them.
#include <algorithm>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <warpfold/runtime/buffer.hpp>
#include <warpfold/runtime/current_device.hpp>
#include <warpfold/runtime/mailbox_set.hpp>
#include <warpfold/view/shards.hpp>

#include "devices.hpp"
#include "devices_engines.hpp"
#include "text.hpp"

namespace warpfold::program {
namespace {

/// Each part is copied in pieces of this size, through two buffers in turn.
constexpr std::size_t stage_bytes = std::size_t{16} << 20;

/// Two buffers in pinned memory, and the stream that copies them to the current GPU.
class stage {
 public:
  stage() {
    try {
      runtime::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                     "cudaStreamCreateWithFlags");
      for (buffer& b : buffers_) {
        void* p = nullptr;
        runtime::check(cudaMallocHost(&p, stage_bytes), "cudaMallocHost",
                       [] { return "for a copy to the GPUs"; });
        b.data = static_cast<std::byte*>(p);
        runtime::check(cudaEventCreateWithFlags(&b.copied, cudaEventDisableTiming),
                       "cudaEventCreateWithFlags");
      }
    } catch (...) {
      release();
      throw;
    }
  }
  ~stage() { release(); }
  stage(const stage&) = delete;  // it owns the buffers
  stage& operator=(const stage&) = delete;

  /// Returns a buffer that is not being copied.
  std::byte* next() {
    at_ = 1 - at_;
    runtime::check(cudaEventSynchronize(buffers_[at_].copied), "cudaEventSynchronize");
    return buffers_[at_].data;
  }
  /// Starts to copy that buffer.
  void copy(std::byte* to, std::size_t bytes) {
    runtime::check(cudaMemcpyAsync(to, buffers_[at_].data, bytes, cudaMemcpyHostToDevice, stream_),
                   "cudaMemcpyAsync");
    runtime::check(cudaEventRecord(buffers_[at_].copied, stream_), "cudaEventRecord");
  }
  void wait() { runtime::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  struct buffer {
    std::byte* data = nullptr;
    cudaEvent_t copied = nullptr;
  };

  void release() {
    if (stream_ != nullptr) (void)cudaStreamSynchronize(stream_);
    for (const buffer& b : buffers_) {
      if (b.copied != nullptr) (void)cudaEventDestroy(b.copied);
      if (b.data != nullptr) (void)cudaFreeHost(b.data);
    }
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }

  cudaStream_t stream_ = nullptr;
  buffer buffers_[2];
  int at_ = 0;
};

/// Copies elements of the host to packed ones of the current GPU.
void copy_part(const array& host, std::byte* to, const on_progress& progress) {
  stage through;
  const std::size_t item = bytes_of(host.type);
  const std::size_t most = stage_bytes / item;
  for (std::size_t first = 0; first < host.count; first += most) {
    const std::size_t n = std::min(most, host.count - first);
    const std::byte* const from = host.data + first * host.stride;
    std::byte* const packed = through.next();
    if (host.stride == item) {
      std::memcpy(packed, from, n * item);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        std::memcpy(packed + i * item, from + i * host.stride, item);
      }
    }
    through.copy(to + first * item, n * item);
    progress(n * item);
  }
  through.wait();
}

int count_gpus() {
  int count = 0;
  runtime::check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count == 0) throw std::runtime_error("there is no usable GPU; omit --gpus");
  return count;
}

void require_memory(int gpu, std::size_t bytes) {
  std::size_t free_bytes = 0, all_bytes = 0;
  const runtime::device_guard on(gpu);
  runtime::check(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
  // Leaves room for scratch memory.
  if (static_cast<double>(bytes) < 0.9 * static_cast<double>(free_bytes)) return;
  throw std::runtime_error(
      "the part of GPU " + std::to_string(gpu) + " (" + bytes_text(static_cast<double>(bytes)) +
      ") is larger than its free memory (" + bytes_text(static_cast<double>(free_bytes)) +
      "); use more GPUs, or omit --gpus");
}

}  // namespace

struct devices_copy::memory {
  std::vector<device_buffer<std::byte>> parts;
};

devices_copy::devices_copy(const array& host, std::span<const int> gpus,
                           const on_progress& progress)
    : memory_(std::make_unique<memory>()) {
  const int known = count_gpus();
  array_.gpus.assign(gpus.begin(), gpus.end());
  if (gpus.empty()) {
    const int most = std::min(known, runtime::gpu_list::most);
    for (int id = 0; id < most; ++id) array_.gpus.push_back(id);
  }
  for (const int id : array_.gpus) {
    if (id < known) continue;
    throw std::runtime_error("there is no GPU " + std::to_string(id) + "; this machine has " +
                             std::to_string(known) + (known == 1 ? " GPU" : " GPUs") +
                             ", numbered from 0");
  }
  const std::size_t item = bytes_of(host.type);
  array_.type = host.type;
  array_.count = host.count;
  array_.stride = item;

  const auto count = static_cast<int>(array_.gpus.size());
  std::vector<array> from;
  for (int i = 0; i < count; ++i) {
    const std::size_t first = shard_begin(host.count, i, count);
    from.push_back(host.piece(first, shard_begin(host.count, i + 1, count) - first));
    require_memory(array_.gpus[static_cast<std::size_t>(i)], from.back().bytes());
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    const runtime::device_guard on(array_.gpus[i]);
    memory_->parts.emplace_back(from[i].bytes());
    array_.parts.push_back({host.type, memory_->parts[i].data(), from[i].count, item});
  }

  std::mutex one_at_a_time;
  const on_progress progress_of_all = [&](std::size_t bytes) {
    const std::lock_guard guard(one_at_a_time);
    progress(bytes);
  };
  std::vector<std::exception_ptr> failed(from.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < from.size(); ++i) {
      threads.emplace_back([&, i] {
        try {
          const runtime::device_guard on(array_.gpus[i]);
          copy_part(from[i], memory_->parts[i].data(), progress_of_all);
        } catch (...) {
          failed[i] = std::current_exception();
        }
      });
    }
  }
  for (const auto& f : failed) {
    if (f != nullptr) std::rethrow_exception(f);
  }
}

devices_copy::~devices_copy() = default;

namespace {

const engine& part_for(const array& a, op o) {
  if (takes_whole_arrays(o)) return across_whole_arrays_engine;
  return across_integers_engine.built_for(a, o) ? across_integers_engine : across_floats_engine;
}

struct across_engine_functions {
  static bool built_for(const array& a, op o) { return part_for(a, o).built_for(a, o); }
  static void fold(const array& whole, op o, std::optional<value>& total) {
    part_for(whole, o).fold(whole, o, total);
  }
  static std::string kernel(const array& whole, op o) {
    return part_for(whole, o).kernel(whole, o);
  }
  static std::string explain(const array& whole, op o) {
    return part_for(whole, o).explain(whole, o);
  }
};

}  // namespace

const engine& across_engine() {
  static const engine all = make_engine<across_engine_functions>("wf::across(wf::devices)", false);
  return all;
}

void use_gpu(int number) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    (void)cudaGetLastError();  // otherwise the next call reports the error again
    return;
  }
  runtime::check(cudaSetDevice(number % count), "cudaSetDevice");
}

}  // namespace warpfold::program
