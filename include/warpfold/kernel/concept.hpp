/// @file
/// What a kernel is: how blocks and threads share the work of a reduction.
#pragma once

#include <concepts>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::kernel {

namespace detail {
// A launcher that launches nothing, to ask whether a kernel is one.
struct no_launcher {
  const device_info& gpu() const;
  collective::grid_storage grid() const;
  template <class T>
  collective::global_array<T> scratch(std::size_t count);
  template <class Body>
  void launch(const char* kernel, const Body& body, const launch_shape& shape);
};
}  // namespace detail

/// A kernel is a value, small and copyable, with
///
/// - `name()`: as it stands in plans and messages, text that lives as long as the program;
/// - `enqueue(reduction, sink, on)`: everything that reduces `reduction.view` and delivers the result to
///   `sink`. It computes the launch shapes, asks `on.scratch<T>(count)` for memory, if it needs any, and calls
///   `on.launch(name, body, shape)` once or more. What it cannot do it refuses, with `unsupported_kernel`,
///   before it launches.
///
/// kernel/body.hpp says what a body is. `on.scratch<T>(count)` is asked for at most once a call, and not beside `on.grid()`: the
/// two may share memory, and what it holds is not written yet. A kernel that was asked to overwrite the range
/// has a member `in_place` that is true. The launcher `on` is a `runtime::launcher`, the emulation's, or a plan that takes
/// notes; the kernel does not ask which. `on.gpu()` tells of the GPU.
template <class K>
concept reduction_kernel =
    std::copyable<K> &&
    requires(const K& k, const reduction<contiguous_view<float>, plus>& r,
             const collective::result_sink<float>& sink, detail::no_launcher& on) {
      { K::name() } -> std::convertible_to<const char*>;
      k.enqueue(r, sink, on);
    };

}  // namespace warpfold::kernel
