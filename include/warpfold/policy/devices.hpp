/// @file
/// `wf::devices`: several GPUs of one process. Their kernels exchange states with each other.
#pragma once

#include <concepts>
#include <span>

#include <warpfold/policy/device.hpp>
#include <warpfold/view/shards.hpp>
#include <warpfold/work/sharded_reduction.hpp>

#if defined(__CUDACC__)

#include <optional>
#include <vector>

#include <warpfold/policy/gpu_rows.hpp>
#include <warpfold/policy/sharded_call.hpp>
#include <warpfold/policy/sharded_groups.hpp>
#include <warpfold/runtime/mailbox_set.hpp>
#include <warpfold/runtime/shard_memory.hpp>

namespace warpfold {

/// Some GPUs of this process and a stream on each, for `across`. A value.
///
/// ```cpp
/// wf::devices gpus{0, 1};
/// ```
/// On two GPUs: test/examples/two_gpus.cu
class devices {
 public:
  /// @param ids the numbers of the GPUs, in the order of the shards: 1 to 16. A GPU may be listed
  ///     several times, with a stream of its own each time
  // Not a std::initializer_list: nvcc 13.0 passes one element for {}.
  template <std::convertible_to<int>... Ids>
    requires(sizeof...(Ids) >= 1 && sizeof...(Ids) <= runtime::gpu_list::most)
  explicit devices(Ids... ids) {
    for (const int id : {static_cast<int>(ids)...}) list_.ids[list_.count++] = id;
  }

  /// The GPUs with these numbers.
  /// @throws invalid_argument if there are none or too many
  static devices of(std::span<const int> ids) {
    devices d(0);
    d.list_.count = detail::checked_rank_count(static_cast<int>(ids.size()));
    for (int i = 0; i < d.list_.count; ++i) d.list_.ids[i] = ids[static_cast<std::size_t>(i)];
    return d;
  }

  /// All GPUs that this process can use.
  /// @throws no_device if there is none
  static devices all() {
    int count = 0;
    runtime::check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    devices d(0);
    d.list_.count = detail::checked_rank_count(count);
    for (int i = 0; i < count; ++i) d.list_.ids[i] = i;
    return d;
  }

  /// Returns the same GPUs with other streams, one for each in their order. Without them, each GPU
  /// has its default stream.
  /// @throws invalid_argument if their number differs
  template <runtime::stream_like... S>
  devices on(const S&... streams) const {
    if (sizeof...(S) != static_cast<std::size_t>(list_.count)) {
      throw_error<invalid_argument>("warpfold: ", sizeof...(S), " streams for ", list_.count,
                                    " GPUs; pass one for each GPU");
    }
    devices d = *this;
    int n = 0;
    ((d.list_.streams[n++] = runtime::handle_of(streams)), ...);
    return d;
  }

  /// Returns the same GPUs with another time limit: how long a kernel waits for the state of
  /// another GPU, including the time that the other needs for its elements. It is 300 s otherwise.
  /// @throws invalid_argument if it is negative or NaN
  devices waiting_at_most(double seconds) const {
    devices d = *this;
    d.limit_s_ = detail::checked_limit(seconds);
    return d;
  }

  int size() const { return list_.count; }
  int id(int rank) const { return list_.ids[rank]; }
  runtime::stream_handle stream(int rank) const { return list_.streams[rank]; }
  double limit_s() const { return limit_s_; }
  const runtime::gpu_list& list() const { return list_; }
  /// Where `wf::sharded` allocates the shard of a GPU.
  runtime::shard_place place(int rank) const { return runtime::gpu_place(id(rank), stream(rank)); }

