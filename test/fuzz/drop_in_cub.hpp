/// @file
/// Calls of `wf::drop_in::cub`, on the GPU. Includes CUB, so only parts with these calls include
/// this.
#pragma once

#include <warpfold/drop_in/cub.hpp>

#include "fuzz/drop_in.hpp"

namespace fuzz {

/// The function objects and calls of CUB. Its minima and maxima ignore NaN.
struct in_cub {
  template <class Op, class U>
  struct function : own_function<Op, U> {};
  template <class U>
  struct function<plus, U> {
    using type = ::cuda::std::plus<U>;
  };
  template <class U>
  struct function<multiplies, U> {
    using type = ::cuda::std::multiplies<U>;
  };
  template <class U>
  struct function<nan_minimum, U> {
    using type = ::cuda::minimum<U>;
  };
  template <class U>
  struct function<nan_maximum, U> {
    using type = ::cuda::maximum<U>;
  };
  template <class U>
  struct function<bit_and, U> {
    using type = ::cuda::std::bit_and<U>;
  };
  template <class U>
  struct function<bit_or, U> {
    using type = ::cuda::std::bit_or<U>;
  };
  template <class U>
  struct function<bit_xor, U> {
    using type = ::cuda::std::bit_xor<U>;
  };
  template <class Init>
  using default_sum = void;

  /// What a fold accumulates in.
  template <class F, class Init, class X>
  using accumulator = std::decay_t<std::invoke_result_t<F&, Init, X>>;
  static constexpr bool takes_policies = false;
  static constexpr bool has_reduce_into = false;

  /// In place of a policy: the default stream.
  struct default_stream {};
  static default_stream their_policy() { return {}; }
  static constexpr bool replaces_their_policy = true;

  template <class I, class Init, class Op>
  static Init reduce(default_stream, const I& first, const I& last, const Init& init,
                     const Op& op) {
    return result_of<Init>([&](Init* out) {
      return wf::drop_in::cub::DeviceReduce::Reduce(first, out, last - first, op, init);
    });
  }
  template <class I, class F, class Init, class Op>
  static Init transform_reduce(default_stream, const I& first, const I& last, const F& f,
                               const Init& init, const Op& op) {
    return result_of<Init>([&](Init* out) {
      return wf::drop_in::cub::DeviceReduce::TransformReduce(first, out, last - first, op, f, init);
    });
  }

 private:
  template <class Init, class Call>
  static Init result_of(const Call& call) {
    const there_bytes slot(std::vector<unsigned char>(sizeof(Init), 0x77), 0, use::output);
    warpfold::runtime::check(call(reinterpret_cast<Init*>(slot.data())), "a call of CUB's");
    Init r;
    std::memcpy(static_cast<void*>(&r), slot.copy().data(), sizeof r);
    return r;
  }
};

template <class Init, class U>
using cub_fold = drop_in_fold<in_cub, Init, U>;

}  // namespace fuzz
