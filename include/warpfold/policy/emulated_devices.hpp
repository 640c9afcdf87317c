/// @file
/// needs: boost_context
/// `wf::emulated_devices`: several emulated GPUs that exchange in their kernels, without a GPU.
#pragma once

#include <warpfold/policy/emulated.hpp>
#include <warpfold/view/shards.hpp>
#include <warpfold/work/sharded_reduction.hpp>

#if !defined(__CUDACC__)

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include <warpfold/collective/exchanged_reduction.hpp>
#include <warpfold/policy/sharded_call.hpp>
#include <warpfold/policy/sharded_groups.hpp>
#include <warpfold/runtime/shard_memory.hpp>

namespace warpfold {

/// Emulated GPUs of one process, for `across`.
class emulated_devices {
 public:
  /// @param count the number of GPUs, from 1 to 16
  /// @param limit_s how long a kernel waits for a frame of another GPU, in seconds
  /// @throws invalid_argument if there are none or too many, or the limit is negative or NaN
  explicit emulated_devices(int count, double limit_s = 300)
      : count_(detail::checked_rank_count(count)), limit_s_(detail::checked_limit(limit_s)) {}

  int size() const { return count_; }
  double limit_s() const { return limit_s_; }
  /// Where `wf::sharded` allocates the shard of a GPU: on the host.
  runtime::shard_place place(int) const { return runtime::host_place(); }

  /// Returns the same GPUs; each starts `delay_ms[rank]` milliseconds late, and never if that is
  /// negative. For tests of late and missing ranks. Has no effect on `reduce_axis` and
  /// `reduce_segments`, whose GPUs fold one after another.
  emulated_devices starting_late(std::vector<int> delay_ms) const {
    emulated_devices d = *this;
    d.delay_ms_ = static_cast<std::vector<int>&&>(delay_ms);
    return d;
  }
  int delay_ms(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return r < delay_ms_.size() ? delay_ms_[r] : 0;
  }

 private:
  int count_;
  double limit_s_;
  std::vector<int> delay_ms_;
};

/// Reduces shards on emulated GPUs. Each runs its kernel on host threads, and the kernels exchange
/// states or nodes through mailboxes, as those of `wf::devices` do. `across` makes one.
template <class Kernel = kernel::automatic, class Check = detail::any_count>
class emulated_devices_policy {
 public:
  static constexpr bool takes_shards = true;
  static constexpr bool combines_parts = true;

  emulated_devices_policy(const emulated_devices& gpus, const Check& check = {})
      : gpus_(gpus), check_(check) {}

  static constexpr const char* name() { return "across"; }
  const emulated_devices& ranks() const { return gpus_; }
  /// The policy that each GPU runs.
  static constexpr emulated_policy<Kernel> local() { return emulated.with_kernel(Kernel{}); }

  template <class OtherCheck>
  emulated_devices_policy<Kernel, OtherCheck> requiring(const OtherCheck& check) const {
    return {gpus_, check};
  }

  /// @throws communication_error if a GPU did not start within the time limit
  /// @throws emulation_error,invalid_range,empty_range as wf::emulated
  template <sharded_work Work>
  typename Work::result_type run(const Work& work) const {
    detail::require_one_shard_each(work, gpus_.size());
    check_(work.size());
    if (!detail::exchanges(work)) return work.empty_result();
    std::vector<detail::result_bytes<typename Work::result_type>> results(work.views.size());
    launch(work, [&](std::size_t i) { return results[i].pointer(); });
    return *results[0].pointer();
  }
  template <sharded_work Work, class Out>
  void enqueue(const Work& work, Out* out) const {
    detail::require_one_shard_each(work, gpus_.size());
    runtime::check_host_pointer(out, sizeof(Out), alignof(Out), "the output");
    check_(work.size());
    if (!detail::exchanges(work)) {
      *out = static_cast<Out>(work.empty_result());
      return;
    }
    launch(work, [&](std::size_t i) { return i == 0 ? out : nullptr; });
  }

  /// Of `reduce_axis` and `reduce_segments`, one GPU after another. Bounds are checked on the host.
  template <detail::sharded_groups_work Work>
  void run(const Work& work) const {
    if constexpr (segmented_reduction_work<Work>) {
      work.require_valid();
      runtime::check_host_memory(work);
      work.require_valid_data();
    }
    detail::fold_shards(rows_on_host{gpus_.size()}, work);
  }
  template <detail::sharded_groups_work Work>
  void enqueue(const Work& work) const {
    run(work);
  }

