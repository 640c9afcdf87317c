/// @file
/// Lines of accumulators in vector registers: of numbers, of what projections make in `double`, of
/// products of two arrays, and of several ops at once.
///
/// A line is as many consecutive elements as a fold has accumulators, and takes other lines element
/// by element. It consists of units, of one or two vectors. Vectors of any width have the same
/// accumulators, in the same order, and so the same results.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/host/vector_accumulators.hpp>
#include <warpfold/op/double_vectors.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold::host::detail {

/// True if a projection of two elements is their product.
template <class F>
concept multiplies_numbers = std::is_same_v<F, multiplies> || requires {
  requires std::is_same_v<typename F::multiplies_numbers, F>;
};

/// The vector fold of a view by an op; its members are those of `plain_vectors` below. Empty if
/// there is none.
template <class Op, class View>
struct vectors_of {};

#if defined(__GNUC__)

template <class Line, class Vectors, class Source, std::size_t... r>
WARPFOLD_HOST_INLINE void start_line(Line& line, const Vectors& vectors, const Source& from,
                                     std::index_sequence<r...>) {
  (line.start(vectors, r, from + r * Line::unit), ...);
}
template <class Line, class Vectors, class Source, std::size_t... r>
WARPFOLD_HOST_INLINE void take_line(Line& line, const Vectors& vectors, const Source& from,
                                    std::index_sequence<r...> all) {
  if constexpr (requires { line.take_all(vectors, from, all); }) {
    line.take_all(vectors, from, all);
  } else {
    (line.take(vectors, r, from + r * Line::unit), ...);
  }
}

// The line's first `units` accumulators, of several vectors each, in vectors of 16 bytes.
template <int Bytes, class Line, class Narrow>
WARPFOLD_HOST_INLINE void split_line(const Line& line, Narrow& to, std::size_t units) {
  constexpr std::size_t parts = Bytes / narrow;
  constexpr std::size_t rows = sizeof to.of[0] / narrow;
  const auto* const in = reinterpret_cast<const char*>(&line.of);
  auto* const out = reinterpret_cast<char*>(&to.of);
  for (std::size_t i = 0; i < parts * units; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      __builtin_memcpy(out + (i * rows + j) * narrow,
                       in + (i / parts * rows + j) * Bytes + i % parts * narrow, narrow);
    }
  }
}

// Elements that are folded at once, 256 KB or more: shorter streams limit prefetching. 256 MB of
// ints, two cores, 128 KB -> 256 KB: 8 % faster. The sum of this many halves of an `int` fits 32
// bits, and this many doubles stay in the second-level cache for a second pass.
template <class T>
inline constexpr std::size_t elements_at_once = std::size_t{1} << (sizeof(T) == 1   ? 18
                                                                   : sizeof(T) == 2 ? 17
                                                                                    : 16);

// True if accumulators fold their own lanes.
template <class Accumulators>
concept folds_lanes = requires(const Accumulators& a) { a.folded(); };

// `T`s folded by one op.
template <class Op, class T, std::size_t Elements, int Bytes>
struct plain_line {
  static constexpr std::size_t unit = Bytes / sizeof(T), units = Elements / unit;
  using accumulators = vector_accumulators<Op, T, Bytes>;
  accumulators of[units];

  template <class Vectors>
  WARPFOLD_HOST_INLINE void start(const Vectors&, std::size_t r, const T* from) {
    of[r].start(from);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors&, std::size_t r, const T* from) {
    of[r].take(from);
  }
  template <class Vectors, std::size_t... r>
    requires requires(accumulators& a, const T* from) { a.take_two(a, from); } && (units % 2 == 0)
  WARPFOLD_HOST_INLINE void take_all(const Vectors&, const T* from, std::index_sequence<r...>) {
    ((r % 2 == 0 ? of[r].take_two(of[r | 1], from + r * unit) : void()), ...);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors&, std::size_t r, std::size_t other) {
    of[r].merge(of[other]);
  }
  auto value(std::size_t l) const { return of[0].value(static_cast<int>(l)); }
  auto folded() const
    requires folds_lanes<accumulators>
  {
    return of[0].folded();
  }
  WARPFOLD_HOST_INLINE void split(plain_line<Op, T, Elements, narrow>& to, std::size_t n) const {
    split_line<Bytes>(*this, to, n);
  }
};

