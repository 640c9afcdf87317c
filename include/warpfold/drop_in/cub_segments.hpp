/// @file
/// needs: cuda
/// CUB's reductions of segments on `wf::device`: `DeviceSegmentedReduce`. Include drop_in/cub.hpp,
/// which has the alias and all other calls.
///
/// Includes CCCL by design: the calls are CUB's.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20
#include <warpfold/core/needs_exceptions.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include <cub/device/device_segmented_reduce.cuh>

#include <warpfold/drop_in/cub_call.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/unsized.hpp>

namespace warpfold {
namespace detail::cub_calls {

// Elements and segments.

/// An input whose memory tells how many elements there can be.
template <class In>
concept in_arrays = viewable<In> && tells_memory_v<view_t<In>> && arrays_of<view_t<In>>() != 0;

/// The elements from `in` on, as many as there can be: CUB's call has no number of elements.
/// Kernels read none beyond the allocation, and choose their launch by its size. A larger
/// allocation costs time, but does not change results; so does memory that the driver does not
/// know. A null pointer has no elements.
template <in_arrays In>
auto elements_from(const In& in) {
  std::size_t most = std::size_t{1} << 40;  // where the driver does not know the allocation
  view_of(in, 1).visit_memory([&](const void* p, std::size_t element_bytes, std::size_t) {
    const std::size_t bytes = runtime::allocated_bytes_from(p);
    if (p != nullptr && bytes == 0) return;
    most = bytes / element_bytes < most ? bytes / element_bytes : most;
  });
  return wf::detail::unsized(view_of(in, most));
}

template <class Bounds>
constexpr bool are_bounds() {
  if constexpr (viewable<Bounds>) {
    return std::is_integral_v<viewed_t<Bounds>> && !std::is_same_v<viewed_t<Bounds>, bool>;
  } else {
    return false;
  }
}

/// Calls `then` with the segments. Two pointers into one array of offsets are that array, so that
/// several blocks can share a long segment.
template <class Begins, class Ends, class Then>
void with_bounds(const Begins& begins, const Ends& ends, std::size_t count, const Then& then) {
  if constexpr (wf::detail::unwrappable<Begins> && wf::detail::unwrappable<Ends>) {
    using offset = viewed_t<Begins>;
    if constexpr (std::is_same_v<offset, viewed_t<Ends>>) {
      const offset* const first = wf::detail::raw_pointer(begins);
      if (first != nullptr && first + 1 == wf::detail::raw_pointer(ends)) {
        return then(segments_by_offsets(contiguous_view<const offset>(first, count + 1)));
      }
    }
  }
  then(wf::segments_between(view_of(begins, count), view_of(ends, count)));
}

/// Segments that the caller of `run_segments` describes by offsets or by their size.
template <class Begins, class Ends>
struct bounded {
  Begins begins;
  Ends ends;

  template <class In>
  static constexpr bool takes = in_arrays<In> && are_bounds<Begins>() && are_bounds<Ends>();
  static constexpr bool have_one_size = false;

  /// Calls `call` as CUB is called with the segments.
  template <class Call>
  cudaError_t in_cub(const Call& call) const {
    return call(begins, ends);
  }
  /// Calls `then(elements, segments)`.
  template <class In, class Then>
  void visit(const In& in, std::size_t count, const Then& then) const {
    with_bounds(begins, ends, count,
                [&](const auto& segments) { then(elements_from(in), segments); });
  }
};
struct of_one_size {
  int size;

  template <class In>
  static constexpr bool takes = viewable<In>;
  static constexpr bool have_one_size = true;

