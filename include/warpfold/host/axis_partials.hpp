/// @file
/// The folds of the pieces of an axis, which host threads compute and one thread combines.
#pragma once

#include <cstddef>

namespace warpfold::host {

/// Uninitialized memory for one accumulator of each result and each piece of the axis.
template <class Accumulator>
class axis_partials {
 public:
  /// Memory for one accumulator.
  union slot {
    Accumulator value;
    slot() {}
  };

  axis_partials(std::size_t outputs, std::size_t pieces)
      : outputs_(outputs), pieces_(pieces), slots_(new slot[outputs * pieces]) {}

  ~axis_partials() { delete[] slots_; }
  axis_partials(const axis_partials&) = delete;  // it owns memory
  axis_partials& operator=(const axis_partials&) = delete;

  std::size_t pieces() const { return pieces_; }
  Accumulator* at(std::size_t output, std::size_t piece) const {
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
