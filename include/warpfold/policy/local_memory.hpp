/// @file
/// What `across` with a communicator needs of the memory of its local policy: that of the host, or,
/// with `wf::device`, that of the GPU, from and to which it copies.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <warpfold/runtime/reachable.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/transformation.hpp>

#if defined(__CUDACC__)
#include <warpfold/policy/gpu_checks.hpp>
#include <warpfold/runtime/resource_block.hpp>
#endif

namespace warpfold::detail {

template <class Local>
inline constexpr bool folds_on_gpu = requires(const Local& local) { local.stream(); };

/// Host memory as `Local` accesses it: the memory itself.
template <class T, class Local>
class local_copy {
 public:
  local_copy(const Local&, T* host, std::size_t) : host_(host) {}

  T* data() const { return host_; }
  void to_host() const {}
  void from_host() const {}

 private:
  T* host_;
};

#if defined(__CUDACC__)
/// A copy on the GPU, allocated in stream order. Both copies wait for the stream.
template <class T, class Local>
  requires folds_on_gpu<Local>
class local_copy<T, Local> {
 public:
  local_copy(const Local& local, T* host, std::size_t size)
      : local_(local),
        host_(host),
        bytes_(size * sizeof(T)),
        memory_(runtime::resource_ref{}, bytes_ == 0 ? 1 : bytes_, local.stream()) {}

  T* data() const { return static_cast<T*>(memory_.data()); }
  void to_host() const { copy(host_, memory_.data()); }
  void from_host() const { copy(memory_.data(), host_); }

 private:
  void copy(void* to, const void* from) const {
    runtime::check(cudaMemcpyAsync(to, from, bytes_, cudaMemcpyDefault, local_.stream()),
                   "cudaMemcpyAsync");
    local_.wait();
  }

  const Local& local_;
  T* host_;
  std::size_t bytes_;
  runtime::resource_block memory_;
};
#endif

/// Checks the memory of work that `Local` will run.
template <class Local, class Work>
void check_local_memory(const Local& local, const Work& work) {
  if constexpr (folds_on_gpu<Local>) {
    local.check(work);
  } else {
    runtime::check_host_memory(work);
    work.require_valid();
  }
}

/// Segments whose bounds the host can read: those of `Segments`, or copies of their offsets.
template <class Segments, class Local>
class local_segments {
 public:
  local_segments(const Local&, const Segments& segments) : segments_(segments) {}
  const Segments& get() const { return segments_; }

 private:
  Segments segments_;
};

#if defined(__CUDACC__)
struct as_size {
  template <class Offset>
  WARPFOLD_HD constexpr std::size_t operator()(const Offset& offset) const {
    return static_cast<std::size_t>(offset);
  }
};

template <class Segments, class Local>
  requires folds_on_gpu<Local>
class local_segments<Segments, Local> {
  using view = contiguous_view<std::size_t>;

 public:
  local_segments(const Local& local, const Segments& segments)
      : offsets_(segments.offsets().size()), segments_(view(offsets_.data(), offsets_.size())) {
    if (offsets_.empty()) return;
    const local_copy<std::size_t, Local> copy(local, offsets_.data(), offsets_.size());
    using offsets = std::remove_cvref_t<decltype(segments.offsets())>;
    local.run(transformation<offsets, contiguous_output<std::size_t>, as_size>{
        segments.offsets(), contiguous_output<std::size_t>(copy.data(), offsets_.size()), {}});
    copy.to_host();
  }
  local_segments(const local_segments&) = delete;  // the segments refer to the offsets
  local_segments& operator=(const local_segments&) = delete;

  const segments_by_offsets<view>& get() const { return segments_; }

 private:
  std::vector<std::size_t> offsets_;
  segments_by_offsets<view> segments_;
};
#endif

}  // namespace warpfold::detail