template <class Op, class T>
struct plain_vectors {
  using accumulator = typename Op::template accumulator<T>;
  // Sums have eight registers of 32 bytes, or four of two integers: enough independent operations
  // to hide the latency of an addition, and to round little.
  static constexpr std::size_t line_bytes = is_extremum<Op>         ? 128
                                            : std::is_integral_v<T> ? 64
                                                                    : 256;
  static constexpr std::size_t line_elements = line_bytes / sizeof(T);
  static constexpr bool any_order = is_extremum<Op> || std::is_integral_v<T>;
  static constexpr bool may_repeat = is_extremum<Op>;  // an element
  static constexpr std::size_t longest = elements_at_once<T>;
  static constexpr std::size_t streams = 8;
  template <int Bytes>
  using line = plain_line<Op, T, line_elements, Bytes>;

  Op op;

  accumulator element(const T* from) const { return static_cast<accumulator>(*from); }
  accumulator combined(const accumulator& a, const accumulator& b) const { return op(a, b); }
  accumulator settled(const accumulator& total, const T* data, std::size_t n) const {
    if constexpr (requires { vector_accumulators<Op, T, narrow>::settled(total, data, n); }) {
      return vector_accumulators<Op, T, narrow>::settled(total, data, n);
    } else {
      return total;
    }
  }
};

template <class Op, class View>
  requires folds_together_in_vectors<Op, View>
struct vectors_of<Op, View> : plain_vectors<Op, typename View::value_type> {
  vectors_of(const Op& f, const View&) : plain_vectors<Op, typename View::value_type>{f} {}

  static const auto* data(const View& view) { return view.data(); }
};

// Sums of a projection of several numbers at once, each as a `double`. It may compute several sums;
// their class then has `value(l)` and `added(other)`.
template <int Bytes>
using doubles = lanes<double, Bytes>;

template <class T>
concept converts_in_vectors = warpfold::detail::is_ieee_v<T> || std::is_same_v<T, int>;

template <class Sum>
auto value_of(const Sum& sum, int l) {
  if constexpr (std::is_same_v<Sum, doubles<narrow>>) {
    return sum[l];
  } else {
    return sum.value(l);
  }
}

// `exactly` excludes projections that inherit `in_double`.
template <class Op, class F>
concept has_sums_in_double = requires(const F& f, const doubles<narrow>& x) {
  requires std::is_same_v<typename F::exactly, F>;
  requires std::is_same_v<Op, plus> == std::is_same_v<decltype(f.in_double(x)), doubles<narrow>>;
  requires std::is_same_v<Op, plus> || requires { f.in_double(x).added(f.in_double(x)).value(0); };
};

template <class F, class T, std::size_t Elements, int Bytes>
struct sums_line {
  using sum = decltype(std::declval<const F&>().in_double(std::declval<const doubles<Bytes>&>()));
  static constexpr std::size_t unit = Bytes / sizeof(double), units = Elements / unit;
  sum of[units];

  template <class Vectors>
  WARPFOLD_HOST_INLINE void start(const Vectors& vectors, std::size_t r, const T* from) {
    doubles<Bytes> x;
    warpfold::detail::double_vectors<Bytes>::load(x.of, from);
    of[r] = vectors.f.in_double(x);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors& vectors, std::size_t r, const T* from) {
    doubles<Bytes> x;
    warpfold::detail::double_vectors<Bytes>::load(x.of, from);
    add(of[r], vectors.f.in_double(x));
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors&, std::size_t r, std::size_t other) {
    add(of[r], of[other]);
  }
  auto value(std::size_t l) const { return value_of(of[0], static_cast<int>(l)); }
  WARPFOLD_HOST_INLINE void split(sums_line<F, T, Elements, narrow>& to, std::size_t n) const {
    split_line<Bytes>(*this, to, n);
  }

 private:
  static WARPFOLD_HOST_INLINE void add(sum& to, const sum& x) {
    if constexpr (std::is_same_v<sum, doubles<Bytes>>) {
      to.of += x.of;
    } else {
      to = to.added(x);
    }
  }
};