 private:
  runtime::gpu_list list_;
  double limit_s_ = 300;
};

/// Reduces `shards`, one on each GPU. Each GPU folds its shard with one launch. One thread of it
/// sends the GPU's state, or its nodes of the tree, to all others, and combines what it receives
/// with them, in the order of the shards. `across` makes one.
///
/// - Stream: those of `devices`. `run` waits for its result, and so for all earlier work on these
///   streams; `enqueue` does not wait. The current device is the same afterwards.
/// - Result: `enqueue` writes it from the first GPU, or from the one of `to(rank)`.
/// - Order: the declared one (op/fold_order.hpp) of the elements in the order of the shards: the
///   bits of `wf::seq` for the whole, however it is divided. Operands keep their sides. Counted
///   shards, and named kernels other than `kernel::in_order`, have an order that the shards' sizes
///   and each GPU's order fix. With `exact()` and integers it does not matter.
/// - Threads: any number of host threads may share a policy and its streams.
/// - Graphs: `enqueue` can be captured, with all streams in one graph or each in its own. Launch
///   graphs of their own together, or a kernel waits until the time limit. Two instances of a
///   captured graph must not run at the same time.
/// - Memory: peer access is enabled between the GPUs. Where it is missing, the mailboxes are in
///   pinned memory of the host. Each list of streams keeps 4.2 KB for each GPU on each GPU.
/// - Faults: a kernel that waits for longer than the time limit gives up without a result, and so
///   do later launches through the same mailboxes. `run` then throws `communication_error`;
///   `enqueue` throws it at the next call on these streams. The GPUs stay usable, and the call
///   after that works.
template <class Kernel = kernel::automatic, class Check = detail::any_count>
class devices_policy {
 public:
  static constexpr bool takes_shards = true;
  static constexpr bool combines_parts = true;

  explicit devices_policy(const devices& gpus, const Kernel& kernel = {}, const Check& check = {},
                          int writer = 0)
      : gpus_(gpus), kernel_(kernel), check_(check), writer_(writer) {}

  static constexpr const char* name() { return "across"; }
  const devices& ranks() const { return gpus_; }
  /// The policy that the first GPU runs.
  device_policy<Kernel> local() const { return device.with_kernel(kernel_).on(gpus_.stream(0)); }

  template <class OtherCheck>
  devices_policy<Kernel, OtherCheck> requiring(const OtherCheck& check) const {
    return devices_policy<Kernel, OtherCheck>(gpus_, kernel_, check, writer_);
  }
  /// Returns the same policy with a kernel that the caller chooses, on all GPUs.
  template <kernel::reduction_kernel OtherKernel>
  devices_policy<OtherKernel, Check> with_kernel(const OtherKernel& kernel) const {
    return devices_policy<OtherKernel, Check>(gpus_, kernel, check_, writer_);
  }
  /// Returns the same policy, whose GPU of this rank writes the result of `enqueue`.
  /// @throws invalid_argument if there is no such rank
  devices_policy to(int rank) const {
    if (rank < 0 || rank >= gpus_.size()) {
      throw_error<invalid_argument>("warpfold: there is no GPU of rank ", rank, " among ",
                                    gpus_.size(), "; pass 0 to ", gpus_.size() - 1);
    }
    return devices_policy(gpus_, kernel_, check_, rank);
  }

