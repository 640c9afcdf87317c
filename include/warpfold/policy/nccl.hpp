/// @file
/// needs: cuda nccl
/// `wf::nccl(comm)`: the ranks of an NCCL communicator, each with one GPU, for `wf::across`.
///
/// Includes NCCL by design: version 2.18 or later.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include <nccl.h>

#include <warpfold/collective/node_frame.hpp>
#include <warpfold/collective/rank_frame.hpp>
#include <warpfold/kernel/rank_nodes.hpp>
#include <warpfold/policy/across.hpp>
#include <warpfold/policy/device.hpp>
#include <warpfold/policy/sharded_call.hpp>
#include <warpfold/runtime/ipc_mailboxes.hpp>

namespace warpfold {

/// The rank of this process or thread in an NCCL communicator; `nccl` makes one. A handle: its
/// copies share a stream, the reports of calls that did not wait, and mailboxes.
class nccl_ranks {
 public:
  /// @throws communication_error,invalid_argument as `nccl`
  nccl_ranks(ncclComm_t comm, double limit_s)
      : comm_(comm), limit_s_(detail::checked_limit(limit_s)) {
    if (comm == nullptr) {
      throw_error<communication_error>(
          "warpfold: the NCCL communicator is null; pass one of ncclCommInitRank");
    }
    check(ncclCommUserRank(comm, &rank_), "ncclCommUserRank");
    check(ncclCommCount(comm, &size_), "ncclCommCount");
    check(ncclCommCuDevice(comm, &device_), "ncclCommCuDevice");
  }

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  /// The number of the communicator's GPU.
  int gpu() const noexcept { return device_; }

#if defined(__CUDACC__)
  /// Returns a handle whose kernels exchange states through mailboxes in each other's memory: one
  /// launch instead of three. All ranks must be on one host, on GPUs that can access each other;
  /// otherwise the returned handle exchanges by NCCL, on every rank. Reports of earlier calls stay
  /// with the old handle.
  ///
  /// All ranks call it, with their GPU as the current one, and then all use the handles that it
  /// returns. It waits, and takes milliseconds.
  ///
  /// - States: up to 1008 bytes, nodes up to 960; larger ones are exchanged by NCCL. Ranks that
  ///   call ops of both kinds at the same time wait for each other until the limit.
  /// - Streams: a call on another stream than the call before waits for it.
  /// - Graphs: a handle has mailboxes for 32 captures; see docs/across.md. Later captures exchange
  ///   by NCCL.
  /// - Faults: a kernel that waits longer than the time limit gives up. That call throws
  ///   `communication_error`; after an `_async` call, the next one does. So do all later calls. Do
  ///   not abort the communicator; call `with_mailboxes` again on all ranks.
  /// - Lifetime: keep a copy of the handle as long as its calls and their graphs.
  /// - Cost: 140 KB for each rank, on each GPU: 33 sets of 4.2 KB.
  /// @throws communication_error if NCCL fails; cuda_error,out_of_memory if there is no memory
  nccl_ranks with_mailboxes() const {
    require_own_gpu();
    nccl_ranks r = *this;
    r.shared_ = std::make_shared<shared_state>();
    r.shared_->mailboxes = runtime::ipc_mailboxes::connect(
        rank_, size_,
        [&](const void* mine, std::size_t bytes, void* all) { all_gather(mine, bytes, all); });
    return r;
  }
  /// True if the ranks exchange through mailboxes.
  bool has_mailboxes() const noexcept { return mailboxes() != nullptr; }
  runtime::ipc_mailboxes* mailboxes() const noexcept { return shared_->mailboxes.get(); }
  double limit_s() const noexcept { return limit_s_; }

  /// Bytes of the host. They pass through device memory on a stream of their own.
  void all_gather(const void* mine, std::size_t bytes, void* all) const {
    const std::size_t gathered = bytes * static_cast<std::size_t>(size_);
    on_own_stream(mine, bytes, all, gathered, [&](void* sent, void* received, cudaStream_t s) {
      enqueue_all_gather(sent, received, bytes, s);
    });
  }
  void all_reduce(std::int64_t* values, std::size_t count) const {
    const std::size_t bytes = count * sizeof(std::int64_t);
    on_own_stream(values, bytes, values, bytes, [&](void* sent, void* received, cudaStream_t s) {
      // Unsigned: sums are modulo 2^64.
      check(ncclAllReduce(sent, received, count, ncclUint64, ncclSum, comm_, s), "ncclAllReduce");
    });
  }

  /// Enqueues an exchange of device memory on a stream.
  /// @throws communication_error if NCCL refuses it
  void enqueue_all_gather(const void* mine, void* all, std::size_t bytes, cudaStream_t s) const {
    check(ncclAllGather(mine, all, bytes, ncclUint8, comm_, s), "ncclAllGather");
  }

