/// @file
/// What every GPU policy lets its user choose: the stream, and where scratch memory comes from.
#pragma once

#include <warpfold/runtime/resource.hpp>
#include <warpfold/runtime/stream.hpp>

namespace warpfold {

class workspace;

/// The stream and scratch of a GPU policy `Policy`, which derives from this.
template <class Policy>
class gpu_settings {
 public:
  /// The same policy on `stream`: a `cudaStream_t`, `cuda::stream_ref` or the like.
  template <runtime::stream_like S>
  constexpr Policy on(const S& stream) const {
    Policy p = self();
    p.stream_ = runtime::handle_of(stream);
    return p;
  }

  /// The same policy with scratch of the caller's, which must outlive every call that uses it and serve
  /// one call at a time.
  constexpr Policy with(workspace& scratch) const {
    Policy p = self();
    p.workspace_ = &scratch;
    p.resource_ = {};
    return p;
  }

  /// The same policy with scratch from a stream-ordered `cuda::mr` resource of device memory, which
  /// must outlive every call that uses it. Each call allocates and frees, in stream order.
  template <runtime::memory_resource R>
  constexpr Policy with(R& resource) const {
    Policy p = self();
    p.resource_ = runtime::resource_ref(resource);
    p.workspace_ = nullptr;
    return p;
  }
  template <runtime::memory_resource R>
  Policy with(const R&& resource) const = delete;  // the policy would refer to a dead temporary

  constexpr runtime::stream_handle stream() const { return stream_; }

 protected:
  constexpr gpu_settings() = default;

  constexpr workspace* callers_workspace() const { return workspace_; }
  constexpr const runtime::resource_ref& resource() const { return resource_; }

  /// Takes over another policy's choices.
  template <class Other>
  constexpr void settings_from(const gpu_settings<Other>& other) {
    stream_ = other.stream_;
    workspace_ = other.workspace_;
    resource_ = other.resource_;
  }

 private:
  template <class>
  friend class gpu_settings;

  constexpr const Policy& self() const { return static_cast<const Policy&>(*this); }

  runtime::stream_handle stream_ = nullptr;
  workspace* workspace_ = nullptr;
  runtime::resource_ref resource_;
};

}  // namespace warpfold
