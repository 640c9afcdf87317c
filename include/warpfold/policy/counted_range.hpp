/// @file
/// How a host policy reduces a range whose size lies in memory (view/counted.hpp).
#pragma once

#include <warpfold/runtime/reachable.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold {

namespace detail {

/// A policy that reads sizes in memory on the host, before it runs the work. It declares
/// `reads_size_on_host`.
template <class Policy>
concept reads_sizes_on_host = requires { requires Policy::reads_size_on_host; };

/// Returns the number of elements of a view whose size lies in memory.
/// @throws invalid_range if the host cannot read the size, or if it is negative or larger than the
///     range
template <view View>
std::size_t size_read_on_host(View counted) {
  runtime::check_host_readable(counted);
  counted.read_size_on_host();
  return counted.size();
}

}  // namespace detail

/// Returns the reduction of the elements that there are: reads the size.
/// @throws invalid_range if the host cannot read the size, or if it is negative or larger than the
///     range
template <counted_work Reduction>
settled_reduction<Reduction> settled_on_host(const Reduction& r) {
  runtime::check_host_memory(r);
  settled_reduction<Reduction> settled(r);
  settled.view.read_size_on_host();
  return settled;
}

}  // namespace warpfold