  /// Returns when `is_done()` is true.
  /// @param limit_s as that of `nccl`; infinity where the kernel itself gives up
  /// @throws communication_error if it is not within the time limit, or a rank has failed
  /// @throws cuda_error if work on the stream has failed
  template <class IsDone>
  void wait(cudaStream_t stream, const IsDone& is_done, double limit_s) const {
    constexpr int looks = 4096;
    const runtime::relaxed_capture relaxed;
    const unsigned long long begin = now_ns();
    for (int i = 1;; ++i) {
      if (is_done()) return;
      if (i % looks != 0) continue;
      const cudaError_t status = cudaStreamQuery(stream);
      if (status == cudaSuccess && is_done()) return;
      if (status != cudaErrorNotReady && status != cudaSuccess) {
        runtime::throw_cuda_error(status, "waiting for the stream",
                                  message("an exchange of ranks"));
      }
      (void)cudaGetLastError();
      ncclResult_t failure = ncclSuccess;
      check(ncclCommGetAsyncError(comm_, &failure), "ncclCommGetAsyncError");
      if (failure != ncclInProgress) check(failure, "the exchange");
      if (static_cast<double>(now_ns() - begin) < limit_s * 1e9) continue;
      throw_error<communication_error>(
          "warpfold: a rank did not join the exchange of rank ", rank_, " of ", size_, " within ",
          static_cast<long long>(limit_s * 1000),
          " ms; make the same calls on every rank, or raise the time limit of wf::nccl. Call "
          "ncclCommAbort, which ends the waiting kernels; the GPU is usable after it");
    }
  }

  /// @throws communication_error,cuda_error if the communicator's GPU is not the current one
  void require_own_gpu() const {
    const int current = runtime::current_device();
    if (current == device_) return;
    throw_error<communication_error>("warpfold: rank ", rank_, " of the NCCL communicator has GPU ",
                                     device_, ", but the current device is ", current,
                                     "; call cudaSetDevice(", device_, ") first");
  }

  /// The report of calls that did not wait: pinned host memory.
  collective::rank_report* report() const {
    if (shared_->report == nullptr) {
      const runtime::relaxed_capture relaxed;
      void* p = nullptr;
      runtime::check(cudaHostAlloc(&p, sizeof(collective::rank_report),
                                   cudaHostAllocMapped | cudaHostAllocPortable),
                     "cudaHostAlloc", [] { return "for the report of an exchange"; });
      shared_->report = new (p) collective::rank_report{};
    }
    return shared_->report;
  }
#endif

 private:
#if defined(__CUDACC__)
  template <class Exchange>
  void on_own_stream(const void* mine, std::size_t bytes, void* all, std::size_t gathered,
                     const Exchange& exchange) const {
    require_own_gpu();
    const runtime::relaxed_capture relaxed;
    if (shared_->stream == nullptr) {
      runtime::check(cudaStreamCreateWithFlags(&shared_->stream, cudaStreamNonBlocking),
                     "cudaStreamCreateWithFlags");
    }
    cudaStream_t const s = shared_->stream;
    const runtime::resource_ref no_resource;
    const runtime::resource_block memory(no_resource, bytes + gathered, s);
    auto* const sent = static_cast<unsigned char*>(memory.data());
    auto* const received = sent + bytes;
    runtime::check(cudaMemcpyAsync(sent, mine, bytes, cudaMemcpyHostToDevice, s),
                   "cudaMemcpyAsync");
    exchange(sent, received, s);
    wait(s, [&] { return cudaStreamQuery(s) == cudaSuccess; }, limit_s_);
    runtime::check(cudaMemcpyAsync(all, received, gathered, cudaMemcpyDeviceToHost, s),
                   "cudaMemcpyAsync");
    runtime::check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
  }

  static unsigned long long now_ns() {
    timespec now{};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<unsigned long long>(now.tv_sec) * 1000000000ull +
           static_cast<unsigned long long>(now.tv_nsec);
  }

  struct shared_state {
    cudaStream_t stream = nullptr;
    collective::rank_report* report = nullptr;
    std::shared_ptr<runtime::ipc_mailboxes> mailboxes;

    shared_state() = default;
    ~shared_state() {
      if (stream != nullptr) (void)cudaStreamDestroy(stream);
      if (report != nullptr) (void)cudaFreeHost(report);
    }
    shared_state(const shared_state&) = delete;
    shared_state& operator=(const shared_state&) = delete;
  };
  std::shared_ptr<shared_state> shared_ = std::make_shared<shared_state>();
#else
  // A host compiler sees these members: each reports the same one error.
 public:
  template <class Bytes = std::size_t>
  void all_gather(const void*, Bytes, void*) const {
    needs_nvcc<Bytes>();
  }
  template <class Count = std::size_t>
  void all_reduce(std::int64_t*, Count) const {
    needs_nvcc<Count>();
  }

