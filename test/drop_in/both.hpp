/// @file
/// Calls of Thrust, made twice: in Thrust's namespace and in wf::drop_in::thrust.
#pragma once

#include <type_traits>

#include <doctest/doctest.h>

#include <warpfold/drop_in/thrust.hpp>

namespace wf = warpfold;

namespace test {

/// Equal, and of one type.
template <class Ours, class Theirs>
void check_same(const Ours& ours, const Theirs& theirs) {
  static_assert(std::is_same_v<Ours, Theirs>);
  CHECK(ours == theirs);
}

}  // namespace test

// The same call in both namespaces; `t` is the namespace.
#define CHECK_BOTH(...)                          \
  test::check_same(                              \
      [&] {                                      \
        namespace t = warpfold::drop_in::thrust; \
        return t::__VA_ARGS__;                   \
      }(),                                       \
      [&] {                                      \
        namespace t = ::thrust;                  \
        return t::__VA_ARGS__;                   \
      }())
