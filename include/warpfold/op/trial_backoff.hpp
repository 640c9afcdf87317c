/// @file
/// When to try again what fails for some data: at once after one failure, and ever more rarely
/// after several in succession.
#pragma once

#include <warpfold/core/config.hpp>

namespace warpfold::detail {

class trial_backoff {
 public:
  // True if the next item is worth a trial. Each item asks once.
  constexpr bool may_try() {
    if (left_out_ == 0) return true;
    --left_out_;
    return false;
  }
  constexpr void succeeded() { next_ = 0; }
  constexpr void failed() {
    left_out_ = next_;
    if (next_ < most) next_ = next_ == 0 ? 1 : 2 * next_;
  }

 private:
  static constexpr int most = 16;

  int left_out_ = 0;  // items before the next trial
  int next_ = 0;      // after the next failure
};

}  // namespace warpfold::detail