 private:
  template <class T>
  static void needs_nvcc() {
    static_assert(sizeof(T) == 0,
                  "warpfold: wf::nccl runs on GPUs, and this file is not compiled by nvcc. Name it "
                  ".cu (CMake: LANGUAGE CUDA)");
  }
#endif

  static void check(ncclResult_t code, const char* what) {
    if (code == ncclSuccess) return;
    throw_error<communication_error>("warpfold: ", what, " failed: ", ncclGetErrorString(code));
  }

  ncclComm_t comm_;
  double limit_s_;
  int rank_ = 0;
  int size_ = 0;
  int device_ = 0;
};

static_assert(communicator<nccl_ranks>);

/// Returns this rank of an NCCL communicator, for `across`.
///
/// @param comm all of its ranks make the same calls, in the same order. It must outlive the calls
/// @param limit_s the time limit of a call that waits, in seconds. It includes the other ranks'
///     folds
/// @return the rank, a handle. Keep it: a report of an earlier `reduce_async` belongs to it
///
/// - Threads: only one at a time may call.
/// - Faults: NCCL cannot cancel one exchange. After a `communication_error` call ncclCommAbort: it
///   ends the kernels that wait for the missing rank, and the GPU is usable again.
/// @throws communication_error if `comm` is null or NCCL refuses it
/// @throws invalid_argument if the limit is negative or NaN
///
/// On two GPUs: test/examples/nccl_norm
inline nccl_ranks nccl(ncclComm_t comm, double limit_s = 300) { return {comm, limit_s}; }

#if defined(__CUDACC__)

/// Reduces the ranges of all ranks of an NCCL communicator, on the policy's stream: a launch that
/// folds this rank's range to a frame, NCCL's all-gather of the frames, and a launch of one warp
/// that folds all frames in rank order. With `nccl_ranks::with_mailboxes` it is one launch, whose
/// last thread exchanges the frames. `across` makes one.
///
/// - Stream: that of `Local`. `run` waits for its result; `enqueue` does not wait.
/// - Order: with `starting_at(first, whole)` the declared one (op/fold_order.hpp) of the ranks'
///   elements in rank order: the bits of `wf::seq` on one rank, however the elements are divided.
///   Otherwise, and for counted ranges and named kernels other than `kernel::in_order`: `Local`'s
///   on each rank, and then the states in rank order. Then the bits depend on the ranks' sizes and
///   on `Local`, but on nothing else: a call on a stream cannot learn the sizes of other ranks.
/// - Indices, empty ranges, init: as `across_policy`.
/// - Result: on every rank, or only on the one of `to(rank)`; the others then pass any pointer.
/// - Graphs: `enqueue` can be captured by NCCL's rules: every rank captures and launches the same.
/// - Faults: as `across_policy`, on every rank: of `run` in that call; of `enqueue` the rank itself
///   throws at once, and the others write nothing and throw at their next call. `enqueue` throws
///   nothing for a rank that is missing; the stream waits for it.
/// - Cost: three launches, or one with mailboxes; 32 bytes and the state from each rank. In the
///   declared order, 96 bytes and room for 128 nodes of the tree; with mailboxes, the rank's nodes,
///   96 bytes at a time behind 80 bytes. One lane combines the nodes of all ranks, at most
///   2 log2 n + 1 of each. Scratch in stream order.
/// @tparam KnowsWhole true after `starting_at(first, whole)`
template <class Kernel = kernel::automatic, class Check = detail::any_count,
          bool KnowsWhole = false>
class nccl_policy {
 public:
  static constexpr std::size_t unknown = ~std::size_t{0};
  static constexpr int everywhere = -1;
  static constexpr bool combines_parts = true;

  nccl_policy(const nccl_ranks& ranks, const device_policy<Kernel>& local, const Check& check = {},
              std::size_t first = unknown, int writer = everywhere, std::size_t whole = unknown)
      : ranks_(ranks),
        local_(local),
        check_(check),
        first_(first),
        whole_(whole),
        writer_(writer) {}

  static constexpr const char* name() { return "across"; }
  const nccl_ranks& ranks() const { return ranks_; }
  const device_policy<Kernel>& local() const { return local_; }

