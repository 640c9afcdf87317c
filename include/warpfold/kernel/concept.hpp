/// @file
/// The `reduction_kernel` concept: how blocks and threads share the work of a reduction.
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
// A launcher that launches nothing, for checking the concept.
struct no_launcher {
  const device_info& gpu() const;
  collective::grid_storage grid() const;
  template <class T>
  collective::global_array<T> scratch(std::size_t count);
  template <class Body>
  void launch(const char* kernel, const Body& body, const launch_shape& shape);
};
}  // namespace detail

/// A kernel is a small copyable value with two members:
///
/// - `name()`: its name in plans and messages, text that lives as long as the program;
/// - `enqueue(reduction, sink, on)`: launches everything that reduces `reduction.view` and delivers
///   the result to `sink`. It computes the launch shapes, calls `on.scratch<T>(count)` if it needs
///   memory, and calls `on.launch(name, body, shape)` once or more. It refuses reductions that it
///   cannot run with `unsupported_kernel`, before it launches.
///
/// kernel/body.hpp describes a body.
///
/// `on.scratch<T>(count)` may be called once in each `enqueue`, and not together with `on.grid()`:
/// the two may share memory. The memory is uninitialized. A kernel that may overwrite the range has
/// a member `in_place` that is true.
///
/// The launcher `on` is a `runtime::launcher`, that of the emulation, or a plan that records
/// launches; kernels work with all three. `on.gpu()` returns the properties of the GPU.
template <class K>
concept reduction_kernel =
    std::copyable<K> &&
    requires(const K& k, const reduction<contiguous_view<float>, plus>& r,
             const collective::result_sink<float>& sink, detail::no_launcher& on) {
      { K::name() } -> std::convertible_to<const char*>;
      k.enqueue(r, sink, on);
    };

}  // namespace warpfold::kernel
