/// @file
/// `wf::device`: the library's own kernels on the current GPU.
#pragma once

#include <warpfold/kernel/automatic.hpp>
#include <warpfold/kernel/choice.hpp>
#include <warpfold/kernel/nodes.hpp>
#include <warpfold/kernel/tuned.hpp>
#include <warpfold/policy/call_check.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/gpu_settings.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/state_reduction.hpp>

#if defined(__CUDACC__)
#include <warpfold/policy/gpu_checks.hpp>
#include <warpfold/runtime/launch.hpp>
#include <warpfold/runtime/wait.hpp>
#endif

namespace warpfold {

#if defined(__CUDACC__)
namespace detail {

template <class Work>
concept checks_bounds = requires { requires Work::checks_bounds; };

// At its end, also by an error, notes whether a launch may use the scratch.
struct noted_launches {
  runtime::waiting_scratch& scratch;
  const runtime::launcher& launcher;

  ~noted_launches() { scratch.set_in_flight(launcher.has_launched()); }
};

}  // namespace detail
#endif

/// Runs on the current GPU, with `Kernel` or, by default, the kernel that the library chooses for
/// the call.
///
/// - Stream: that of `on(stream)`, otherwise the default stream. `run` waits for its result, and so
///   for all earlier work on that stream. The calling thread spins, or sleeps with `blocking()`.
///   `enqueue` does not wait.
/// - Memory: with the library's choice of kernel, only the first calls allocate. A call with more
///   than 64 KB of partial states, such as a large `reduce_axis` or `reduce_by_key`, allocates if
///   it is the largest so far. So does `reduce_by_class` of many classes, which copies the values.
///   Scratch comes from the library, from `with(workspace)`, or per call and stream-ordered from
///   `with(resource)`.
/// - Order: the declared one (op/fold_order.hpp) of each range, row, column or segment, on any GPU.
///   `reduce_by_class`, and named kernels other than `kernel::in_order`, have an order of their
///   own. It is fixed by the range's size and 16-byte alignment, the GPU and the kernel, so every
///   run gives the same bits. kernel::atomic combines in order of arrival.
/// - Threads: any number of host threads may share a policy and a stream.
/// - Graphs: `enqueue` can be captured; the graph keeps its scratch. Two instances of one captured
///   graph share it and must not run at the same time.
///
/// @tparam Kernel a kernel of kernel/, see kernel/concept.hpp
///
/// ```cpp
/// auto policy = wf::device.with_kernel(wf::kernel::automatic{});
/// ```
/// On a GPU: test/examples/sum.cu
template <class Kernel = kernel::automatic>
class device_policy : public gpu_settings<device_policy<Kernel>> {
  using settings = gpu_settings<device_policy<Kernel>>;

 public:
  using settings::stream;

  constexpr device_policy() = default;

  static constexpr const char* name() { return "device"; }
  static constexpr bool prefers_segment_rows = true;
  static constexpr bool returns_states = true;

  using settings::with;
#if defined(__CUDACC__)
  using settings::scratch_of_enqueued;
  using settings::scratch_of_waiting;
#endif
  /// Returns the same policy, which launches the library's choice of kernel as `table` says (see
  /// kernel/tuning.hpp).
  ///
  /// Each row sets the threads and blocks of single_pass, the use of the L2 cache, and whether bulk
  /// copies run ahead of the threads. Transformations, folds along an axis, of segments, lists and
  /// classes, and ranges without memory have no table and are unaffected. With a table, elements
  /// of unknown cost use its rows too. A later `with_kernel` replaces the table.
  ///
  /// @param table valid for one GPU model
  /// @throws invalid_tuning if no GPU could launch the table; the message names the field. A call
  ///     on another GPU than the table's throws it too
  constexpr device_policy<kernel::tuned> with(const tuning& table) const {
    static_assert(
        std::is_same_v<Kernel, kernel::automatic> || std::is_same_v<Kernel, kernel::tuned>,
        "warpfold: a tuning configures the library's own choice of kernel; set the members of the "
        "kernel given to with_kernel instead");
    table.check();
    return with_kernel(kernel::tuned{table});
  }

  /// Returns the same policy with a kernel that the caller chooses.
  ///
  /// @param kernel see kernel/concept.hpp. A call that the kernel cannot run throws
  ///     `unsupported_kernel`
  template <kernel::reduction_kernel OtherKernel>
  constexpr device_policy<OtherKernel> with_kernel(OtherKernel kernel) const {
    device_policy<OtherKernel> p;
    p.kernel_ = kernel;
    p.is_blocking_ = is_blocking_;
    p.settings_from(*this);
    return p;
  }

