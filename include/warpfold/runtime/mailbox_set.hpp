/// @file
/// needs: cuda
/// The mailboxes through which the GPUs of one process exchange states
/// (collective/rank_exchange.hpp), and the call that uses each.
#pragma once

#include <warpfold/core/needs_exceptions.hpp>  // first: it reports a lack of them

#include <cstddef>
#include <cstring>

#include <warpfold/collective/rank_exchange.hpp>
#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/copy_to_device.hpp>
#include <warpfold/runtime/current_device.hpp>
#include <warpfold/runtime/spin_lock.hpp>

namespace warpfold::runtime {

/// Some GPUs, in the order of their ranks, and a stream on each.
struct gpu_list {
  static constexpr int most = collective::mailboxes::most_ranks;

  int count = 0;
  int ids[most] = {};
  cudaStream_t streams[most] = {};

  /// @return true if both have the same GPUs
  bool has_gpus_of(const gpu_list& other) const {
    return count == other.count && std::memcmp(ids, other.ids, sizeof ids) == 0;
  }
};

/// Lets a GPU access the memory of another one. Returns false if it cannot.
/// @throws cuda_error if a CUDA call fails
inline bool enable_peer_access(int from, int to) {
  if (from == to) return true;
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
  if (can == 0) return false;
  const device_guard on(from);
  const cudaError_t status = cudaDeviceEnablePeerAccess(to, 0);
  (void)cudaGetLastError();
  if (status == cudaErrorPeerAccessAlreadyEnabled) return true;
  check(status, "cudaDeviceEnablePeerAccess");
  return true;
}

/// Mailboxes for one exchange at a time between some GPUs: in the memory of the GPUs if each can
/// access that of the others, otherwise in pinned memory of the host.
class mailbox_set {
  using letter = collective::letter;

 public:
  /// Allocates the mailboxes and waits until they are zero.
  /// @throws no_device,out_of_memory,cuda_error if a GPU or its memory is missing
  explicit mailbox_set(const gpu_list& gpus) : gpus_(gpus) {
    const relaxed_capture relaxed;
    try {
      for (int i = 0; i < gpus.count; ++i) {
        for (int k = 0; k < gpus.count; ++k) {
          in_gpus_ = enable_peer_access(gpus.ids[i], gpus.ids[k]) && in_gpus_;
        }
      }
      const std::size_t words = 2 + static_cast<std::size_t>(gpus.count);
      void* p = nullptr;
      check(cudaHostAlloc(&p, words * sizeof(letter), cudaHostAllocMapped | cudaHostAllocPortable),
            "cudaHostAlloc", [] { return "for the state of an exchange"; });
      host_ = static_cast<letter*>(p);
      std::memset(host_, 0, words * sizeof(letter));
      for (int i = 0; i < gpus.count; ++i) memory_[i] = allocate(gpus.ids[i]);
    } catch (...) {
      release();
      throw;
    }
  }
  ~mailbox_set() { release(); }
  mailbox_set(const mailbox_set&) = delete;  // a launch in flight points into it
  mailbox_set& operator=(const mailbox_set&) = delete;

  const gpu_list& gpus() const { return gpus_; }
  /// The argument of the kernel of one rank.
  collective::mailboxes of(int rank, unsigned long long limit_ns) const {
    collective::mailboxes m{};
    for (int i = 0; i < gpus_.count; ++i) m.of_rank[i] = memory_[i].letters;
    m.count = memory_[rank].count;
    m.cancelled = host_;
    m.missing = host_ + 2 + rank;
    m.limit_ns = limit_ns;
    m.rank = rank;
    m.ranks = gpus_.count;
    return m;
  }

  /// What the last kernel of a rank reported: 0, or 1 + the missing rank.
  letter missing(int rank) const { return __atomic_load_n(host_ + 2 + rank, __ATOMIC_RELAXED); }
  /// True if a kernel has not got all frames, or `cancel` was called. The set cannot be used again.
  bool is_broken() const {
    bool broken = __atomic_load_n(host_, __ATOMIC_RELAXED) != 0;
    for (int i = 0; i < gpus_.count; ++i) broken = broken || missing(i) != 0;
    return broken;
  }
  /// Lets all kernels stop waiting.
  void cancel() { __atomic_store_n(host_, 1, __ATOMIC_RELAXED); }

 private:
  // Where a rank receives, and its count of exchanges.
  struct of_rank {
    letter* letters = nullptr;
    letter* count = nullptr;
    bool on_host = false;
  };

  of_rank allocate(int id) const {
    const std::size_t letters = collective::mailboxes::letters(gpus_.count);
    const std::size_t bytes = (letters + 1) * sizeof(letter);
    const device_guard on(id);
    void* p = nullptr;
    if (!in_gpus_) {
      check(cudaHostAlloc(&p, bytes, cudaHostAllocMapped | cudaHostAllocPortable), "cudaHostAlloc",
            [] { return "for a mailbox"; });
      std::memset(p, 0, bytes);
      return {static_cast<letter*>(p), static_cast<letter*>(p) + letters, true};
    }
    check(cudaMalloc(&p, bytes), "cudaMalloc", [] { return "for a mailbox"; });
    of_rank m{static_cast<letter*>(p), static_cast<letter*>(p) + letters, false};
    try {
      set_to_zero(p, bytes);
    } catch (...) {
      (void)cudaFree(p);
      throw;
    }
    return m;
  }