  template <class Work, class Plan>
    requires(sharded_work<Work> || detail::sharded_groups_work<Work>)
  void describe(const Work& work, Plan& plan) const {
    const auto on = [](int) { return 0; };
    if constexpr (sharded_work<Work>) {
      detail::describe_shards(work, gpus_.size(), local(), on, plan);
    } else {
      detail::describe_shards(work, gpus_.size(), 0, local(), on, plan);
    }
  }

 private:
  using letters = std::vector<collective::letter>;

  // The rows of states for sharded_groups.hpp.
  struct rows_on_host {
    int count;

    int size() const { return count; }
    template <class Write>
    void write(const Write& write) const {
      write(local());
    }
    template <class State, class Fold, class Write>
    void combine(const std::vector<int>& ranks, std::size_t results, const Fold& fold,
                 const Write& write) const {
      const host::partial_results<State> rows(results, ranks.size());
      for (std::size_t i = 0; i < ranks.size(); ++i) fold(ranks[i], local(), rows.at(0, i));
      write(local(), static_cast<const State*>(rows.at(0, 0)));
    }
  };

  template <class Work, class OutOf>
  void launch(const Work& work, const OutOf& out_of) const {
    const int ranks = gpus_.size();
    const auto count = static_cast<std::size_t>(ranks);
    // A GPU's mailbox, and after it: its count of exchanges, its missing rank, and the
    // cancellation.
    const std::size_t length = collective::mailboxes::letters(ranks);
    std::vector<letters> memory(count, letters(length + 3));
    std::vector<std::exception_ptr> failed(count);
    {
      std::vector<std::jthread> gpus;
      for (std::size_t i = 0; i < count; ++i) {
        gpus.emplace_back([&, i] {
          const int late = gpus_.delay_ms(static_cast<int>(i));
          if (late < 0) return;
          if (late > 0) std::this_thread::sleep_for(std::chrono::milliseconds(late));
          collective::mailboxes boxes{};
          for (std::size_t r = 0; r < count; ++r) boxes.of_rank[r] = memory[r].data();
          boxes.count = memory[i].data() + length;
          boxes.missing = boxes.count + 1;
          boxes.cancelled = boxes.count + 2;
          boxes.limit_ns = detail::nanoseconds_of(gpus_.limit_s());
          boxes.rank = static_cast<int>(i);
          boxes.ranks = ranks;
          try {
            emulate(work, detail::exchanged_part(work, i, boxes), out_of(i), memory);
          } catch (...) {
            failed[i] = std::current_exception();
            for (letters& m : memory) {
              std::atomic_ref<collective::letter>(m[length + 2]).store(1);
            }
          }
        });
      }
    }
    for (const auto& f : failed) {
      if (f != nullptr) std::rethrow_exception(f);
    }
    for (std::size_t i = 0; i < count; ++i) {
      detail::throw_if_missing(memory[i][length + 1], static_cast<int>(i), ranks, gpus_.limit_s());
    }
  }

  template <class Work, class Reduction, class Out>
  void emulate(const Work& work, const Reduction& r, Out* out,
               std::vector<letters>& mailboxes) const {
    runtime::check_host_memory(r);
    emulation::launcher launcher(emulation::default_gpu, nullptr);
    r.view.visit_memory(
        [&](const void* p, std::size_t bytes, std::size_t) { launcher.allow(p, bytes, false); });
    if (!tells_memory_v<typename Reduction::view_type>) launcher.allow_all_loads();
    for (letters& m : mailboxes) {
      launcher.allow(m.data(), m.size() * sizeof(collective::letter), true);
    }
    if (out != nullptr) launcher.allow(out, sizeof(Out), true);
    if constexpr (detail::check_kernel_loads<typename Reduction::view_type>()) {
      detail::start_exchange(work, r, Kernel{},
                             collective::result_sink<collective::if_complete<Out>>{out, nullptr, 0},
                             launcher);
    }
    launcher.finish();
  }

  emulated_devices gpus_;
  [[no_unique_address]] Check check_;
};

/// Returns a policy that reduces shards on emulated GPUs; see `emulated_devices_policy`.
inline emulated_devices_policy<> across(const emulated_devices& gpus) { return {gpus}; }

}  // namespace warpfold

#endif
