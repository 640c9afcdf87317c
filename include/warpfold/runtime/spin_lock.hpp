/// @file
/// A lock for a few instructions.
#pragma once

namespace warpfold::runtime {

/// Guards the handful of pointers of a pool. Not std::mutex: <mutex> brings <chrono> and a third of a
/// second to every translation unit, and no holder ever waits for anything but memory (one does: the first explain of a
/// GPU, which measures it for 10 ms).
class spin_lock {
 public:
  void lock() {
    while (__atomic_test_and_set(&taken_, __ATOMIC_ACQUIRE)) {
      while (__atomic_load_n(&taken_, __ATOMIC_RELAXED)) {
      }
    }
  }
  void unlock() { __atomic_clear(&taken_, __ATOMIC_RELEASE); }

 private:
  bool taken_ = false;
};

/// Holds a lock for as long as it lives.
class spin_guard {
 public:
  explicit spin_guard(spin_lock& lock) : lock_(lock) { lock_.lock(); }
  ~spin_guard() { lock_.unlock(); }
  spin_guard(const spin_guard&) = delete;             // it unlocks once
  spin_guard& operator=(const spin_guard&) = delete;  // likewise

 private:
  spin_lock& lock_;
};

}  // namespace warpfold::runtime
