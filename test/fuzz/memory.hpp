/// @file
/// Bytes in memory that the policy can read: GPU memory if nvcc compiles this, else host memory.
/// And a copy for the host.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "fuzz/elements.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#include <warpfold/runtime/buffer.hpp>
#include <warpfold/runtime/cuda_check.hpp>
#endif

namespace fuzz {

/// What is read, what is written, the bounds of segments or the labels, what a second call writes,
/// or a number of elements. A call may have one of each.
enum class use { input, output, bounds, second_output, number };

/// Host memory, `offset` bytes after a multiple of 64. Nothing follows it, so AddressSanitizer sees
/// every access past the end.
class host_bytes {
 public:
  host_bytes(const std::vector<unsigned char>& bytes, std::size_t offset, use = use::input)
      : size_(bytes.size()) {
    void* p = nullptr;
    if (posix_memalign(&p, 64, offset + size_ + (offset + size_ == 0)) != 0) throw std::bad_alloc();
    all_.reset(static_cast<unsigned char*>(p));
    data_ = all_.get() + offset;
    if (size_ != 0) std::memcpy(data_, bytes.data(), size_);
  }
  unsigned char* data() const { return data_; }
  std::vector<unsigned char> copy() const { return {data_, data_ + size_}; }

 private:
  struct free_bytes {
    void operator()(unsigned char* p) const { std::free(p); }
  };
  std::unique_ptr<unsigned char, free_bytes> all_;
  unsigned char* data_;
  std::size_t size_;
};

#if defined(__CUDACC__)
/// The same on the GPU. The bytes before and after are not zero, so that reading one element too
/// many shows.
class there_bytes {
  static constexpr std::size_t around = 256;

 public:
  there_bytes(const std::vector<unsigned char>& bytes, std::size_t offset, use what = use::input)
      : size_(bytes.size()) {
    std::vector<unsigned char> all(around + offset + size_ + around, 0x95);
    if (size_ != 0) std::memcpy(all.data() + around + offset, bytes.data(), size_);
    // One for each use: an allocation takes longer than most reductions.
    static warpfold::device_buffer<unsigned char> buffers[5];
    auto& buffer = buffers[static_cast<int>(what)];
    if (buffer.size() < all.size()) {
      buffer = warpfold::device_buffer<unsigned char>();
      buffer = warpfold::device_buffer<unsigned char>(all.size() * 2);
    }
    warpfold::runtime::copy_to_device(buffer.data(), all.data(), all.size());
    data_ = buffer.data() + around + offset;
  }
  unsigned char* data() const { return data_; }
  std::vector<unsigned char> copy() const {
    std::vector<unsigned char> bytes(size_);
    warpfold::runtime::check(cudaMemcpy(bytes.data(), data_, size_, cudaMemcpyDeviceToHost),
                             "cudaMemcpy");
    return bytes;
  }

 private:
  unsigned char* data_;
  std::size_t size_;
};
#else
using there_bytes = host_bytes;
#endif

}  // namespace fuzz