template <class Op, class View, class F>
  requires(has_numbers<View> && converts_in_vectors<typename View::value_type> &&
           has_sums_in_double<Op, F>)
struct vectors_of<Op, transform_view<View, F>> {
  using element_type = typename View::value_type;
  static constexpr std::size_t line_elements = 16;
  static constexpr bool any_order = false;
  static constexpr std::size_t longest = elements_at_once<element_type>;
  static constexpr std::size_t streams = 8;
  template <int Bytes>
  using line = sums_line<F, element_type, line_elements, Bytes>;
  using accumulator = decltype(std::declval<const line<narrow>&>().value(0));

  Op op;
  F f;

  vectors_of(const Op& own, const transform_view<View, F>& view) : op(own), f(view.function()) {}

  static const element_type* data(const transform_view<View, F>& view) {
    return view.base().data();
  }
  accumulator element(const element_type* from) const { return f(*from); }
  accumulator combined(const accumulator& a, const accumulator& b) const { return op(a, b); }
  accumulator settled(const accumulator& total, const element_type*, std::size_t) const {
    return total;
  }
};

// Sums of the products of two arrays of integers.
template <class T>
struct two_arrays {
  const T* a;
  const T* b;

  WARPFOLD_HOST_INLINE two_arrays operator+(std::size_t i) const { return {a + i, b + i}; }
};

// Clang finds the instructions for pairs in shuffles and conversions; for GCC they are named.
#if defined(__x86_64__) && !defined(__clang__)
#define WARPFOLD_HOST_HAS_ASM 1
#else
#define WARPFOLD_HOST_HAS_ASM 0
#endif

// nvcc loses the dots of packs in the shuffles before Clang sees them.
#if defined(__clang__) && !defined(__CUDACC__)
#define WARPFOLD_HOST_HAS_PACKED_SHUFFLES 1
#else
#define WARPFOLD_HOST_HAS_PACKED_SHUFFLES 0
#endif

#if WARPFOLD_HOST_HAS_PACKED_SHUFFLES
// Lane l of `to` is the sum of the products of lanes 2 l and 2 l + 1, in the type of `to`.
template <class Sums, class Vector, int... l>
WARPFOLD_HOST_INLINE void multiply_pairs(Sums& to, const Vector& a, const Vector& b,
                                         std::integer_sequence<int, l...>) {
  to = __builtin_convertvector(__builtin_shufflevector(a, a, 2 * l...), Sums) *
           __builtin_convertvector(__builtin_shufflevector(b, b, 2 * l...), Sums) +
       __builtin_convertvector(__builtin_shufflevector(a, a, 2 * l + 1 ...), Sums) *
           __builtin_convertvector(__builtin_shufflevector(b, b, 2 * l + 1 ...), Sums);
}
#endif

// The sums in one vector. Products of at most 32 bits are added as numbers of 32 bits are: those of
// unsigned 16-bit numbers.
template <class T, int Bytes>
struct product_accumulators {
  static constexpr std::size_t unit = Bytes / sizeof(int);
  using product = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
  using vector = vector_t<product, Bytes>;
  vector_accumulators<plus, product, Bytes> sums;

  WARPFOLD_HOST_INLINE void start(const two_arrays<T>& from) {
    vector x;
    multiply(x, from);
    sums.start_with(x);
  }
  WARPFOLD_HOST_INLINE void take(const two_arrays<T>& from) {
    vector x;
    multiply(x, from);
    sums.take_vector(x);
  }
  WARPFOLD_HOST_INLINE void merge(const product_accumulators& other) { sums.merge(other.sums); }
  auto value(int l) const { return sums.value(l); }

 private:
  static WARPFOLD_HOST_INLINE void multiply(vector& to, const two_arrays<T>& from) {
    vector_t<T, Bytes / int{sizeof(int)} * int{sizeof(T)}> a, b;
    load(a, from.a);
    load(b, from.b);
    to = __builtin_convertvector(a, vector) * __builtin_convertvector(b, vector);
  }
};
// Pairs of products of signed 16-bit and of 8-bit numbers: pmaddwd. It wraps for four times -32768.
template <class T, int Bytes>
  requires(sizeof(T) == 1 || (sizeof(T) == 2 && std::is_signed_v<T>))
