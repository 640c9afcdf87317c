/// @file
/// `wf::emulated`: the library's kernels on a machine without a GPU. Each GPU thread is a fiber on
/// the host.
///
/// needs: boost_context
#pragma once

#include <warpfold/host/partial_results.hpp>
#include <warpfold/kernel/automatic.hpp>
#include <warpfold/kernel/choice.hpp>
#include <warpfold/kernel/nodes.hpp>
#include <warpfold/policy/call_check.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/counted_range.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/state_reduction.hpp>

#if !defined(__CUDACC__)
#include <algorithm>
#include <new>
#include <thread>

#include <warpfold/runtime/emulated_launcher.hpp>
#endif

namespace warpfold {

/// Runs the library's kernels, or `Kernel`, on host threads as a GPU would: warps, barriers, shared
/// memory, every block and thread. It is slow, and it checks what the hardware does not check: see
/// `emulation_error`.
///
/// - Stream: none; `enqueue` returns when the result is written.
/// - Memory: host memory.
/// - Order: that of the emulated GPU. The bits are those of a GPU with the same shape, except where
///   its compiler contracts a * b + c.
/// - Threads: any number of host threads may share a policy.
///
/// @tparam Kernel a kernel of kernel/, see kernel/concept.hpp
template <class Kernel = kernel::automatic>
class emulated_policy {
 public:
  constexpr emulated_policy() = default;

  static constexpr const char* name() { return "emulated"; }
  static constexpr bool reads_size_on_host = true;
  static constexpr bool returns_states = true;
  static constexpr bool prefers_segment_rows = true;

  /// Returns the same policy with a kernel that the caller chooses; see kernel/concept.hpp.
  template <kernel::reduction_kernel OtherKernel>
  constexpr emulated_policy<OtherKernel> with_kernel(OtherKernel kernel) const {
    emulated_policy<OtherKernel> p;
    p.kernel_ = kernel;
#if !defined(__CUDACC__)
    p.gpu_ = gpu_;
    p.counts_ = counts_;
#endif
    return p;
  }

#if !defined(__CUDACC__)

  /// Returns the same policy, emulating another GPU. Kernels choose their launch shapes by it.
  constexpr emulated_policy emulating(const device_info& gpu) const {
    emulated_policy p = *this;
    p.gpu_ = gpu;
    return p;
  }

  /// Returns the same policy, which also counts requests, sectors, bank conflicts and more, for
  /// `report`.
  constexpr emulated_policy counting() const {
    emulated_policy p = *this;
    p.counts_ = true;
    return p;
  }

  /// Returns the counts of the calling thread's last counted call, launch by launch.
  static const emulation::report& report() { return emulation::last_report(); }

  /// As wf::device. The host checks counts, bounds and labels first.
  /// @throws emulation_error if the kernel does what CUDA leaves undefined, or accesses memory
  ///     outside its arrays
  /// @throws unsupported_kernel if the kernel cannot run this reduction
  /// @throws invalid_range,empty_range as every policy
  template <class Work>
    requires(reduction_work<Work> || counted_work<Work> || has_kernel<Work>)
  returned_t<Work> run(const Work& work) const {
    if constexpr (counted_work<Work>) {
      kernel::check_reads_size<Kernel>();
      (void)settled_on_host(work);
      return run(settled_reduction<Work>(work));
    } else {
      check(work);
      if constexpr (reduction_work<Work>) {
        using result_type = typename Work::result_type;
        if (work.view.size() == 0) return work.empty_result();
        storage_for<result_type> result;
        launch(work, reinterpret_cast<result_type*>(result.bytes));
        return *std::launder(reinterpret_cast<result_type*>(result.bytes));
      } else if constexpr (detail::is_of_kind<Work, kinds::key_reduction>) {
        std::size_t runs = 0;
        work.require_room([&] { return run_count(work); });
        launch(work, &runs);
        return runs;
      } else {
        launch(work);
      }
    }
  }

  template <class Work, class... Out>
    requires((reduction_work<Work> || counted_work<Work> || has_kernel<Work>) &&
             takes_outputs<Work, Out...>)
  void enqueue(const Work& work, Out*... out) const {
    if constexpr (counted_work<Work>) {
      kernel::check_reads_size<Kernel>();
      (void)settled_on_host(work);
      enqueue(settled_reduction<Work>(work), out...);
    } else {
      check(work);
      (runtime::check_host_pointer(out, sizeof(Out), alignof(Out), "the output"), ...);
      if constexpr (detail::is_of_kind<Work, kinds::key_reduction>) {
        work.require_room([&] { return work.room(); });
      }
      launch(work, out...);
    }
  }

  /// See `policy`.
  static constexpr bool folds_nodes = kernel::in_declared_order_v<Kernel>;
  template <class Reduction, class Use>
    requires kernel::in_declared_order_v<Kernel>
  void fold_nodes(const Reduction& reduction, std::size_t before, std::size_t whole,
                  const Use& use) const {
    using part = state_reduction<Reduction>;
    using accumulator = typename part::accumulator;
    const part r(reduction);
    check(r);
    if (r.view.size() == 0) return;
    const detail::node_parts parts = kernel::nodes::parts_of(r, before, whole, gpu_);
    const host::partial_results<accumulator> folds(1, parts.size());
    emulation::report counted;
    emulation::launcher launcher(gpu_, counts_ ? &counted : nullptr);
    allow_reads(r, false, launcher);
    launcher.allow(folds.at(0, 0), parts.size() * sizeof(accumulator), true);
    if constexpr (detail::check_kernel_loads<typename part::view_type>()) {
      kernel::nodes::enqueue(r, parts, folds.at(0, 0), launcher);
    }
    const auto fold = r.fold();
    parts.for_each_node(
        folds.at(0, 0),
        [&](const accumulator& a, const accumulator& b) { return fold.apply(a, b); }, use);
    if (counts_) emulation::last_report() = std::move(counted);
  }

