/// @file
/// A lock that is held for a few instructions.
#pragma once

namespace warpfold::runtime {

/// Guards the pointers of a pool. Not std::mutex: `<mutex>` includes `<chrono>` and adds 0.3 s to
/// the compile time of each translation unit. Holders wait for memory only, with one exception: the
/// first `explain` for a GPU measures it for 10 ms.
class spin_lock {
  friend class spin_guard;
  bool taken_ = false;
};

/// Holds a lock while it lives.
class spin_guard {
 public:
  explicit spin_guard(spin_lock& lock) : lock_(lock) {
    while (__atomic_test_and_set(&lock_.taken_, __ATOMIC_ACQUIRE)) {
      while (__atomic_load_n(&lock_.taken_, __ATOMIC_RELAXED)) {
      }
    }
  }
  ~spin_guard() { __atomic_clear(&lock_.taken_, __ATOMIC_RELEASE); }
  spin_guard(const spin_guard&) = delete;  // it unlocks once
  spin_guard& operator=(const spin_guard&) = delete;

 private:
  spin_lock& lock_;
};

}  // namespace warpfold::runtime
