/// @file
/// Lets calls of this library take the policies and function objects of the standard library.
/// Change `std::reduce(` to `wf::reduce(` and include this and the header of the call.
///
/// Includes oneTBB, where it is found, by design: GNU's `<execution>` and `wf::par` use it.
///
///     wf::reduce(std::execution::par_unseq, w.begin(), w.end());
///
/// - `std::execution::seq` and `unseq` run as `wf::seq`.
/// - `std::execution::par` and `par_unseq` run as `wf::par` where oneTBB is found, else as
///   `wf::seq`.
/// - `std::plus` and `std::multiplies` have their identities, so an empty range needs no init.
///   Other function objects have none. Include this header in every file of a program that reduces
///   with them, or in none: an op must mean the same everywhere. On a GPU, std's function objects
///   need --expt-relaxed-constexpr.
///
/// To keep the calls of the standard library as they are, see `drop_in/std.hpp`.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <execution>
#include <functional>

#include <warpfold/drop_in/host_threads.hpp>
#include <warpfold/drop_in/same_identity.hpp>
#include <warpfold/policy/concept.hpp>

namespace warpfold {

template <>
struct adopted_policy<std::execution::sequenced_policy> {
  static auto convert(const std::execution::sequenced_policy&) { return seq; }
};
template <>
struct adopted_policy<std::execution::unsequenced_policy> {
  static auto convert(const std::execution::unsequenced_policy&) { return seq; }
};
template <>
struct adopted_policy<std::execution::parallel_policy> {
  static auto convert(const std::execution::parallel_policy&) { return detail::host_threads(); }
};
template <>
struct adopted_policy<std::execution::parallel_unsequenced_policy> {
  static auto convert(const std::execution::parallel_unsequenced_policy&) {
    return detail::host_threads();
  }
};

template <class U, class T>
struct op_traits<std::plus<U>, T> : detail::same_identity<std::plus<U>, plus, T> {};
template <class U, class T>
struct op_traits<std::multiplies<U>, T> : detail::same_identity<std::multiplies<U>, multiplies, T> {
};

}  // namespace warpfold
