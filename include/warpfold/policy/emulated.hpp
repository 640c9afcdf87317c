/// @file
/// `wf::emulated`: the library's kernels on a machine without a GPU. Each GPU thread is a fiber on
/// the host.
///
/// needs: boost_context
#pragma once

#include <warpfold/kernel/automatic.hpp>
#include <warpfold/policy/call_check.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/counted_range.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/work/kinds.hpp>

#if !defined(__CUDACC__)
#include <algorithm>
#include <new>
#include <thread>
#include <vector>

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

  /// @throws emulation_error if the kernel does what CUDA leaves undefined
  /// @throws unsupported_kernel if the kernel cannot run this reduction
  /// @throws invalid_range,empty_range as every policy
  template <reduction_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    using result_type = typename Reduction::result_type;
    r.require_valid();
    runtime::check_host_reduction(r);
    if (r.view.size() == 0) return r.empty_result();
    storage_for<result_type> result;
    launch(r, reinterpret_cast<result_type*>(result.bytes));
    return *std::launder(reinterpret_cast<result_type*>(result.bytes));
  }

  template <reduction_work Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    r.require_valid();
    runtime::check_host_reduction(r);
    runtime::check_host_pointer(out, sizeof(Out), alignof(Out), "the output");
    launch(r, out);
  }

  /// Of a view/counted.hpp.
  /// @throws invalid_range if the count is negative or larger than the range
  template <counted_work Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    kernel::check_reads_size<Kernel>();
    (void)settled_on_host(r);
    return run(settled_reduction<Reduction>(r));
  }
  template <counted_work Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    kernel::check_reads_size<Kernel>();
    (void)settled_on_host(r);
    enqueue(settled_reduction<Reduction>(r), out);
  }

  /// See work/transformation.hpp, whose `kernel_choice` chooses the kernel.
  /// @throws emulation_error if a view reads, or an output view writes, memory outside its range
  template <transformation_work Transformation>
  void run(const Transformation& t) const {
    t.require_valid();
    runtime::check_host_readable(t.in);
    runtime::check_host_writable(t.out);
    emulation::report counted;
    emulation::launcher launcher(gpu_, counts_ ? &counted : nullptr);
    t.in.visit_memory(
        [&](const void* p, std::size_t bytes, std::size_t) { launcher.allow(p, bytes, false); });
    if (!tells_memory_v<typename Transformation::in_view>) launcher.allow_all_loads();
    t.visit_written([&](const void* p, std::size_t bytes) { launcher.allow(p, bytes, true); });
    if constexpr (detail::check_kernel_loads<typename Transformation::in_view>()) {
      typename Transformation::kernel_choice{}.enqueue(t, launcher);
    }
    if (counts_) emulation::last_report() = std::move(counted);
  }
  template <transformation_work Transformation>
  void enqueue(const Transformation& t) const {
    run(t);
  }

  /// See work/axis_reduction.hpp, whose `kernel_choice` chooses the kernel.
  /// @throws emulation_error if the kernel reads or writes memory outside its arrays
  template <axis_reduction_work AxisReduction>
  void run(const AxisReduction& a) const {
    a.require_valid();
    runtime::check_host_memory(a);
    launch_chosen(a, true);
  }
  template <axis_reduction_work AxisReduction>
  void enqueue(const AxisReduction& a) const {
    run(a);
  }

  /// See work/axis_transformation.hpp, whose `kernel_choice` chooses the kernels.
  /// @throws emulation_error if a kernel reads or writes memory outside its arrays
  template <axis_transformation_work AxisTransformation>
  void run(const AxisTransformation& t) const {
    t.require_valid();
    runtime::check_host_memory(t);
    if (!t.is_empty()) launch_chosen(t, true);
  }
  template <axis_transformation_work AxisTransformation>
  void enqueue(const AxisTransformation& t) const {
    run(t);
  }

  /// See work/segmented_reduction.hpp, whose `kernel_choice` chooses the kernel. The bounds are
  /// checked on the host.
  /// @throws invalid_range,empty_range as wf::seq
  /// @throws emulation_error if a view reads memory outside its range
  template <segmented_reduction_work Segmented>
  void run(const Segmented& s) const {
    s.require_valid();
    runtime::check_host_segments(s);
    const std::size_t wrong = s.first_invalid(0, s.size());
    if (wrong != s.size()) s.refuse(wrong);
    launch_chosen(
        s, tells_memory_v<typename Segmented::view_type> && Segmented::segments_type::tells_memory);
  }
  template <segmented_reduction_work Segmented>
  void enqueue(const Segmented& s) const {
    run(s);
  }

  /// See work/many_reduction.hpp, whose `kernel_choice` is the kernel.
  /// @throws invalid_range,empty_range as wf::seq
  template <many_reduction_work ManyReduction>
  void run(const ManyReduction& m) const {
    m.require_valid();
    runtime::check_host_many(m);
    launch_chosen(m, true);
  }
  template <many_reduction_work ManyReduction>
  void enqueue(const ManyReduction& m) const {
    run(m);
  }

  /// See work/class_reduction.hpp, whose `kernel_choice` is the kernel. The labels are checked on
  /// the host.
  /// @throws invalid_range,empty_range as wf::seq
  /// @throws emulation_error if a view reads memory outside its range
  template <class_reduction_work ClassReduction>
  void run(const ClassReduction& c) const {
    c.require_valid();
    runtime::check_host_memory(c);
    require_right_labels(c);
    launch_chosen(c, ClassReduction::tells_memory);
  }
  template <class_reduction_work ClassReduction>
  void enqueue(const ClassReduction& c) const {
    run(c);
  }

  template <reduction_work Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    plan.kernel = kernel_.name();
    plan.bytes = bytes_of(r.view);
    plan.threads = host_threads();
    auto launcher = plan.launcher(gpu_);
    if constexpr (detail::check_kernel_loads<typename Reduction::view_type>()) {
      kernel_.enqueue(r, collective::result_sink<typename Reduction::result_type>{}, launcher);
    }
    kernel::note_table<Reduction>(kernel_, gpu_, plan);
  }
  template <axis_reduction_work AxisReduction, class Plan>
  void describe(const AxisReduction& a, Plan& plan) const {
    plan.threads = host_threads();
    auto launcher = plan.launcher(gpu_);
    typename AxisReduction::kernel_choice{}.enqueue(a, launcher);
  }
  template <segmented_reduction_work Segmented, class Plan>
  void describe(const Segmented& s, Plan& plan) const {
    plan.threads = host_threads();
    auto launcher = plan.launcher(gpu_);
    if constexpr (detail::check_kernel_loads<typename Segmented::view_type>()) {
      typename Segmented::kernel_choice{}.enqueue(s, launcher);
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

  // Runs the kernel that the work names.
  template <class Work>
  void launch_chosen(const Work& work, bool tells_memory) const {
    emulation::report counted;
    emulation::launcher launcher(gpu_, counts_ ? &counted : nullptr);
    work.visit_read(
        [&](const void* p, std::size_t bytes, std::size_t) { launcher.allow(p, bytes, false); });
    if (!tells_memory) launcher.allow_all_loads();
    work.visit_written(
        [&](const void* p, std::size_t bytes, std::size_t) { launcher.allow(p, bytes, true); });
    if constexpr (detail::check_work_loads<Work>()) {
      typename Work::kernel_choice{}.enqueue(work, launcher);
    }
    launcher.finish();
    if (counts_) emulation::last_report() = std::move(counted);
  }

  // Checks the labels, and that no class is empty if the op has no identity.
  template <class ClassReduction>
  static void require_right_labels(const ClassReduction& work) {
    constexpr bool may_be_empty = ClassReduction::has_identity;
    std::vector<bool> seen(may_be_empty ? 0 : work.classes);
    for (std::size_t i = 0; i < work.size(); ++i) {
      const std::size_t c = work.class_of(i);
      if (c >= work.classes) work.refuse_label(i);
      if (!may_be_empty) seen[c] = true;
    }
    for (std::size_t c = 0; c < seen.size(); ++c) {
      if (!seen[c]) work.refuse_empty(c);
    }
  }

  // True if the kernel may write the range.
  bool works_in_place() const {
    if constexpr (requires { kernel_.in_place; }) {
      return kernel_.in_place;
    } else {
      return false;
    }
  }

  template <class Reduction, class Out>
  void launch(const Reduction& r, Out* out) const {
    emulation::report counted;
    emulation::launcher launcher(gpu_, counts_ ? &counted : nullptr);
    r.view.visit_memory([&](const void* p, std::size_t bytes, std::size_t) {
      launcher.allow(p, bytes, works_in_place());
    });
    if (!tells_memory_v<typename Reduction::view_type>) launcher.allow_all_loads();
    launcher.allow(out, sizeof(Out), true);
    unsigned delivered = 0;
    if constexpr (detail::check_kernel_loads<typename Reduction::view_type>()) {
      kernel_.enqueue(r, collective::result_sink<Out>{out, &delivered, 1}, launcher);
    }
    launcher.finish();
    if (delivered == 0) {
      throw error("warpfold: kernel ", kernel_.name(),
                  " ended without delivering a result; call sink.deliver in its last block");
    }
    if (counts_) emulation::last_report() = std::move(counted);
  }

  device_info gpu_ = emulation::default_gpu;
  bool counts_ = false;

#else

  // nvcc sees these members: each reports the same one error.
  template <reduction_work Reduction>
  typename Reduction::result_type run(const Reduction&) const {
    needs_host_compiler<Reduction>();
  }
  template <class Work>
  void run(const Work&) const {
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
