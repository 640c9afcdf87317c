/// @file
/// needs: cuda
/// CUB's calls on runs of equal keys, on `wf::device`: `DeviceReduce::ReduceByKey` and
/// `DeviceRunLengthEncode`. Include drop_in/cub.hpp, which has the alias and all other calls.
///
/// Includes CCCL by design: the calls are CUB's.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20
#include <warpfold/core/needs_exceptions.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>

#include <warpfold/drop_in/cub_call.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/view/unsized.hpp>

namespace warpfold {
namespace detail::cub_calls {

/// True if this library finds the runs of these keys. CUB compares keys in the type of the output,
/// so that must be the type of the keys.
template <class Keys, class Unique, class Runs, class Count>
constexpr bool finds_runs() {
  if constexpr (viewable<Keys> && std::is_integral_v<Count>) {
    using key = viewed_t<Keys>;
    return std::is_same_v<key, typename std::iterator_traits<Keys>::value_type> &&
           wf::detail::callable<equal_keys, const key&, const key&> && stores<Unique, key> &&
           stores_integers<Runs>;
  } else {
    return false;
  }
}

template <class Keys, class Unique, class V, class Aggregates, class Runs, class Op, class Count>
constexpr bool reduces_by_key() {
  if constexpr (finds_runs<Keys, Unique, Runs, Count>() && viewable<V>) {
    return reduces<viewed_t<V>, Aggregates, Op, viewed_t<V>>();
  } else {
    return false;
  }
}

/// An output of one element for each run, for which CUB's caller guarantees room.
template <in_memory Out>
auto output_of_runs(const Out& out, std::size_t keys) {
  return wf::detail::unsized(contiguous_output<stored_t<Out>>(wf::detail::raw_pointer(out), keys));
}

// True if folding values of type `T` with `Own` gives what a fold in `A` gives, in elements of type
// `Out`. Sums of integers may be wider, because only their low bits are written. Those of 16-bit
// floats are converted once.
template <class Own, class T, class A, class Out>
constexpr bool folds_as() {
  using accumulator = typename op_traits<Own, T>::accumulator;
  constexpr bool integers = std::is_integral_v<T> && std::is_integral_v<A> &&
                            std::is_integral_v<accumulator> && std::is_integral_v<Out>;
  return std::is_same_v<accumulator, A> ||
         (integers && sizeof(Out) <= sizeof(A) && sizeof(A) <= sizeof(accumulator) &&
          !std::is_same_v<Out, bool>) ||
         (is_half_v<A> && std::is_same_v<T, A> && std::is_same_v<Out, A>);
}

/// The op that folds the values of a run. There is no init that would tell the type.
template <class T, class A, class Out, class Op>
auto op_of_runs(const Op& op) {
  if constexpr (folds_as<typename cub_op<Op, A>::type, T, A, Out>()) {
    return cub_op<Op, A>::make(op);
  } else {
    return op_on<Op, A>{op};
  }
}

template <class Keys, class Unique, class V, class Aggregates, class Runs, class Op, class Env>
void reduce_runs(const Keys& keys, const Unique& unique, const V& values,
                 const Aggregates& aggregates, const Runs& runs, const Op& op, const Env& env) {
  using T = typename V::value_type;
  using A = cub_accumulator_t<Op, T, T>;
  with_environment(device, env, [&](const auto& policy) {
    wf::detail::with_keys(policy, keys, values, op_of_runs<T, A, stored_t<Aggregates>>(op),
                          equal_keys{}, output_of_runs(unique, keys.size()),
                          output_of_runs(aggregates, keys.size()),
                          [&](const auto& own, const auto& work) {
                            wf::detail::enqueue_and_count(own, work, wf::detail::raw_pointer(runs));
                          });
  });
}

template <class Phases, class Keys, class Unique, class V, class Aggregates, class Runs, class Op,
          class Count, class Env>
cudaError_t reduce_by_key_as_cub(const Phases& phases, const Keys& keys, const Unique& unique,
                                 const V& values, const Aggregates& aggregates, const Runs& runs,
                                 const Op& op, Count num_items, const Env& env) noexcept {
  if constexpr (!check_input<Keys>() || !check_input<V>()) {
    return cudaErrorInvalidValue;
  } else if constexpr (!reduces_by_key<Keys, Unique, V, Aggregates, Runs, Op, Count>()) {
    return phases.forward(env, [&](const auto& last, auto&&... storage) {
      return ::cub::DeviceReduce::ReduceByKey(storage..., keys, unique, values, aggregates, runs,
                                              op, num_items, last);
    });
  } else if constexpr (check_environment<Env, true>()) {
    return phases.run([&] {
      const std::size_t size = count_of(num_items);
      reduce_runs(view_of(keys, size), unique, view_of(values, size), aggregates, runs, op, env);
    });
  } else {
    return cudaErrorNotSupported;
  }
}

template <class Keys, class Unique, class Lengths, class Runs, class Env>
void encode_runs(const Keys& keys, const Unique& unique, const Lengths& lengths, const Runs& runs,
                 const Env& env) {
  with_environment(device, env, [&](const auto& policy) {
    wf::detail::with_lengths(
        policy, keys, output_of_runs(unique, keys.size()), output_of_runs(lengths, keys.size()),
        [&](const auto& own, const auto& work) {
          wf::detail::enqueue_and_count(own, work, wf::detail::raw_pointer(runs));
        });
  });
}

template <class Phases, class In, class Unique, class Lengths, class Runs, class Count, class Env>
cudaError_t encode_as_cub(const Phases& phases, const In& in, const Unique& unique,
                          const Lengths& lengths, const Runs& runs, Count num_items,
                          const Env& env) noexcept {
  if constexpr (!check_input<In>()) {
    return cudaErrorInvalidValue;
  } else if constexpr (!(finds_runs<In, Unique, Runs, Count>() && stores_integers<Lengths>)) {
    return phases.forward(env, [&](const auto& last, auto&&... storage) {
      return ::cub::DeviceRunLengthEncode::Encode(storage..., in, unique, lengths, runs, num_items,
                                                  last);
    });
  } else if constexpr (check_environment<Env, true>()) {
    return phases.run(
        [&] { encode_runs(view_of(in, count_of(num_items)), unique, lengths, runs, env); });
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace detail::cub_calls

namespace drop_in::cub {

/// `cub::DeviceRunLengthEncode` on `wf::device`: `Encode` writes the first key of each run of equal
/// adjacent keys, and the number of its keys. CUB itself runs `NonTrivialRuns`.
///
/// Both forms of the call, the environment and the result are those of `DeviceReduce`.
///
/// @param d_in the keys: a random-access iterator that the GPU can read
/// @param d_unique_out,d_counts_out memory that the GPU can write, for an element of each run: as
///     in CUB, the caller guarantees room. They may lie one after the other in one allocation
/// @param d_num_runs_out the number of runs: one integer in memory that the GPU can write
/// @param num_items the number of keys, 0 or more
/// @param env as for `DeviceReduce`; any determinism
/// @return `cudaSuccess`, or the reason why nothing was enqueued
///
/// - Empty range: writes 0 runs.
/// - Stream: enqueues and does not wait; can be captured into a graph.
/// - Cost: that of `run_lengths`. Needs no temporary storage, in either form.
/// - Errors: `cudaErrorInvalidValue` also if an output begins inside the keys, or where another
///   output begins.
///
/// ```cuda
/// wf::device_buffer<int> letters(v.size()), lengths(v.size()), runs(1);
/// warpfold::drop_in::cub::DeviceRunLengthEncode::Encode(v.data(), letters.data(), lengths.data(),
///                                                       runs.data(), v.size());
/// ```
struct DeviceRunLengthEncode : ::cub::DeviceRunLengthEncode {
  WARPFOLD_CUB_CALL(Encode, (class In, class Unique, class Lengths, class Runs, class Count), true,
                    (In d_in, Unique d_unique_out, Lengths d_counts_out, Runs d_num_runs_out,
                     Count num_items),
                    encode_as_cub(phases, d_in, d_unique_out, d_counts_out, d_num_runs_out,
                                  num_items, env))
};

}  // namespace drop_in::cub
}  // namespace warpfold