struct product_accumulators<T, Bytes> {
  static constexpr std::size_t unit = Bytes / sizeof(short);
  static constexpr bool may_wrap = sizeof(T) == sizeof(short);
  using vector = vector_t<int, Bytes>;
  vector_accumulators<plus, int, Bytes> sums;
  vector wrapped;  // minus how often

  WARPFOLD_HOST_INLINE void start(const two_arrays<T>& from) {
    vector x;
    multiply(x, from);
    sums.start_with(x);
    wrapped = vector{};
    if constexpr (may_wrap) wrapped += x == least;
  }
  WARPFOLD_HOST_INLINE void take(const two_arrays<T>& from) {
    vector x;
    multiply(x, from);
    sums.take_vector(x);
    if constexpr (may_wrap) wrapped += x == least;
  }
  WARPFOLD_HOST_INLINE void merge(const product_accumulators& other) {
    sums.merge(other.sums);
    wrapped += other.wrapped;
  }
  plus::accumulator<T> value(int l) const {
    if (l >= int{unit / 2}) return 0;
    return static_cast<plus::accumulator<T>>(sums.value(l) - (wrapped[l] * (1ll << 32)));
  }

 private:
  static constexpr int least = -2147483647 - 1;

  static WARPFOLD_HOST_INLINE void multiply(vector& to, const two_arrays<T>& from) {
#if WARPFOLD_HOST_HAS_ASM
    if constexpr (Bytes > narrow) {
      vector a, b;
      load_shorts(a, from.a);
      load_shorts(b, from.b);
      asm("vpmaddwd %1, %2, %0" : "=x"(to) : "x"(a), "x"(b));
      return;
    }
#endif
#if WARPFOLD_HOST_HAS_PACKED_SHUFFLES
    vector_t<T, int{unit * sizeof(T)}> a, b;
    load(a, from.a);
    load(b, from.b);
    multiply_pairs(to, a, b, std::make_integer_sequence<int, unit / 2>{});
#else
    const auto product = [&from](std::size_t i) {
      return static_cast<unsigned>(int{from.a[i]} * int{from.b[i]});
    };
    for (std::size_t l = 0; l < unit / 2; ++l) {
      to[l] = static_cast<int>(product(2 * l) + product(2 * l + 1));
    }
#endif
  }
#if WARPFOLD_HOST_HAS_ASM
  static WARPFOLD_HOST_INLINE void load_shorts(vector& to, const T* from) {
    struct part {
      T of[unit];
    };
    const part& own = *reinterpret_cast<const part*>(from);
    if constexpr (sizeof(T) == sizeof(short)) {
      load(to, from);
    } else if constexpr (std::is_signed_v<T>) {
      asm("vpmovsxbw %1, %0" : "=x"(to) : "m"(own));
    } else {
      asm("vpmovzxbw %1, %0" : "=x"(to) : "m"(own));
    }
  }
#endif
};
// Products of 64 bits: the pairs of two 32-bit numbers are added at once.
template <class T, int Bytes>
  requires(sizeof(T) == 4)
struct product_accumulators<T, Bytes> {
  static constexpr std::size_t unit = Bytes / sizeof(T);
  using sum = unsigned long long;
  using vector = vector_t<sum, Bytes>;
  vector total;

