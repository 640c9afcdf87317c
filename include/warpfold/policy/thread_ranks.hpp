/// @file
/// `wf::thread_ranks`: threads of one process as the ranks of `wf::across`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <vector>

#include <pthread.h>

#include <warpfold/core/error.hpp>
#include <warpfold/policy/communicator.hpp>

namespace warpfold {

/// A group of threads that call together. `ranks[i]` is the communicator of rank `i`, for the
/// thread that runs it. The group must outlive the calls.
///
/// - Faults: a rank that waits longer than the time limit throws `communication_error`, which names
///   the first missing rank. All later calls of the group throw at once.
/// - Cost: one lock and one wait for an exchange. The waiting threads sleep.
///
/// ```cpp
/// #include <thread>
/// #include <warpfold/policy/across.hpp>
/// #include <warpfold/policy/thread_ranks.hpp>
///
/// std::vector<float> a{1, 2}, b{3};
/// wf::thread_ranks ranks(2);
/// std::thread other([&] { wf::reduce(wf::across(ranks[1]), b); });
/// float sum = wf::reduce(wf::across(ranks[0]), a);  // 6, on both threads
/// other.join();
/// ```
class thread_ranks {
 public:
  /// The communicator of one rank.
  class one {
   public:
    int rank() const noexcept { return rank_; }
    int size() const noexcept { return group_->size(); }
    void all_gather(const void* mine, std::size_t bytes, void* all) const {
      group_->exchange(rank_, mine, bytes, [&](const unsigned char* gathered) {
        std::memcpy(all, gathered, bytes * static_cast<std::size_t>(size()));
      });
    }
    void all_reduce(std::int64_t* values, std::size_t count) const {
      const std::size_t bytes = count * sizeof(std::int64_t);
      group_->exchange(rank_, values, bytes, [&](const unsigned char* gathered) {
        for (std::size_t i = 0; i < count; ++i) {
          std::uint64_t sum = 0;
          for (int r = 0; r < size(); ++r) {
            std::uint64_t x = 0;
            std::memcpy(&x, gathered + static_cast<std::size_t>(r) * bytes + i * sizeof x,
                        sizeof x);
            sum += x;
          }
          values[i] = static_cast<std::int64_t>(sum);
        }
      });
    }

   private:
    friend class thread_ranks;
    one(thread_ranks& group, int rank) : group_(&group), rank_(rank) {}

    thread_ranks* group_;
    int rank_;
  };

  /// @param size the number of ranks, at least 1
  /// @param limit_s the time limit of a wait in seconds. It includes the other ranks' folds
  /// @throws invalid_argument if there is no rank, or the limit is negative or NaN
  explicit thread_ranks(int size, double limit_s = 300)
      : size_(size),
        limit_s_(detail::checked_limit(limit_s)),
        monitor_(limit_s),
        has_arrived_(size > 0 ? static_cast<unsigned>(size) : 0) {
    if (size < 1) {
      throw_error<invalid_argument>("warpfold: a group of ", size, " ranks; pass 1 or more");
    }
  }
  thread_ranks(const thread_ranks&) = delete;
  thread_ranks& operator=(const thread_ranks&) = delete;

  int size() const noexcept { return size_; }

  /// @throws invalid_argument if there is no such rank
  one operator[](int rank) {
    if (rank < 0 || rank >= size_) {
      throw_error<invalid_argument>("warpfold: there is no rank ", rank, " in a group of ", size_,
                                    " ranks; pass 0 to ", size_ - 1);
    }
    return {*this, rank};
  }

 private:
  // A mutex and a condition. Not those of the standard library, whose headers take 0.4 s to
  // compile.
  class monitor {
   public:
    explicit monitor(double limit_s) : limit_s_(limit_s) {
      pthread_condattr_t steady;
      pthread_condattr_init(&steady);
      pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
      pthread_cond_init(&changed_, &steady);
      pthread_condattr_destroy(&steady);
    }
    ~monitor() {
      pthread_cond_destroy(&changed_);
      pthread_mutex_destroy(&mutex_);
    }
    monitor(const monitor&) = delete;
    monitor& operator=(const monitor&) = delete;

