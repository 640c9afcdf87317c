/// @file
/// Reductions inside your own kernel: `warp_reduce` and `block_reduce`, and `warp_all_reduce` and
/// `block_all_reduce`, whose result every thread gets.
///
/// They take the place of hand-written shuffles. `op` is any op of `reduce`: a lambda, a function
/// object, `minimum{}`, `all(...)`; it must be `__device__`. The accumulator is that of `reduce`:
/// 64 bits for sums of integers, `float` for sums of 16-bit floats. An op with `lift` lifts `x`,
/// and an op with `finish` finishes the result. `arg(minimum{})` takes `wf::indexed{x, i}`.
///
/// ```cuda
/// __global__ void norms(const float* rows, float* out, int columns) {
///   const float* row = rows + std::size_t{blockIdx.x} * columns;
///   float squares = 0;
///   for (int i = threadIdx.x; i < columns; i += blockDim.x) squares += row[i] * row[i];
///   const float total = wf::block_reduce(squares);
///   if (threadIdx.x == 0) out[blockIdx.x] = sqrtf(total);
/// }
/// ```
/// On a GPU: test/examples/own_global.cu
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/plus.hpp>

namespace warpfold {

namespace detail {

// True for a value that the op's `lift` returns: it is not lifted again.
template <class Op, class T>
inline constexpr bool is_lifted = false;
template <class Op, class T>
  requires(callable<Op, T, T> && lifts_indexed<Op, T>)
inline constexpr bool is_lifted<Op, T> = std::is_same_v<op_result_t<Op, T, T>, T>;

WARPFOLD_ANY_SIDE
template <class Op, class T>
WARPFOLD_HD constexpr auto lift_value(const Op& op, const T& x) {
  if constexpr (is_lifted<Op, T>) {
    return x;
  } else {
    static_assert(!lifts_indexed<Op, T>,
                  "warpfold: this op needs the index of each value; pass values with an index, "
                  "wf::indexed{x, i}");
    return lift_by(op, x, 0);
  }
}

// How one value of each thread is folded: no state is empty.
template <class Op, class T>
struct value_of_each_thread {
  using lifted = decltype(lift_value(std::declval<const Op&>(), std::declval<const T&>()));
  using accumulator = typename op_traits<Op, lifted>::accumulator;
  using fold_type = fold<Op, accumulator>;
  static_assert(std::is_trivially_copyable_v<accumulator>,
                "warpfold: the op's accumulator is not trivially copyable; use an accumulator that "
                "is");

  fold_type of;

