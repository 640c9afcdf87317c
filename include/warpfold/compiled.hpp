/// @file
/// The calls of the headers, computed by libwarpfold: `namespace wf = warpfold::compiled;` and this
/// header in place of the others. A file then compiles faster, and needs neither oneTBB nor CUDA.
/// Link `warpfold::compiled`, or -lwarpfold.
///
/// The calls have the names, arguments, results and bits of the headers, and throw their errors
/// (core/error.hpp). They take what libwarpfold takes (warpfold.h):
///
/// - Policies: `seq`, the calling thread, and `par`, all host threads.
/// - Ranges: contiguous ranges in host memory, and `strided(range, step)` of one. Elements:
///   integers of 8 to 64 bits, `float`, `double`, complex numbers with parts of these two, and
///   CUDA's 16-bit floats.
/// - Ops: `plus{}`, `plus{}.exact()`, `multiplies{}`, `minimum{}`, `maximum{}`, `norm_2_op{}` and
///   `log_sum_exp_op{}`.
///
/// Nothing is written after an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <warpfold.h>

#include <warpfold/core/error.hpp>
#include <warpfold/core/number.hpp>

// Like <windows.h>, a program may define macros of these names.
#pragma push_macro("min")
#pragma push_macro("max")
#undef min
#undef max

namespace warpfold::compiled {

/// Host threads: `threads` of them, the caller among them; 0 for all.
struct policy {
  int threads;
};
inline constexpr policy seq{1};
inline constexpr policy par{0};

/// A sum of floating-point numbers without rounding errors, rounded once: `plus{}.exact()`.
struct exact_plus {
  static constexpr warpfold_operation operation = WARPFOLD_EXACT_SUM;
};
struct plus {
  static constexpr warpfold_operation operation = WARPFOLD_SUM;
  static constexpr exact_plus exact() { return {}; }
};
struct multiplies {
  static constexpr warpfold_operation operation = WARPFOLD_PRODUCT;
};
struct minimum {
  static constexpr warpfold_operation operation = WARPFOLD_MINIMUM;
};
struct maximum {
  static constexpr warpfold_operation operation = WARPFOLD_MAXIMUM;
};
struct log_sum_exp_op {
  static constexpr warpfold_operation operation = WARPFOLD_LOG_SUM_EXP;
};
/// The norm of segments, runs and rows; of a range, `norm_2`.
struct norm_2_op {
  static constexpr warpfold_operation operation = WARPFOLD_NORM_2;
};

/// Whether the elements are a population, or a sample of one.
enum class variance_of { population, sample };

/// A value and its index in the range.
template <class T>
struct indexed {
  T value;
  std::size_t index;

  friend bool operator==(const indexed&, const indexed&) = default;
};

/// The least and the greatest element of a range.
template <class T>
struct least_and_greatest {
  T min;
  T max;

