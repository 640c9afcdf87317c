/// @file
/// Sums of consecutive numbers and of products in the declared order (op/fold_order.hpp), in the
/// vector registers of one host thread.
///
/// - Idea: with W lanes, W vectors hold W * W consecutive elements. A pair of vectors is shuffled
///   to the left and to the right operands of neighbors, which are added. After log2 W such steps,
///   lane k of one vector has the sum of vector k. W such vectors are folded in the same way, and
///   so on.
/// - Order: the declared one, for vectors of any width. They have 32 bytes if the processor has
///   AVX2, which the code finds out when it runs, and 16 bytes otherwise.
/// - Cost: two shuffles for an addition of two vectors. Sum of floats, one core of an EPYC 9004,
///   beside a sum in any order: 72 and 114 GB/s from the second-level cache, 27 and 29 GB/s from
///   memory.
///
/// Shuffles are extensions of Clang and of GCC 12. With other compilers nothing uses this code.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/host/vector_lines.hpp>
#include <warpfold/op/fold_order.hpp>

namespace warpfold::host {

namespace detail {

/// The elements that a vector tree adds, for a view and its op:
/// - `lane`: the type that is added; `make(view)`, and `operator+(n)` behind `n` elements;
/// - `load(vector)`: consecutive elements, one per lane; `element()`: the first one.
///
/// Empty if there is none.
template <class Op, class View>
struct tree_source {};

}  // namespace detail

/// True if sums of `View`'s elements by `Op` in type `A` use vector registers.
template <class Op, class View, class A>
concept sums_in_vector_tree =
    requires { requires std::is_same_v<typename detail::tree_source<Op, View>::lane, A>; };

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)

#if defined(__CUDACC__)
#define WARPFOLD_HOST_NO_UNROLL
#elif defined(__clang__)
#define WARPFOLD_HOST_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define WARPFOLD_HOST_NO_UNROLL _Pragma("GCC unroll 1")
#endif

namespace detail {

/// Shuffles the left and the right operands of neighboring lanes of two vectors together. Vectors
/// of 32 bytes are shuffled within their halves, and the last step joins the halves.
/// @tparam Lanes of a vector
/// @tparam Halves true for vectors of 32 bytes
/// @tparam Last true for the last of log2 `Lanes` steps
template <int Lanes, bool Halves, bool Last>
struct neighbors;
template <>
struct neighbors<2, false, true> {
  template <class Vector>
  static WARPFOLD_HOST_INLINE void shuffle(const Vector& a, const Vector& b, Vector& left,
                                           Vector& right) {
    left = __builtin_shufflevector(a, b, 0, 2);
    right = __builtin_shufflevector(a, b, 1, 3);
  }
};
template <bool Last>
struct neighbors<4, false, Last> {
  template <class Vector>
  static WARPFOLD_HOST_INLINE void shuffle(const Vector& a, const Vector& b, Vector& left,
                                           Vector& right) {
    left = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    right = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  }
};
template <>
struct neighbors<4, true, false> {
  template <class Vector>
  static WARPFOLD_HOST_INLINE void shuffle(const Vector& a, const Vector& b, Vector& left,
                                           Vector& right) {
    left = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    right = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  }
};
template <>
struct neighbors<4, true, true> {
  template <class Vector>
  static WARPFOLD_HOST_INLINE void shuffle(const Vector& a, const Vector& b, Vector& left,
                                           Vector& right) {
    left = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    right = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  }
};
template <>
struct neighbors<8, true, false> {
  template <class Vector>
  static WARPFOLD_HOST_INLINE void shuffle(const Vector& a, const Vector& b, Vector& left,
                                           Vector& right) {
    left = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
    right = __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
  }
};
template <>
struct neighbors<8, true, true> {
  template <class Vector>
  static WARPFOLD_HOST_INLINE void shuffle(const Vector& a, const Vector& b, Vector& left,
                                           Vector& right) {
    left = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    right = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
};

template <class T, int Bytes>
struct vector_tree {
  using vector = vector_t<T, Bytes>;
  static constexpr std::size_t lanes = Bytes / sizeof(T);
  /// Adds neighbors of `a` and `b`.
  template <bool Last>
  static WARPFOLD_HOST_INLINE void add_neighbors(vector& to, const vector& a, const vector& b) {
    vector left, right;
    neighbors<int{lanes}, (Bytes > narrow), Last>::shuffle(a, b, left, right);
    to = left + right;
  }