  void release() noexcept {
    const relaxed_capture relaxed;
    for (int i = 0; i < gpus_.count; ++i) {
      (void)(memory_[i].on_host ? cudaFreeHost(memory_[i].letters) : cudaFree(memory_[i].letters));
    }
    (void)cudaFreeHost(host_);
  }

  gpu_list gpus_;
  bool in_gpus_ = true;
  of_rank memory_[gpu_list::most];
  letter* host_ = nullptr;  // [0]: cancelled; [2 + rank]: missing
};

/// The library's mailboxes. A call that waits borrows a set; calls on the same streams share one;
/// a captured call gets one that belongs to the graph. Sets are kept for the life of the process.
///
/// The lock is held while a call launches on all its GPUs. So all GPUs see the calls of several
/// threads in the same order, and none waits for a launch that is queued behind it.
class mailbox_pool {
 public:
  static mailbox_pool& get() {
    static mailbox_pool* const pool = new mailbox_pool;
    return *pool;
  }

  /// Held by a call from before it finds its mailboxes until all its kernels are launched.
  spin_lock& launch_order() { return lock_; }

  /// Returns a set that no other call uses. The caller holds the lock.
  mailbox_set* borrow(const gpu_list& gpus) {
    for (entry** at = &idle_; *at != nullptr; at = &(*at)->next) {
      entry* const e = *at;
      if (!e->set->gpus().has_gpus_of(gpus)) continue;
      *at = e->next;
      mailbox_set* const set = e->set;
      delete e;
      return set;
    }
    return new mailbox_set(gpus);
  }
  /// Returns a borrowed set, which no launch uses. The caller holds the lock. A broken set is
  /// destroyed.
  void give_back(mailbox_set* set) {
    if (set->is_broken()) {
      delete set;
    } else {
      idle_ = new entry{set, idle_, {}};
    }
  }

  /// Returns the set of calls on these streams. The caller holds the lock.
  /// @param broken receives the set if an earlier call has broken it; it is then replaced
  mailbox_set* of_streams(const gpu_list& gpus, mailbox_set*& broken) {
    unsigned long long ids[gpu_list::most] = {};
    for (int i = 0; i < gpus.count; ++i) {
      const device_guard on(gpus.ids[i]);
      check(cudaStreamGetId(gpus.streams[i], &ids[i]), "cudaStreamGetId");
    }
    entry** at = &by_streams_;
    for (; *at != nullptr; at = &(*at)->next) {
      if ((*at)->set->gpus().has_gpus_of(gpus) &&
          std::memcmp((*at)->stream_ids, ids, sizeof ids) == 0) {
        break;
      }
    }
    if (entry* const e = *at; e != nullptr) {
      if (!e->set->is_broken()) return e->set;
      broken = e->set;
      *at = e->next;
      delete e;
      return nullptr;
    }
    auto* const e = new entry{borrow(gpus), by_streams_, {}};
    std::memcpy(e->stream_ids, ids, sizeof ids);
    by_streams_ = e;
    return e->set;
  }

  /// Returns a set that is kept until all graphs of these streams, and their instances, are
  /// destroyed. The caller holds the lock.
  mailbox_set* of_graphs(const gpu_list& gpus, const cudaGraph_t* graphs) {
    struct held {
      mailbox_set* set;
      int owners;
    };
    auto* const h = new held{borrow(gpus), 1};
    const auto release = [](void* p) {
      auto* const done = static_cast<held*>(p);
      if (__atomic_sub_fetch(&done->owners, 1, __ATOMIC_ACQ_REL) != 0) return;
      mailbox_pool& pool = get();
      {
        const spin_guard guard(pool.lock_);
        if (done->set->is_broken()) {
          // Never freed: CUDA may not be called here.
        } else {
          pool.idle_ = new entry{done->set, pool.idle_, {}};
        }
      }
      delete done;
    };
    const auto* set = h->set;
    for (int i = 0; i < gpus.count; ++i) {
      bool known = false;
      for (int k = 0; k < i; ++k) known = known || graphs[k] == graphs[i];
      if (known) continue;
      __atomic_add_fetch(&h->owners, 1, __ATOMIC_RELAXED);
      cudaUserObject_t object = nullptr;
      check(cudaUserObjectCreate(&object, h, release, 1, cudaUserObjectNoDestructorSync),
            "cudaUserObjectCreate");
      check(cudaGraphRetainUserObject(graphs[i], object, 1, cudaGraphUserObjectMove),
            "cudaGraphRetainUserObject");
    }
    // The caller holds the lock, and every graph is alive: this is not the last owner.
    __atomic_sub_fetch(&h->owners, 1, __ATOMIC_ACQ_REL);
    return const_cast<mailbox_set*>(set);
  }

 private:
  struct entry {
    mailbox_set* set;
    entry* next;
    unsigned long long stream_ids[gpu_list::most];
  };

  spin_lock lock_;
  entry* idle_ = nullptr;
  entry* by_streams_ = nullptr;
};

}  // namespace warpfold::runtime