  friend bool operator==(const least_and_greatest&, const least_and_greatest&) = default;
};

/// Every `step`-th element of a range; see `strided`.
template <class T>
struct strided_range {
  T* first;
  std::size_t count, step;
};

namespace detail {

template <class T>
inline constexpr bool is_real_v = std::is_same_v<T, float> || std::is_same_v<T, double>;

// The complex numbers of std, CCCL and Thrust.
template <class T>
concept complex_element = std::is_class_v<T> && is_real_v<typename T::value_type> &&
                          sizeof(T) == 2 * sizeof(typename T::value_type) && requires(const T& z) {
                            conj(z);
                            proj(z);
                          };

template <class T>
inline constexpr bool is_element_v =
    (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8) || is_real_v<T> ||
    is_half_v<T> || complex_element<T>;

template <class T>
constexpr warpfold_type type_of() {
  static_assert(is_element_v<T>,
                "warpfold: libwarpfold folds integers of 8 to 64 bits, floating-point and complex "
                "numbers; include the headers of warpfold for other elements");
  if constexpr (is_half_v<T>) {
    return std::is_same_v<T, __half> ? WARPFOLD_FLOAT16 : WARPFOLD_BFLOAT16;
  } else if constexpr (complex_element<T>) {
    return sizeof(T) == 8 ? WARPFOLD_COMPLEX64 : WARPFOLD_COMPLEX128;
  } else {
    constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<warpfold_type>((std::is_floating_point_v<T> ? 7
                                       : std::is_signed_v<T>       ? 1
                                                                   : 5) +
                                      log2_size);
  }
}

// The first element and the number of elements. std::data needs <iterator>. It takes five times as
// long to compile as this header (GCC 12).
template <class Range>
constexpr auto data_of(Range& r) -> decltype(r.data()) {
  return r.data();
}
template <class T, std::size_t Size>
constexpr T* data_of(T (&array)[Size]) {
  return array;
}
template <class T>
constexpr T* data_of(const strided_range<T>& r) {
  return r.first;
}
template <class Range>
constexpr auto size_of(const Range& r) -> decltype(r.size()) {
  return r.size();
}
template <class T, std::size_t Size>
constexpr std::size_t size_of(const T (&)[Size]) {
  return Size;
}
template <class T>
constexpr std::size_t size_of(const strided_range<T>& r) {
  return r.count;
}
template <class Range>
constexpr std::size_t step_of(const Range&) {
  return 1;
}
template <class T>
constexpr std::size_t step_of(const strided_range<T>& r) {
  return r.step;
}

template <class Range>
concept is_range = requires(const Range& r) {
  *data_of(r);
  size_of(r);
};
template <is_range Range>
using element_t = std::remove_cvref_t<decltype(*data_of(std::declval<const Range&>()))>;

template <is_range Range>
warpfold_array array_of(const Range& r) {
  return {data_of(r), size_of(r), step_of(r), type_of<element_t<Range>>()};
}

// The types of results; see warpfold.h.
template <class T>
struct part {
  using type = std::conditional_t<is_half_v<T>, float, T>;
};
template <complex_element T>
struct part<T> {
  using type = typename T::value_type;
};
template <class T>
using number_t = std::conditional_t<std::is_integral_v<T>, double, typename part<T>::type>;
template <class T>
using mean_t = std::conditional_t<complex_element<T>, T, number_t<T>>;
template <class T>
using wide_t = std::conditional_t<
    !std::is_integral_v<T>, mean_t<T>,
    std::conditional_t<std::is_same_v<T, long> || std::is_same_v<T, unsigned long>, T,
                       std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>>;
template <class T>
using magnitude_t = std::conditional_t<std::is_integral_v<T>, unsigned long long, number_t<T>>;
template <class Op, class T>
using folded_t = std::conditional_t<
    Op::operation == WARPFOLD_SUM || Op::operation == WARPFOLD_PRODUCT ||
        Op::operation == WARPFOLD_EXACT_SUM,
    wide_t<T>,
    std::conditional_t<Op::operation == WARPFOLD_LOG_SUM_EXP, number_t<T>,
                       std::conditional_t<Op::operation == WARPFOLD_NORM_2, double, T>>>;

template <class Op>
concept is_op = requires { std::integral_constant<warpfold_operation, Op::operation>{}; };

template <class Op, class T>
constexpr void check_op() {
  static_assert(Op::operation != WARPFOLD_EXACT_SUM || !std::is_integral_v<T>,
                "warpfold: plus{}.exact() requires floating-point elements; omit exact() for "
                "integers");
  constexpr bool needs_order = Op::operation == WARPFOLD_MINIMUM ||
                               Op::operation == WARPFOLD_MAXIMUM ||
                               Op::operation == WARPFOLD_LOG_SUM_EXP;
  static_assert(!needs_order || !complex_element<T>,
                "warpfold: complex numbers have no order, so they have no extrema and no "
                "log_sum_exp");
}

/// @throws the error of a status
inline void require(warpfold_status status) {
  if (status == WARPFOLD_OK) return;
  const char* const what = warpfold_message();
  switch (status) {
    case WARPFOLD_INVALID_ARGUMENT:
      throw_error<invalid_argument>(what);
    case WARPFOLD_INVALID_RANGE:
      throw_error<invalid_range>(what);
    case WARPFOLD_EMPTY_RANGE:
      throw_error<empty_range>(what);
    case WARPFOLD_OUT_OF_MEMORY:
      throw_error<out_of_memory>(what);
    default:
      throw_error<error>(what);
  }
}

template <class R, class Range>
R reduced(warpfold_operation operation, const policy& p, const Range& range) {
  const warpfold_array a = array_of(range);
  R result;
  require(warpfold_reduce(operation, &a, p.threads, &result));
  return result;
}

}  // namespace detail

/// Returns every `step`-th element of a contiguous range, from element `offset` on, as a range.
///
/// @param range contiguous; it must outlive the result
/// @param step elements from one to the next
/// @param offset the first element
/// @return the range; nothing is copied
///
/// Order, bits and cost: those of the call that reads it; no cost of its own.
/// @throws invalid_range if `step` is 0
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{1, 2, 3, 4, 5};
/// float odd = wf::sum(wf::seq, wf::strided(v, 2));  // 1 + 3 + 5
/// ```
template <detail::is_range Range>
auto strided(const Range& range, std::size_t step, std::size_t offset = 0) {
  if (step == 0) {
    throw_error<invalid_range>(
        "warpfold: strided was given a step of 0; pass the number of elements from one to the "
        "next");
  }
  auto* const first = detail::data_of(range);
  const std::size_t n = detail::size_of(range);
  using range_type = strided_range<std::remove_pointer_t<decltype(detail::data_of(range))>>;
  return offset < n ? range_type{first + offset, (n - offset - 1) / step + 1, step}
                    : range_type{first, 0, step};
}

/// Folds a range with an op; without an op, sums it.
///
/// @param p,range,op a policy, a range and an op, as listed at the top of this file
/// @return the fold: 64 bits for sums and products of integers
///
/// Order, bits and cost: as `warpfold::reduce`.
/// @throws empty_range without elements, for `minimum` and `maximum`
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float least = wf::reduce(wf::seq, v, wf::minimum{});  // -4
/// ```
template <detail::is_range Range, detail::is_op Op = plus>
auto reduce(const policy& p, const Range& range, [[maybe_unused]] Op op = {}) {
  using T = detail::element_t<Range>;
  detail::check_op<Op, T>();
  return detail::reduced<detail::folded_t<Op, T>>(Op::operation, p, range);
}

/// Returns the sum; with `plus{}.exact()` rounded once.
///
/// @param p,range as for `reduce`
/// @param op `plus{}` or `plus{}.exact()`
/// @return 64 bits for integers, otherwise the type of the elements
///
/// Order, bits and cost: as `warpfold::sum`.
/// @throws invalid_range if the memory is null or misaligned, or is device memory
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float s = wf::sum(wf::seq, v);  // -1
/// ```
template <detail::is_range Range, class Op = plus>
auto sum(const policy& p, const Range& range, Op op = {}) {
  return reduce(p, range, op);
}
/// Returns the product.
///
/// @param p,range as for `reduce`
/// @return 64 bits for integers, otherwise the type of the elements
///
/// Order, bits and cost: as `warpfold::product`.
/// @throws invalid_range if the memory is null or misaligned, or is device memory
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float s = wf::product(wf::seq, v);  // -12
/// ```
template <detail::is_range Range>
auto product(const policy& p, const Range& range) {
  return reduce(p, range, multiplies{});
}
/// Returns the logarithm of the sum of the exponentials.
///
/// @param p,range as for `reduce`
/// @return a `float` for `float`, otherwise a `double`; -infinity without elements
///
/// Order, bits and cost: as `warpfold::log_sum_exp`.
/// @throws invalid_range if the memory is null or misaligned, or is device memory
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float s = wf::log_sum_exp(wf::seq, v);  // 3.00091
/// ```
template <detail::is_range Range>
auto log_sum_exp(const policy& p, const Range& range) {
  return reduce(p, range, log_sum_exp_op{});
}

/// Returns the least element.
///
/// @param p,range as for `reduce`
/// @return the element; NaN if any element is NaN
///
/// Order, bits and cost: as `warpfold::min`.
/// @throws empty_range without elements
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float least = wf::min(wf::seq, v);  // -4
/// ```
template <detail::is_range Range>
auto min(const policy& p, const Range& range) {
  return reduce(p, range, minimum{});
}
/// Returns the greatest element.
///
/// @param p,range as for `reduce`
/// @return the element; NaN if any element is NaN
///
/// Order, bits and cost: as `warpfold::max`.
/// @throws empty_range without elements
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float most = wf::max(wf::seq, v);  // 3
/// ```
template <detail::is_range Range>
auto max(const policy& p, const Range& range) {
  return reduce(p, range, maximum{});
}

/// Returns the least and the greatest element, in one read of the range.
///
/// @param p,range as for `reduce`
/// @return a `least_and_greatest`, `.min` and `.max`; NaN if any element is NaN
///
/// Order, bits and cost: as `warpfold::minmax`.
/// @throws empty_range without elements
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// auto [least, greatest] = wf::minmax(wf::seq, v);  // -4 and 3
/// ```
template <detail::is_range Range>
auto minmax(const policy& p, const Range& range) {
  using T = detail::element_t<Range>;
  detail::check_op<minimum, T>();
  return detail::reduced<least_and_greatest<T>>(WARPFOLD_MINMAX, p, range);
}

namespace detail {
template <class Range>
indexed<element_t<Range>> place(warpfold_operation operation, const policy& p, const Range& range) {
  check_op<minimum, element_t<Range>>();
  const auto i = static_cast<std::size_t>(reduced<std::uint64_t>(operation, p, range));
  return {data_of(range)[i * step_of(range)], i};
}
}  // namespace detail

/// Returns the first of the least elements and its index.
///
/// @param p,range as for `reduce`
/// @return the value and the index; those of the first NaN if there is one
///
/// Order, bits and cost: as `warpfold::argmin`.
/// @throws empty_range without elements
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// std::size_t at = wf::argmin(wf::seq, v).index;  // 1
/// ```
template <detail::is_range Range>
auto argmin(const policy& p, const Range& range) {
  return detail::place(WARPFOLD_ARGMIN, p, range);
}
/// Returns the first of the greatest elements and its index.
///
/// @param p,range as for `reduce`
/// @return the value and the index; those of the first NaN if there is one
///
/// Order, bits and cost: as `warpfold::argmax`.
/// @throws empty_range without elements
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// std::size_t at = wf::argmax(wf::seq, v).index;  // 0
/// ```
template <detail::is_range Range>
auto argmax(const policy& p, const Range& range) {
  return detail::place(WARPFOLD_ARGMAX, p, range);
}

/// Returns the mean.
///
/// @param p,range as for `reduce`
/// @return a `float` for `float`, otherwise a `double`
///
/// Order, bits and cost: as `warpfold::mean`.
/// @throws empty_range without elements
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float m = wf::mean(wf::seq, v);  // -0.5
/// ```
template <detail::is_range Range>
auto mean(const policy& p, const Range& range) {
  return detail::reduced<detail::mean_t<detail::element_t<Range>>>(WARPFOLD_MEAN, p, range);
}
/// Returns the variance.
///
/// @param p,range as for `reduce`
/// @param what a population or a sample of one
/// @return a `float` for `float`, otherwise a `double`
///
/// Order, bits and cost: as `warpfold::variance`.
/// @throws empty_range with fewer elements than 1, or 2 for a sample
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float m = wf::variance(wf::seq, v);  // 12.25
/// ```
template <detail::is_range Range>
auto variance(const policy& p, const Range& range, variance_of what = variance_of::population) {
  return detail::reduced<detail::number_t<detail::element_t<Range>>>(
      what == variance_of::sample ? WARPFOLD_SAMPLE_VARIANCE : WARPFOLD_VARIANCE, p, range);
}
/// Returns the standard deviation.
///
/// @param p,range as for `reduce`
/// @param what a population or a sample of one
/// @return a `float` for `float`, otherwise a `double`
///
/// Order, bits and cost: as `warpfold::stddev`.
/// @throws empty_range with fewer elements than 1, or 2 for a sample
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float m = wf::stddev(wf::seq, v);  // 3.5
/// ```
template <detail::is_range Range>
auto stddev(const policy& p, const Range& range, variance_of what = variance_of::population) {
  return detail::reduced<detail::number_t<detail::element_t<Range>>>(
      what == variance_of::sample ? WARPFOLD_SAMPLE_STDDEV : WARPFOLD_STDDEV, p, range);
}

/// Returns the sum of the magnitudes.
///
/// @param p,range as for `reduce`
/// @return `unsigned long long` for integers, otherwise the type of the elements
///
/// Order, bits and cost: as `warpfold::norm_1`.
/// @throws invalid_range if the memory is null or misaligned, or is device memory
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float n = wf::norm_1(wf::seq, v);  // 7
/// ```
template <detail::is_range Range>
auto norm_1(const policy& p, const Range& range) {
  return detail::reduced<detail::magnitude_t<detail::element_t<Range>>>(WARPFOLD_NORM_1, p, range);
}
/// Returns the square root of the sum of the squares.
///
/// @param p,range as for `reduce`
/// @return a `double`, without overflow or underflow
///
/// Order, bits and cost: as `warpfold::norm_2`.
/// @throws invalid_range if the memory is null or misaligned, or is device memory
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// double n = wf::norm_2(wf::seq, v);  // 5
/// ```
template <detail::is_range Range>
double norm_2(const policy& p, const Range& range) {
  return detail::reduced<double>(WARPFOLD_NORM_2, p, range);
}
/// Returns the greatest magnitude.
///
/// @param p,range as for `reduce`
/// @return `unsigned long long` for integers, otherwise the type of the elements
///
/// Order, bits and cost: as `warpfold::norm_infinity`.
/// @throws invalid_range if the memory is null or misaligned, or is device memory
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float n = wf::norm_infinity(wf::seq, v);  // 4
/// ```
template <detail::is_range Range>
auto norm_infinity(const policy& p, const Range& range) {
  return detail::reduced<detail::magnitude_t<detail::element_t<Range>>>(WARPFOLD_NORM_INFINITY, p,
                                                                        range);
}

/// Returns the sum of the products of elements with equal indices; with `plus{}.exact()` rounded
/// once.
///
/// @param p as for `reduce`
/// @param a,b two ranges with elements of one type
/// @param op `plus{}` or `plus{}.exact()`
/// @return 64 bits for integers, otherwise the type of the elements
///
/// Order, bits and cost: as `warpfold::dot`.
/// @throws invalid_range if the sizes differ
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{3, -4};
/// float s = wf::dot(wf::seq, v, v);  // 25
/// ```
template <detail::is_range A, detail::is_range B, class Op = plus>
auto dot(const policy& p, const A& a, const B& b, [[maybe_unused]] Op op = {}) {
  using T = detail::element_t<A>;
  static_assert(std::is_same_v<T, detail::element_t<B>>,
                "warpfold: the ranges of dot have different elements; pass ranges of one type");
  static_assert(std::is_same_v<Op, plus> || std::is_same_v<Op, exact_plus>,
                "warpfold: the op of dot is plus{} or plus{}.exact()");
  detail::check_op<Op, T>();
  const warpfold_array left = detail::array_of(a), right = detail::array_of(b);
  detail::wide_t<T> result;
  detail::require(warpfold_dot(&left, &right, std::is_same_v<Op, exact_plus>, p.threads, &result));
  return result;
}

namespace detail {

template <class Out, class R>
concept is_output = requires(Out& out) {
  requires std::is_same_v<decltype(data_of(out)), R*>;
  size_of(out);
};

// The start of an output of at least `n` results of type `R`.
template <class R, class Out>
R* output_of(Out& out, std::size_t n) {
  static_assert(is_output<Out, R>,
                "warpfold: the output is not a contiguous range, or its elements do not have the "
                "type of the results; pass a container or span of that type");
  if constexpr (is_output<Out, R>) {
    const std::size_t room = size_of(out);
    if (room < n) {
      throw_error<invalid_range>("warpfold: the output has ", room, " elements, but there are ", n,
                                 " results; pass an output of ", n, " elements");
    }
    return data_of(out);
  } else {
    return nullptr;
  }
}

// Calls `f` with the offsets as 64-bit integers.
template <is_range Offsets, class F>
void with_offsets(const Offsets& offsets, const F& f) {
  static_assert(std::is_integral_v<element_t<Offsets>>, "warpfold: offsets are integers");
  const std::size_t n = size_of(offsets);
  if constexpr (std::is_same_v<element_t<Offsets>, std::int64_t>) {
    f(data_of(offsets), n);
  } else {
    struct copies {
      std::int64_t* at;
      explicit copies(std::size_t count) : at(new std::int64_t[count]) {}
      copies(const copies&) = delete;
      ~copies() { delete[] at; }
    } const wide(n);
    for (std::size_t i = 0; i < n; ++i) wide.at[i] = static_cast<std::int64_t>(data_of(offsets)[i]);
    f(static_cast<const std::int64_t*>(wide.at), n);
  }
}

}  // namespace detail

/// Folds each segment: segment s has the elements `offsets[s]` to `offsets[s + 1] - 1`.
///
/// @param p,range,op as for `reduce`
/// @param offsets a contiguous range of integers; those that are not `std::int64_t` are copied
/// @param out a contiguous range with the type of the results of `reduce`, one for each segment
///
/// Order, bits and cost: as `warpfold::reduce_segments`.
/// @throws invalid_range if offsets decrease or lie outside of the range, or if the output is too
///     short or overlaps the range
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<float> v{1, 2, 3}, sums(2);
/// std::vector<int> offsets{0, 2, 3};
/// wf::reduce_segments(wf::seq, v, offsets, wf::plus{}, sums);  // 3, 3
/// ```
template <detail::is_range Range, class Offsets, detail::is_op Op, class Out>
void reduce_segments(const policy& p, const Range& range, const Offsets& offsets,
                     [[maybe_unused]] Op op, Out&& out) {
  using T = detail::element_t<Range>;
  detail::check_op<Op, T>();
  const warpfold_array a = detail::array_of(range);
  detail::with_offsets(offsets, [&](const std::int64_t* at, std::size_t n) {
    const std::size_t segments = n == 0 ? 0 : n - 1;
    auto* const results = detail::output_of<detail::folded_t<Op, T>>(out, segments);
    detail::require(warpfold_reduce_segments(Op::operation, &a, at, segments, p.threads, results));
  });
}

/// Folds the values of each run of equal adjacent keys.
///
/// @param p as for `reduce`
/// @param keys,values ranges of one size
/// @param op as for `reduce`
/// @param keys_out,out contiguous ranges with room for as many elements as there are keys
/// @return the number of runs
///
/// Order, bits and cost: as `warpfold::reduce_by_key`, and 8 bytes and a key for each key.
/// @throws invalid_range if the sizes differ, or if an output is too short or overlaps an input
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<int> keys{7, 7, 3}, found(3);
/// std::vector<float> v{1, 2, 3}, sums(3);
/// wf::reduce_by_key(wf::seq, keys, v, wf::plus{}, found, sums);  // 7, 3 and 3, 3
/// ```
template <detail::is_range Keys, detail::is_range Values, detail::is_op Op, class KeysOut,
          class Out>
std::size_t reduce_by_key(const policy& p, const Keys& keys, const Values& values,
                          [[maybe_unused]] Op op, KeysOut&& keys_out, Out&& out) {
  using T = detail::element_t<Values>;
  detail::check_op<Op, T>();
  const warpfold_array k = detail::array_of(keys), v = detail::array_of(values);
  std::size_t runs = 0;
  detail::require(
      warpfold_reduce_by_key(Op::operation, &k, &v, p.threads,
                             detail::output_of<detail::element_t<Keys>>(keys_out, k.count),
                             detail::output_of<detail::folded_t<Op, T>>(out, k.count), &runs));
  return runs;
}

/// Writes the key and the length of each run of equal adjacent keys.
///
/// @param p,keys a policy and a range
/// @param keys_out,lengths contiguous ranges with room for as many elements as there are keys;
///     lengths are `std::uint64_t`
/// @return the number of runs
///
/// Order, bits and cost: as `warpfold::run_lengths`.
/// @throws invalid_range if an output is too short or overlaps the keys
///
/// ```cpp
/// namespace wf = warpfold::compiled;
/// std::vector<int> keys{7, 7, 3}, found(3);
/// std::vector<std::uint64_t> lengths(3);
/// wf::run_lengths(wf::seq, keys, found, lengths);  // 7, 3 and 2, 1
/// ```
template <detail::is_range Keys, class KeysOut, class Lengths>
std::size_t run_lengths(const policy& p, const Keys& keys, KeysOut&& keys_out, Lengths&& lengths) {
  const warpfold_array k = detail::array_of(keys);
  std::size_t runs = 0;
  detail::require(warpfold_run_lengths(
      &k, p.threads, detail::output_of<detail::element_t<Keys>>(keys_out, k.count),
      detail::output_of<std::uint64_t>(lengths, k.count), &runs));
  return runs;
}

/// Folds an mdspan along one axis.
///
/// @tparam Axis the dimension that is folded, counted from 0
/// @param p,op as for `reduce`
/// @param m an mdspan of rank 1 to 8 in host memory
/// @param out a contiguous range, with one result for each combination of the other indices, in
///     row-major order
///
/// Order, bits and cost: as `warpfold::reduce_axis`.
/// @throws invalid_range if the output is too short or overlaps the elements
/// @throws empty_range if the axis has no elements, for `minimum` and `maximum`
///
/// ```cuda
/// #include <cuda/std/mdspan>
///
/// namespace wf = warpfold::compiled;
/// const std::vector<float> v{1, 2, 3, 4};
/// const cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>> m(v.data(), 2, 2);
/// std::vector<float> sums(2);
/// wf::reduce_axis<1>(wf::seq, m, wf::plus{}, sums);  // 3, 7
/// ```
template <int Axis, class Mdspan, detail::is_op Op, class Out>
void reduce_axis(const policy& p, const Mdspan& m, [[maybe_unused]] Op op, Out&& out) {
  using T = std::remove_cv_t<typename Mdspan::element_type>;
  constexpr int rank = static_cast<int>(Mdspan::rank());
  static_assert(rank >= 1 && rank <= 8, "warpfold: an mdspan has a rank of 1 to 8 here");
  static_assert(Axis >= 0 && Axis < rank, "warpfold: the mdspan has no such axis");
  detail::check_op<Op, T>();
  std::size_t extents[Mdspan::rank()], strides[Mdspan::rank()], kept = 1;
  for (int d = 0; d < rank; ++d) {
    const auto at = static_cast<typename Mdspan::rank_type>(d);
    extents[d] = static_cast<std::size_t>(m.extent(at));
    strides[d] = static_cast<std::size_t>(m.stride(at));
    if (d != Axis) kept *= extents[d];
  }
  detail::require(warpfold_reduce_axis(Op::operation, m.data_handle(), detail::type_of<T>(), rank,
                                       extents, strides, Axis, p.threads,
                                       detail::output_of<detail::folded_t<Op, T>>(out, kept)));
}

}  // namespace warpfold::compiled

#pragma pop_macro("min")
#pragma pop_macro("max")