  template <sharded_work Work>
  typename Work::result_type run(const Work& work) const {
    using result_type = typename Work::result_type;
    check_all(work, [](int, const auto& r, runtime::stream_handle s) {
      detail::check_gpu_with_value(r, s);
    });
    if (!detail::exchanges(work)) return work.empty_result();

    using sink_type = collective::result_sink<collective::if_complete<result_type>>;
    const auto count = static_cast<std::size_t>(gpus_.size());
    const runtime::resource_ref no_resource;
    std::vector<std::optional<runtime::waiting_scratch>> scratch(count);
    std::vector<launched> launches(count);
    std::vector<sink_type> sinks(count);
    runtime::mailbox_pool& pool = runtime::mailbox_pool::get();
    runtime::mailbox_set* set = nullptr;
    std::exception_ptr failure;
    std::size_t started = 0;
    {
      const runtime::spin_guard guard(pool.launch_order());
      set = pool.borrow(gpus_.list());
      try {
        for (std::size_t i = 0; i < count; ++i) {
          const int rank = static_cast<int>(i);
          const runtime::device_guard on(gpus_.id(rank));
          auto& own = scratch[i].emplace(nullptr, no_resource, gpus_.stream(rank));
          const auto to = own.own().template next_sink<result_type>();
          sinks[i] = {to.out, to.flag, to.signal};
          runtime::launcher launcher(own, gpus_.stream(rank));
          start(work, part(work, rank, *set), sinks[i], launcher);
          launches[i] = launcher.last();
          own.set_in_flight(true);
          ++started;
        }
      } catch (...) {
        failure = std::current_exception();
        set->cancel();
      }
    }
    try {
      for (std::size_t i = 0; i < started; ++i) {
        const int rank = static_cast<int>(i);
        const runtime::device_guard on(gpus_.id(rank));
        runtime::wait_for_flag(sinks[i].flag, sinks[i].signal, gpus_.stream(rank), launches[i]);
        scratch[i]->set_in_flight(false);
      }
    } catch (...) {
      // A GPU has failed. The others give up; the mailboxes are never used again.
      set->cancel();
      throw;
    }
    collective::letter missing[runtime::gpu_list::most] = {};
    for (int r = 0; r < gpus_.size(); ++r) missing[r] = set->missing(r);
    const result_type result = *sinks[0].out;
    {
      const runtime::spin_guard guard(pool.launch_order());
      pool.give_back(set);
    }
    if (failure != nullptr) std::rethrow_exception(failure);
    for (int r = 0; r < gpus_.size(); ++r) {
      detail::throw_if_missing(missing[r], r, gpus_.size(), gpus_.limit_s());
    }
    return result;
  }

  template <sharded_work Work, class Out>
  void enqueue(const Work& work, Out* out) const {
    check_all(work, [&](int rank, const auto& r, runtime::stream_handle) {
      check_gpu(r);
      if (rank == writer_) {
        runtime::check_device_pointer(out, sizeof(Out), alignof(Out), "the output");
      }
    });
    runtime::mailbox_pool& pool = runtime::mailbox_pool::get();
    const runtime::spin_guard guard(pool.launch_order());
    runtime::mailbox_set& set = mailboxes_of_streams(pool);
    try {
      for (int rank = 0; rank < gpus_.size(); ++rank) {
        const runtime::device_guard on(gpus_.id(rank));
        const runtime::resource_ref no_resource;
        runtime::enqueued_scratch scratch(nullptr, no_resource, gpus_.stream(rank));
        runtime::launcher launcher(scratch, gpus_.stream(rank));
        start(work, part(work, rank, set),
              collective::result_sink<collective::if_complete<Out>>{rank == writer_ ? out : nullptr,
                                                                    nullptr, 0},
              launcher);
      }
    } catch (...) {
      set.cancel();
      throw;
    }
  }

  /// Of `reduce_axis` and `reduce_segments`: each GPU folds its shard to one state of each result,
  /// and the GPU that writes combines them. The library chooses the kernels.
  template <detail::sharded_groups_work Work>
  void run(const Work& work) const {
    enqueue(work);
    const runtime::device_guard on(gpus_.id(writer_));
    device.on(gpus_.stream(writer_)).wait();
  }
  template <detail::sharded_groups_work Work>
  void enqueue(const Work& work) const {
    detail::fold_shards(detail::gpu_rows(gpus_.list(), writer_), work);
  }

  template <class Work, class Plan>
    requires(sharded_work<Work> || detail::sharded_groups_work<Work>)
  void describe(const Work& work, Plan& plan) const {
    const auto on = [&](int rank) {
      (void)runtime::enable_peer_access(gpus_.id(rank), gpus_.id(writer_));
      return runtime::device_guard(gpus_.id(rank));
    };
    if constexpr (sharded_work<Work>) {
      detail::describe_shards(work, gpus_.size(), local(), on, plan);
    } else {
      detail::describe_shards(work, gpus_.size(), writer_, device, on, plan);
    }
  }