  /// Lane k of `to` is the fold of the lanes of vector k.
  static WARPFOLD_HOST_INLINE void fold_each(vector& to, const vector (&v)[lanes]) {
    if constexpr (lanes == 2) {
      add_neighbors<true>(to, v[0], v[1]);
    } else if constexpr (lanes == 4) {
      vector a, b;
      add_neighbors<false>(a, v[0], v[1]);
      add_neighbors<false>(b, v[2], v[3]);
      add_neighbors<true>(to, a, b);
    } else {
      vector a, b, c, d;
      add_neighbors<false>(a, v[0], v[1]);
      add_neighbors<false>(b, v[2], v[3]);
      add_neighbors<false>(a, a, b);
      add_neighbors<false>(c, v[4], v[5]);
      add_neighbors<false>(d, v[6], v[7]);
      add_neighbors<false>(c, c, d);
      add_neighbors<true>(to, a, c);
    }
  }

  template <std::size_t Part, class Source, std::size_t... k>
  static WARPFOLD_HOST_INLINE void load_parts(vector (&v)[lanes], const Source& from,
                                              std::index_sequence<k...>) {
    (fold_parts<Part>(v[k], from + k * Part), ...);
  }
  /// Lane k of `to` is the fold of the k-th part of `Elements` elements, a power of `lanes`.
  template <std::size_t Elements, class Source>
  static WARPFOLD_HOST_INLINE void fold_parts(vector& to, const Source& from) {
    if constexpr (Elements == lanes) {
      from.load(to);
    } else {
      vector v[lanes];
      load_parts<Elements / lanes>(v, from, std::make_index_sequence<lanes>{});
      fold_each(to, v);
    }
  }
  /// The same for several streams, whose elements are `apart`: 64 elements of each in turn.
  template <std::size_t Elements, std::size_t Streams, class Source>
  static WARPFOLD_HOST_INLINE void fold_streams(vector (&to)[Streams], const Source& from,
                                                std::size_t apart) {
    if constexpr (Elements <= 64) {
      for (std::size_t s = 0; s < Streams; ++s) fold_parts<Elements>(to[s], from + s * apart);
    } else {
      vector v[Streams][lanes];
      WARPFOLD_HOST_NO_UNROLL
      for (std::size_t k = 0; k < lanes; ++k) {
        vector of[Streams];
        fold_streams<Elements / lanes>(of, from + k * (Elements / lanes), apart);
        for (std::size_t s = 0; s < Streams; ++s) v[s][k] = of[s];
      }
      for (std::size_t s = 0; s < Streams; ++s) fold_each(to[s], v[s]);
    }
  }

  /// The folds of `Elements` elements of each stream.
  template <std::size_t Elements, std::size_t Streams, class Source>
  static WARPFOLD_HOST_INLINE void fold_all(T (&to)[Streams], const Source& from,
                                            std::size_t apart = 0) {
    vector v[Streams];
    fold_streams<Elements>(v, from, apart);
    for (std::size_t s = 0; s < Streams; ++s) {
      T of[lanes];
      __builtin_memcpy(of, &v[s], sizeof of);
      for (std::size_t n = lanes; n > 1; n /= 2) {
        for (std::size_t k = 0; k < n / 2; ++k) of[k] = of[2 * k] + of[2 * k + 1];
      }
      to[s] = of[0];
    }
  }
};

// A number that the compiler cannot fuse with an operation after it: -ffp-contract would round a
// product and a sum once instead of twice.
template <class T>
WARPFOLD_HOST_INLINE void keep_rounded([[maybe_unused]] T& x) {
#if defined(__x86_64__)
  asm("" : "+x"(x));
#elif defined(__aarch64__)
  asm("" : "+w"(x));
#endif
}

template <class T>
struct numbers_source {
  using lane = T;
  const T* from;

  WARPFOLD_HOST_INLINE numbers_source operator+(std::size_t n) const { return {from + n}; }
  template <class Vector>
  WARPFOLD_HOST_INLINE void load(Vector& to) const {
    detail::load(to, from);
  }
  WARPFOLD_HOST_INLINE T element() const { return *from; }
};
template <class View>
  requires(has_numbers<View> && warpfold::detail::is_ieee_v<typename View::value_type>)
struct tree_source<plus, View> : numbers_source<typename View::value_type> {
  static numbers_source<typename View::value_type> make(const View& view) { return {view.data()}; }
};

// Products of two arrays.
template <class T>
struct products_source {
  using lane = T;
  const T* a;
  const T* b;