  template <class Call>
  cudaError_t in_cub(const Call& call) const {
    return call(size);
  }
  template <class In, class Then>
  void visit(const In& in, std::size_t count, const Then& then) const {
    const std::size_t length = count_of(size, "segment_size");
    then(view_of(in, count * length), segments_by_size(length, count));
  }
};

/// Runs a call, if there are segments: `then(policy, elements, segments, count)`.
template <class Phases, class In, class Segments, class Env, class Then>
cudaError_t run_segments(const Phases& phases, const In& in, std::int64_t num_segments,
                         const Segments& segments, const Env& env, const Then& then) noexcept {
  return phases.run([&] {
    const std::size_t count = count_of(num_segments, "num_segments");
    if (count == 0) return;
    segments.visit(in, count, [&](const auto& elements, const auto& of_elements) {
      with_environment(device, env,
                       [&](const auto& policy) { then(policy, elements, of_elements, count); });
    });
  });
}

// Reductions.

template <class In, class Out, class Segments, class Op, class Init>
constexpr bool reduces_segments() {
  if constexpr (Segments::template takes<In>) {
    return reduces<viewed_t<In>, Out, Op, Init>();
  } else {
    return false;
  }
}

/// The same value for each segment.
template <class T>
struct always {
  static constexpr bool is_cheap = true;  // view/transform.hpp

  T value;

  WARPFOLD_HD T operator()(std::size_t) const { return value; }
};

template <class Phases, class In, class Out, class Segments, class Op, class Init, class Env>
cudaError_t reduce_segments_as_cub(const Phases& phases, const In& in, const Out& out,
                                   std::int64_t num_segments, const Segments& segments,
                                   const Op& op, const Init& init, const Env& env) noexcept {
  if constexpr (!check_input<In>()) {
    return cudaErrorInvalidValue;
  } else if constexpr (!reduces_segments<In, Out, Segments, Op, Init>()) {
    return phases.forward(env, [&](const auto& last, auto&&... storage) {
      return segments.in_cub([&](const auto&... bounds) {
        return ::cub::DeviceSegmentedReduce::Reduce(storage..., in, out, num_segments, bounds...,
                                                    op, init, last);
      });
    });
  } else if constexpr (check_environment<Env, true>()) {
    return run_segments(
        phases, in, num_segments, segments, env,
        [&](const auto& policy, const auto& elements, const auto& of_elements, std::size_t count) {
          using A = cub_accumulator_t<Op, viewed_t<In>, Init>;
          auto* const to = wf::detail::raw_pointer(out);
          if constexpr (Segments::have_one_size) {
            // Rows without elements need an identity, which `op` may not have.
            if (segments.size == 0) {
              const auto of_empty = static_cast<stored_t<Out>>(static_cast<A>(init));
              wf::transform_async(policy, wf::counting(std::size_t{0}, count), to,
                                  always<stored_t<Out>>{of_empty});
              return;
            }
          }
          wf::reduce_segments_async(policy, elements, of_elements, cub_op<Op, A>::make(op),
                                    static_cast<A>(init), to);
        });
  } else {
    return cudaErrorNotSupported;
  }
}

template <class Phases, class In, class Out, class Segments, class Env>
cudaError_t sum_segments_as_cub(const Phases& phases, const In& in, const Out& out,
                                std::int64_t num_segments, const Segments& segments,
                                const Env& env) noexcept {
  return reduce_segments_as_cub(phases, in, out, num_segments, segments, ::cuda::std::plus<>{},
                                cub_value_t<Out, In>{}, env);
}

template <class Extremum, class Phases, class In, class Out, class Segments, class Env>
cudaError_t extremum_of_segments_as_cub(const Phases& phases, const In& in, const Out& out,
                                        std::int64_t num_segments, const Segments& segments,
                                        const Env& env) noexcept {
  using op =
      std::conditional_t<std::is_same_v<Extremum, minimum>, ::cuda::minimum<>, ::cuda::maximum<>>;
  return reduce_segments_as_cub(phases, in, out, num_segments, segments, op{},
                                start_of<Extremum, cub_value_t<void, In>>(), env);
}

// Extrema with an index.

/// An output of extrema and their indices as CUB's pairs. An empty segment has `of_empty` at index
/// 1, as in CUB.
template <class Pair>
class pair_output {
 public:
  using value_type = indexed<typename Pair::Value>;