  /// As across_policy::starting_at.
  nccl_policy<Kernel, Check> starting_at(std::size_t index) const {
    return {ranks_, local_, check_, index, writer_};
  }
  /// Returns the same policy, whose calls have the declared order. All ranks call it, or none, with
  /// kernels that all have that order: NCCL cannot tell otherwise.
  /// @param index of the first element of this rank: the elements of the ranks before it
  /// @param whole the elements of all ranks
  nccl_policy<Kernel, Check, true> starting_at(std::size_t index, std::size_t whole) const {
    return {ranks_, local_, check_, index, writer_, whole};
  }
  template <class OtherCheck>
  nccl_policy<Kernel, OtherCheck, KnowsWhole> requiring(const OtherCheck& check) const {
    return {ranks_, local_, check, first_, writer_, whole_};
  }
  /// Returns the same policy, whose `enqueue` writes the result on this rank only.
  /// @throws invalid_argument if there is no such rank
  nccl_policy to(int rank) const {
    if (rank < 0 || rank >= ranks_.size()) {
      throw_error<invalid_argument>("warpfold: there is no rank ", rank, " among ", ranks_.size(),
                                    "; pass 0 to ", ranks_.size() - 1);
    }
    return {ranks_, local_, check_, first_, rank, whole_};
  }

  /// A whole range is exchanged on the stream. Of `reduce_axis` and `reduce_segments`, as
  /// across_policy: the ranks exchange on the host, so `enqueue` waits, too. Every rank gets all
  /// results.
  template <class Work>
    requires(reduction_work<Work> || counted_work<Work> || axis_part_work<Work> ||
             segmented_reduction_work<Work>)
  returned_t<Work> run(const Work& work) const {
    if constexpr (counted_work<Work>) {
      return run_settled(settled_reduction<Work>(work));
    } else if constexpr (reduction_work<Work>) {
      return run_settled(work);
    } else {
      if (writer_ != everywhere) {
        refuse(
            invalid_argument("warpfold: to(rank) applies to folds of a whole range only; pass an "
                             "output on every rank, and across(ranks, local)"));
      }
      on_host().run(work);
    }
  }
  template <class Work, class... Out>
    requires((reduction_work<Work> || counted_work<Work> || axis_part_work<Work> ||
              segmented_reduction_work<Work>) &&
             takes_outputs<Work, Out...>)
  void enqueue(const Work& work, Out*... out) const {
    if constexpr (counted_work<Work>) {
      enqueue_settled(settled_reduction<Work>(work), out...);
    } else if constexpr (reduction_work<Work>) {
      enqueue_settled(work, out...);
    } else {
      run(work);
    }
  }

  /// As across_policy::refuse.
  template <class Error>
  [[noreturn]] void refuse(const Error& e) const {
    on_host().refuse(e);
  }
  /// As across_policy::make_on_all_ranks.
  template <class Make, class Then>
  void make_on_all_ranks(const Make& make, const Then& then) const {
    on_host().make_on_all_ranks(make, then);
  }

  template <class Work, class Plan>
    requires(reduction_work<Work> || axis_part_work<Work> || segmented_reduction_work<Work>)
  void describe(const Work& work, Plan& plan) const {
    if constexpr (reduction_work<Work>) {
      if constexpr (sends_nodes<Work>) {
        describe_nodes(work, plan);
      } else {
        local_.describe(work, plan);
        using frame = collective::rank_frame<typename Work::state>;
        describe_exchange<frame>(sizeof(frame), sizeof(frame), plan);
      }
    } else {
      on_host().describe(work, plan);
    }
  }

 private:
  across_policy<nccl_ranks, device_policy<Kernel>> on_host() const {
    return {ranks_, local_, {}, first_};
  }

  // True if the declared order decides the bits of the result, and the host knows all sizes.
  template <class Work>
  static constexpr bool sends_nodes =
      KnowsWhole && detail::depends_on_order<Work> && kernel::in_declared_order_v<Kernel> &&
      !detail::has_size_in_memory<typename Work::view_type>;

  template <class Work, class Plan>
  void describe_nodes(const Work& work, Plan& plan) const {
    using exchange = collective::exchange_node_frames<Work, typename Work::result_type>;
    using frame = typename exchange::frame;
    check_gpu<false>(collective::rank_state_reduction(work));
    const device_info& gpu = runtime::current_device_info();
    const collective::node_header header = header_of(work, {});
    plan.on_gpu = true;
    plan.kernel = kernel::rank_nodes::name();
    plan.bytes = bytes_of(work.view);
    auto launcher = plan.launcher(gpu);
    start_nodes(plain_of(work), header, 0, launcher, [&](const auto& more) {
      return std::pair(more, collective::store_header{header, {}});
    });
    const unsigned nodes = header.nodes.count();
    const std::size_t exchanges = nodes == 0 ? 1 : (nodes - 1) / exchange::at_once + 1;
    describe_exchange<frame>(collective::node_frames<typename Work::accumulator>::bytes,
                             exchanges * sizeof(frame), plan);
  }
  // @param gathered,mailed the bytes that a rank sends in an all-gather, or to each mailbox
  template <class Frame, class Plan>
  void describe_exchange(std::size_t gathered, std::size_t mailed, Plan& plan) const {
    const bool in_kernel =
        ranks_.has_mailboxes() && sizeof(Frame) <= collective::mailboxes::frame_bytes;
    plan.local = local_.name();
    plan.ranks = ranks_.size();
    plan.exchange = in_kernel ? "mailboxes" : "an all-gather";
    plan.bytes_sent =
        in_kernel ? 2 * mailed * static_cast<std::size_t>(ranks_.size() - 1) : gathered;
    if (!in_kernel) plan.launches += 2;
  }