  WARPFOLD_HOST_INLINE products_source operator+(std::size_t n) const { return {a + n, b + n}; }
  template <class Vector>
  WARPFOLD_HOST_INLINE void load(Vector& to) const {
    Vector y;
    detail::load(to, a);
    detail::load(y, b);
    to *= y;  // shuffled before it is added, so it is rounded
  }
  WARPFOLD_HOST_INLINE T element() const {
    T x = *a * *b;
    keep_rounded(x);
    return x;
  }
};
template <class A, class B, class F>
  requires(has_numbers<A> && has_numbers<B> &&
           warpfold::detail::is_ieee_v<typename A::value_type> &&
           std::is_same_v<typename A::value_type, typename B::value_type> && multiplies_numbers<F>)
struct tree_source<plus, transform_view<zip_view<A, B>, F>>
    : products_source<typename A::value_type> {
  static products_source<typename A::value_type> make(
      const transform_view<zip_view<A, B>, F>& view) {
    const auto& both = view.base().views();
    return {get<0>(both).data(), get<1>(both).data()};
  }
};

// Pushes the nodes of as many elements as are whole nodes; `from` and `n` are the rest.
template <int Bytes, class Source>
WARPFOLD_HOST_INLINE void push_nodes(fold_stack<typename Source::lane>& nodes, Source& from,
                                     std::size_t& n) {
  using lane = typename Source::lane;
  using tree = vector_tree<lane, Bytes>;
  const auto add = [](lane a, lane b) { return a + b; };
  // A core reads faster from several addresses at once than from one: it prefetches each.
  constexpr std::size_t count = 4, stream = 65536 / sizeof(lane), large_node = 4096,
                        small_node = 64;
  for (; n >= count * stream; n -= count * stream, from = from + count * stream) {
    lane of[stream / large_node][count];
    for (std::size_t k = 0; k < stream / large_node; ++k) {
      tree::template fold_all<large_node>(of[k], from + k * large_node, stream);
    }
    for (std::size_t s = 0; s < count; ++s) {
      for (const auto& part : of) nodes.push(part[s], large_node, add);
    }
  }
  lane of[1];
  for (; n >= large_node; n -= large_node, from = from + large_node) {
    tree::template fold_all<large_node>(of, from);
    nodes.push(of[0], large_node, add);
  }
  for (; n >= small_node; n -= small_node, from = from + small_node) {
    tree::template fold_all<small_node>(of, from);
    nodes.push(of[0], small_node, add);
  }
}

#if defined(__x86_64__) && !defined(__AVX2__)
template <class Source>
__attribute__((target("avx2"))) void push_nodes_avx2(fold_stack<typename Source::lane>& nodes,
                                                     Source& from, std::size_t& n) {
  push_nodes<32>(nodes, from, n);
}
#endif

// With vectors of 16 bytes, and with the widest that are fast on this processor.
struct narrow_tree {
  template <class Source>
  static void push(fold_stack<typename Source::lane>& nodes, Source& from, std::size_t& n) {
    push_nodes<narrow>(nodes, from, n);
  }
};
struct widest_tree {
  template <class Source>
  static void push(fold_stack<typename Source::lane>& nodes, Source& from, std::size_t& n) {
#if defined(__AVX2__)
    push_nodes<32>(nodes, from, n);
#else
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return push_nodes_avx2(nodes, from, n);
#endif
    push_nodes<narrow>(nodes, from, n);
#endif
  }
};

// The sum of `n` elements, at least one.
template <class Widest = widest_tree, class Source>
typename Source::lane add_in_order(Source from, std::size_t n) {
  using lane = typename Source::lane;
  const auto add = [](lane a, lane b) { return a + b; };
  const auto element = [&from](std::size_t i) { return (from + i).element(); };
  if (n < 16) return fold_in_order<lane>(add, element, 0, n);
  fold_stack<lane> nodes;
  Widest::push(nodes, from, n);
  if (n == 0) return nodes.folded(add);
  return nodes.folded(fold_in_order<lane>(add, element, 0, n), add);
}

}  // namespace detail

/// The sum of elements `first` to `last - 1`, at least one, in the declared order; positions count
/// from `first`.
template <class View>
auto vector_tree_sum(const View& view, std::size_t first, std::size_t last) {
  return detail::add_in_order(detail::tree_source<plus, View>::make(view) + first, last - first);
}

#endif

}  // namespace warpfold::host
