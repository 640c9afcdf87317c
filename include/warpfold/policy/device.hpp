/// @file
/// The library's own kernels on the current GPU.
#pragma once

#include <warpfold/policy/concept.hpp>
#include <warpfold/policy/gpu_settings.hpp>

#if defined(__CUDACC__)
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/runtime/wait.hpp>
#include <warpfold/runtime/workspace.hpp>
#endif

namespace warpfold {

namespace kernel {

/// Lets the policy choose the kernel from the size, the type and the GPU.
struct automatic {};

}  // namespace kernel

/// Runs on the current GPU, with the library's kernel for the case or with `Kernel`.
///
/// Stream:  `on(stream)`, else the default stream. `run` waits for its result, and so for everything
///          before it on that stream; `enqueue` does not wait.
/// Memory:  none is allocated after the first calls: scratch is the library's, or comes from
///          `with(workspace)` or, call by call and in stream order, from `with(resource)`.
/// Order:   fixed by the range's size and 16-byte alignment, the GPU and the kernel: the same bits on
///          every run.
/// Threads: any number of host threads may share a policy and a stream.
/// Graphs:  `enqueue` can be captured; the graph keeps its scratch. Two instances of one captured graph
///          share it and must not run at the same time.
template <class Kernel = kernel::automatic>
class device_policy : public gpu_settings<device_policy<Kernel>> {
  using settings = gpu_settings<device_policy<Kernel>>;

 public:
  using settings::stream;

  constexpr device_policy() = default;

  static constexpr const char* name() { return "device"; }

  /// The same policy with a kernel of the caller's choice.
  template <class OtherKernel>
  constexpr device_policy<OtherKernel> with_kernel(OtherKernel kernel) const {
    device_policy<OtherKernel> p;
    p.kernel_ = kernel;
    p.settings_from(*this);
    return p;
  }

#if defined(__CUDACC__)

  template <class Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    using result_type = typename Reduction::result_type;
    static_assert(sizeof(result_type) <= warpfold::workspace::result_bytes ||
                      sizeof(typename Reduction::state) > warpfold::workspace::result_bytes,
                  "warpfold: a result of more than 1024 bytes cannot be returned to the host; use "
                  "reduce_async into device memory");
    prepare(r);
    if (runtime::is_capturing(stream())) {
      throw cuda_error(
          cudaErrorStreamCaptureUnsupported,
          message("warpfold: reduce waits for its result, which a stream that is being captured "
                  "into a graph cannot give; use reduce_async"));
    }
    if (r.view.size() == 0) return r.empty_result();

    const runtime::borrowed_workspace borrowed(callers_workspace());
    warpfold::workspace& scratch = borrowed.get();
    auto* const result = static_cast<result_type*>(scratch.result());
    const runtime::result_sink<result_type> sink{result, scratch.flag(), scratch.next_signal()};
    const auto start_and_wait = [&](const collective::grid_storage& grid) {
      const runtime::launch_shape shape = start(r, sink, grid);
      runtime::wait_for_flag(sink.flag, sink.signal, stream(),
                             [&] { return runtime::describe(kernel_for<Reduction>::name, shape); });
    };
    if (resource()) {
      const runtime::resource_grid own(resource(), stream());
      start_and_wait(own.grid());
    } else {
      start_and_wait(scratch.grid());
    }
    return *result;
  }

  template <class Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    prepare(r);
    runtime::check_device_pointer(out, sizeof(Out), alignof(Out), "the output");
    const runtime::result_sink<Out> sink{out, nullptr, 0};
    if (callers_workspace() != nullptr) {
      start(r, sink, callers_workspace()->grid());
    } else if (resource()) {
      const runtime::resource_grid own(resource(), stream());
      start(r, sink, own.grid());
    } else if (const cudaGraph_t graph = runtime::capturing_graph(stream()); graph != nullptr) {
      start(r, sink, runtime::workspace_pool::current().of_graph(graph).grid());
    } else {
      const runtime::workspace_pool::of_stream own(runtime::workspace_pool::current(), stream());
      start(r, sink, own.get().grid());
    }
  }

  template <class Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    using kernel_type = kernel_for<Reduction>;
    using body = typename kernel_type::template body<Reduction, typename Reduction::result_type>;
    prepare(r);
    const runtime::launch_shape shape = shape_for<body>(r);
    plan.kernel = kernel_type::name;
    plan.bytes = runtime::bytes_of(r.view);
    plan.read_launch(runtime::attributes_of<body>(), shape,
                     runtime::resident_blocks<body>(shape.block));
  }

 private:
  template <class>
  friend class device_policy;
  using settings::callers_workspace;
  using settings::resource;

  template <class Reduction>
  using kernel_for =
      std::conditional_t<std::is_same_v<Kernel, kernel::automatic>, kernel::single_pass<>, Kernel>;

  // Everything that can be wrong with a call is found here, before anything is started.
  template <class Reduction>
  void prepare(const Reduction& r) const {
    static_assert(
        sizeof(typename Reduction::state) <= warpfold::workspace::result_bytes,
        "warpfold: accumulators of more than 1024 bytes do not fit a block's shared memory");
    r.require_result();
    (void)runtime::current_device_info();
    runtime::check_device_readable(r.view);
  }

  template <class Body, class Reduction>
  runtime::launch_shape shape_for(const Reduction& r) const {
    constexpr std::size_t most = collective::most_blocks<typename Reduction::state>(
        warpfold::workspace::post_bytes, warpfold::workspace::partial_bytes);
    return chosen_kernel<Reduction>().template shape<Body>(r, most);
  }

  template <class Reduction>
  kernel_for<Reduction> chosen_kernel() const {
    if constexpr (std::is_same_v<Kernel, kernel::automatic>) {
      return {};
    } else {
      return kernel_;
    }
  }

  template <class Reduction, class Out>
  runtime::launch_shape start(const Reduction& r, const runtime::result_sink<Out>& sink,
                              const collective::grid_storage& grid) const {
    using kernel_type = kernel_for<Reduction>;
    using body = typename kernel_type::template body<Reduction, Out>;
    const runtime::launch_shape shape = shape_for<body>(r);
    runtime::launch(kernel_type::name,
                    body{r, partition_of(r.view), chosen_kernel<Reduction>().cache(r), grid, sink},
                    shape, stream());
    return shape;
  }

#else

  // What a host compiler sees: the one thing to say, said once.
  template <class Reduction>
  typename Reduction::result_type run(const Reduction&) const {
    needs_nvcc<Reduction>();
  }
  template <class Reduction, class Out>
  void enqueue(const Reduction&, Out*) const {
    needs_nvcc<Reduction>();
  }
  template <class Reduction, class Plan>
  void describe(const Reduction&, Plan&) const {
    needs_nvcc<Reduction>();
  }

 private:
  template <class>
  friend class device_policy;

  template <class Reduction>
  [[noreturn]] static void needs_nvcc() {
    static_assert(
        sizeof(Reduction) == 0,
        "warpfold: wf::device runs CUDA kernels, and this file is not compiled by nvcc. Name "
        "it .cu (CMake: LANGUAGE CUDA), or use wf::par or wf::seq here");
    __builtin_unreachable();
  }

#endif

  Kernel kernel_{};
};

/// The library's own kernels on the current GPU, on the default stream.
inline constexpr device_policy<> device{};

}  // namespace warpfold
