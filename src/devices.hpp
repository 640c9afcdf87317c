/// @file
/// Arrays that lie in parts on several GPUs of this machine, for `warpfold reduce --gpus`.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine.hpp"

namespace warpfold::program {

/// An array in the memory of several GPUs. As an `array` it has no data: engines that take it use
/// the parts.
struct sharded_array : array {
  std::vector<array> parts;  ///< one on each GPU
  std::vector<int> gpus;     ///< their numbers
};

/// A copy of an array on several GPUs. Each has a contiguous part. Fields of structs are packed.
class devices_copy {
 public:
  /// Copies all parts at once, each by a thread of its own through pinned memory.
  /// @param gpus  their numbers; all GPUs if it is empty
  /// @param progress  may be called by any thread, by one at a time
  /// @throws std::runtime_error  if a GPU does not exist or has too little free memory
  /// @throws warpfold::no_device, warpfold::out_of_memory, warpfold::cuda_error
  devices_copy(const array& host, std::span<const int> gpus, const on_progress& progress);
  ~devices_copy();
  devices_copy(const devices_copy&) = delete;  // it owns the memory
  devices_copy& operator=(const devices_copy&) = delete;

  const sharded_array& on_devices() const { return array_; }

 private:
  struct memory;
  std::unique_ptr<memory> memory_;
  sharded_array array_;
};

/// wf::across(wf::devices), for the array of a `devices_copy`.
const engine& across_engine();

/// Makes a GPU the one of this thread's engines and copies: the one with this number, modulo the
/// number of GPUs. Does nothing without GPUs.
void use_gpu(int number);

}  // namespace warpfold::program