  template <class Work>
  static const char* text() {
    return detail::call_text<typename Work::view_type, typename Work::op_type, typename Work::state,
                             typename Work::result_type>();
  }
  template <class Work>
  detail::host_frame hashes(const Work& work) const {
    detail::host_frame f{};
    f.call = detail::call_hash(text<Work>(), sizeof(typename Work::state),
                               first_ == unknown   ? 0
                               : sends_nodes<Work> ? 2
                                                   : 1);
    if constexpr (Work::has_init && !Work::is_init_stored) {
      f.init = detail::init_hash(work.template init_as<typename Work::accumulator>());
    }
    return f;
  }

  template <class Work>
  typename Work::result_type run_settled(const Work& work) const {
    using result_type = typename Work::result_type;
    runtime::require_not_capturing(local_.stream());
    const detail::host_frame mine = hashes(work);
    std::exception_ptr own;
    runtime::waiting_scratch scratch = local_.scratch_of_waiting();
    const auto to = scratch.own().template next_sink<result_type>();
    auto* const report = static_cast<collective::rank_report*>(scratch.own().report());
    scratch.set_in_flight(true);
    const bool in_kernel = exchange(
        work, mine, scratch, sink_to<result_type>{to.out, report, to.flag, to.signal}, own, [] {});
    try {
      ranks_.wait(
          local_.stream(), [&] { return __atomic_load_n(to.flag, __ATOMIC_ACQUIRE) == to.signal; },
          in_kernel ? std::numeric_limits<double>::infinity() : ranks_.limit_s());
    } catch (...) {
      if (in_kernel) ranks_.mailboxes()->note_failure();
      throw;
    }
    scratch.set_in_flight(false);
    if (report->fault == collective::rank_report::missing) throw_missing(report->elements);
    if (report->fault != collective::rank_report::no_fault &&
        report->fault != collective::rank_report::empty) {
      on_host().agree(text<Work>(), mine, [&] {
        if (own != nullptr) std::rethrow_exception(own);
      });
      if (report->fault == collective::rank_report::not_the_whole) throw_not_the_whole(work);
      throw_error<communication_error>(
          "warpfold: a kernel found a fault of a rank that the ranks do not find on the host; run "
          "the program again");
    }
    if (KnowsWhole && report->elements != whole_) throw_not_the_whole(work);
    check_(report->elements);
    if (report->elements == 0) {
      if constexpr (!Work::is_init_stored) return work.empty_result();
    }
    return *to.out;
  }

  template <class Work, class Out>
  void enqueue_settled(const Work& work, Out* out) const {
    auto* const report = ranks_.report();
    const detail::host_frame mine = hashes(work);
    std::exception_ptr own;
    const auto before = [&] {
      if (writes()) {
        runtime::check_device_pointer(out, sizeof(Out), alignof(Out), "the output");
      }
    };
    runtime::enqueued_scratch scratch = local_.scratch_of_enqueued();
    exchange(work, mine, scratch, sink_to<Out>{writes() ? out : nullptr, report, nullptr, 0}, own,
             before);
    if (own != nullptr) std::rethrow_exception(own);
  }

  bool writes() const { return writer_ == everywhere || writer_ == ranks_.rank(); }

  // Throws the fault of an earlier call that did not wait, if there was one.
  void throw_earlier_fault() const {
    collective::rank_report* const report = ranks_.report();
    const std::uint64_t elements = __atomic_load_n(&report->elements, __ATOMIC_RELAXED);
    const std::uint64_t fault =
        __atomic_exchange_n(&report->fault, collective::rank_report::no_fault, __ATOMIC_RELAXED);
    if (fault != collective::rank_report::no_fault) throw_report(fault, elements);
  }

  template <class Out>
  using sink_to = collective::result_sink<collective::unless_fault<Out>>;

  // Calls `fold`, unless an earlier call has a fault. If something throws, `own` is the exception,
  // and the value tells the other ranks why: this rank takes part, so that none waits.
  template <class Fold>
  collective::failures try_to_fold(std::exception_ptr& own, const Fold& fold) const {
    auto failed = collective::failed_before;
    try {
      throw_earlier_fault();
      failed = collective::failed_here;
      fold();
    } catch (...) {
      own = std::current_exception();
    }
    return failed;
  }