  /// The plan of `fold_nodes`.
  template <class Reduction, class Plan>
    requires kernel::in_declared_order_v<Kernel>
  void describe_nodes(const Reduction& r, Plan& plan) const {
    plan.threads = host_threads();
    kernel::nodes::describe(state_reduction<Reduction>(r), gpu_, plan);
  }

  template <class Work, class Plan>
    requires(reduction_work<Work> || (has_kernel<Work> && std::is_void_v<returned_t<Work>>))
  void describe(const Work& work, Plan& plan) const {
    plan.threads = host_threads();
    auto launcher = plan.launcher(gpu_);
    if constexpr (reduction_work<Work>) {
      plan.kernel = kernel_.name();
      plan.bytes = bytes_of(work.view);
      start(work, launcher, collective::result_sink<typename Work::result_type>{});
      kernel::note_table<Work>(kernel_, gpu_, plan);
    } else {
      start(work, launcher);
    }
  }

 private:
  template <class T>
  struct storage_for {
    alignas(T) unsigned char bytes[sizeof(T)];
  };

  static int host_threads() {
    return static_cast<int>((std::max)(1u, std::thread::hardware_concurrency()));
  }

  template <class Work>
  static void check(const Work& work) {
    work.require_valid();
    runtime::check_host_memory(work);
    if constexpr (requires { work.require_valid_data(); }) work.require_valid_data();
  }

  // True if the kernel may write the range.
  bool works_in_place() const {
    if constexpr (requires { kernel_.in_place; }) {
      return kernel_.in_place;
    } else {
      return false;
    }
  }

  template <class Work>
  static void allow_reads(const Work& work, bool writable, emulation::launcher& launcher) {
    work.visit_read(
        [&](const void* p, std::size_t bytes, std::size_t) { launcher.allow(p, bytes, writable); });
    if (!Work::tells_memory) launcher.allow_all_loads();
  }

  // Runs the kernel of a reduction, whose result goes to the output, or that of other work.
  template <class Work, class... Out>
  void launch(const Work& work, Out*... out) const {
    emulation::report counted;
    emulation::launcher launcher(gpu_, counts_ ? &counted : nullptr);
    allow_reads(work, reduction_work<Work> && works_in_place(), launcher);
    (launcher.allow(out, sizeof(Out), true), ...);
    if constexpr (reduction_work<Work>) {
    } else if constexpr (requires {
                           work.visit_written_elements([](const void*, std::size_t) {});
                         }) {
      work.visit_written_elements(
          [&](const void* p, std::size_t bytes) { launcher.allow(p, bytes, true); });
    } else {
      work.visit_written(
          [&](const void* p, std::size_t bytes, std::size_t) { launcher.allow(p, bytes, true); });
    }
    unsigned delivered = 0;
    start(work, launcher, collective::result_sink<Out>{out, &delivered, 1}...);
    launcher.finish();
    if (sizeof...(Out) != 0 && delivered == 0) {
      throw_error<error>("warpfold: kernel ", kernel_.name(),
                         " ended without delivering a result; call sink.deliver in its last block");
    }
    if (counts_) emulation::last_report() = std::move(counted);
  }
  template <class Work, class Launcher, class... Sink>
  void start(const Work& work, Launcher& launcher, const Sink&... sink) const {
    if constexpr (detail::check_work_loads<Work>()) {
      if constexpr (reduction_work<Work>) {
        kernel_.enqueue(work, sink..., launcher);
      } else {
        kernel::chosen<Work>{}.enqueue(work, sink..., launcher);
      }
    }
  }
  // The number of runs of keys.
  template <class Work>
  std::size_t run_count(const Work& work) const {
    std::size_t runs = 0;
    emulation::launcher launcher(gpu_, nullptr);
    allow_reads(work, false, launcher);
    launcher.allow(&runs, sizeof runs, true);
    if constexpr (detail::check_work_loads<Work>()) {
      kernel::chosen<Work>{}.count(work, collective::result_sink<std::size_t>{&runs, nullptr, 0},
                                   launcher);
    }
    return runs;
  }

  device_info gpu_ = emulation::default_gpu;
  bool counts_ = false;

#else

  // nvcc sees these members: each reports the same one error.
  template <class Work>
  returned_t<Work> run(const Work&) const {
    needs_host_compiler<Work>();
  }
  template <class Work, class... Out>
  void enqueue(const Work&, Out*...) const {
    needs_host_compiler<Work>();
  }
  template <class Work, class Plan>
  void describe(const Work&, Plan&) const {
    needs_host_compiler<Work>();
  }

 private:
  template <class Work>
  [[noreturn]] static void needs_host_compiler() {
    static_assert(
        sizeof(Work) == 0,
        "warpfold: wf::emulated defines the names of CUDA C++, which nvcc defines itself. Compile "
        "this file with the host compiler (name it .cpp), or use wf::device here");
    __builtin_unreachable();
  }

#endif

  template <class>
  friend class emulated_policy;

  Kernel kernel_{};
};

#if !defined(__CUDACC__)
static_assert(policy<emulated_policy<>>);
#endif

/// The library's kernels on the host, in the launch shapes of an H100.
inline constexpr emulated_policy<> emulated{};

}  // namespace warpfold