  /// Returns the same policy, whose calling thread sleeps while it waits for the GPU.
  ///
  /// A thread that spins occupies a core, but sees the result first. Use this policy where calls
  /// take long and the core has other work.
  ///
  /// - Stream: a call that waits also waits for all earlier work on its stream, as before. Calls
  ///   that only enqueue are the same.
  /// - Cost: each call that waits makes and destroys an event. The system wakes the thread when the
  ///   GPU is done; nobody has measured how much later that is.
  ///
  /// ```cpp
  /// auto policy = wf::device.blocking();
  /// ```
  constexpr device_policy blocking() const {
    device_policy p = *this;
    p.is_blocking_ = true;
    return p;
  }
  /// True if the calling thread sleeps while it waits.
  constexpr bool is_blocking() const { return is_blocking_; }

#if defined(__CUDACC__)

  /// A reduction runs with the policy's kernel, other work with the kernel of its kind
  /// (kernel/choice.hpp). A kernel reads the size of a view/counted.hpp; at most the whole range is
  /// read.
  template <class Work>
    requires(reduction_work<Work> || counted_work<Work> || has_kernel<Work>)
  returned_t<Work> run(const Work& work) const {
    if constexpr (counted_work<Work>) {
      kernel::check_reads_size<Kernel>();
      return run(settled_reduction<Work>(work));
    } else {
      static_assert(check_state<Work>());
      const device_info& gpu = check_gpu(work);
      runtime::require_not_capturing(stream(), Work::kind::call);
      if constexpr (reduction_work<Work>) {
        using result_type = typename Work::result_type;
        static_assert(detail::check_returned<Work>());
        if constexpr (!Work::is_init_stored) {
          if (work.view.size() == 0) return work.empty_result();
        }
        runtime::waiting_scratch scratch = this->scratch_of_waiting();
        const auto sink = scratch.own().template next_sink<result_type>();
        runtime::launcher launcher(scratch, stream(), gpu);
        {
          const detail::noted_launches noted{scratch, launcher};
          start(work, sink, launcher);
        }
        runtime::wait_for_flag(sink.flag, sink.signal, stream(), launcher.last(), how_to_wait());
        scratch.set_in_flight(false);
        return *sink.out;
      } else if constexpr (detail::is_of_kind<Work, kinds::key_reduction>) {
        if (work.size() == 0) return 0;
        work.require_room([&] { return run_for_count(work, gpu, false); });
        return run_for_count(work, gpu, true);
      } else {
        if (has_no_result(work)) return;
        if constexpr (detail::checks_bounds<Work>) return run_checked(work, gpu);
        const launched what = launch(work, gpu);
        runtime::wait_for_stream(stream(), how_to_wait(),
                                 [&] { return message("the last kernel was ", what.text()); });
      }
    }
  }

  /// @param out for a reduction: a pointer, or a result_sink whose memory has been checked and
  ///     which one thread of the kernel calls. Other work has an output of its own
  template <class Work, class... Out>
    requires((reduction_work<Work> || counted_work<Work> || has_kernel<Work>) &&
             takes_outputs<Work, Out...>)
  void enqueue(const Work& work, const Out&... out) const {
    if constexpr (counted_work<Work>) {
      kernel::check_reads_size<Kernel>();
      enqueue(settled_reduction<Work>(work), out...);
    } else {
      static_assert(check_state<Work>());
      const device_info& gpu = check_gpu(work);
      if constexpr (reduction_work<Work>) {
        runtime::enqueued_scratch scratch = this->scratch_of_enqueued();
        runtime::launcher launcher(scratch, stream(), gpu);
        (start(work, sink_of(out), launcher), ...);
      } else if constexpr (detail::is_of_kind<Work, kinds::key_reduction>) {
        work.require_room([&] { return work.room(); });
        runtime::enqueued_scratch scratch = this->scratch_of_enqueued();
        runtime::launcher launcher(scratch, stream(), gpu);
        (start_chosen(work, launcher, sink_of(out)), ...);
      } else {
        if (!has_no_result(work)) (void)launch(work, gpu);
      }
    }
  }

