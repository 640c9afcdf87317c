/// @file
/// needs: cuda
/// What the suites of transform_contract.hpp write to on the GPU.
#pragma once

#include "contract/device_memory.hpp"

namespace test {

/// Memory of the GPU to write to.
struct device_target {
  template <class T>
  class target {
   public:
    target(const std::vector<T>& values, std::size_t offset)
        : placed_(values, offset), size_(values.size()) {}
    T* data() { return const_cast<T*>(placed_.data()); }
    // On the default stream: after the work before it.
    std::vector<T> values() const {
      std::vector<T> host(size_);
      warpfold::runtime::check(
          cudaMemcpy(host.data(), placed_.data(), size_ * sizeof(T), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
      return host;
    }

   private:
    device_memory::array<T> placed_;
    std::size_t size_;
  };
};

}  // namespace test
