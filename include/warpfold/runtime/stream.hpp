/// @file
/// Stream types of users: `cudaStream_t`, `cuda::stream_ref`, RMM's `cuda_stream_view`.
#pragma once

#include <concepts>
#include <type_traits>

#include <warpfold/core/config.hpp>

struct CUstream_st;

namespace warpfold::runtime {

/// `cudaStream_t`, without CUDA's headers.
using stream_handle = CUstream_st*;

/// A type that is, converts to, or holds a stream.
template <class S>
concept stream_like = std::is_convertible_v<const S&, stream_handle> || requires(const S& s) {
  { s.get() } -> std::convertible_to<stream_handle>;
} || requires(const S& s) {
  { s.value() } -> std::convertible_to<stream_handle>;
};

/// The handle of a stream.
template <stream_like S>
stream_handle handle_of(const S& s) {
  if constexpr (std::is_convertible_v<const S&, stream_handle>) {
    return s;
  } else if constexpr (requires { s.get(); }) {
    return s.get();
  } else {
    return s.value();
  }
}

}  // namespace warpfold::runtime
