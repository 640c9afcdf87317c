/// @file
/// needs: cuda
/// For code written for CUB: `DeviceReduce`, `DeviceSegmentedReduce`, `DeviceRunLengthEncode` and
/// `DeviceTransform` with CUB's arguments, which run on `wf::device`. An alias in the program's own
/// namespace switches it:
///
///     namespace app {
///     namespace cub = warpfold::drop_in::cub;
///     }
///
/// Everything else of CUB is found there, too: include CUB's headers as before.
///
/// Includes CCCL by design: the calls are CUB's.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20
#include <warpfold/core/needs_exceptions.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>

#include <warpfold/drop_in/cub_by_key.hpp>
#include <warpfold/drop_in/cub_call.hpp>
#include <warpfold/drop_in/cub_segments.hpp>
#include <warpfold/kernel/automatic.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/transform.hpp>

namespace warpfold {
namespace detail::cub_calls {

// Reductions.

template <class View, class Out, class Op, class Init, class Env>
void reduce_into(const View& view, const Out& out, const Op& op, const Init& init, const Env& env) {
  using A = cub_accumulator_t<Op, typename View::value_type, Init>;
  with_environment(device, env, [&](const auto& policy) {
    wf::reduce_async(policy, view, static_cast<A>(init), cub_op<Op, A>::make(op),
                     wf::detail::raw_pointer(out));
  });
}

template <class In, class Count, class Out, class Op, class Init>
constexpr bool reduces_input() {
  if constexpr (viewable<In> && std::is_integral_v<Count>) {
    return reduces<viewed_t<In>, Out, Op, Init>();
  } else {
    return false;
  }
}

template <class Phases, class In, class Out, class Count, class Op, class Init, class Env>
cudaError_t reduce_as_cub(const Phases& phases, const In& in, const Out& out, Count num_items,
                          const Op& op, const Init& init, const Env& env) noexcept {
  if constexpr (!check_input<In>()) {
    return cudaErrorInvalidValue;
  } else if constexpr (!reduces_input<In, Count, Out, Op, Init>()) {
    return phases.forward(env, [&](const auto& last, auto&&... storage) {
      return ::cub::DeviceReduce::Reduce(storage..., in, out, num_items, op, init, last);
    });
  } else if constexpr (check_environment<Env, true>()) {
    return phases.run([&] { reduce_into(view_of(in, count_of(num_items)), out, op, init, env); });
  } else {
    return cudaErrorNotSupported;
  }
}

template <class In, class Count, class Out, class Op, class F, class Init>
constexpr bool reduces_function() {
  if constexpr (!viewable<In> || !std::is_integral_v<Count> || wf::detail::is_device_lambda<F>()) {
    return false;
  } else if constexpr (!wf::detail::gives_copyable<F, viewed_t<In>>) {
    return false;
  } else {
    return reduces<wf::detail::op_result_t<F, viewed_t<In>>, Out, Op, Init>();
  }
}

template <class Phases, class In, class Out, class Count, class Op, class F, class Init, class Env>
cudaError_t transform_reduce_as_cub(const Phases& phases, const In& in, const Out& out,
                                    Count num_items, const Op& op, const F& f, const Init& init,
                                    const Env& env) noexcept {
  if constexpr (!check_input<In>()) {
    return cudaErrorInvalidValue;
  } else if constexpr (!reduces_function<In, Count, Out, Op, F, Init>()) {
    return phases.forward(env, [&](const auto& last, auto&&... storage) {
      return ::cub::DeviceReduce::TransformReduce(storage..., in, out, num_items, op, f, init,
                                                  last);
    });
  } else if constexpr (check_environment<Env, true>()) {
    return phases.run(
        [&] { reduce_into(wf::project(view_of(in, count_of(num_items)), f), out, op, init, env); });
  } else {
    return cudaErrorNotSupported;
  }
}

template <class Extremum, class Phases, class In, class Out, class Count, class Env>
cudaError_t extremum_as_cub(const Phases& phases, const In& in, const Out& out, Count num_items,
                            const Env& env) noexcept {
  using T = typename Phases::template extremum_t<Out, In>;
  using op =
      std::conditional_t<std::is_same_v<Extremum, minimum>, ::cuda::minimum<>, ::cuda::maximum<>>;
  return reduce_as_cub(phases, in, out, num_items, op{}, start_of<Extremum, T>(), env);
}

// Extrema with an index.

/// The output of an extremum and its index as two arrays.
template <class Value, class Index>
struct value_and_index {
  Value* value;
  Index* index;

