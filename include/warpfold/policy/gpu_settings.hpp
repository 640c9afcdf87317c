/// @file
/// The settings of every GPU policy: the stream, and where scratch memory comes from.
#pragma once

#include <warpfold/runtime/resource.hpp>
#include <warpfold/runtime/stream.hpp>

#if defined(__CUDACC__)
#include <warpfold/runtime/scratch.hpp>
#endif

namespace warpfold {

class workspace;

/// The stream and scratch of a GPU policy `Policy`, which derives from this class.
template <class Policy>
class gpu_settings {
 public:
  /// Returns the same policy on `stream`.
  /// @param stream a `cudaStream_t`, `cuda::stream_ref` or similar
  template <runtime::stream_like S>
  constexpr Policy on(const S& stream) const {
    Policy p = self();
    p.stream_ = runtime::handle_of(stream);
    return p;
  }

  /// Returns the same policy, which uses the caller's scratch.
  /// @param scratch must outlive every call that uses it and serves one call at a time
  constexpr Policy with(workspace& scratch) const {
    Policy p = self();
    p.workspace_ = &scratch;
    p.resource_ = {};
    return p;
  }

  /// Returns the same policy, which takes scratch from a memory resource. Each call allocates and
  /// frees in stream order.
  /// @param resource a stream-ordered `cuda::mr` resource of device memory; must outlive every call
  ///     that uses it
  template <runtime::memory_resource R>
  constexpr Policy with(R& resource) const {
    Policy p = self();
    p.resource_ = runtime::resource_ref(resource);
    p.workspace_ = nullptr;
    return p;
  }
  template <runtime::memory_resource R>
  // the policy would refer to a destroyed temporary
  Policy with(const R&& resource) const = delete;

  constexpr runtime::stream_handle stream() const { return stream_; }

 protected:
  constexpr gpu_settings() = default;

  /// The workspace of `with(workspace)`; null if there is none.
  constexpr workspace* callers_workspace() const { return workspace_; }
  /// The resource of `with(resource)`; empty if there is none.
  constexpr const runtime::resource_ref& resource() const { return resource_; }

#if defined(__CUDACC__)
  /// The scratch of a call that waits for its result.
  runtime::waiting_scratch scratch_of_waiting() const { return {workspace_, resource_, stream_}; }
  /// The scratch of a call that only enqueues.
  runtime::enqueued_scratch scratch_of_enqueued() const { return {workspace_, resource_, stream_}; }
#endif

  /// Copies the settings of another policy.
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
