/// @file
/// needs: cuda
/// Mailboxes of ranks that may be other processes of this host (collective/rank_exchange.hpp).
#pragma once

#include <warpfold/core/needs_exceptions.hpp>  // first: it reports a lack of them

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <vector>

#include <unistd.h>

#include <warpfold/collective/rank_exchange.hpp>
#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/copy_to_device.hpp>
#include <warpfold/runtime/mailbox_set.hpp>

namespace warpfold::runtime {

/// The end of one rank in mailboxes that all ranks of a group share: each rank's mailbox is memory
/// of its GPU, and the others have it mapped, by CUDA IPC between processes.
class ipc_mailboxes {
  using letter = collective::letter;

 public:
  /// Sets of mailboxes: the first is for calls on streams, the others for captured calls.
  static constexpr int sets = 33;

  /// Connects this rank, on the current GPU, with all others. All ranks call it.
  ///
  /// @param gather `gather(mine, bytes, all)` writes the bytes of each rank to `all`, in rank order
  /// @return null on every rank if one cannot access the memory of another one: on another host,
  ///     without peer access, or if there are more than 16 ranks
  /// @throws cuda_error,out_of_memory if the mailbox cannot be allocated; what `gather` throws
  template <class Gather>
  static std::shared_ptr<ipc_mailboxes> connect(int rank, int ranks, const Gather& gather) {
    if (ranks > collective::mailboxes::most_ranks) return nullptr;
    const relaxed_capture relaxed;
    const auto count = static_cast<std::size_t>(ranks);
    std::shared_ptr<ipc_mailboxes> own;
    std::exception_ptr failure;
    // A rank that fails takes part in the exchanges, so that no other waits.
    const auto attempt = [&](const auto& step) {
      try {
        if (failure == nullptr) step();
      } catch (...) {
        failure = std::current_exception();
      }
    };
    offer mine{};
    attempt([&] {
      own.reset(new ipc_mailboxes(rank, ranks));
      mine = own->make_offer();
    });
    std::vector<offer> offers(count);
    gather(&mine, sizeof mine, offers.data());
    std::uint64_t is_connected = 0;
    attempt([&] { is_connected = own->accept(offers) ? 1 : 0; });
    std::vector<std::uint64_t> all(count);
    gather(&is_connected, sizeof is_connected, all.data());
    if (failure != nullptr) std::rethrow_exception(failure);
    for (const std::uint64_t each : all) {
      if (each == 0) return nullptr;
    }
    return own;
  }
  ~ipc_mailboxes() {
    const relaxed_capture relaxed;
    if (called_ != nullptr) {
      (void)cudaEventSynchronize(called_);
      (void)cudaEventDestroy(called_);
    }
    // After a failure a rank may still be in an exchange: its memory and its mappings stay.
    if (is_broken_) return;
    for (int r = 0; r < ranks_; ++r) {
      if (is_opened_[r]) (void)cudaIpcCloseMemHandle(of_rank_[r]);
    }
    // Others may have it mapped, so it is kept for another group.
    if (of_rank_[rank_] != nullptr) kept_memory::get().give_back(own_memory());
  }
  ipc_mailboxes(const ipc_mailboxes&) = delete;  // a launch in flight points into it
  ipc_mailboxes& operator=(const ipc_mailboxes&) = delete;

  /// The mailboxes of the next call on a stream. The ranks call it in the same order, and
  /// `launched` after the launch.
  ///
  /// - Calls on streams share one set, and a stream waits for the call before on another one.
  /// - Calls that are captured on one stream, one after another, share a set; the others get one
  ///   each. A graph orders its own calls, but not those of a stream.
  /// @param to receives the mailboxes
  /// @return false on every rank if there is no set for another capture
  /// @throws cuda_error if the capture of the stream is invalid
  bool next(cudaStream_t stream, unsigned long long limit_ns, collective::mailboxes& to) {
    const stream_capture capture = capture_of(stream);
    int set = 0;
    if (capture.graph == nullptr) {
      unsigned long long id = 0;
      check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
      if (id != stream_id_ && stream_id_ != no_stream) {
        check(cudaStreamWaitEvent(stream, called_, 0), "cudaStreamWaitEvent");
      }
      stream_id_ = id;
    } else {
      if (capture != last_capture_) {
        if (used_ == sets) return false;
        last_capture_ = capture;
        ++used_;
      }
      set = used_ - 1;
    }
    to = {};
    const std::size_t at = static_cast<std::size_t>(set) * letters_a_set();
    for (int r = 0; r < ranks_; ++r) to.of_rank[r] = of_rank_[r] + at;
    const std::size_t mail = collective::mailboxes::letters(ranks_);
    to.count = to.of_rank[rank_] + mail;
    to.missing = to.count + 1;
    to.cancelled = to.count + 2;
    to.cancel_at = mail + 2;
    to.limit_ns = limit_ns;
    to.rank = rank_;
    to.ranks = ranks_;
    return true;
  }
  /// Notes the launch of a call.
  /// @throws cuda_error if a CUDA call fails
  void launched(cudaStream_t stream) {
    if (!is_capturing(stream)) check(cudaEventRecord(called_, stream), "cudaEventRecord");
  }