  WARPFOLD_DEVICE void* memory() const { return value; }
  WARPFOLD_DEVICE void operator()(const indexed<Value>& found) const {
    *value = found.value;
    *index = static_cast<Index>(found.index);
  }
};

/// The same as CUB's pair of index and value.
template <class Pair>
struct key_and_value {
  Pair* out;

  WARPFOLD_DEVICE void* memory() const { return out; }
  WARPFOLD_DEVICE void operator()(const indexed<typename Pair::Value>& found) const {
    out->key = static_cast<typename Pair::Key>(found.index);
    out->value = found.value;
  }
};

/// Enqueues the extremum of `view`; `write` stores it. An empty range gives `of_empty` at index 1,
/// as in CUB.
template <class Extremum, class View, class Write, class Env>
void arg_into(const View& view, typename View::value_type of_empty, const Write& write,
              const Env& env) {
  using T = typename View::value_type;
  using op_type = cub_arg_t<Extremum, T>;
  const op_type op{};
  const indexed<T> start =
      view.size() == 0 ? indexed<T>{of_empty, 1} : op_traits<op_type, indexed<T>>::identity(op);
  with_environment(device, env, [&](const auto& policy) {
    wf::detail::with_reduction(view, op, start, [&](const auto& r) {
      policy.enqueue(r, collective::result_sink<collective::written_by<Write>>{write});
    });
  });
}

template <class Extremum, class... Args>
cudaError_t arg_in_cub(Args&&... args) {
  if constexpr (std::is_same_v<Extremum, minimum>) {
    return ::cub::DeviceReduce::ArgMin(args...);
  } else {
    return ::cub::DeviceReduce::ArgMax(args...);
  }
}

/// `ArgMin` or `ArgMax` with two outputs.
template <class Extremum, class Phases, class In, class Value, class Index, class Env>
cudaError_t arg_as_cub(const Phases& phases, const In& in, const Value& value, const Index& index,
                       std::int64_t num_items, const Env& env) noexcept {
  if constexpr (!check_input<In>()) {
    return cudaErrorInvalidValue;
  } else if constexpr (!(has_arg<In> && stores_integers<Index> &&
                         stores<Value, viewed_or_void_t<In>>)) {
    return phases.forward(env, [&](const auto& last, auto&&... storage) {
      return arg_in_cub<Extremum>(storage..., in, value, index, num_items, last);
    });
  } else if constexpr (check_environment<Env, true>()) {
    return phases.run([&] {
      using T = viewed_t<In>;
      const auto view = view_of(in, count_of(num_items));
      check_writable(value);
      check_writable(index);
      const value_and_index<T, stored_t<Index>> write{wf::detail::raw_pointer(value),
                                                      wf::detail::raw_pointer(index)};
      arg_into<Extremum>(view, start_of<Extremum, T>(), write, env);
    });
  } else {
    return cudaErrorNotSupported;
  }
}

/// The same with one output of index and value.
template <class Extremum, class Phases, class In, class Out, class Env>
cudaError_t pair_as_cub(const Phases& phases, const In& in, const Out& out, int num_items,
                        const Env& env) noexcept {
  if constexpr (!check_input<In>()) {
    return cudaErrorInvalidValue;
  } else if constexpr (!(has_arg<In> && stores_pair<Out, viewed_or_void_t<In>>)) {
    return phases.forward(env, [&](const auto& last, auto&&... storage) {
      return arg_in_cub<Extremum>(storage..., in, out, num_items, last);
    });
  } else if constexpr (check_environment<Env, true>()) {
    return phases.run([&] {
      const auto view = view_of(in, count_of(num_items));
      check_writable(out);
      const key_and_value<stored_t<Out>> write{wf::detail::raw_pointer(out)};
      arg_into<Extremum>(view, start_of<Extremum, viewed_t<In>>(), write, env);
    });
  } else {
    return cudaErrorNotSupported;
  }
}

// A comparison of two elements, as ArgMin and ArgMax of CUB 3.5 take it.
template <class F, class In>
concept compares = requires(const F& f, const typename std::iterator_traits<In>::value_type& x) {
  { f(x, x) } -> std::convertible_to<bool>;
};

// Transformations.

/// Calls a function with the elements of a tuple, even if the function accepts the tuple itself.
template <class F>
struct of_elements {
  F f;

  WARPFOLD_ANY_SIDE
  template <class... T>
  WARPFOLD_HD auto operator()(const tuple<T...>& x) const {
    return call(x, std::index_sequence_for<T...>{});
  }

#if defined(__CUDACC__)
  /// The caller's function: see kernel/body.hpp.
  template <class... T>
  WARPFOLD_DEVICE void name_user_functions(const tuple<T...>& x) const {
    name(x, std::index_sequence_for<T...>{});
  }
#endif