    void notify_all() { pthread_cond_broadcast(&changed_); }

    class lock {
     public:
      explicit lock(monitor& m) : m_(m) { pthread_mutex_lock(&m_.mutex_); }
      ~lock() { pthread_mutex_unlock(&m_.mutex_); }
      lock(const lock&) = delete;
      lock& operator=(const lock&) = delete;

      // Waits until `is_over()`. Returns false after the time limit.
      template <class IsOver>
      bool wait(const IsOver& is_over) const {
        timespec end{};
        (void)clock_gettime(CLOCK_MONOTONIC, &end);
        constexpr double most = 1e9;  // 30 years
        const double limit = m_.limit_s_ < most ? m_.limit_s_ : most;
        const auto whole = static_cast<std::time_t>(limit);
        end.tv_sec += whole;
        end.tv_nsec += static_cast<long>((limit - static_cast<double>(whole)) * 1e9);
        if (end.tv_nsec >= 1000000000) ++end.tv_sec, end.tv_nsec -= 1000000000;
        while (!is_over()) {
          if (pthread_cond_timedwait(&m_.changed_, &m_.mutex_, &end) != 0) return is_over();
        }
        return true;
      }

     private:
      monitor& m_;
    };

   private:
    const double limit_s_;
    pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed_;
  };

  template <class Read>
  void exchange(int rank, const void* mine, std::size_t bytes, const Read& read) {
    const monitor::lock lock(monitor_);
    require_whole();
    const auto own = static_cast<std::size_t>(rank);
    const std::uint64_t number = exchanges_;
    if (has_arrived_[own]) {
      throw_error<communication_error>("warpfold: two threads call as rank ", rank, " of ", size_,
                                       "; use one thread for each rank");
    }
    auto& all = gathered_[number % 2];
    const std::size_t expected = bytes * static_cast<std::size_t>(size_);
    if (arrived_ == 0) all.resize(expected);
    if (all.size() != expected) {
      uneven_ = rank;
      monitor_.notify_all();
      throw_error<communication_error>(
          "warpfold: rank ", rank, " of ", size_, " exchanges ", bytes, " bytes, but another rank ",
          all.size() / has_arrived_.size(), "; exchange the same number of bytes on every rank");
    }
    std::memcpy(all.data() + own * bytes, mine, bytes);
    has_arrived_[own] = true;
    if (++arrived_ == size_) {
      arrived_ = 0;
      has_arrived_.assign(has_arrived_.size(), false);
      ++exchanges_;
      monitor_.notify_all();
    } else {
      const auto is_over = [&] { return exchanges_ != number || missing_ >= 0 || uneven_ >= 0; };
      if (!lock.wait(is_over)) {
        missing_ = 0;
        while (has_arrived_[static_cast<std::size_t>(missing_)]) ++missing_;
        monitor_.notify_all();
      }
      if (exchanges_ == number) require_whole();
    }
    read(all.data());
  }

  void require_whole() const {
    if (uneven_ >= 0) {
      throw_error<communication_error>(
          "warpfold: rank ", uneven_, " of ", size_,
          " exchanged another number of bytes than the others; make the "
          "same calls on every rank. This group cannot be used again");
    }
    if (missing_ < 0) return;
    throw_error<communication_error>(
        "warpfold: rank ", missing_, " of ", size_, " did not call within ",
        static_cast<long long>(limit_s_ * 1000),
        " ms; make the same calls on every rank, or raise the time limit of "
        "thread_ranks. This group cannot be used again");
  }

  const int size_;
  const double limit_s_;
  monitor monitor_;
  std::vector<bool> has_arrived_;  // in the exchange that is under way
  int arrived_ = 0;
  std::uint64_t exchanges_ = 0;  // that are complete
  int missing_ = -1;
  int uneven_ = -1;  // a rank that exchanged another number of bytes
  // The bytes of two exchanges: a rank may begin the next one while others still read this one.
  // Nobody is two ahead, because an exchange ends when all ranks have begun it.
  std::vector<unsigned char> gathered_[2];
};

static_assert(communicator<thread_ranks::one>);

}  // namespace warpfold