  static constexpr int chunk_size = 1;
  using chunk_type = chunk<value_type, 1>;

  pair_output(Pair* data, std::size_t size, const typename Pair::Value& of_empty)
      : data_(data), size_(size), of_empty_(of_empty) {}

  WARPFOLD_HD std::size_t size() const { return size_; }
  WARPFOLD_HD std::size_t head() const { return any_head; }
  WARPFOLD_HD void set(chunk_type& c, int k, const value_type& found) const { c.set(k, found); }
  WARPFOLD_HD void store(const chunk_type& c, std::size_t i, const auto& stores) const {
    store_at(i, c.elements[0], stores);
  }
  WARPFOLD_HD void store_at(std::size_t i, const value_type& found, const auto& stores) const {
    using key = typename Pair::Key;
    const bool is_empty = found.index == value_type::nowhere;
    stores.store(data_ + i, Pair(is_empty ? key{1} : static_cast<key>(found.index),
                                 is_empty ? of_empty_ : found.value));
  }
  void visit_memory(auto&& visit) const { contiguous_view<Pair>(data_, size_).visit_memory(visit); }

 private:
  Pair* data_;
  std::size_t size_;
  typename Pair::Value of_empty_;
};

template <class Extremum, class... Args>
cudaError_t arg_of_segments_in_cub(Args&&... args) {
  if constexpr (std::is_same_v<Extremum, minimum>) {
    return ::cub::DeviceSegmentedReduce::ArgMin(args...);
  } else {
    return ::cub::DeviceSegmentedReduce::ArgMax(args...);
  }
}

template <class Extremum, class Phases, class In, class Out, class Segments, class Env>
cudaError_t arg_of_segments_as_cub(const Phases& phases, const In& in, const Out& out,
                                   std::int64_t num_segments, const Segments& segments,
                                   const Env& env) noexcept {
  if constexpr (!check_input<In>()) {
    return cudaErrorInvalidValue;
  } else if constexpr (!(Segments::template takes<In> && has_arg<In> &&
                         stores_pair<Out, viewed_or_void_t<In>>)) {
    return phases.forward(env, [&](const auto& last, auto&&... storage) {
      return segments.in_cub([&](const auto&... bounds) {
        return arg_of_segments_in_cub<Extremum>(storage..., in, out, num_segments, bounds..., last);
      });
    });
  } else if constexpr (check_environment<Env, true>()) {
    return run_segments(
        phases, in, num_segments, segments, env,
        [&](const auto& policy, const auto& elements, const auto& of_elements, std::size_t count) {
          using T = viewed_t<In>;
          wf::reduce_segments_async(policy, elements, of_elements, cub_arg_t<Extremum, T>{},
                                    pair_output<stored_t<Out>>(wf::detail::raw_pointer(out), count,
                                                               start_of<Extremum, T>()));
        });
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace detail::cub_calls

// Declares a call with offsets, and the same with segments of one size.
#define WARPFOLD_CUB_SEGMENTS(function, run)                                                       \
  WARPFOLD_CUB_CALL(                                                                               \
      function, (class In, class Out, class Begins, class Ends), (!std::is_integral_v<Begins>),    \
      (In d_in, Out d_out, std::int64_t num_segments, Begins d_begin_offsets, Ends d_end_offsets), \
      run(phases, d_in, d_out, num_segments,                                                       \
          bounded<Begins, Ends>{d_begin_offsets, d_end_offsets}, env))                             \
  WARPFOLD_CUB_CALL(function, (class In, class Out), true,                                         \
                    (In d_in, Out d_out, std::int64_t num_segments, int segment_size),             \
                    run(phases, d_in, d_out, num_segments, of_one_size{segment_size}, env))

namespace drop_in::cub {

/// `cub::DeviceSegmentedReduce` on `wf::device`.
///
/// Both forms of the call and the environment are those of `DeviceReduce`. Every reduction takes
/// two iterators of offsets, or the size of all segments. CUB 3.0 does not have the latter.
///
/// @param d_in the elements: a random-access iterator that the GPU can read. If it computes
///     elements without memory, such as a counting iterator, CUB itself runs calls with offsets
/// @param d_out one element for each segment, in memory that the GPU can write
/// @param num_segments the number of segments, 0 or more
/// @param d_begin_offsets,d_end_offsets for each segment the index of its first element, and the
///     one after its last. Segments may overlap, and elements may be in no segment
/// @param segment_size the number of elements of each segment, 0 or more
/// @param env as for `DeviceReduce`; any determinism
/// @return `cudaSuccess`, or the reason why nothing was enqueued
///
/// - Empty segments: `Reduce` writes `init`, `Sum` zero, `Min` and `Max` the greatest and lowest
///   number, `ArgMin` and `ArgMax` the same at index 1. A null `d_in` has no elements, so all
///   segments are empty.
/// - Stream: enqueues and does not wait; can be captured into a graph.
/// - Order: the declared one (op/fold_order.hpp) of each segment, the same on every GPU.
/// - Cost: one launch. Elements are read once, offsets twice. Pass `offsets` and `offsets + 1`:
///   then several blocks share a long segment. The launch assumes that the segments have all
///   elements of the allocation from `d_in` on. Inside a much larger allocation, short segments
///   take longer.
/// - Offsets that decrease or lie outside of the allocation give unspecified results.
///
/// ```cuda
/// wf::device_buffer<float> sums(offsets.size() - 1);
/// warpfold::drop_in::cub::DeviceSegmentedReduce::Sum(v.data(), sums.data(), sums.size(),
///                                                    offsets.data(), offsets.data() + 1);
/// ```
struct DeviceSegmentedReduce : ::cub::DeviceSegmentedReduce {
  /// The reduction of each segment with `op`, starting from `init`. `op` is associative.
  WARPFOLD_CUB_CALL(Reduce, (class In, class Out, class Begins, class Ends, class Op, class T),
                    (!std::is_integral_v<Begins>),
                    (In d_in, Out d_out, std::int64_t num_segments, Begins d_begin_offsets,
                     Ends d_end_offsets, Op op, T init),
                    reduce_segments_as_cub(phases, d_in, d_out, num_segments,
                                           bounded<Begins, Ends>{d_begin_offsets, d_end_offsets},
                                           op, init, env))
  /// The same of segments of one size.
  WARPFOLD_CUB_CALL(Reduce, (class In, class Out, class Op, class T), true,
                    (In d_in, Out d_out, std::int64_t num_segments, int segment_size, Op op,
                     T init),
                    reduce_segments_as_cub(phases, d_in, d_out, num_segments,
                                           of_one_size{segment_size}, op, init, env))

  /// The sum of each segment, starting from a zero of the output's type.
  WARPFOLD_CUB_SEGMENTS(Sum, sum_segments_as_cub)

  /// The least element of each segment, starting from the greatest number of the elements' type.
  WARPFOLD_CUB_SEGMENTS(Min, extremum_of_segments_as_cub<minimum>)

  /// The greatest element of each segment, starting from the lowest number of the elements' type.
  WARPFOLD_CUB_SEGMENTS(Max, extremum_of_segments_as_cub<maximum>)

  /// The least element and the lowest index at which it occurs in the segment, in a
  /// `cub::KeyValuePair` of index and value.
  WARPFOLD_CUB_SEGMENTS(ArgMin, arg_of_segments_as_cub<minimum>)

  /// The greatest element and the lowest index at which it occurs in the segment, in the same form.
  WARPFOLD_CUB_SEGMENTS(ArgMax, arg_of_segments_as_cub<maximum>)
};

}  // namespace drop_in::cub
}  // namespace warpfold

#undef WARPFOLD_CUB_SEGMENTS