  // Enqueues the call. If something throws before the exchange, the rank takes part with a frame
  // that says so, and `own` is the exception. Returns true if the kernel itself exchanges.
  template <class Work, class Out, class Before>
  bool exchange(const Work& work, const detail::host_frame& mine, runtime::scratch& memory,
                const sink_to<Out>& sink, std::exception_ptr& own, const Before& before) const {
    using frame = collective::rank_frame<typename Work::state>;
    ranks_.require_own_gpu();
    if constexpr (sends_nodes<Work>) {
      return exchange_nodes(work, mine, memory, sink, own, before);
    } else if constexpr (sizeof(frame) <= collective::mailboxes::frame_bytes) {
      collective::mailboxes boxes;
      if (ranks_.has_mailboxes() && next_mailboxes(boxes)) {
        exchange_in_kernel(work, mine, memory, boxes, sink, own, before);
        return true;
      }
    }
    cudaStream_t const s = local_.stream();
    const auto ranks = static_cast<std::size_t>(ranks_.size());
    const runtime::resource_ref no_resource;
    const runtime::resource_block frames(no_resource, (ranks + 1) * sizeof(frame), s);
    auto* const all = static_cast<frame*>(frames.data());
    frame* const sent = all + ranks;
    const auto failed = try_to_fold(own, [&] {
      before();
      fold_here(work, [&](const auto& r) {
        launch_fold(r, collective::rank_frame_reduction(r, mine.call, mine.init, moved_by(r)),
                    collective::result_sink<frame>{sent, nullptr, 0}, memory);
      });
    });
    if (own != nullptr) {
      runtime::check(cudaMemsetAsync(sent, failed, sizeof(frame), s), "cudaMemsetAsync");
    }
    ranks_.enqueue_all_gather(sent, all, sizeof(frame), s);
    using body = collective::fold_frames<Work, Out>;
    runtime::launch({"fold_frames", {1, 32}},
                    body{work, all, ranks_.size(), mine.call, mine.init, first_ != unknown, sink},
                    s);
    return false;
  }

  // This rank's part of the whole.
  template <class Work>
  collective::node_header header_of(const Work& work, const detail::host_frame& mine) const {
    const std::size_t n = work.view.size();
    if (first_ > whole_ || n > whole_ - first_) {
      throw_error<invalid_argument>(
          "warpfold: rank ", ranks_.rank(), " has ", n, " elements from index ", first_,
          " on, but the whole has ", whole_,
          "; pass the index of its first element and the elements of all ranks to starting_at");
    }
    return {mine.call, mine.init, 0, first_, n, whole_, {first_, first_ + n, whole_}};
  }

  // `exchange` of nodes instead of states.
  template <class Work, class Out, class Before>
  bool exchange_nodes(const Work& work, const detail::host_frame& mine, runtime::scratch& memory,
                      const sink_to<Out>& sink, std::exception_ptr& own,
                      const Before& before) const {
    using accumulator = typename Work::accumulator;
    using frames_type = collective::node_frames<accumulator>;
    if constexpr (collective::exchange_node_frames<Work, Out>::fits) {
      collective::mailboxes boxes;
      if (ranks_.has_mailboxes() && next_mailboxes(boxes)) {
        exchange_nodes_in_kernel(work, mine, memory, boxes, sink, own, before);
        return true;
      }
    }
    cudaStream_t const s = local_.stream();
    const auto ranks = static_cast<std::size_t>(ranks_.size());
    const runtime::resource_ref no_resource;
    const runtime::resource_block block(no_resource, (ranks + 1) * frames_type::bytes, s);
    const frames_type frames{static_cast<unsigned char*>(block.data())};
    const auto to = frames.header(ranks);
    collective::node_header header{mine.call, mine.init, 0, 0, 0, whole_, {}};
    const auto failed = try_to_fold(own, [&] {
      before();
      header = header_of(work, mine);
      fold_here(work, [&](const auto& r) {
        check_part(r, collective::rank_state_reduction(r));
        runtime::launcher launcher(memory, s);
        start_nodes(r, header, 0, launcher, [&](const auto&) {
          return std::pair(frames.nodes(ranks), collective::store_header{header, to});
        });
      });
    });
    if (own != nullptr) {
      runtime::check(cudaMemsetAsync(to.data, 0, sizeof *to.data, s), "cudaMemsetAsync");
      runtime::check(cudaMemsetAsync(&to.data->failed, failed, 1, s), "cudaMemsetAsync");
    }
    ranks_.enqueue_all_gather(frames.of(ranks), frames.of(0), frames_type::bytes, s);
    using body = collective::fold_node_frames<Work, Out>;
    runtime::launch({"fold_node_frames", {1, 32}}, body{work, header, frames, ranks_.size(), sink},
                    s);
    return false;
  }

