/// @file
/// What a kernel of kernel/elementwise/ launches for a transformation. No memory is read.
#pragma once

#include <warpfold/view/output.hpp>
#include <warpfold/work/transformation.hpp>

#include "kernel/launches.hpp"

namespace test {

template <std::size_t Bytes>
struct bytes {
  unsigned char b[Bytes];
};

/// Turns elements into `To`, however it does that.
template <class To>
struct turned {
  template <class T>
  WARPFOLD_HD To operator()(const T&) const {
    return {};
  }
};

template <class Kernel, class In, class Out>
recorded_launch transform_of(const Kernel& kernel, std::size_t n, std::size_t from = 0,
                             std::size_t to = 0, const wf::device_info& gpu = some_gpu()) {
  using out_view = wf::contiguous_output<Out>;
  const out_view out{reinterpret_cast<Out*>(2 * base + to), n};
  const wf::transformation<wf::contiguous_view<In>, out_view, turned<Out>> t{
      elements<In>(n, from), out, {}};
  launch_recorder on{gpu, {}, {}};
  kernel.enqueue(t, on);
  return on.launches.empty() ? recorded_launch{} : on.launches.at(0);
}

}  // namespace test
