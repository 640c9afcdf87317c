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

// The line's accumulators in vectors of 16 bytes. A line has `columns` accumulators of several
// vectors each.
template <int Bytes, class Line, class Narrow>
WARPFOLD_HOST_INLINE void split_line(const Line& line, Narrow& to) {
  constexpr std::size_t parts = Bytes / narrow, columns = sizeof to.of / sizeof to.of[0];
  constexpr std::size_t rows = sizeof to.of[0] / narrow;
  const auto* const in = reinterpret_cast<const char*>(&line.of);
  auto* const out = reinterpret_cast<char*>(&to.of);
  for (std::size_t i = 0; i < columns; ++i) {
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
  WARPFOLD_HOST_INLINE void split(plain_line<Op, T, Elements, narrow>& to) const {
    split_line<Bytes>(*this, to);
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

// Element by element, which gives one vcvtps2pd: for __builtin_convertvector GCC 12 makes four
// instructions.
template <class T, int Bytes, std::size_t... l>
WARPFOLD_HOST_INLINE void load_doubles(doubles<Bytes>& to, const T* from,
                                       std::index_sequence<l...>) {
  if constexpr (sizeof(T) == 8) {
    load(to.of, from);
  } else {
    to.of = vector_t<double, Bytes>{static_cast<double>(from[l])...};
  }
}

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
    load_doubles(x, from, std::make_index_sequence<unit>{});
    of[r] = vectors.f.in_double(x);
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors& vectors, std::size_t r, const T* from) {
    doubles<Bytes> x;
    load_doubles(x, from, std::make_index_sequence<unit>{});
    add(of[r], vectors.f.in_double(x));
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors&, std::size_t r, std::size_t other) {
    add(of[r], of[other]);
  }
  auto value(std::size_t l) const { return value_of(of[0], static_cast<int>(l)); }
  WARPFOLD_HOST_INLINE void split(sums_line<F, T, Elements, narrow>& to) const {
    split_line<Bytes>(*this, to);
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

// Sums of the products of two arrays.
template <class T>
struct two_arrays {
  const T* a;
  const T* b;

  WARPFOLD_HOST_INLINE two_arrays operator+(std::size_t i) const { return {a + i, b + i}; }
};

template <class T, std::size_t Elements, int Bytes>
struct products_line {
  static constexpr std::size_t unit = Bytes / sizeof(T), units = Elements / unit;
  lanes<T, Bytes> of[units];

  template <class Vectors>
  WARPFOLD_HOST_INLINE void start(const Vectors&, std::size_t r, const two_arrays<T>& from) {
    vector_t<T, Bytes> a, b;
    load(a, from.a);
    load(b, from.b);
    of[r].of = a * b;
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void take(const Vectors&, std::size_t r, const two_arrays<T>& from) {
    vector_t<T, Bytes> a, b;
    load(a, from.a);
    load(b, from.b);
    of[r].of += a * b;
  }
  template <class Vectors>
  WARPFOLD_HOST_INLINE void merge(const Vectors&, std::size_t r, std::size_t other) {
    of[r].of += of[other].of;
  }
  T value(std::size_t l) const { return of[0][static_cast<int>(l)]; }
  WARPFOLD_HOST_INLINE void split(products_line<T, Elements, narrow>& to) const {
    split_line<Bytes>(*this, to);
  }
};

template <class A, class B, class F>
  requires(has_numbers<A> && has_numbers<B> &&
           warpfold::detail::is_ieee_v<typename A::value_type> &&
           std::is_same_v<typename A::value_type, typename B::value_type> && multiplies_numbers<F>)
struct vectors_of<plus, transform_view<zip_view<A, B>, F>> {
  using accumulator = typename A::value_type;
  using view_type = transform_view<zip_view<A, B>, F>;
  static constexpr std::size_t line_elements = 256 / sizeof(accumulator);
  static constexpr std::size_t longest = elements_at_once<accumulator>;
  // Of each array. 256 MB of floats, two cores, 4 -> 2: 3 % faster.
  static constexpr std::size_t streams = 2;
  template <int Bytes>
  using line = products_line<accumulator, line_elements, Bytes>;

  vectors_of(const plus&, const view_type&) {}

  static two_arrays<accumulator> data(const view_type& view) {
    const auto& both = view.base().views();
    return {get<0>(both).data(), get<1>(both).data()};
  }
  accumulator element(const two_arrays<accumulator>& from) const { return *from.a * *from.b; }
  accumulator combined(accumulator a, accumulator b) const { return a + b; }
  accumulator settled(accumulator total, const two_arrays<accumulator>&, std::size_t) const {
    return total;
  }
};

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
  template <class Narrow>
  WARPFOLD_HOST_INLINE void split(Narrow& to) const {
    (nth_line<At>(each).split(nth_line<At>(to.each)), ...);
  }
};

template <class T, class... Ops>
struct vectors_together {
  using accumulator = tuple<typename plain_vectors<Ops, T>::accumulator...>;
  static constexpr std::size_t line_elements = 64 / sizeof(T);
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
