/// @file
/// What host threads compute of each result before one thread combines it: the folds of pieces of
/// an axis, tables of classes, runs of parts of the keys.
#pragma once

#include <cstddef>

namespace warpfold::host {

/// Uninitialized memory for one `T` of each result and each piece.
template <class T>
class partial_results {
 public:
  /// Memory for one `T`.
  union slot {
    T value;
    slot() {}
  };

  partial_results(std::size_t outputs, std::size_t pieces)
      : outputs_(outputs),
        pieces_(pieces),
        slots_(outputs == 0 ? nullptr : new slot[outputs * pieces]) {}

  ~partial_results() { delete[] slots_; }
  partial_results(const partial_results&) = delete;  // it owns memory
  partial_results& operator=(const partial_results&) = delete;

  std::size_t pieces() const { return pieces_; }
  T* at(std::size_t output, std::size_t piece) const {
    return &slots_[piece * outputs_ + output].value;
  }

 private:
  std::size_t outputs_;
  std::size_t pieces_;
  // Not a unique_ptr: <memory> increases the compile time of one call of reduce from two to three
  // seconds.
  slot* slots_;
};

}  // namespace warpfold::host