 private:
  WARPFOLD_ANY_SIDE
  template <class Tuple, std::size_t... At>
  WARPFOLD_HD auto call(const Tuple& x, std::index_sequence<At...>) const {
    return wf::detail::call(f, wf::get<At>(x)...);
  }
#if defined(__CUDACC__)
  template <class Tuple, std::size_t... At>
  WARPFOLD_DEVICE void name(const Tuple& x, std::index_sequence<At...>) const {
    wf::detail::name_call(f, wf::get<At>(x)...);
  }
#endif
};

/// True if this library runs a transformation; otherwise CUB itself runs it.
template <class F, class Out, class... In>
constexpr bool transforms() {
  if constexpr (!in_memory<Out> || sizeof...(In) == 0 || !(viewable<In> && ...)) {
    return false;
  } else if constexpr (sizeof...(In) > 1 && !(has_columns<view_t<In>> && ...)) {
    return false;  // an input that hides its memory may be the output
  } else if constexpr (!std::is_trivially_copyable_v<stored_t<Out>>) {
    return false;
  } else if constexpr (wf::detail::is_device_lambda<F>()) {
    return sizeof...(In) == 1;
  } else if constexpr (!wf::detail::callable<F, const viewed_t<In>&...>) {
    return false;
  } else {
    return std::is_convertible_v<wf::detail::call_result_t<F, const viewed_t<In>&...>,
                                 stored_t<Out>>;
  }
}

template <class Out, class F, class Env, class First, class... Rest>
void transform_into(const Out& out, const F& f, const Env& env, std::size_t size,
                    const First& first, const Rest&... rest) {
  auto* const to = wf::detail::raw_pointer(out);
  with_environment(device, env, [&](const auto& policy) {
    if constexpr (sizeof...(Rest) == 0) {
      wf::transform_async(policy, view_of(first, size), to, f);
    } else {
      wf::transform_async(policy, wf::zip(view_of(first, size), view_of(rest, size)...), to,
                          of_elements<F>{f});
    }
  });
}

template <class Phases, class... In, class Out, class Count, class F, class Env>
cudaError_t transform_as_cub(const Phases& phases, const ::cuda::std::tuple<In...>& inputs,
                             const Out& out, Count num_items, const F& f, const Env& env) noexcept {
  if constexpr (!(check_input<In>() && ...)) {
    return cudaErrorInvalidValue;
  } else if constexpr (!(std::is_integral_v<Count> && transforms<F, Out, In...>())) {
    return phases.forward_without_storage(env, [&](const auto& last, auto&&... storage) {
      return ::cub::DeviceTransform::Transform(storage..., inputs, out, num_items, f, last);
    });
  } else if constexpr (check_environment<Env, true>()) {
    return phases.run([&] {
      ::cuda::std::apply(
          [&](const In&... in) { transform_into(out, f, env, count_of(num_items), in...); },
          inputs);
    });
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace detail::cub_calls

// The calls of an extremum with a comparison, which CUB itself runs.
#define WARPFOLD_CUB_COMPARED(function)                                                         \
  template <class In, class Value, class Index, class Compare, class... Env>                    \
    requires detail::cub_calls::compares<Compare, In>                                           \
  static cudaError_t function(void* d_temp_storage, std::size_t& temp_storage_bytes, In d_in,   \
                              Value d_value_out, Index d_index_out, std::int64_t num_items,     \
                              Compare compare, const Env&... env) {                             \
    return ::cub::DeviceReduce::function(d_temp_storage, temp_storage_bytes, d_in, d_value_out, \
                                         d_index_out, num_items, compare, env...);              \
  }                                                                                             \
  template <class In, class Value, class Index, class Compare, class... Env>                    \
    requires detail::cub_calls::compares<Compare, In>                                           \
  static cudaError_t function(In d_in, Value d_value_out, Index d_index_out,                    \
                              std::int64_t num_items, Compare compare, const Env&... env) {     \
    return ::cub::DeviceReduce::function(d_in, d_value_out, d_index_out, num_items, compare,    \
                                         env...);                                               \
  }

/// CUB, with `DeviceReduce`, `DeviceSegmentedReduce`, `DeviceRunLengthEncode` and `DeviceTransform`
/// of this library.
///
/// - Types are CUB's: the result is that of `op(init, x)`, and `Sum` starts from a zero of the
///   output's type. Sums of integers and 16-bit floats are accumulated in a wider type and
///   converted once.
/// - A NaN in a minimum or maximum is ignored, as in CUB 3.2 and later. -0 is less than +0.
/// - Errors: each call returns a `cudaError_t` and throws nothing. Invalid arguments give
///   `cudaErrorInvalidValue` before anything starts; `last_error_message()` says more.
/// - Stream and scratch: as `reduce_async` on `wf::device`. Calls do not wait, can be captured, and
///   need no temporary storage.
/// - CUB itself runs everything else: its other algorithms, iterators that compute their outputs,
///   elements that are not trivially copyable, and `ArgMin` and `ArgMax` with a comparison.
/// - Calls are for host code; device code calls CUB itself.
/// - Write `cub::DeviceReduce`. After `using namespace cub`, the bare name is ambiguous.
namespace drop_in::cub {

using namespace ::cub;

/// Returns the message of the last call of this namespace that failed on this host thread, or an
/// empty text. Codes from CUB itself have no message.
inline const char* last_error_message() noexcept {
  return detail::cub_calls::last_message().c_str();
}

/// `cub::DeviceReduce` on `wf::device`.
///
/// Every reduction has two forms:
///
/// - With `d_temp_storage` and `temp_storage_bytes`: if `d_temp_storage` is null, the call sets
///   `temp_storage_bytes` to 1 and enqueues nothing. Otherwise it enqueues the reduction and does
///   not touch the storage.
/// - Without: one call. CUB has this form since 3.1.
///
/// @param d_in the elements: a random-access iterator that the GPU can read
/// @param d_out one element in memory that the GPU can write; may lie inside the input
/// @param num_items the number of elements, 0 or more
/// @param env a stream (0, `cudaStream_t`, `cuda::stream_ref`) or an environment. It may have a
///     stream, a memory resource for scratch, and `require` any determinism that `wf::device`
///     offers: `not_guaranteed`, `run_to_run` and `gpu_to_gpu`. Anything else does not compile
/// @return `cudaSuccess`, or the reason why nothing was enqueued
///
/// - Empty range: `Reduce` and `TransformReduce` write `init`, `Sum` zero, `Min` and `Max` the
///   greatest and lowest number, `ArgMin` and `ArgMax` the same at index 1, `ReduceByKey` 0 runs.
/// - Stream: enqueues and does not wait; can be captured into a graph.
/// - Order: the declared one (op/fold_order.hpp), the same on every GPU. Operands keep their sides.
/// - Cost: one launch and one read of the range. `ReduceByKey` makes two launches if there are more
///   than 4096 keys. Allocates nothing after the first calls, or after the largest one of
///   `ReduceByKey`. With a memory resource, every call allocates and frees in stream order.
///
/// ```cuda
/// namespace cub = warpfold::drop_in::cub;
/// std::size_t bytes = 0;
/// cub::DeviceReduce::Sum(nullptr, bytes, v.data(), sum.data(), v.size());
/// wf::device_buffer<unsigned char> storage(bytes);
/// cub::DeviceReduce::Sum(storage.data(), bytes, v.data(), sum.data(), v.size());
/// cub::DeviceReduce::Sum(v.data(), sum.data(), v.size());  // the same in one call
/// ```
struct DeviceReduce : ::cub::DeviceReduce {
  /// The reduction of all elements with `op`, starting from `init`. `op` is associative.
  WARPFOLD_CUB_CALL(Reduce, (class In, class Out, class Count, class Op, class T), true,
                    (In d_in, Out d_out, Count num_items, Op op, T init),
                    reduce_as_cub(phases, d_in, d_out, num_items, op, init, env))

  /// The sum, starting from a zero of the output's type.
  WARPFOLD_CUB_CALL(Sum, (class In, class Out, class Count), true,
                    (In d_in, Out d_out, Count num_items),
                    reduce_as_cub(phases, d_in, d_out, num_items, ::cuda::std::plus<>{},
                                  cub_value_t<Out, In>{}, env))

  /// The least element, starting from the greatest number: of the elements' type with
  /// temporary storage, of the output's type without, as in CUB.
  WARPFOLD_CUB_CALL(Min, (class In, class Out, class Count), true,
                    (In d_in, Out d_out, Count num_items),
                    extremum_as_cub<minimum>(phases, d_in, d_out, num_items, env))

  /// The greatest element, starting from the lowest number: of the elements' type with
  /// temporary storage, of the output's type without, as in CUB.
  WARPFOLD_CUB_CALL(Max, (class In, class Out, class Count), true,
                    (In d_in, Out d_out, Count num_items),
                    extremum_as_cub<maximum>(phases, d_in, d_out, num_items, env))

  /// The least element and the lowest index at which it occurs, in two outputs.
  WARPFOLD_CUB_CALL(ArgMin, (class In, class Value, class Index),
                    (!std::is_integral_v<Index> && !detail::cub_calls::compares<Env, In>),
                    (In d_in, Value d_min_out, Index d_index_out, std::int64_t num_items),
                    arg_as_cub<minimum>(phases, d_in, d_min_out, d_index_out, num_items, env))
  /// The same in one `cub::KeyValuePair` of index and value.
  WARPFOLD_CUB_CALL(ArgMin, (class In, class Out), true, (In d_in, Out d_out, int num_items),
                    pair_as_cub<minimum>(phases, d_in, d_out, num_items, env))
  /// With a comparison: CUB itself, if its version has that.
  WARPFOLD_CUB_COMPARED(ArgMin)

  /// The greatest element and the lowest index at which it occurs, in two outputs.
  WARPFOLD_CUB_CALL(ArgMax, (class In, class Value, class Index),
                    (!std::is_integral_v<Index> && !detail::cub_calls::compares<Env, In>),
                    (In d_in, Value d_max_out, Index d_index_out, std::int64_t num_items),
                    arg_as_cub<maximum>(phases, d_in, d_max_out, d_index_out, num_items, env))
  /// The same in one `cub::KeyValuePair` of index and value.
  WARPFOLD_CUB_CALL(ArgMax, (class In, class Out), true, (In d_in, Out d_out, int num_items),
                    pair_as_cub<maximum>(phases, d_in, d_out, num_items, env))
  /// With a comparison: CUB itself, if its version has that.
  WARPFOLD_CUB_COMPARED(ArgMax)

  /// The reduction of `f(x)` over all elements `x` with `op`, starting from `init`.
  WARPFOLD_CUB_CALL(TransformReduce, (class In, class Out, class Count, class Op, class F, class T),
                    true, (In d_in, Out d_out, Count num_items, Op op, F f, T init),
                    transform_reduce_as_cub(phases, d_in, d_out, num_items, op, f, init, env))

  /// The reduction with `op` of the values of each run of equal adjacent keys. Writes the first key
  /// and the result of each run, and the number of runs. As in CUB, the caller guarantees room for
  /// an element of each run, and the outputs may lie one after the other in one allocation.
  WARPFOLD_CUB_CALL(ReduceByKey,
                    (class Keys, class Unique, class V, class Aggregates, class Runs, class Op,
                     class Count),
                    true,
                    (Keys d_keys_in, Unique d_unique_out, V d_values_in,
                     Aggregates d_aggregates_out, Runs d_num_runs_out, Op op, Count num_items),
                    reduce_by_key_as_cub(phases, d_keys_in, d_unique_out, d_values_in,
                                         d_aggregates_out, d_num_runs_out, op, num_items, env))
};

/// `cub::DeviceTransform` on `wf::device`: `Transform` of one input, or of a tuple of inputs, into
/// one output. CUB itself runs `Fill`, `Generate`, `TransformIf` and
/// `TransformStableArgumentAddresses`.
///
/// @param input,inputs random-access iterators that the GPU can read
/// @param output memory that the GPU can write. An input may be the output; other overlaps are
///     errors
/// @param num_items the number of elements, 0 or more
/// @param f called once with element `i` of each input. Its result becomes element `i` of the
///     output
/// @param env as for `DeviceReduce`; any determinism
/// @return `cudaSuccess`, or the reason why nothing was enqueued
///
/// - Empty range: writes nothing and launches nothing.
/// - Stream: enqueues and does not wait; can be captured into a graph.
/// - Order and determinism: elements are independent.
/// - Cost: one launch; each input is read once. Needs no temporary storage, in either form.
///
/// ```cuda
/// auto sum = [] __host__ __device__(float a, float b) { return a + b; };
/// warpfold::drop_in::cub::DeviceTransform::Transform(
///     cuda::std::make_tuple(x.data(), y.data()), z.data(), z.size(), sum);
/// ```
struct DeviceTransform : ::cub::DeviceTransform {
  WARPFOLD_CUB_CALL(Transform, (class... In, class Out, class Count, class F), true,
                    (::cuda::std::tuple<In...> inputs, Out output, Count num_items, F f),
                    transform_as_cub(phases, inputs, output, num_items, f, env))
  WARPFOLD_CUB_CALL(Transform, (class In, class Out, class Count, class F), true,
                    (In input, Out output, Count num_items, F f),
                    transform_as_cub(phases, ::cuda::std::make_tuple(input), output, num_items, f,
                                     env))
};

}  // namespace drop_in::cub
}  // namespace warpfold

#undef WARPFOLD_CUB_COMPARED