  /// Records that a frame did not come: no call can use the mailboxes again.
  void note_failure() { is_broken_ = true; }
  bool is_broken() const { return is_broken_; }

 private:
  static constexpr unsigned long long no_stream = ~0ull;

  // What a rank tells the others.
  struct offer {
    char host[40];             // the boot of the system
    std::uint64_t process[3];  // this process
    int device;
    int is_made;                // 0: there is nothing to map
    letter start;               // of rank 0: the number of exchanges at first
    letter* memory;             // for a rank of the same process
    cudaIpcMemHandle_t handle;  // for the others
  };

  struct memory {
    int device;
    std::size_t letters;
    letter* data;
  };
  // Mailboxes of groups that are gone. Kept for the life of the process.
  class kept_memory {
   public:
    static kept_memory& get() {
      static kept_memory* const kept = new kept_memory;
      return *kept;
    }
    letter* take(int device, std::size_t letters) {
      const spin_guard guard(lock_);
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i].device != device || all_[i].letters != letters) continue;
        letter* const data = all_[i].data;
        all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
        return data;
      }
      return nullptr;
    }
    void give_back(const memory& m) {
      const spin_guard guard(lock_);
      all_.push_back(m);
    }

   private:
    spin_lock lock_;
    std::vector<memory> all_;
  };

  ipc_mailboxes(int rank, int ranks) : rank_(rank), ranks_(ranks) {
    check(cudaGetDevice(&device_), "cudaGetDevice");
    const memory own = own_memory();
    const std::size_t bytes = own.letters * sizeof(letter);
    void* p = kept_memory::get().take(device_, own.letters);
    if (p == nullptr) check(cudaMalloc(&p, bytes), "cudaMalloc", [] { return "for mailboxes"; });
    of_rank_[rank] = static_cast<letter*>(p);
    set_to_zero(p, bytes);
    check(cudaEventCreateWithFlags(&called_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }

  std::size_t letters_a_set() const { return collective::mailboxes::letters(ranks_) + 3; }
  memory own_memory() const { return {device_, sets * letters_a_set(), of_rank_[rank_]}; }

  offer make_offer() const {
    offer o{};
    std::FILE* const file = std::fopen("/proc/sys/kernel/random/boot_id", "r");
    const bool has_host = file != nullptr && std::fgets(o.host, sizeof o.host, file) != nullptr;
    if (file != nullptr) std::fclose(file);
    static const std::uint64_t start = [] {
      timespec now{};
      (void)clock_gettime(CLOCK_REALTIME, &now);
      return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
             static_cast<std::uint64_t>(now.tv_nsec);
    }();
    o.process[0] = static_cast<std::uint64_t>(getpid());
    o.process[1] = start;
    o.process[2] = reinterpret_cast<std::uintptr_t>(&start);
    o.device = device_;
    o.memory = of_rank_[rank_];
    // Another one for each group: a late rank of an earlier group may write to memory that is used
    // again. From 1 to 2^31: letters that nobody has sent have the number 0.
    static std::uint64_t groups = start;
    o.start = (__atomic_add_fetch(&groups, 0x9e3779b97f4a7c15u, __ATOMIC_RELAXED) >> 33) + 1;
    const bool has_handle = cudaIpcGetMemHandle(&o.handle, o.memory) == cudaSuccess;
    (void)cudaGetLastError();
    o.is_made = has_host && (has_handle || ranks_ == 1) ? 1 : 0;
    return o;
  }

  // Maps the memory of the other ranks and sets the counts of exchanges. Returns false if this is
  // not possible.
  bool accept(const std::vector<offer>& offers) {
    const offer& mine = offers[static_cast<std::size_t>(rank_)];
    for (int r = 0; r < ranks_; ++r) {
      const offer& o = offers[static_cast<std::size_t>(r)];
      if (o.is_made == 0 || std::memcmp(o.host, mine.host, sizeof o.host) != 0) return false;
      if (r == rank_) continue;
      if (std::memcmp(o.process, mine.process, sizeof o.process) == 0) {
        try {
          if (!enable_peer_access(device_, o.device)) return false;
        } catch (const cuda_error&) {
          return false;  // too many peers
        }
        of_rank_[r] = o.memory;
        continue;
      }
      void* p = nullptr;
      if (cudaIpcOpenMemHandle(&p, o.handle, cudaIpcMemLazyEnablePeerAccess) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
      }
      of_rank_[r] = static_cast<letter*>(p);
      is_opened_[r] = true;
    }
    letter counts[sets];
    for (letter& count : counts) count = offers[0].start;
    copy_to_device(of_rank_[rank_] + collective::mailboxes::letters(ranks_),
                   letters_a_set() * sizeof(letter), counts, sizeof(letter), sets);
    return true;
  }

  int rank_, ranks_, device_ = 0;
  letter* of_rank_[collective::mailboxes::most_ranks] = {};
  bool is_opened_[collective::mailboxes::most_ranks] = {};
  cudaEvent_t called_ = nullptr;  // the last call on a stream
  unsigned long long stream_id_ = no_stream;
  stream_capture last_capture_;
  int used_ = 1;  // sets
  bool is_broken_ = false;
};

}  // namespace warpfold::runtime
