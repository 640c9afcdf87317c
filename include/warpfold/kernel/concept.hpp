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
struct no_launcher {
  const device_info& gpu() const;
  collective::grid_storage grid() const;
  template <class T>
  collective::global_array<T> scratch(std::size_t count);
  void start_next_kernel() const;
  template <class Body>
  unsigned resident_blocks_per_multiprocessor() const;
  void launch(const char* kernel, const auto& body, const launch_shape& shape);
};
}  // namespace detail

/// The position of a kernel in the ladder (docs/kernels.md), and the figures of its source, or 0.
struct ladder_step {
  int number;
  const char* source = "";          ///< a short name
  double milliseconds = 0;          ///< of one reduction, on the source's GPU
  double gigabytes_per_second = 0;  ///< likewise
  double bytes = 0;                 ///< that the source reduced
};

/// A kernel is a small copyable value with two members:
///
/// - `name()`: its name in plans and messages, text that lives as long as the program;
/// - `enqueue(reduction, sink, launcher)`: launches everything that reduces `reduction.view` and
///   delivers the result to `sink`. It computes the launch shapes. It calls
///   `launcher.scratch<T>(count)` if it needs memory, and `launcher.launch(name, body, shape)` once
///   or more. It throws `unsupported_kernel`, before it launches, for reductions that it cannot
///   run.
///
/// kernel/body.hpp describes a body.
///
/// `launcher.resident_blocks_per_multiprocessor<Body>()` is the number of blocks of
/// `Body::max_block` threads that a multiprocessor holds at once.
///
/// `launcher.scratch<T>(count)` may be called once in each `enqueue`. A kernel that enqueues a
/// second one calls `launcher.start_next_kernel()` first; the second one may then call `scratch`,
/// and may get the same memory. Scratch may also be the memory of `launcher.grid().partials`: a
/// kernel uses one of the two. The memory is uninitialized.
///
/// Optional members:
/// - `in_place`: true if the kernel may overwrite the range;
/// - `in_ladder`, a `ladder_step`: the kernel's position in the ladder; kernels without one come
///   last;
/// - `is_listed = false`: the lists of all kernels (the program's, the contract tests') leave the
///   kernel out, because it takes some ranges only, or only chooses another kernel;
/// - `is_emulated = false`: the emulation cannot run the kernel;
/// - `reads_size = true`: the kernel also takes ranges whose size lies in memory (view/counted.hpp)
///   and calls `view.read_size`;
/// - `in_declared_order = true`: the result has the bits of the declared order (op/fold_order.hpp),
///   if the op has one. Then `across` divides a range as that order does;
/// - `is_repeatable = false`: the order in which the kernel combines differs from run to run.
///
/// The header of a kernel of this library ends with `static_assert(reduction_kernel<NAME>);`. The
/// build finds it by that line and adds it to the lists.
///
/// The `launcher` is a `runtime::launcher`, that of the emulation, or a plan that records launches;
/// kernels work with all three. `launcher.gpu()` returns the properties of the GPU.
template <class Kernel>
concept reduction_kernel =
    std::copyable<Kernel> &&
    requires(const Kernel& k, const reduction<contiguous_view<float>, plus>& r,
             const collective::result_sink<float>& sink, detail::no_launcher& launcher) {
      { Kernel::name() } -> std::convertible_to<const char*>;
      k.enqueue(r, sink, launcher);
    };

/// The values of optional members of a kernel.
template <class Kernel>
inline constexpr bool is_listed_v = !requires { requires !Kernel::is_listed; };
template <class Kernel>
inline constexpr bool is_emulated_v = !requires { requires !Kernel::is_emulated; };
template <class Kernel>
inline constexpr bool in_declared_order_v = requires { requires Kernel::in_declared_order; };
template <class Kernel>
inline constexpr bool is_repeatable_v = !requires { requires !Kernel::is_repeatable; };

/// Fails to compile if a kernel cannot read the size of a range.
template <class Kernel>
constexpr void check_reads_size() {
  constexpr bool reads = requires { requires Kernel::reads_size; };
  static_assert(reads,
                "warpfold: this kernel cannot read the size of a counted range; use "
                "kernel::single_pass, or let wf::device choose");
}

}  // namespace warpfold::kernel
