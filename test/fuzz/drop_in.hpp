/// @file
/// Calls of `wf::drop_in::std`. Includes oneTBB, so only parts with these calls include this.
#pragma once

#include <warpfold/drop_in/std.hpp>

#include "fuzz/calls.hpp"

namespace fuzz {

/// With the arguments of the standard library, from an init on, which is the fold of the first
/// element. `View` is not used.
struct drop_in_std {
  template <class View, class Projection, class Op, class Policy, class T>
  static verdict judge(const Policy& policy, const sample<T>& s) {
    if (s.values.empty()) return {};
    const list<T> rest(s.values.begin() + 1, s.values.end());
    const auto bytes = bytes_of<contiguous>(rest);
    const host_bytes here(bytes, s.offset);
    const there_bytes there(bytes, s.offset);
    const projected_t<Projection, T> head[] = {Projection{}(s.values[0])};
    const auto init = wf::reduce(wf::seq, head, Op::op());
    const auto call = [&](const auto& who, const unsigned char* p) {
      return attempt([&] {
        const T* const first = contiguous::at<T>(p, 0);
        const T* const last = first + rest.size();
        if constexpr (std::is_same_v<Projection, identity>) {
          return wf::drop_in::std::reduce(who, first, last, init, Op::op());
        } else {
          return wf::drop_in::std::transform_reduce(who, first, last, init, Op::op(), Projection{});
        }
      });
    };
    const auto reference = reference_of<Projection, Op>(s.values);
    return compare(call(wf::seq, here.data()), call(policy, there.data()), &reference);
  }
};

}  // namespace fuzz
