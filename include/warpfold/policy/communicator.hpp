/// @file
/// The `communicator` concept: how the ranks of a call exchange bytes. An engine is one header with
/// a class that satisfies it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <warpfold/core/error.hpp>

namespace warpfold {

/// One rank's end of a group of ranks, for `across` (policy/across.hpp). It is a handle: cheap to
/// copy, and all copies are the same rank.
///
/// - `rank()`: this rank, from 0 to `size()` - 1. `size()`: the number of ranks. Both stay the
///   same.
/// - `all_gather(mine, bytes, all)`: writes the `bytes` bytes at `mine` of each rank to `all`, in
///   rank order: `size() * bytes` bytes.
/// - `all_reduce(values, count)`: adds `count` 64-bit integers of all ranks, element by element and
///   modulo 2^64, and writes the sums to `values` of each rank.
///
/// Both return when the result is written, and then the caller may reuse its memory. All ranks make
/// the same calls, in the same order and with the same number of bytes. `across` keeps to this even
/// if ranks fail or call different reductions. One thread at a time calls a rank.
///
/// Both throw `communication_error` if a rank does not call within the engine's time limit or the
/// engine fails. Nothing may then write to `all` or `values` after the throw.
///
/// policy/thread_ranks.hpp and policy/mpi.hpp are two engines. This is one for a single rank:
///
/// ```cpp
/// #include <cstring>
/// #include <warpfold/policy/across.hpp>
///
/// struct alone {
///   int rank() const { return 0; }
///   int size() const { return 1; }
///   void all_gather(const void* mine, std::size_t bytes, void* all) const {
///     std::memcpy(all, mine, bytes);
///   }
///   void all_reduce(std::int64_t*, std::size_t) const {}
/// };
/// static_assert(wf::communicator<alone>);
/// ```
template <class C>
concept communicator =
    std::copy_constructible<C> &&
    requires(const C& c, const void* mine, void* all, std::size_t n, std::int64_t* values) {
      { c.rank() } -> std::convertible_to<int>;
      { c.size() } -> std::convertible_to<int>;
      c.all_gather(mine, n, all);
      c.all_reduce(values, n);
    };

namespace detail {

// A check of the number of elements of all ranks that takes any.
struct any_count {
  void operator()(std::size_t) const {}
};

// The time limit of an engine. Infinity is no limit.
// @throws invalid_argument if it is negative or NaN
inline double checked_limit(double seconds) {
  if (seconds >= 0) return seconds;
  throw_error<invalid_argument>(
      "warpfold: the time limit is negative or NaN; pass 0 s or more, or infinity");
}

inline unsigned long long nanoseconds_of(double seconds) {
  constexpr double most = 1e9;  // 30 years
  return static_cast<unsigned long long>((seconds < most ? seconds : most) * 1e9);
}

}  // namespace detail

}  // namespace warpfold