  template <class Work, class Out, class Before>
  void exchange_nodes_in_kernel(const Work& work, const detail::host_frame& mine,
                                runtime::scratch& memory, const collective::mailboxes& boxes,
                                const sink_to<Out>& sink, std::exception_ptr& own,
                                const Before& before) const {
    cudaStream_t const s = local_.stream();
    const std::size_t received =
        static_cast<std::size_t>(ranks_.size()) * collective::node_header::most_nodes;
    const auto failed = try_to_fold(own, [&] {
      before();
      const collective::node_header header = header_of(work, mine);
      fold_here(work, [&](const auto& r) {
        check_part(r, collective::rank_state_reduction(r));
        const auto finished = detail::with_finish_of(work, r);
        using finish =
            collective::exchange_node_frames<std::remove_const_t<decltype(finished)>, Out>;
        runtime::launcher launcher(memory, s);
        start_nodes(finished, header, received, launcher, [&](const auto& more) {
          const finish f{boxes, header, more, sink};
          return std::pair(f.values_of(ranks_.rank()), f);
        });
      });
    });
    after_launch([&] {
      if (own == nullptr) return;
      const auto nothing = detail::with_finish_of(work, plain_of(work));
      using reduction_type = std::remove_const_t<decltype(nothing)>;
      using finish = collective::exchange_node_frames<reduction_type, Out>;
      using body = collective::post_node_failure<reduction_type, finish>;
      const collective::node_header header{mine.call, mine.init, failed, 0, 0, whole_, {}};
      runtime::launch({"post_node_failure", {1, 32}},
                      body{nothing, finish{boxes, header, {}, sink}}, s);
    });
  }

  // Launches the kernel that folds the nodes of `r`.
  // @param header the place of its elements in the whole
  // @param more the number of nodes for which `finish_of` needs memory
  // @param finish_of `finish_of(memory)` returns where the nodes go, and the `Finish` of the kernel
  template <class Reduction, class Launcher, class FinishOf>
  void start_nodes(const Reduction& r, const collective::node_header& header, std::size_t more,
                   Launcher& launcher, const FinishOf& finish_of) const {
    using accumulator = typename Reduction::accumulator;
    local_.template start_nodes<Reduction>(launcher, [&] {
      const auto parts = kernel::nodes::parts_of(r, header.first, header.whole, launcher.gpu());
      const auto folds = launcher.template scratch<accumulator>(parts.size() + more);
      const auto [own, finish] =
          finish_of(collective::global_array<accumulator>{folds.data + parts.size(), more});
      kernel::rank_nodes::enqueue(kernel::rank_nodes::name(), r, parts, header.nodes, 0, folds, own,
                                  finish, launcher);
    });
  }

  template <class Work, class Out, class Before>
  void exchange_in_kernel(const Work& work, const detail::host_frame& mine,
                          runtime::scratch& memory, const collective::mailboxes& boxes,
                          const sink_to<Out>& sink, std::exception_ptr& own,
                          const Before& before) const {
    const auto failed = try_to_fold(own, [&] {
      before();
      fold_here(work, [&](const auto& r) {
        launch_fold(r, reported(detail::with_finish_of(work, r), mine, boxes), sink, memory);
      });
    });
    after_launch([&] {
      if (own == nullptr) return;
      const auto nothing = reported(detail::with_finish_of(work, plain_of(work)), mine, boxes);
      using body = collective::post_failure<std::remove_const_t<decltype(nothing)>, Out>;
      runtime::launch({"post_failure", {1, 32}}, body{nothing, failed, sink}, local_.stream());
    });
  }

  // Ends the launch of a call that exchanges in its kernel. `tell` launches another kernel if this
  // rank has failed.
  template <class Tell>
  void after_launch(const Tell& tell) const {
    try {
      tell();
      ranks_.mailboxes()->launched(local_.stream());
    } catch (...) {
      ranks_.mailboxes()->note_failure();  // the other ranks are one exchange ahead
      throw;
    }
  }

  template <class Reduction>
  collective::reported_reduction<Reduction> reported(const Reduction& r,
                                                     const detail::host_frame& mine,
                                                     const collective::mailboxes& boxes) const {
    return {r, boxes, mine.call, mine.init, first_ != unknown, moved_by(r)};
  }

  // The indices of a counted range are moved in the state, because the kernel learns its size.
  template <class Reduction>
  std::size_t moved_by(const Reduction&) const {
    return first_ != unknown && detail::has_size_in_memory<typename Reduction::view_type> ? first_
                                                                                          : 0;
  }

  // @return false if the call is captured and there are no more mailboxes for graphs
  bool next_mailboxes(collective::mailboxes& to) const {
    runtime::ipc_mailboxes& all = *ranks_.mailboxes();
    if (all.is_broken()) throw_missing(collective::rank_report::unknown_rank);
    return all.next(local_.stream(), detail::nanoseconds_of(ranks_.limit_s()), to);
  }