 private:
  template <class Work>
  auto part(const Work& work, int rank, const runtime::mailbox_set& set) const {
    return detail::exchanged_part(work, static_cast<std::size_t>(rank),
                                  set.of(rank, detail::nanoseconds_of(gpus_.limit_s())));
  }

  template <class Work, class Reduction, class Sink>
  void start(const Work& work, const Reduction& r, const Sink& sink,
             runtime::launcher& launcher) const {
    if constexpr (detail::check_kernel_loads<typename Reduction::view_type>()) {
      if constexpr (detail::check_lambdas<Reduction>()) {
        detail::start_exchange(work, r, kernel_, sink, launcher);
      }
    }
  }

  // Checks everything on all GPUs before the first launch.
  template <class Work, class CheckPart>
  void check_all(const Work& work, const CheckPart& check_part) const {
    detail::require_one_shard_each(work, gpus_.size());
    for (int i = 0; i < gpus_.size(); ++i) {
      for (int k = 0; k < i; ++k) {
        if (gpus_.id(i) == gpus_.id(k) && gpus_.stream(i) == gpus_.stream(k)) {
          throw_error<invalid_argument>(
              "warpfold: GPU ", gpus_.id(i),
              " is listed twice with one stream, where one kernel would wait for "
              "another behind it; pass a stream for each with on(...)");
        }
      }
    }
    for (int rank = 0; rank < gpus_.size(); ++rank) {
      const runtime::device_guard on(gpus_.id(rank));
      check_part(rank, detail::exchanged_part(work, static_cast<std::size_t>(rank), {}),
                 gpus_.stream(rank));
    }
    check_(work.size());
  }

  runtime::mailbox_set& mailboxes_of_streams(runtime::mailbox_pool& pool) const {
    cudaGraph_t graphs[runtime::gpu_list::most] = {};
    int captured = 0;
    for (int rank = 0; rank < gpus_.size(); ++rank) {
      const runtime::device_guard on(gpus_.id(rank));
      graphs[rank] = runtime::capturing_graph(gpus_.stream(rank));
      if (graphs[rank] != nullptr) ++captured;
    }
    if (captured == gpus_.size()) return *pool.of_graphs(gpus_.list(), graphs);
    if (captured != 0) {
      throw_error<cuda_error>(
          cudaErrorStreamCaptureUnsupported,
          message("warpfold: ", captured, " of ", gpus_.size(),
                  " streams are being captured into a graph; capture all of them, or "
                  "none"));
    }
    runtime::mailbox_set* broken = nullptr;
    runtime::mailbox_set* const set = pool.of_streams(gpus_.list(), broken);
    if (set != nullptr) return *set;
    // Kernels that give up may still run, so the mailboxes stay where they are.
    for (int r = 0; r < gpus_.size(); ++r) {
      detail::throw_if_missing(broken->missing(r), r, gpus_.size(), gpus_.limit_s());
    }
    throw_error<communication_error>(
        "warpfold: an earlier call on these streams failed on one of the GPUs; the next call uses "
        "new mailboxes");
  }

  devices gpus_;
  Kernel kernel_;
  Check check_;
  int writer_;
};

/// Returns a policy that reduces shards, one on each GPU; see `devices_policy`.
///
/// @param gpus the GPUs and their streams
/// @return the policy, for `reduce`, `reduce_async` and the named functions that call them
///
/// - Cost: one launch on each GPU. A state of up to 96 bytes crosses the link in less than 2 us. If
///   the shards are not whole nodes of the tree, as two shards of 2^k elements are, the GPUs
///   exchange nodes: 96 bytes of them at a time, at most 2 log2 n + 1 nodes for n elements
///   (kernel/exchanged_nodes.hpp).
/// @throws invalid_range if the number of shards is not that of the GPUs, or a GPU cannot access
///     its shard; communication_error as above
///
/// On two GPUs: test/examples/two_gpus.cu
inline devices_policy<> across(const devices& gpus) { return devices_policy<>(gpus); }

}  // namespace warpfold

#endif
