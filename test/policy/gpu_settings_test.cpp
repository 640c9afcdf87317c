// Which settings a GPU policy keeps when another setting changes. Launches nothing and needs no
// GPU.
#include <warpfold/policy/device.hpp>

#include <cstdint>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

/// A policy with access to its settings.
struct open_policy : wf::gpu_settings<open_policy> {
  using settings = wf::gpu_settings<open_policy>;
  open_policy() = default;
  using settings::callers_workspace;
  using settings::resource;
  using settings::settings_from;
};

/// A stream-ordered memory resource of cuda::mr.
struct pool {
  void* allocate(wf::runtime::stream_handle, std::size_t, std::size_t) { return nullptr; }
  void deallocate(wf::runtime::stream_handle, void*, std::size_t, std::size_t) {}
};

/// An address that is never read.
template <class T>
T* nowhere(std::uintptr_t at) {
  return reinterpret_cast<T*>(at);
}

}  // namespace

TEST_CASE("a policy of another kernel has the stream and the scratch of the first") {
  using handle = wf::runtime::stream_handle;
  const auto stream = reinterpret_cast<handle>(std::uintptr_t{64});
  const auto policy = wf::device.on(stream).with_kernel(wf::kernel::single_pass<>{});
  CHECK(policy.stream() == stream);
  CHECK(wf::device.with(wf::tuning::of({})).stream() == nullptr);
  CHECK(wf::device.on(stream).with(wf::tuning::of({})).stream() == stream);

  auto& scratch = *nowhere<wf::workspace>(128);
  const open_policy first = open_policy{}.on(stream).with(scratch);
  open_policy second;
  CHECK(second.callers_workspace() == nullptr);
  second.settings_from(first);
  CHECK(second.stream() == stream);
  CHECK(second.callers_workspace() == &scratch);

  pool memory;
  const open_policy from_pool = second.with(memory);
  CHECK(from_pool.callers_workspace() == nullptr);
  CHECK(from_pool.resource());
  open_policy third;
  CHECK_FALSE(third.resource());
  third.settings_from(from_pool);
  CHECK(third.resource());
  CHECK_FALSE(third.with(scratch).resource());
}

TEST_CASE("a policy whose thread sleeps keeps its settings, and stays so when others change") {
  using handle = wf::runtime::stream_handle;
  const auto stream = reinterpret_cast<handle>(std::uintptr_t{64});
  static_assert(wf::device.blocking().is_blocking());
  static_assert(!wf::device.is_blocking());
  CHECK(wf::device.on(stream).blocking().stream() == stream);
  CHECK(wf::device.blocking().on(stream).is_blocking());
  CHECK(wf::device.blocking().with(*nowhere<wf::workspace>(128)).is_blocking());
  CHECK(wf::device.blocking().with_kernel(wf::kernel::single_pass<>{}).is_blocking());
  CHECK(wf::device.blocking().with(wf::tuning::of({})).is_blocking());
  CHECK_FALSE(wf::device.with_kernel(wf::kernel::single_pass<>{}).is_blocking());
}