  WARPFOLD_HOST_INLINE void start(const two_arrays<T>& from) {
    total = vector{};
    take(from);
  }
  WARPFOLD_HOST_INLINE void take(const two_arrays<T>& from) {
#if WARPFOLD_HOST_HAS_ASM
    if constexpr (Bytes > narrow) {
      vector a, b, even, odd;
      load(a, from.a);
      load(b, from.b);
      const vector upper_a = a >> 32, upper_b = b >> 32;
      if constexpr (std::is_signed_v<T>) {
        asm("vpmuldq %1, %2, %0" : "=x"(even) : "x"(a), "x"(b));
        asm("vpmuldq %1, %2, %0" : "=x"(odd) : "x"(upper_a), "x"(upper_b));
      } else {
        asm("vpmuludq %1, %2, %0" : "=x"(even) : "x"(a), "x"(b));
        asm("vpmuludq %1, %2, %0" : "=x"(odd) : "x"(upper_a), "x"(upper_b));
      }
      total += even + odd;
      return;
    }
#endif
    using wide = std::conditional_t<std::is_signed_v<T>, long long, sum>;
#if WARPFOLD_HOST_HAS_PACKED_SHUFFLES
    vector_t<T, Bytes> a, b;
    load(a, from.a);
    load(b, from.b);
    vector_t<wide, Bytes> pairs;
    multiply_pairs(pairs, a, b, std::make_integer_sequence<int, unit / 2>{});
    total += (vector)pairs;
#else
    const auto product = [&from](std::size_t i) {
      return static_cast<sum>(wide{from.a[i]} * wide{from.b[i]});
    };
    for (std::size_t l = 0; l < unit / 2; ++l) total[l] += product(2 * l) + product(2 * l + 1);
#endif
  }
  WARPFOLD_HOST_INLINE void merge(const product_accumulators& other) { total += other.total; }
  plus::accumulator<T> value(int l) const {
    return l < int{unit / 2} ? static_cast<plus::accumulator<T>>(total[l]) : 0;
  }
};
template <class T, int Bytes>
  requires(sizeof(T) == 8)
struct product_accumulators<T, Bytes> {
  static constexpr std::size_t unit = Bytes / sizeof(T);
  using vector = vector_t<unsigned long long, Bytes>;
  vector total;

  WARPFOLD_HOST_INLINE void start(const two_arrays<T>& from) {
    total = vector{};
    take(from);
  }
  WARPFOLD_HOST_INLINE void take(const two_arrays<T>& from) {
    vector a, b;
    load(a, from.a);
    load(b, from.b);
    total += a * b;
  }
  WARPFOLD_HOST_INLINE void merge(const product_accumulators& other) { total += other.total; }
  plus::accumulator<T> value(int l) const { return static_cast<plus::accumulator<T>>(total[l]); }
};

template <class T, std::size_t Elements, int Bytes>
struct products_line {
  using accumulators = product_accumulators<T, Bytes>;
  static constexpr std::size_t unit = accumulators::unit, units = Elements / unit;
  accumulators of[units];

  template <class Vectors>
  WARPFOLD_HOST_INLINE void start(const Vectors&, std::size_t r, const two_arrays<T>& from) {
    of[r].start(from);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors&, std::size_t r, const two_arrays<T>& from) {
    of[r].take(from);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors&, std::size_t r, std::size_t other) {
    of[r].merge(of[other]);
  }
  auto value(std::size_t l) const { return of[0].value(static_cast<int>(l)); }
  WARPFOLD_HOST_INLINE void split(products_line<T, Elements, narrow>& to, std::size_t n) const {
    split_line<Bytes>(*this, to, n);
  }
};

// A product in the type of the sum: that of dot.hpp.
template <class A, class B, class F>
  requires(has_numbers<A> && has_numbers<B> && lane_integer<typename A::value_type> &&
           std::is_same_v<typename A::value_type, typename B::value_type> &&
           multiplies_numbers<F> && !std::is_same_v<F, multiplies>)
struct vectors_of<plus, transform_view<zip_view<A, B>, F>> {
  using element_type = typename A::value_type;
  using accumulator = plus::accumulator<element_type>;
  using view_type = transform_view<zip_view<A, B>, F>;
  static constexpr std::size_t line_elements =
      4 * product_accumulators<element_type, 2 * narrow>::unit;
  static constexpr bool any_order = true;
  static constexpr std::size_t longest = elements_at_once<element_type>;
  // Of each array, as for two arrays of floats: 256 MB, two cores, 4 -> 2: 3 % faster.
  static constexpr std::size_t streams = 2;
  template <int Bytes>
  using line = products_line<element_type, line_elements, Bytes>;

  F product;

  vectors_of(const plus&, const view_type& view) : product(view.function()) {}

  static two_arrays<element_type> data(const view_type& view) {
    const auto& both = view.base().views();
    return {get<0>(both).data(), get<1>(both).data()};
  }
  accumulator element(const two_arrays<element_type>& from) const {
    return static_cast<accumulator>(product(*from.a, *from.b));
  }
  accumulator combined(accumulator a, accumulator b) const { return plus{}(a, b); }
  accumulator settled(accumulator total, const two_arrays<element_type>&, std::size_t) const {
    return total;
  }
};

