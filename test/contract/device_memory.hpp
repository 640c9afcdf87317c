/// @file
/// Memory of the current GPU, for the fixtures of GPU policies.
#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include <warpfold/runtime/buffer.hpp>
#include <warpfold/runtime/cuda_check.hpp>

namespace test {

/// policy_contract.hpp describes these members.
struct device_memory {
  template <class T>
  class array {
   public:
    array(const std::vector<T>& values, std::size_t offset)
        : bytes_(values.size() * sizeof(T) + offset + 16), offset_(offset) {
      if (values.empty()) return;
      warpfold::runtime::copy_to_device(bytes_.data() + offset, values.data(),
                                        values.size() * sizeof(T));
    }
    const T* data() const { return reinterpret_cast<const T*>(bytes_.data() + offset_); }

   private:
    warpfold::device_buffer<unsigned char> bytes_;
    std::size_t offset_;
  };

  /// Copies the `n` elements at `p`, after all previous work (on the default stream).
  template <class T>
  static std::vector<T> values(const T* p, std::size_t n) {
    std::vector<T> host(n);
    warpfold::runtime::check(cudaMemcpy(host.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost),
                             "cudaMemcpy");
    return host;
  }

  template <class T>
  class slot {
   public:
    // Zeroed, because a copy reads the padding of a struct, which no kernel writes.
    slot() : value_(1) {
      warpfold::runtime::check(cudaMemset(value_.data(), 0, sizeof(T)), "cudaMemset");
    }
    T* pointer() { return value_.data(); }
    T value() const {
      T value{};
      // After all previous work (on the default stream).
      warpfold::runtime::check(cudaMemcpy(&value, value_.data(), sizeof(T), cudaMemcpyDeviceToHost),
                               "cudaMemcpy");
      return value;
    }

   private:
    warpfold::device_buffer<T> value_;
  };

  static constexpr bool repeatable = true;
};

/// Owns a stream.
class own_stream {
 public:
  own_stream() {
    warpfold::runtime::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                             "cudaStreamCreateWithFlags");
  }
  ~own_stream() { (void)cudaStreamDestroy(stream_); }
  own_stream(const own_stream&) = delete;             // it is destroyed once
  own_stream& operator=(const own_stream&) = delete;  // likewise

  cudaStream_t get() const { return stream_; }
  void wait() const {
    warpfold::runtime::check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace test