  /// Checks that the GPU can write `*out`, and that the stream is not being captured: for policies
  /// that make a result on the host.
  /// @throws invalid_range,cuda_error if not
  template <class Out>
  void check_output(Out* out) const {
    runtime::check_device_pointer(out, sizeof(Out), alignof(Out), "the output");
    runtime::require_not_capturing(stream());
  }
  /// Checks the memory of work, and that the stream is not being captured.
  template <class Work>
  void check(const Work& work) const {
    check_gpu(work);
    runtime::require_not_capturing(stream(), Work::kind::call);
  }
  /// Returns when all earlier work on the stream has ended.
  void wait() const {
    runtime::wait_for_stream(stream(), how_to_wait(),
                             [] { return message("an exchange between ranks"); });
  }
  /// Writes a value of the host to `*out`, in stream order.
  template <class Out>
  void store(const Out& value, Out* out) const {
    runtime::check(cudaMemcpyAsync(out, &value, sizeof(Out), cudaMemcpyDefault, stream()),
                   "cudaMemcpyAsync");
  }

  /// Reads a value that the GPU can access, in stream order, and waits for it.
  template <class T>
  void load(const T* from, T* to) const {
    runtime::check(cudaMemcpyAsync(to, from, sizeof(T), cudaMemcpyDefault, stream()),
                   "cudaMemcpyAsync");
    wait();
  }