  WARPFOLD_DEVICE accumulator start(const T& x) const {
#if defined(__CUDACC__)
    if (blockDim.x == 0) name_user_functions(x);  // never: lets nvcc check the op
#endif
    return static_cast<accumulator>(lift_value(of.op, x));
  }
  WARPFOLD_DEVICE accumulator combine(const accumulator& a, const accumulator& b) const {
    return of.apply(a, b);
  }
  WARPFOLD_DEVICE accumulator fold_warp(const accumulator& a) const {
    if constexpr (has_marks<fold_type>) {
      return collective::detail::shuffle_reduce(of.of_values(), a);
    } else {
      return collective::warp_reduce(of, a);
    }
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions(const T& x) const {
    if constexpr (!is_lifted<Op, T>) name_lift(of.op, x);
    const auto a = static_cast<accumulator>(lift_value(of.op, x));
    name_call_as<accumulator>(of.op, a, a);
    name_identity<accumulator>(of.op);
    name_finish(of.op, a);
  }
#endif
};

}  // namespace detail

/// Shared memory for `block_reduce`: one accumulator for each warp, and for each thread of a last
/// warp that is not full.
template <class T, class Op = plus>
using block_storage =
    collective::shared_array<typename detail::value_of_each_thread<Op, T>::accumulator, 32 + 31>;

/// Returns the fold of the 32 lanes' values, in lane 0; other lanes get no defined value.
///
/// All 32 lanes of the warp call it. The order is fixed, so equal values give equal bits.
///
/// Cost: five shuffles of the accumulator for most ops; no shared memory and no barrier.
/// @param x this lane's value
/// @param op callable on the GPU; the sum by default
/// @return in lane 0 the result of the op's `finish`, or its accumulator: 64 bits for sums of
///     integers
///
/// Errors: none at run time. If some lanes of the warp do not call it, the behavior is undefined.
///
/// ```cuda
/// __global__ void fold(const float* in, float* out) {
///   const float sum = wf::warp_reduce(in[threadIdx.x]);
///   if (threadIdx.x == 0) *out = sum;
/// }
/// ```
/// More: test/examples/own_global.cu
template <class T, class Op = plus>
WARPFOLD_DEVICE auto warp_reduce(const T& x, const Op& op = {}) {
  const detail::value_of_each_thread<Op, T> values{{op}};
  return finished(op, values.fold_warp(values.start(x)));
}

/// Returns the fold of the 32 lanes' values, in every lane.
///
/// All 32 lanes of the warp call it. The order is fixed, so equal values give equal bits.
///
/// Cost: one shuffle more than `warp_reduce`.
/// @param x this lane's value
/// @param op callable on the GPU; the sum by default
/// @return the result of the op's `finish`, or its accumulator
///
/// Errors: none at run time. If some lanes of the warp do not call it, the behavior is undefined.
///
/// ```cuda
/// __global__ void fold(const float* in, float* out) {
///   const float x = in[threadIdx.x];
///   out[threadIdx.x] = x / wf::warp_all_reduce(x, wf::maximum{});
/// }
/// ```
template <class T, class Op = plus>
WARPFOLD_DEVICE auto warp_all_reduce(const T& x, const Op& op = {}) {
  const detail::value_of_each_thread<Op, T> values{{op}};
  return finished(op, collective::shuffle_from(values.fold_warp(values.start(x)), 0));
}

namespace detail {

// Returns the fold of the block's values, in every thread with `everywhere`, else in thread 0.
template <bool Everywhere, class T, class Op, class Storage>
WARPFOLD_DEVICE auto fold_block(const T& x, const Op& op, Storage& storage) {
  using values_type = value_of_each_thread<Op, T>;
  using A = typename values_type::accumulator;
  const values_type values{{op}};
  const collective::shared_span<A> results = storage;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned warp = thread / collective::warp_size, lane = thread % collective::warp_size;
  const unsigned full_warps = threads / collective::warp_size;
  A a = values.start(x);
  if (warp < full_warps) {
    a = values.fold_warp(a);
    if (lane == 0) results.store(warp, a);
  } else {
    results.store(full_warps + lane, a);
  }
  __syncthreads();
  if (Everywhere || warp == 0) {
    const unsigned count = full_warps + threads % collective::warp_size;
    const auto combine = [&](const A& s, const A& t) { return values.combine(s, t); };
    a = results.load(0);
    unsigned i = 1;
    WARPFOLD_NO_UNROLL
    for (; i + 4 <= count; i += 4) {
      const auto run = results.template load_run<4>(i);
      a = combine(a, fold_tree<0, 4>(combine, [&](int k) { return run(k); }));
    }
    WARPFOLD_NO_UNROLL
    for (; i < count; ++i) a = combine(a, results.load(i));
  }
  return finished(op, a);
}

}  // namespace detail

/// Returns the fold of the values of all threads of a block, in thread 0; other threads get no
/// defined value.
///
/// All threads of the block call it, in blocks of any shape. Without `storage` it may be called
/// again at once: it ends with a barrier. The order is fixed, so equal values give equal bits.
///
/// Cost: two barriers, and 63 accumulators of static shared memory for each type and op. With
/// `storage`, one barrier, and the shared memory is the caller's.
/// @param x this thread's value
/// @param op callable on the GPU; the sum by default
/// @param storage none, or shared memory: `__shared__ wf::block_storage<float, wf::plus> storage;`.
///     A barrier must separate two uses of one storage
/// @return in thread 0 the result of the op's `finish`, or its accumulator: 64 bits for sums of
///     integers
///
/// Errors: none at run time. If some threads of the block do not call it, the behavior is
/// undefined.
///
/// ```cuda
/// __global__ void fold(const float* in, float* out) {
///   const float sum = wf::block_reduce(in[blockIdx.x * blockDim.x + threadIdx.x]);
///   if (threadIdx.x == 0) out[blockIdx.x] = sum;
/// }
/// __global__ void fold_block(const float* in, float* out) {
///   __shared__ wf::block_storage<float> storage;
///   const float sum = wf::block_reduce(in[threadIdx.x], wf::plus{}, storage);
///   if (threadIdx.x == 0) *out = sum;
/// }
/// ```
/// More: test/examples/own_global.cu
template <class T, class Op>
WARPFOLD_DEVICE auto block_reduce(const T& x, const Op& op, block_storage<T, Op>& storage) {
  return detail::fold_block<false>(x, op, storage);
}
template <class T, class Op = plus>
WARPFOLD_DEVICE auto block_reduce(const T& x, const Op& op = {}) {
  WARPFOLD_SHARED block_storage<T, Op> storage;
  const auto result = detail::fold_block<false>(x, op, storage);
  __syncthreads();
  return result;
}

/// Returns the fold of the values of all threads of a block, in every thread.
///
/// All threads of the block call it, in blocks of any shape. The order is fixed, so equal values
/// give equal bits.
///
/// Cost: two barriers, or one with `storage`, and the shared memory of `block_reduce`.
/// @param x this thread's value
/// @param op callable on the GPU; the sum by default
/// @param storage none, or shared memory, as for `block_reduce`:
///     `wf::block_all_reduce(x, wf::plus{}, storage)`
/// @return the result of the op's `finish`, or its accumulator
///
/// Errors: none at run time. If some threads of the block do not call it, the behavior is
/// undefined.
///
/// ```cuda
/// __global__ void fold(const float* in, float* out) {
///   const float x = in[threadIdx.x];
///   out[threadIdx.x] = x / wf::block_all_reduce(x);
/// }
/// ```
template <class T, class Op>
WARPFOLD_DEVICE auto block_all_reduce(const T& x, const Op& op, block_storage<T, Op>& storage) {
  return detail::fold_block<true>(x, op, storage);
}
template <class T, class Op = plus>
WARPFOLD_DEVICE auto block_all_reduce(const T& x, const Op& op = {}) {
  WARPFOLD_SHARED block_storage<T, Op> storage;
  const auto result = detail::fold_block<true>(x, op, storage);
  __syncthreads();
  return result;
}

}  // namespace warpfold
