/// @file
/// The sum as a user writes it: an op of whose identity the library does not know.
#pragma once

#include <warpfold/core/config.hpp>

namespace test {

/// Adds in the element type; has no identity.
struct add_only {
  template <class T>
  WARPFOLD_HD T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};

}  // namespace test