#undef WARPFOLD_HOST_HAS_ASM
#undef WARPFOLD_HOST_HAS_PACKED_SHUFFLES

// Several lines. Not a wf::tuple: its comparison could be device code, which has no vector types.
template <std::size_t, class Line>
struct held_line {
  Line own;
};
template <class Indices, class... Lines>
struct lines_of_each;
template <std::size_t... At, class... Lines>
struct lines_of_each<std::index_sequence<At...>, Lines...> : held_line<At, Lines>... {};

template <std::size_t At, class Line>
WARPFOLD_HOST_INLINE Line& nth_line(held_line<At, Line>& held) {
  return held.own;
}
template <std::size_t At, class Line>
WARPFOLD_HOST_INLINE const Line& nth_line(const held_line<At, Line>& held) {
  return held.own;
}

// `T`s folded by several ops.
template <class T, std::size_t Elements, int Bytes, class Indices, class... Ops>
struct lines_together;
template <class T, std::size_t Elements, int Bytes, std::size_t... At, class... Ops>
struct lines_together<T, Elements, Bytes, std::index_sequence<At...>, Ops...> {
  static constexpr std::size_t unit = Bytes / sizeof(T), units = Elements / unit;
  lines_of_each<std::index_sequence<At...>, plain_line<Ops, T, Elements, Bytes>...> each;

  template <class Vectors>
  WARPFOLD_HOST_INLINE void start(const Vectors& vectors, std::size_t r, const T* from) {
    (nth_line<At>(each).start(vectors, r, from), ...);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors& vectors, std::size_t r, const T* from) {
    (nth_line<At>(each).take(vectors, r, from), ...);
  }
  template <class Vectors, class Units>
  WARPFOLD_HOST_INLINE void take_all(const Vectors& vectors, const T* from, Units all) {
    (take_line(nth_line<At>(each), vectors, from, all), ...);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors& vectors, std::size_t r, std::size_t other) {
    (nth_line<At>(each).merge(vectors, r, other), ...);
  }
  auto value(std::size_t l) const {
    return warpfold::detail::tuple_of(nth_line<At>(each).value(l)...);
  }
  auto folded() const
    requires(folds_lanes<plain_line<Ops, T, Elements, Bytes>> && ...)
  {
    return warpfold::detail::tuple_of(nth_line<At>(each).folded()...);
  }
  template <class Narrow>
  WARPFOLD_HOST_INLINE void split(Narrow& to, std::size_t n) const {
    (nth_line<At>(each).split(nth_line<At>(to.each), n), ...);
  }
};

template <class T, class... Ops>
struct vectors_together {
  using accumulator = tuple<typename plain_vectors<Ops, T>::accumulator...>;
  static constexpr std::size_t line_elements = 64 / sizeof(T);
  static constexpr bool any_order = (plain_vectors<Ops, T>::any_order && ...);
  static constexpr bool may_repeat = (plain_vectors<Ops, T>::may_repeat && ...);
  static constexpr std::size_t longest = elements_at_once<T>;
  static constexpr std::size_t streams = 8;
  template <int Bytes>
  using line = lines_together<T, line_elements, Bytes, std::index_sequence_for<Ops...>, Ops...>;

  tuple<plain_vectors<Ops, T>...> each;

  accumulator element(const T* from) const {
    return of_each([&](auto i) { return get<i>(each).element(from); });
  }
  accumulator combined(const accumulator& a, const accumulator& b) const {
    return of_each([&](auto i) { return get<i>(each).combined(get<i>(a), get<i>(b)); });
  }
  accumulator settled(const accumulator& total, const T* data, std::size_t n) const {
    return of_each([&](auto i) { return get<i>(each).settled(get<i>(total), data, n); });
  }

 private:
  template <class F>
  static auto of_each(const F& f) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return warpfold::detail::tuple_of(f(std::integral_constant<std::size_t, At>{})...);
    }(std::index_sequence_for<Ops...>{});
  }
};

#endif

}  // namespace warpfold::host::detail