  template <class Work>
  static auto plain_of(const Work& work) {
    using plain = reduction<typename Work::view_type, typename Work::op_type,
                            std::remove_const_t<decltype(work.init)>>;
    return plain{work.view, work.op, work.init};
  }

  // Calls `launch` with the reduction of this rank's range.
  template <class Work, class Launch>
  void fold_here(const Work& work, const Launch& launch) const {
    constexpr bool is_indexed = lifts_with_indices<typename Work::view_type>;
    const auto own = plain_of(work);
    if constexpr (is_indexed && !detail::has_size_in_memory<typename Work::view_type>) {
      if (first_ != unknown) {
        launch(collective::reduction_from(own, first_));
        return;
      }
    }
    if constexpr (collective::needs_first_index<std::remove_const_t<decltype(own)>>) {
      throw_error<invalid_argument>(
          "warpfold: this op lifts elements with their indices, and a call on a stream cannot "
          "learn the sizes of the other ranks; pass across(...).starting_at(index), or give the op "
          "`moved` (op/index_offset.hpp)");
    } else {
      launch(own);
    }
  }

  // Launches `part`, which folds the elements of `r`.
  template <class Reduction, class Part, class Sink>
  void launch_fold(const Reduction& r, const Part& part, const Sink& sink,
                   runtime::scratch& memory) const {
    check_part(r, part);
    runtime::launcher launcher(memory, local_.stream());
    local_.start(part, sink, launcher);
  }

  // @param part `r` without its init
  template <class Reduction, class Part>
  static void check_part(const Reduction& r, const Part& part) {
    check_gpu(part);
    r.visit_init([](const void* p, std::size_t n, std::size_t a) {
      runtime::check_device_pointer(p, n, a, "the init of value_at");
    });
  }

  template <class Work>
  [[noreturn]] void throw_not_the_whole(const Work& work) const {
    throw_error<invalid_argument>(
        "warpfold: the elements of the ranks, in rank order, do not make up the whole: rank ",
        ranks_.rank(), " of ", ranks_.size(), " has ", work.view.size(), " from index ", first_,
        " on, and the whole has ", whole_,
        "; pass the index of the first element of each rank, and the elements of all ranks");
  }
  [[noreturn]] void throw_missing(std::uint64_t rank) const {
    ranks_.mailboxes()->note_failure();
    if (rank == collective::rank_report::unknown_rank) {
      throw_error<communication_error>("warpfold: in an earlier call, rank ", ranks_.rank(), " of ",
                                       ranks_.size(),
                                       " waited for another rank longer than the time limit; call "
                                       "wf::nccl(comm).with_mailboxes() again, on every rank");
    }
    throw_error<communication_error>(
        "warpfold: rank ", rank, " of ", ranks_.size(), " did not send its state to rank ",
        ranks_.rank(), " within ", static_cast<long long>(ranks_.limit_s() * 1000),
        " ms; make the same calls on every rank, or raise the time limit of wf::nccl. Then call "
        "with_mailboxes() again, on every rank");
  }
  // @param elements of the report: with `missing`, the missing rank
  [[noreturn]] void throw_report(std::uint64_t fault, std::uint64_t elements) const {
    if (fault == collective::rank_report::empty) {
      throw_error<empty_range>(
          "warpfold: an earlier reduce_async of these ranks had no element, no init, and an op "
          "without an identity; it wrote nothing");
    }
    if (fault == collective::rank_report::missing) {
      throw_missing(elements);
    }
    if (fault == collective::rank_report::not_the_whole) {
      throw_error<communication_error>(
          "warpfold: an earlier reduce_async of these ranks wrote nothing, because their elements, "
          "in rank order, did not make up the whole of starting_at(first, whole); pass the index "
          "of "
          "the first element of each rank, and the elements of all ranks");
    }
    throw_error<communication_error>(
        "warpfold: an earlier reduce_async of these ranks wrote nothing, because ",
        fault == collective::rank_report::failed       ? "a rank threw in it"
        : fault == collective::rank_report::other_call ? "a rank made another call"
                                                       : "a rank passed another init",
        "; the exception of that rank has the reason");
  }

  nccl_ranks ranks_;
  device_policy<Kernel> local_;
  [[no_unique_address]] Check check_;
  std::size_t first_, whole_;
  int writer_;
};

/// Returns a policy that reduces the ranges of all ranks of an NCCL communicator; see
/// `nccl_policy`.
template <class Kernel>
nccl_policy<Kernel> across(const nccl_ranks& ranks, const device_policy<Kernel>& local) {
  return {ranks, local};
}

#endif

}  // namespace warpfold
