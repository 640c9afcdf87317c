/// @file
/// What CUB's calls of this library return, and their messages.
#pragma once

#include <cstddef>
#include <string>

#include <doctest/doctest.h>

#include <warpfold/drop_in/cub.hpp>

namespace test {

/// True if the message of the last call that failed has `part`.
inline bool last_error_names(const char* part) {
  return std::string(warpfold::drop_in::cub::last_error_message()).find(part) != std::string::npos;
}

/// A call refused its arguments for the reason `part`.
inline void check_refused(cudaError_t status, const char* part) {
  CHECK(status == cudaErrorInvalidValue);
  INFO(std::string(part), ": ", warpfold::drop_in::cub::last_error_message());
  CHECK(last_error_names(part));
}

/// A call found no GPU.
inline void check_without_gpu(cudaError_t status) {
  // On a machine without a driver the second one.
  CHECK((status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver));
  CHECK(last_error_names("Looked for an NVIDIA GPU"));
}

/// `call(bytes)`, a call without storage, only sets the size of the storage.
template <class Call>
void check_only_size(const Call& call) {
  std::size_t bytes = 77;
  CHECK(call(bytes) == cudaSuccess);
  CHECK(bytes == 1);
}

}  // namespace test