  template <class Work, class Plan>
    requires(reduction_work<Work> || (has_kernel<Work> && std::is_void_v<returned_t<Work>>))
  void describe(const Work& work, Plan& plan) const {
    const device_info& gpu = check_gpu<false>(work);
    plan.on_gpu = true;
    if constexpr (reduction_work<Work>) {
      plan.bytes = bytes_of(work.view);
      plan.kernel = kernel_.name();
    } else {
      static_assert(check_state<Work>());
    }
    auto launcher = plan.launcher(gpu);
    if constexpr (reduction_work<Work>) {
      start(work, collective::result_sink<typename Work::result_type>{}, launcher);
      kernel::note_table<Work>(kernel_, gpu, plan);
    } else {
      start_chosen(work, launcher);
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
    static_assert(check_state<part>());
    check(r);
    if (r.view.size() == 0) return;
    const device_info& gpu = runtime::current_device_info();
    const detail::node_parts parts = kernel::nodes::parts_of(r, before, whole, gpu);
    runtime::waiting_scratch scratch = this->scratch_of_waiting();
    auto* const folds =
        static_cast<accumulator*>(scratch.own().results(parts.size() * sizeof(accumulator)));
    run_with(scratch, gpu, [&](auto& launcher) {
      start_nodes<part>(launcher, [&] { kernel::nodes::enqueue(r, parts, folds, launcher); });
    });
    const auto fold = r.fold();
    parts.for_each_node(
        folds, [&](const accumulator& a, const accumulator& b) { return fold.apply(a, b); }, use);
  }

  /// The plan of `fold_nodes`.
  template <class Reduction, class Plan>
    requires kernel::in_declared_order_v<Kernel>
  void describe_nodes(const Reduction& r, Plan& plan) const {
    const device_info& gpu = check_gpu<false>(r);
    plan.on_gpu = true;
    kernel::nodes::describe(state_reduction<Reduction>(r), gpu, plan);
  }

  /// Enqueues the kernel of a reduction that has been checked: for policies that run a part of a
  /// call here.
  template <class Reduction, class Sink, class Launcher>
  void start(const Reduction& r, const Sink& sink, Launcher& launcher) const {
    if constexpr (detail::check_kernel_loads<typename Reduction::view_type>()) {
      if constexpr (detail::check_lambdas<Reduction>()) kernel_.enqueue(r, sink, launcher);
    }
  }
  /// Calls `enqueue()`, which enqueues a kernel of nodes in place of the policy's.
  template <class Reduction, class Launcher, class Enqueue>
  void start_nodes(const Launcher& launcher, const Enqueue& enqueue) const {
    if constexpr (requires { kernel_.table; }) kernel_.table.check_for(launcher.gpu());
    if constexpr (detail::check_kernel_loads<typename Reduction::view_type>()) {
      if constexpr (detail::check_lambdas<Reduction>()) enqueue();
    }
  }

 private:
  template <class>
  friend class device_policy;

  template <class Out>
  static collective::result_sink<Out> sink_of(Out* out) {
    runtime::check_device_pointer(out, sizeof(Out), alignof(Out), "the output");
    return {out, nullptr, 0};
  }
  template <class Out>
  static const collective::result_sink<Out>& sink_of(const collective::result_sink<Out>& sink) {
    return sink;
  }

  // Runs the kernel of the kind of work.
  template <class Work>
  launched launch(const Work& work, const device_info& gpu) const {
    runtime::enqueued_scratch scratch = this->scratch_of_enqueued();
    runtime::launcher launcher(scratch, stream(), gpu);
    start_chosen(work, launcher);
    return launcher.last();
  }
  template <class Work, class Launcher, class... Sink>
  static void start_chosen(const Work& work, Launcher& launcher, const Sink&... sink) {
    if constexpr (detail::check_work_loads<Work>()) {
      if constexpr (detail::check_lambdas<Work>()) {
        kernel::chosen<Work>{}.enqueue(work, sink..., launcher);
      }
    }
  }

  // Runs a kernel that delivers a number before its last block ends, and returns the number.
  // @param writes false: the kernel only counts
  template <class Work>
  returned_t<Work> run_for_count(const Work& work, const device_info& gpu, bool writes) const {
    using count = returned_t<Work>;
    runtime::waiting_scratch scratch = this->scratch_of_waiting();
    auto* const out = static_cast<count*>(scratch.own().results(sizeof(count)));
    const collective::result_sink<count> sink{out, nullptr, 0};
    run_with(scratch, gpu, [&](auto& launcher) {
      if (writes) {
        start_chosen(work, launcher, sink);
      } else if constexpr (detail::check_work_loads<Work>() && detail::check_lambdas<Work>()) {
        kernel::chosen<Work>{}.count(work, sink, launcher);
      }
    });
    return *out;
  }

  // Runs a kernel that reports the first segment whose bounds are wrong.
  // @throws invalid_range if there is one; the GPU has then finished
  template <class Work>
  void run_checked(const Work& work, const device_info& gpu) const {
    using wrong_segment = typename Work::wrong_segment;
    static_assert(sizeof(wrong_segment) <= warpfold::workspace::report_bytes);
    runtime::waiting_scratch scratch = this->scratch_of_waiting();
    auto* const report = ::new (scratch.own().report()) wrong_segment;
    Work checked = work;
    checked.check_bounds({report, work.elements()});
    run_with(scratch, gpu, [&](auto& launcher) { start_chosen(checked, launcher); });
    const wrong_segment found = *report;
    if (found.number == wrong_segment::none) return;
    scratch.set_in_flight(true);
    runtime::check(cudaMemsetAsync(scratch.grid().wrong(), 0, sizeof(found.number), stream()),
                   "cudaMemsetAsync");
    wait();
    scratch.set_in_flight(false);
    work.refuse_bounds(found);
  }

  // Calls `start(launcher)` and waits until its launches have ended.
  template <class Start>
  void run_with(runtime::waiting_scratch& scratch, const device_info& gpu,
                const Start& start) const {
    runtime::launcher launcher(scratch, stream(), gpu);
    {
      const detail::noted_launches noted{scratch, launcher};
      start(launcher);
    }
    runtime::wait_for_stream(stream(), how_to_wait(), [&] {
      return message("the last kernel was ", launcher.last().text());
    });
    scratch.set_in_flight(false);
  }

  template <class Work>
  static bool has_no_result(const Work& work) {
    if constexpr (requires { work.is_empty(); }) {
      return work.is_empty();
    } else {
      return work.size() == 0;
    }
  }

  runtime::waiting how_to_wait() const {
    return is_blocking_ ? runtime::waiting::sleeps : runtime::waiting::spins;
  }

  template <class Work>
  static consteval bool check_state() {
    constexpr bool is_in_tables =
        (kernel::has_thread_tables<Work> && kernel::chooses_tables<Kernel>) ||
        kernel::tries_groups<Work>;
    if constexpr (requires { typename Work::state; } && !is_in_tables) {
      static_assert(sizeof(typename Work::state) <= warpfold::workspace::accumulator_bytes,
                    "warpfold: accumulators of more than 1024 bytes do not fit a block's shared "
                    "memory; fold smaller states");
    }
    return true;
  }

#else

  // A host compiler sees these members: each reports the same one error.
  template <class Work>
  returned_t<Work> run(const Work&) const {
    needs_nvcc<Work>();
  }
  template <class Work, class... Out>
  void enqueue(const Work&, Out*...) const {
    needs_nvcc<Work>();
  }
  template <class Work, class Plan>
  void describe(const Work&, Plan&) const {
    needs_nvcc<Work>();
  }

 private:
  template <class>
  friend class device_policy;

  template <class Work>
  [[noreturn]] static void needs_nvcc() {
    static_assert(
        sizeof(Work) == 0,
        "warpfold: wf::device runs CUDA kernels, and this file is not compiled by nvcc. Name "
        "it .cu (CMake: LANGUAGE CUDA), or use wf::par or wf::seq here");
    __builtin_unreachable();
  }

#endif

  Kernel kernel_{};
  bool is_blocking_ = false;
};

#if defined(__CUDACC__)
static_assert(policy<device_policy<>>);
#endif

/// The library's own kernels on the current GPU, on the default stream.
inline constexpr device_policy<> device{};

}  // namespace warpfold
