/// @file
/// Sums of consecutive numbers, of products and of squares, compensated sums, and moments, in the
/// declared order (op/fold_order.hpp), in the vector registers of one host thread.
///
/// - Idea: with W lanes, W vectors hold W * W consecutive elements. A pair of vectors is shuffled
///   to the left and to the right operands of neighbors, which are added. After log2 W such steps,
///   lane k of one vector has the sum of vector k. W such vectors are folded in the same way, and
///   so on.
/// - Order: the declared one, for vectors of any width. They have 32 bytes if the processor has
///   AVX2, which the code finds out when it runs, and 16 bytes otherwise. With AVX-512 and GCC,
///   folds of 256 elements or more have 64 bytes, but not compensated sums: 16 KB of floats, one
///   core of a Xeon, 56 -> 88 GB/s.
/// - Short ranges: sums read missing elements as negative zeros, which change no sum. So up to four
///   vectors are folded without a loop. 64 bytes of floats, EPYC 7003: 10 -> 4.7 ns. Two or four
///   vectors are paired with one another first: 128 bytes, EPYC 9004: 6.7 -> 3.3 ns.
/// - Cost: one or two shuffles for an addition of two vectors. Sum of floats, one core of an EPYC
///   9004, beside a sum in any order: 83 and 220 GB/s from the first-level cache, 92 and 118 GB/s
///   from the second-level one (256 KB), 27 and 29 GB/s from memory. That core starts three of two
///   shuffles and an addition in a cycle. A plain loop over eight vectors, blends in place of half
///   of the shuffles, and other unrolling were not faster than 98 GB/s.
///
/// Shuffles are extensions of Clang and of GCC 12. With other compilers nothing uses this code.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/host/interleaved_fold.hpp>
#include <warpfold/host/vector_lines.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/rounded_product.hpp>

namespace warpfold {

struct moments_op;      // op/moments.hpp
struct squares_op;      // op/squares.hpp
struct scaled_squares;  // likewise

}  // namespace warpfold

namespace warpfold::host {

namespace detail {

/// The fold of a view's elements by an op in vector registers: `fold(view, first, last)` returns a
/// `value`. Empty if there is none.
template <class Op, class View>
struct tree_fold {};

}  // namespace detail

/// True if folds of `View`'s elements by `Op` in type `A` use vector registers in the declared
/// order.
template <class Op, class View, class A>
concept folds_in_vector_tree =
    requires { requires std::is_same_v<typename detail::tree_fold<Op, View>::value, A>; };

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)

#if defined(__CUDACC__)
#define WARPFOLD_HOST_NO_UNROLL
#elif defined(__clang__)
#define WARPFOLD_HOST_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define WARPFOLD_HOST_NO_UNROLL _Pragma("GCC unroll 1")
#endif

namespace detail {

// GCC makes shuffles of blends, and has no masked loads of its vectors; Clang accepts no assembly
// of vectors that only some processors have.
#if defined(__x86_64__) && !defined(__clang__)
#define WARPFOLD_HOST_HAS_ASM 1
#else
#define WARPFOLD_HOST_HAS_ASM 0
#endif

// `to` has lanes of `x` and of `y` in turn, or halves.
template <bool Halves, class Vector>
WARPFOLD_HOST_INLINE void blend(Vector& to, const Vector& x, const Vector& y) {
#if WARPFOLD_HOST_HAS_ASM
  asm("vblendpd %3, %2, %1, %0" : "=x"(to) : "x"(x), "x"(y), "i"(Halves ? 0xc : 0xa));
#else
  to = Halves ? __builtin_shufflevector(x, y, 0, 1, 6, 7)
              : __builtin_shufflevector(x, y, 0, 5, 2, 7);
#endif
}

// Sets each lane to its number.
template <class Vector, std::size_t... l>
WARPFOLD_HOST_INLINE void number_lanes(Vector& to, std::index_sequence<l...>) {
  to = Vector{l...};
}

// True if a source loads some lanes of a vector: `from.load_some(x, mask)`.
template <class Source, class Vector>
concept loads_some_lanes =
    (WARPFOLD_HOST_HAS_ASM != 0) &&
    sizeof(Vector) > narrow&& requires(const Source& from, Vector& x) { from.load_some(x, x); };

// The operands of neighbors in vectors of 64 bytes, by one blend and one shuffle. An operand may be
// exchanged with its neighbor: `left` has lanes of `b` where the lane's number has the bit
// `Distance`. (nvcc loses the indices if they are a pack.)
template <int Distance, class Vector>
WARPFOLD_HOST_INLINE void pair_up_wide(const Vector& a, const Vector& b, Vector& left,
                                       Vector& right) {
  if constexpr (Distance * int{sizeof(a[0])} < 8) {
    left = __builtin_shufflevector(a, b, 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31);
    right =
        __builtin_shufflevector(a, b, 1, 16, 3, 18, 5, 20, 7, 22, 9, 24, 11, 26, 13, 28, 15, 30);
  } else {
    using doubles = vector_t<double, int{sizeof(Vector)}>;
    const doubles x = (doubles)a, y = (doubles)b;
    constexpr int distance = Distance * int{sizeof(a[0])} / 8;
    if constexpr (distance == 1) {
      left = (Vector)__builtin_shufflevector(x, y, 0, 9, 2, 11, 4, 13, 6, 15);
      right = (Vector)__builtin_shufflevector(x, y, 1, 8, 3, 10, 5, 12, 7, 14);
    } else if constexpr (distance == 2) {
      left = (Vector)__builtin_shufflevector(x, y, 0, 1, 10, 11, 4, 5, 14, 15);
      right = (Vector)__builtin_shufflevector(x, y, 2, 3, 8, 9, 6, 7, 12, 13);
    } else {
      left = (Vector)__builtin_shufflevector(x, y, 0, 1, 2, 3, 12, 13, 14, 15);
      right = (Vector)__builtin_shufflevector(x, y, 4, 5, 6, 7, 8, 9, 10, 11);
    }
  }
}

/// The left and the right operands of neighbors in two vectors. Of W lanes, log2 W steps with a
/// `Distance` of 1, 2, 4 ... fold each of W vectors into a lane: then a lane of the result is
/// followed by the next one of the same vector, by the next but one, and so on.
/// @tparam Commutes true if a left and a right operand may trade places
template <int Distance, bool Commutes, class Vector>
WARPFOLD_HOST_INLINE void pair_up(const Vector& a, const Vector& b, Vector& left, Vector& right) {
  constexpr std::size_t lane = sizeof(a[0]);
  if constexpr (sizeof(Vector) == 64) {
    static_assert(Commutes);
    pair_up_wide<Distance>(a, b, left, right);
  } else if constexpr (sizeof(Vector) == 2 * lane) {
    left = __builtin_shufflevector(a, b, 0, 2);
    right = __builtin_shufflevector(a, b, 1, 3);
  } else if constexpr (sizeof(Vector) == 4 * lane && sizeof(Vector) <= narrow) {
    left = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    right = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  } else if constexpr (sizeof(Vector) == 8 * lane && Distance < 4) {
    left = __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
    right = __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
  } else {
    // A shuffle and a blend, for which processors have more ports. `left` has lanes 0 of `a` and 1
    // of `b`, and `right` lanes 1 of `a` and 0 of `b`.
    constexpr bool halves = Distance * lane == sizeof(Vector) / 2;
    using doubles = vector_t<double, int{sizeof(Vector)}>;
    const doubles x = (doubles)a, y = (doubles)b;
    doubles mine, others = halves ? __builtin_shufflevector(x, y, 2, 3, 4, 5)
                                  : __builtin_shufflevector(x, y, 1, 4, 3, 6);
    blend<halves>(mine, x, y);
    if constexpr (!Commutes) {
      const doubles of_a = mine, of_b = others;
      blend<halves>(mine, of_a, of_b);
      blend<halves>(others, of_b, of_a);
    }
    left = (Vector)mine;
    right = (Vector)others;
  }
}

/// The tree of a node's kind: a node of `Node` consists of `Node::parts` numbers of type
/// `Node::lane`, each in a vector of its own.
///
/// - `Node::lift(to, x)` makes nodes of a vector of elements.
/// - `Node::combine<Count>(to, left, right)` combines nodes of `Count` elements lane by lane.
///   `Node::commutes` is true if the operands may trade places.
/// - `Node::set<Count>(value, of)` makes a value of a node.
/// - `Node::pads` is true if vectors may have missing elements: the element `Node::missing` changes
///   no fold.
///
/// For short segments (vector_segments.hpp) a node has one part, and:
///
/// - `Node::missing_fold`, the node of `missing`.
/// - `Node::finish(x, lengths)` makes results of folds.
/// - `Node::folds_long` is true if segments of many rows are folded together too.
template <class Node, int Bytes>
struct vector_tree {
  using node = Node;
  using lane = typename Node::lane;
  using value = typename Node::value;
  using vector = vector_t<lane, Bytes>;
  static constexpr std::size_t lanes = Bytes / sizeof(lane);
  static constexpr std::size_t parts = Node::parts;
  struct group {
    vector of[parts];
  };

  /// Combines neighbors of `a` and `b`, whose lanes are nodes of `Count` elements.
  template <std::size_t Count, int Distance>
  static WARPFOLD_HOST_INLINE void fold_neighbors(group& to, const group& a, const group& b) {
    group left, right;
    for (std::size_t p = 0; p < parts; ++p) {
      pair_up<Distance, Node::commutes>(a.of[p], b.of[p], left.of[p], right.of[p]);
    }
    Node::template combine<Count>(to.of, left.of, right.of);
  }

  /// Lane k of `to` is the fold of the lanes of group k, which are nodes of `Count` elements.
  template <std::size_t Count>
  static WARPFOLD_HOST_INLINE void fold_each(group& to, const group (&v)[lanes]) {
    fold_groups<Count, lanes>(to, v);
  }
  // Folds `Groups` groups, a power of two.
  template <std::size_t Count, std::size_t Groups>
  static WARPFOLD_HOST_INLINE void fold_groups(group& to, const group* v) {
    if constexpr (Groups == 2) {
      fold_neighbors<Count, 1>(to, v[0], v[1]);
    } else {
      constexpr std::size_t half = Groups / 2;
      group a, b;
      fold_groups<Count, half>(a, v);
      fold_groups<Count, half>(b, v + half);
      fold_neighbors<Count * half, int{half}>(to, a, b);
    }
  }

  template <std::size_t Part, class Source, std::size_t... k>
  static WARPFOLD_HOST_INLINE void load_parts(group (&v)[lanes], const Source& from,
                                              std::index_sequence<k...>) {
    (fold_parts<Part>(v[k], from + k * Part), ...);
  }
  /// Lane k of `to` is the fold of the k-th part of `Elements` elements, a power of `lanes`.
  template <std::size_t Elements, class Source>
  static WARPFOLD_HOST_INLINE void fold_parts(group& to, const Source& from) {
    if constexpr (Elements == lanes) {
      vector_t<typename Source::lane, Bytes> x;
      from.load(x);
      Node::lift(to.of, x);
    } else {
      group v[lanes];
      load_parts<Elements / lanes>(v, from, std::make_index_sequence<lanes>{});
      fold_each<Elements / lanes / lanes>(to, v);
    }
  }
  /// The same for several streams, whose elements are `apart`: 64 elements of each in turn.
  template <std::size_t Elements, std::size_t Streams, class Source>
  static WARPFOLD_HOST_INLINE void fold_streams(group (&to)[Streams], const Source& from,
                                                std::size_t apart) {
    if constexpr (Elements <= 64 || Elements == lanes * lanes) {
      for (std::size_t s = 0; s < Streams; ++s) fold_parts<Elements>(to[s], from + s * apart);
    } else {
      // At least four turns: GCC unrolls a loop of two whatever it is told, which makes 32 copies.
      constexpr std::size_t turns = lanes == 2 ? 4 : lanes, part = Elements / turns;
      group v[Streams][turns];
      WARPFOLD_HOST_NO_UNROLL
      for (std::size_t k = 0; k < turns; ++k) {
        group of[Streams];
        fold_streams<part>(of, from + k * part, apart);
        // Vector by vector: a copy of the class would be two narrow stores, for which loads wait.
        for (std::size_t s = 0; s < Streams; ++s) {
          for (std::size_t p = 0; p < parts; ++p) v[s][k].of[p] = of[s].of[p];
        }
      }
      for (std::size_t s = 0; s < Streams; ++s) {
        if constexpr (turns == lanes) {
          fold_each<part / lanes>(to[s], v[s]);
        } else {
          group left, right;
          fold_neighbors<part / lanes, 1>(left, v[s][0], v[s][1]);
          fold_neighbors<part / lanes, 1>(right, v[s][2], v[s][3]);
          fold_neighbors<part, 1>(to[s], left, right);
        }
      }
    }
  }

  // Divides vectors of 32 bytes.
  template <class Half>
  static WARPFOLD_HOST_INLINE void split(Half& lower, Half& upper, const group& v) {
    for (std::size_t p = 0; p < parts; ++p) {
      if constexpr (lanes == 4) {
        lower.of[p] = __builtin_shufflevector(v.of[p], v.of[p], 0, 1);
        upper.of[p] = __builtin_shufflevector(v.of[p], v.of[p], 2, 3);
      } else {
        lower.of[p] = __builtin_shufflevector(v.of[p], v.of[p], 0, 1, 2, 3);
        upper.of[p] = __builtin_shufflevector(v.of[p], v.of[p], 4, 5, 6, 7);
      }
    }
  }
  /// The fold of the lanes of a group, which are nodes of `Count` elements.
  template <std::size_t Count>
  static WARPFOLD_HOST_INLINE void fold_lanes(value& to, const group& v) {
    if constexpr (Bytes == 64) {
      // Every lane becomes the fold of all.
      group all = v;
      fold_neighbors<Count, 1>(all, all, all);
      fold_neighbors<2 * Count, 2>(all, all, all);
      fold_neighbors<4 * Count, 4>(all, all, all);
      if constexpr (lanes == 16) fold_neighbors<8 * Count, 8>(all, all, all);
      lane first[parts];
      for (std::size_t p = 0; p < parts; ++p) first[p] = all.of[p][0];
      Node::template set<Count * lanes>(to, first);
    } else if constexpr (Bytes > narrow) {
      using half_tree = vector_tree<Node, Bytes / 2>;
      typename half_tree::group lower, upper, pairs;
      split(lower, upper, v);
      half_tree::template fold_neighbors<Count, 1>(pairs, lower, upper);
      half_tree::template fold_lanes<2 * Count>(to, pairs);
    } else {
      group pairs;
      fold_neighbors<Count, 1>(pairs, v, v);
      if constexpr (lanes == 4) fold_neighbors<2 * Count, 1>(pairs, pairs, pairs);
      lane first[parts];
      for (std::size_t p = 0; p < parts; ++p) first[p] = pairs.of[p][0];
      Node::template set<Count * lanes>(to, first);
    }
  }
  /// The folds of `Elements` elements of each stream.
  template <std::size_t Elements, std::size_t Streams, class Source>
  static WARPFOLD_HOST_INLINE void fold_all(value (&to)[Streams], const Source& from,
                                            std::size_t apart = 0) {
    group v[Streams];
    fold_streams<Elements>(v, from, apart);
    for (std::size_t s = 0; s < Streams; ++s) fold_lanes<Elements / lanes>(to[s], v[s]);
  }

#if WARPFOLD_HOST_HAS_ASM
  // The mask of the lanes of vector `k` of `n` elements. (Of a shift GCC 12 makes more than one
  // instruction, and a branch.)
  static WARPFOLD_HOST_INLINE unsigned short lanes_of(std::size_t k, const unsigned& n) {
    vector_t<unsigned, int{4 * lanes}> place;
    number_lanes(place, std::make_index_sequence<lanes>{});
    place += static_cast<unsigned>(k * lanes);
    unsigned short mask;
    if constexpr (lanes == 16) {
      asm("vpcmpud $1, %1%{1to16%}, %2, %0" : "=Yk"(mask) : "m"(n), "v"(place));
    } else {
      asm("vpcmpud $1, %1%{1to8%}, %2, %0" : "=Yk"(mask) : "m"(n), "v"(place));
    }
    return mask;
  }
#endif
  /// Sets vector `k` of `n` elements of a source, with `Node::missing` in place of missing ones. If
  /// the source can only load whole vectors, it reads elements `n` to `limit - 1` too.
  template <class Source>
  static WARPFOLD_HOST_INLINE void load_padded(vector_t<typename Source::lane, Bytes>& to,
                                               const Source& from, std::size_t k, const unsigned& n,
                                               std::size_t limit = 0) {
    using element = typename Source::lane;
    using elements = vector_t<element, Bytes>;
    using number = std::conditional_t<sizeof(lane) == sizeof(int), int, long long>;
    using numbers = vector_t<number, Bytes>;
    const auto missing = (elements)(numbers{} + __builtin_bit_cast(number, Node::missing));
    const Source own = from + k * lanes;
#if WARPFOLD_HOST_HAS_ASM
    if constexpr (loads_some_lanes<Source, elements> && Bytes == 64) {
      to = missing;
      own.load_some(to, lanes_of(k, n));
    } else
#endif
    {
      numbers place;
      number_lanes(place, std::make_index_sequence<lanes>{});
      place += static_cast<number>(k * lanes);
      const numbers is_there = numbers{} + static_cast<number>(n) > place;
      if constexpr (loads_some_lanes<Source, elements>) {
        own.load_some(to, is_there);
      } else if (n >= (k + 1) * lanes || (k + 1) * lanes <= limit) {
        own.load(to);
      } else {
        to = missing;
        for (std::size_t l = 0; k * lanes + l < n; ++l) to[l] = (own + l).element();
      }
      to = is_there ? to : missing;
    }
  }
  template <class Source>
  static WARPFOLD_HOST_INLINE void lift_padded(group& to, const Source& from, std::size_t k,
                                               const unsigned& n, std::size_t limit = 0) {
    vector_t<typename Source::lane, Bytes> x;
    load_padded(x, from, k, n, limit);
    Node::lift(to.of, x);
  }
#if WARPFOLD_HOST_HAS_ASM
  /// The fold of `n` elements, at most those of `lanes` vectors.
  template <class Source, std::size_t... k>
  static WARPFOLD_HOST_INLINE void fold_some(value& to, const Source& from, unsigned n,
                                             std::index_sequence<k...>) {
    group v[lanes], all;
    (lift_padded(v[k], from, k, n), ...);
    fold_each<1>(all, v);
    fold_lanes<lanes>(to, all);
  }
  /// Combines the halves of vectors, then the vectors: two, or four with eight lanes. Lane k of
  /// each half of `v` is the fold of that half of vector k.
  static WARPFOLD_HOST_INLINE void fold_halves(value& to, const group& v) {
    using half_tree = vector_tree<Node, Bytes / 2>;
    typename half_tree::group lower, upper, of_vectors;
    split(lower, upper, v);
    Node::template combine<lanes / 2>(of_vectors.of, lower.of, upper.of);
    half_tree::template fold_lanes<lanes>(to, of_vectors);
  }
  /// The fold of `n` elements, at most those of two vectors.
  template <class Source>
  static WARPFOLD_HOST_INLINE void fold_two(value& to, const Source& from, unsigned n) {
    group a, b;
    lift_padded(a, from, 0, n);
    lift_padded(b, from, 1, n);
    fold_neighbors<1, 1>(a, a, b);
    if constexpr (lanes == 8) {
      group nothing;
      for (vector& x : nothing.of) x = -vector{};
      fold_neighbors<2, 2>(a, a, nothing);
    }
    fold_halves(to, a);
  }
  /// The fold of `n` elements, at most those of four vectors.
  template <class Source>
  static WARPFOLD_HOST_INLINE void fold_four(value& to, const Source& from, unsigned n) {
    group a, b, c, d;
    lift_padded(a, from, 0, n);
    lift_padded(b, from, 1, n);
    lift_padded(c, from, 2, n);
    lift_padded(d, from, 3, n);
    fold_neighbors<1, 1>(a, a, b);
    fold_neighbors<1, 1>(c, c, d);
    fold_neighbors<2, 2>(a, a, c);
    if constexpr (lanes == 8) {
      fold_halves(to, a);
    } else {
      fold_lanes<lanes>(to, a);
    }
  }
#endif
};

/// Nodes of a sum.
template <class T>
struct sum_node {
  using lane = T;
  using value = T;
  static constexpr std::size_t parts = 1;
  static constexpr bool commutes = true;
  static constexpr bool pads = true;
  static constexpr T missing = warpfold::detail::is_ieee_v<T> ? -T{} : T{}, missing_fold = missing;
  static constexpr bool folds_long = true;

  template <class Vector>
  static WARPFOLD_HOST_INLINE void lift(Vector (&to)[1], const Vector& x) {
    to[0] = x;
  }
  template <std::size_t Count, class V>
  static WARPFOLD_HOST_INLINE void combine(V (&to)[1], const V (&left)[1], const V (&right)[1]) {
    to[0] = left[0] + right[0];
  }
  template <std::size_t Count>
  static WARPFOLD_HOST_INLINE void set(T& to, const T (&of)[1]) {
    to = of[0];
  }
  // The sums of no elements are zero.
  template <class Vector, class Lengths>
  static WARPFOLD_HOST_INLINE void finish(Vector& x, const Lengths& n) {
    using bits = vector_t<warpfold::detail::bits_of<T>, int{sizeof(Vector)}>;
    x = __builtin_convertvector(n, bits) == 0 ? Vector{} : x;
  }
};

#if WARPFOLD_HOST_HAS_ASM
// Memory of the size of a vector, for assembly.
template <class Vector, class T>
struct memory_of {
  T of[sizeof(Vector) / sizeof(T)];
};

// Loads the lanes in `mask`; the others are not read. They become zero, but stay what they are in
// vectors of 64 bytes.
template <class Vector, class Mask, class T>
WARPFOLD_HOST_INLINE void load_masked(Vector& to, const T* from, const Mask& mask) {
  const auto& read = *reinterpret_cast<const memory_of<Vector, T>*>(from);
  constexpr bool is_word = sizeof(T) == sizeof(float);
  if constexpr (sizeof(Vector) == 64) {
    const auto lanes = static_cast<unsigned short>(mask);
    if constexpr (is_word) {
      asm("vmovups %1, %0%{%2%}" : "+v"(to) : "m"(read), "Yk"(lanes));
    } else {
      asm("vmovupd %1, %0%{%2%}" : "+v"(to) : "m"(read), "Yk"(lanes));
    }
  } else if constexpr (is_word) {
    asm("vmaskmovps %1, %2, %0" : "=x"(to) : "m"(read), "x"(mask));
  } else {
    asm("vmaskmovpd %1, %2, %0" : "=x"(to) : "m"(read), "x"(mask));
  }
}
#endif

template <class T>
struct numbers_source {
  using lane = T;
  using element_type = T;
  const T* from;

  WARPFOLD_HOST_INLINE numbers_source operator+(std::size_t n) const { return {from + n}; }
  template <class Vector>
  WARPFOLD_HOST_INLINE void load(Vector& to) const {
    detail::load(to, from);
  }
#if WARPFOLD_HOST_HAS_ASM
  template <class Vector, class Mask>
  WARPFOLD_HOST_INLINE void load_some(Vector& to, const Mask& mask) const {
    load_masked(to, from, mask);
  }
#endif
  WARPFOLD_HOST_INLINE T element() const { return *from; }
};

// Numbers of type `T` as those of type `Lane`: `double`, or an integer with more bytes.
template <class T, class Lane>
struct converted_source {
  using lane = Lane;
  using element_type = T;
  const T* from;

  WARPFOLD_HOST_INLINE converted_source operator+(std::size_t n) const { return {from + n}; }
  template <class Vector>
  WARPFOLD_HOST_INLINE void load(Vector& to) const {
    using part = vector_t<T, int{sizeof(Vector) / sizeof(Lane) * sizeof(T)}>;
#if WARPFOLD_HOST_HAS_ASM
    if constexpr (converts_at_once<Vector>) {
      convert_at_once(to, *reinterpret_cast<const memory_of<part, T>*>(from));
      return;
    }
#endif
    part x;
    detail::load(x, from);
    to = __builtin_convertvector(x, Vector);
  }
#if WARPFOLD_HOST_HAS_ASM
  // There is an instruction for it. (Before AVX-512 there is none of unsigned numbers to `double`.)
  static constexpr bool is_direct =
      std::is_integral_v<Lane> || std::is_same_v<T, float> || std::is_same_v<T, int>;

  // Only words have masked loads before AVX-512.
  template <class Vector, class Mask>
    requires(is_direct && (sizeof(Vector) == 64 || (sizeof(T) == 4 && sizeof(Lane) == 8)))
  WARPFOLD_HOST_INLINE void load_some(Vector& to, const Mask& mask) const {
    using part = vector_t<T, int{sizeof(Vector) / sizeof(Lane) * sizeof(T)}>;
    if constexpr (sizeof(Vector) == 64) {
      const auto& read = *reinterpret_cast<const memory_of<part, T>*>(from);
      const auto lanes = static_cast<unsigned short>(mask);
#define WARPFOLD_HOST_LOAD(name) asm(name " %1, %0%{%2%}" : "+v"(to) : "m"(read), "Yk"(lanes))
      constexpr bool is_signed = std::is_signed_v<T>, to_words = sizeof(Lane) == 4;
      if constexpr (std::is_same_v<T, float>) {
        WARPFOLD_HOST_LOAD("vcvtps2pd");
      } else if constexpr (std::is_same_v<Lane, double>) {
        WARPFOLD_HOST_LOAD("vcvtdq2pd");
      } else if constexpr (sizeof(T) == 4) {
        if constexpr (is_signed) {
          WARPFOLD_HOST_LOAD("vpmovsxdq");
        } else {
          WARPFOLD_HOST_LOAD("vpmovzxdq");
        }
      } else if constexpr (sizeof(T) == 2 && is_signed) {
        if constexpr (to_words) {
          WARPFOLD_HOST_LOAD("vpmovsxwd");
        } else {
          WARPFOLD_HOST_LOAD("vpmovsxwq");
        }
      } else if constexpr (sizeof(T) == 2) {
        if constexpr (to_words) {
          WARPFOLD_HOST_LOAD("vpmovzxwd");
        } else {
          WARPFOLD_HOST_LOAD("vpmovzxwq");
        }
      } else if constexpr (is_signed) {
        if constexpr (to_words) {
          WARPFOLD_HOST_LOAD("vpmovsxbd");
        } else {
          WARPFOLD_HOST_LOAD("vpmovsxbq");
        }
      } else if constexpr (to_words) {
        WARPFOLD_HOST_LOAD("vpmovzxbd");
      } else {
        WARPFOLD_HOST_LOAD("vpmovzxbq");
      }
#undef WARPFOLD_HOST_LOAD
    } else {
      using words = vector_t<int, int{sizeof(Vector)}>;
      const words wide = (words)mask;
      const auto own = __builtin_shufflevector(wide, wide, 0, 2, 4, 6);
      part x;
      load_masked(x, from, own);
      convert_at_once(to, x);
    }
  }
#endif
  WARPFOLD_HOST_INLINE Lane element() const { return static_cast<Lane>(*from); }

#if WARPFOLD_HOST_HAS_ASM

 private:
  // GCC 12 converts two lanes at a time. In a register the operand would take one more instruction.
  template <class Vector>
  static constexpr bool converts_at_once = sizeof(Vector) > narrow && sizeof(Lane) == 8 &&
                                           (std::is_same_v<T, float> || std::is_same_v<T, int> ||
                                            (std::is_integral_v<Lane> && sizeof(T) == 4));

  // Of an operand "vm" in memory GCC makes a copy.
  template <class Vector, class From>
  static WARPFOLD_HOST_INLINE void convert_at_once(Vector& to, const From& x) {
#define WARPFOLD_HOST_CONVERT(name)          \
  if constexpr (std::is_class_v<From>) {     \
    asm(name " %1, %0" : "=v"(to) : "m"(x)); \
  } else {                                   \
    asm(name " %1, %0" : "=v"(to) : "v"(x)); \
  }
    if constexpr (std::is_same_v<T, float>) {
      WARPFOLD_HOST_CONVERT("vcvtps2pd")
    } else if constexpr (std::is_same_v<Lane, double>) {
      WARPFOLD_HOST_CONVERT("vcvtdq2pd")
    } else if constexpr (std::is_signed_v<T>) {
      WARPFOLD_HOST_CONVERT("vpmovsxdq")
    } else {
      WARPFOLD_HOST_CONVERT("vpmovzxdq")
    }
#undef WARPFOLD_HOST_CONVERT
  }
#endif
};

// Hides a product from the compiler, so that it is not fused with a sum.
template <class V>
WARPFOLD_HOST_INLINE void keep_rounded([[maybe_unused]] V& product) {
#if defined(__FMA__) || WARPFOLD_HOST_HAS_ASM  // AVX-512 has such instructions, too
  asm("" : "+x"(product));
#elif defined(__aarch64__)
  asm("" : "+w"(product));
#elif defined(__FP_FAST_FMA)
  asm("" : "+m"(product));
#endif
}

// Products of two arrays.
template <class T>
struct products_source {
  using lane = T;
  using element_type = T;
  const T* a;
  const T* b;

  WARPFOLD_HOST_INLINE products_source operator+(std::size_t n) const { return {a + n, b + n}; }
  template <class Vector>
  WARPFOLD_HOST_INLINE void load(Vector& to) const {
    Vector y;
    detail::load(to, a);
    detail::load(y, b);
    to *= y;
    keep_rounded(to);
  }
#if WARPFOLD_HOST_HAS_ASM
  template <class Vector, class Mask>
  WARPFOLD_HOST_INLINE void load_some(Vector& to, const Mask& mask) const {
    Vector y = Vector{} + T{1};  // missing lanes keep what `to` has
    load_masked(to, a, mask);
    load_masked(y, b, mask);
    to *= y;
    keep_rounded(to);
  }
#endif
  T element() const { return warpfold::detail::rounded_product(*a, *b); }
};

// Before calls of functions without AVX: they would wait for the upper halves of registers, 100 ns
// on an EPYC 7003. GCC clears these only before functions that it has not compiled yet (-fipa-ra).
template <int Bytes>
WARPFOLD_HOST_INLINE void clear_upper_halves() {
#if WARPFOLD_HOST_HAS_ASM && !defined(__AVX__)
  if constexpr (Bytes > narrow) {
    asm volatile("vzeroupper" ::
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  }
#endif
}

// Pushes all whole nodes of `Elements` elements; `from` and `n` are the rest.
template <class Tree, std::size_t Elements, class Nodes, class Source, class Combine>
WARPFOLD_HOST_INLINE void push_nodes(Nodes& nodes, Source& from, std::size_t& n,
                                     const Combine& combine) {
  for (; n >= Elements; n -= Elements, from = from + Elements) {
    typename Tree::value of[1];
    Tree::template fold_all<Elements>(of, from);
    clear_upper_halves<sizeof(typename Tree::vector)>();
    nodes.push(of[0], Elements, combine);
  }
}

// True if vectors may have missing elements.
template <class Tree, class Source>
concept pads = Tree::node::pads && loads_some_lanes<Source, typename Tree::vector>;

// The fold of `n` elements, at least one, without vectors. `element(from)` is the value of the
// first one. Not inlined: one copy serves all vectors.
template <class Source, class Combine, class Element>
__attribute__((noinline)) auto fold_values(Source from, std::size_t n, const Combine& combine,
                                           const Element& element) {
  const auto at = [&](std::size_t i) { return element(from + i); };
  return fold_in_order<decltype(element(from))>(combine, at, 0, n);
}

// Combines nodes in a function of its own. In functions for AVX-512 GCC fuses products of numbers
// with sums, and merges must have the same bits on every processor.
template <class Combine>
struct combine_apart {
  const Combine& combine;

  template <class A>
  __attribute__((noinline)) A operator()(const A& a, const A& b) const {
    return combine(a, b);
  }
};

// The fold of `n` elements, at least one. `element(from)` is the value of the first one.
template <int Bytes, class Node, class Source, class Combine, class Element>
WARPFOLD_HOST_INLINE void fold_nodes(typename Node::value& to, Source from, std::size_t n,
                                     const Combine& combine, const Element& element) {
  using value = typename Node::value;
  using tree = vector_tree<Node, Bytes>;
  using last_tree = vector_tree<Node, Bytes == 64 ? 32 : Bytes>;  // of the last elements
  constexpr std::size_t lanes = last_tree::lanes, large_node = 4096;
  // A core reads faster from several addresses at once than from one: it prefetches each.
  constexpr std::size_t count = 4, stream = 65536 / sizeof(typename Node::lane);
  constexpr bool merges_products = Bytes == 64 && Node::parts > 1;  // only moments do in a merge
  const std::conditional_t<merges_products, combine_apart<Combine>, const Combine&> merge{combine};
  fold_stack<value> nodes;
  for (; n >= count * stream; n -= count * stream, from = from + count * stream) {
    value of[stream / large_node][count];
    for (std::size_t k = 0; k < stream / large_node; ++k) {
      tree::template fold_all<large_node>(of[k], from + k * large_node, stream);
    }
    clear_upper_halves<Bytes>();
    for (std::size_t s = 0; s < count; ++s) {
      for (const auto& part : of) nodes.push(part[s], large_node, merge);
    }
  }
  push_nodes<tree, large_node>(nodes, from, n, merge);
  if constexpr (Bytes == 64 || pads<tree, Source>) {
    push_nodes<tree, tree::lanes == 8 ? 512 : 256>(nodes, from, n, merge);
  }
  push_nodes<std::conditional_t<(tree::lanes > 8), last_tree, tree>, 64>(nodes, from, n, merge);
  value last;
  if constexpr (pads<last_tree, Source>) {
    if constexpr (lanes < 8) push_nodes<last_tree, lanes * lanes>(nodes, from, n, merge);
    if (lanes == 8 && n > 4 * lanes) {
      last_tree::fold_some(last, from, static_cast<unsigned>(n), std::make_index_sequence<lanes>{});
    } else if (n > 2 * lanes) {
      last_tree::fold_four(last, from, static_cast<unsigned>(n));
    } else if (n != 0) {
      last_tree::fold_two(last, from, static_cast<unsigned>(n));
    }
  } else {
    push_nodes<vector_tree<Node, narrow>, 16>(nodes, from, n, merge);
    if (n != 0) last = fold_values(from, n, combine, element);
  }
  if constexpr (merges_products) clear_upper_halves<Bytes>();  // `merge` is a call
  to = n == 0 ? nodes.folded(merge) : nodes.folded(last, merge);
}

// With vectors of 16 bytes, and with the widest that are fast on this processor.
struct narrow_tree {
  template <class Node, class Source, class Combine, class Element>
  static typename Node::value fold(Source from, std::size_t n, const Combine& combine,
                                   const Element& element) {
    typename Node::value to;
    fold_nodes<narrow, Node>(to, from, n, combine, element);
    return to;
  }
};

#if defined(__x86_64__)
#if defined(__AVX2__)
#define WARPFOLD_HOST_WIDE
#else
#define WARPFOLD_HOST_WIDE __attribute__((target("avx2")))
#endif
struct wide_tree {
  template <class Node, class Source, class Combine, class Element>
  WARPFOLD_HOST_WIDE static typename Node::value fold(Source from, std::size_t n,
                                                      const Combine& combine,
                                                      const Element& element) {
    using tree = vector_tree<Node, 32>;
    if constexpr (pads<tree, Source>) {
      constexpr std::size_t two = 2 * tree::lanes;
      if (n <= 2 * two) {
        typename Node::value to;
        if (n <= two) {
          tree::fold_two(to, from, static_cast<unsigned>(n));
        } else {
          tree::fold_four(to, from, static_cast<unsigned>(n));
        }
        return to;
      }
    } else if (n < 16) {
      return fold_values(from, n, combine, element);
    }
    return fold_long<Node>(from, n, combine, element);
  }

 private:
  // A function of its own: it saves registers.
  template <class Node, class Source, class Combine, class Element>
  WARPFOLD_HOST_WIDE __attribute__((noinline)) static typename Node::value fold_long(
      Source from, std::size_t n, const Combine& combine, const Element& element) {
    typename Node::value to;
    fold_nodes<32, Node>(to, from, n, combine, element);
    return to;
  }
};
#undef WARPFOLD_HOST_WIDE
#endif

#if WARPFOLD_HOST_HAS_ASM
// With vectors of 64 bytes, for ranges that are not short.
struct widest_long_tree {
  static constexpr std::size_t shortest = 256;

  template <class Node, class Source, class Combine, class Element>
  __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"), noinline)) static
      typename Node::value
      fold(Source from, std::size_t n, const Combine& combine, const Element& element) {
    typename Node::value to;
    fold_nodes<64, Node>(to, from, n, combine, element);
    return to;
  }
};
#endif

struct widest_tree {
  template <class Node, class Source, class Combine, class Element>
  static typename Node::value fold(Source from, std::size_t n, const Combine& combine,
                                   const Element& element) {
#if WARPFOLD_HOST_HAS_ASM
    if constexpr (Node::commutes) {
      if (n >= widest_long_tree::shortest && warpfold::detail::has_vectors_of<64>()) {
        return widest_long_tree::fold<Node>(from, n, combine, element);
      }
    }
#endif
#if defined(__AVX2__)
    return wide_tree::fold<Node>(from, n, combine, element);
#else
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return wide_tree::fold<Node>(from, n, combine, element);
#endif
    return narrow_tree::fold<Node>(from, n, combine, element);
#endif
  }
};

template <class Node, class Widest = widest_tree, class Source, class Combine, class Element>
typename Node::value fold_in_vectors(Source from, std::size_t n, const Combine& combine,
                                     const Element& element) {
  return Widest::template fold<Node>(from, n, combine, element);
}

// The sum of `n` elements, at least one.
template <class Widest = widest_tree, class Source>
typename Source::lane add_in_order(Source from, std::size_t n) {
  using lane = typename Source::lane;
  return fold_in_vectors<sum_node<lane>, Widest>(
      from, n, [](lane a, lane b) { return a + b; }, [](const Source& at) { return at.element(); });
}

template <class View>
  requires(has_numbers<View> && warpfold::detail::is_ieee_v<typename View::value_type>)
struct tree_fold<plus, View> {
  using value = typename View::value_type;
  static value fold(const View& view, std::size_t first, std::size_t last) {
    return add_in_order(numbers_source<value>{view.data() + first}, last - first);
  }
};
template <class A, class B, class F>
  requires(has_numbers<A> && has_numbers<B> &&
           warpfold::detail::is_ieee_v<typename A::value_type> &&
           std::is_same_v<typename A::value_type, typename B::value_type> && multiplies_numbers<F>)
struct tree_fold<plus, transform_view<zip_view<A, B>, F>> {
  using value = typename A::value_type;
  static constexpr bool adds_products = true;
  static products_source<value> source(const transform_view<zip_view<A, B>, F>& view) {
    const auto& both = view.base().views();
    return {get<0>(both).data(), get<1>(both).data()};
  }
  static value fold(const transform_view<zip_view<A, B>, F>& view, std::size_t first,
                    std::size_t last) {
    return add_in_order(source(view) + first, last - first);
  }
};

// A 16-bit float converts by way of `float`.
template <class T>
auto wide(const T& x) {
  if constexpr (is_half_v<T>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

// The fold of a view of numbers as `Lane`s: of its memory if it is contiguous, otherwise of copies,
// a block at a time. `fold_block(source, n)` folds `n` elements, at most `Most` of them if they are
// copies.
template <class Lane, std::size_t Most, class View, class Combine, class FoldBlock>
auto fold_numbers(const View& view, std::size_t first, std::size_t last, const Combine& combine,
                  const FoldBlock& fold_block) {
  using T = typename View::value_type;
  if constexpr (has_numbers<View> && std::is_same_v<T, Lane>) {
    return fold_block(numbers_source<Lane>{view.data() + first}, last - first);
  } else if constexpr (has_numbers<View> && std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    return fold_block(converted_source<T, Lane>{view.data() + first}, last - first);
  } else {
    Lane copies[Most];
    const auto block = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        copies[i - from] = static_cast<Lane>(wide(static_cast<T>(view[i])));
      }
      return fold_block(numbers_source<Lane>{copies}, to - from);
    };
    return warpfold::detail::fold_by_nodes<decltype(block(first, last))>(combine, block, Most,
                                                                         first, last);
  }
}

// Lifts the first element of a source. Its type has no view in it, so that views with the same
// source share their code.
template <class Op>
struct lift_by {
  template <class Source>
  auto operator()(const Source& at) const {
    return Op{}.lift(at.element());
  }
};

// Nodes of a compensated sum. In the operations of `compensated_plus`, which nvcc would not take
// for vectors.
template <class T>
struct compensated_node {
  using lane = T;
  using value = compensated_sum<T>;
  static constexpr std::size_t parts = 2;
  static constexpr bool commutes = false;  // near overflow
  static constexpr bool pads = false;

  template <class Vector>
  static WARPFOLD_HOST_INLINE void lift(Vector (&to)[2], const Vector& x) {
    to[0] = x;
    to[1] = Vector{};
  }
  template <std::size_t Count, class V>
  static WARPFOLD_HOST_INLINE void combine(V (&to)[2], const V (&a)[2], const V (&b)[2]) {
    const V sum = a[0] + b[0];
    const V of_b = sum - a[0], of_a = sum - of_b;
    const V dropped = a[1] + b[1] + ((a[0] - of_a) + (b[0] - of_b));
    const V carried = sum + dropped;
    to[1] = dropped - (carried - sum);
    to[0] = carried == carried ? carried : sum;
  }
  template <std::size_t Count>
  static WARPFOLD_HOST_INLINE void set(value& to, const T (&of)[2]) {
    to = {of[0], of[1]};
  }
};
template <class View>
  requires(warpfold::detail::is_ieee_v<typename View::value_type> ||
           is_half_v<typename View::value_type>)
struct tree_fold<compensated_plus, lifted_view<View, compensated_plus>> {
  using lane = wide_sum_t<typename View::value_type>;
  using value = compensated_sum<lane>;
  static value fold(const lifted_view<View, compensated_plus>& view, std::size_t first,
                    std::size_t last) {
    const compensated_plus combine{};
    return fold_numbers<lane, 512>(view.elements(), first, last, combine,
                                   [&](const auto& from, std::size_t n) {
                                     return fold_in_vectors<compensated_node<lane>>(
                                         from, n, combine, lift_by<compensated_plus>{});
                                   });
  }
};

// Nodes of moments, in the operations of `moments_op::fold_neighbors`.
template <class Value, bool HasSums>
struct moments_node {
  using lane = double;
  using value = Value;
  static constexpr std::size_t parts = 2;
  static constexpr bool commutes = true;
  static constexpr bool pads = false;

  template <class Vector>
  static WARPFOLD_HOST_INLINE void lift(Vector (&to)[2], const Vector& x) {
    to[0] = x;
    to[1] = Vector{};
  }
  template <std::size_t Count, class V>
  static WARPFOLD_HOST_INLINE void combine(V (&to)[2], const V (&a)[2], const V (&b)[2]) {
    const V apart = b[0] - a[0], both = a[0] + b[0];
    V square = apart * apart;
    keep_rounded(square);
    if constexpr (HasSums) {
      if constexpr (Count == 1) {
        to[1] = square;
      } else {
        to[1] = (a[1] + b[1]) * 2.0 + square;
      }
      to[0] = both;
    } else {
      if constexpr (Count == 1) {
        to[1] = square * 0.5;  // shuffled before it is added, so it is rounded
      } else {
        to[1] = (a[1] + b[1]) + square * (Count * 0.5);
      }
      to[0] = both * 0.5;
    }
  }
  template <std::size_t Count>
  static WARPFOLD_HOST_INLINE void set(value& to, const double (&of)[2]) {
    constexpr double scale = HasSums ? 1.0 / Count : 1;
    to = {Count, of[0] * scale, of[1] * scale};
  }
};
// `Op` is moments_op, whose header this one does not include.
template <class Op, class View>
  requires(std::is_same_v<Op, moments_op> && is_number_v<typename View::value_type> &&
           !std::is_same_v<typename View::value_type, long double>)
struct tree_fold<Op, lifted_view<View, Op>> {
  using element = typename View::value_type;
  using value = decltype(Op{}.lift(element{}));

  static value fold(const lifted_view<View, Op>& view, std::size_t first, std::size_t last) {
    const Op combine{};
    if constexpr (Op::template is_exact<element>) {
      return fold_exact(view.elements(), first, last, combine);
    } else {
      return fold_numbers<double, 4096>(
          view.elements(), first, last, combine, [&](const auto& from, std::size_t n) {
            // As many elements as are streams, and few enough to fold them again.
            constexpr std::size_t block = std::size_t{1} << 15;
            const auto node = [&](std::size_t begin, std::size_t end) {
              return fold_block(from + begin, end - begin, combine);
            };
            return warpfold::detail::fold_by_nodes<value>(combine, node, block, 0, n);
          });
    }
  }

 private:
  template <class Source, class Combine>
  static value fold_block(const Source& from, std::size_t n, const Combine& combine) {
    using node = moments_node<value, Op::template has_sums<element>>;
    const lift_by<Op> lift{};
    const value all = fold_in_vectors<node>(from, n, combine, lift);
    const double both = all.mean + all.m2;
    if (both - both == 0) [[likely]]  // both are finite
      return all;
    return fold_values(from, n, combine, lift);
  }

  template <class Combine>
  static value fold_exact(const View& view, std::size_t first, std::size_t last,
                          const Combine& combine) {
    fold_stack<value> nodes;
    for (std::size_t n = Op::longest_exact; n != 0; n /= 2) {
      for (; last - first >= n; first += n) {
        typename Op::template exact_sums<element> all{};
        constexpr std::size_t some = 64;  // a loop that GCC vectorizes with -O2
        for (std::size_t from = first; from + some <= first + n; from += some) {
          for (std::size_t k = 0; k < some; ++k) all.add(static_cast<element>(view[from + k]));
        }
        for (std::size_t k = 0; k < n % some; ++k) all.add(static_cast<element>(view[first + k]));
        nodes.push(all.of(static_cast<unsigned>(n)), n, combine);
      }
    }
    return nodes.folded(combine);
  }
};

// Nodes of a sum of squares.
struct squares_node : sum_node<double> {
  static constexpr double missing = 0;
  static constexpr bool folds_long = false;

  template <class Vector>
  static WARPFOLD_HOST_INLINE void lift(Vector (&to)[1], const Vector& x) {
    to[0] = x * x;
    keep_rounded(to[0]);
  }
};
template <class Source>
double squares_in_order(const Source& from, std::size_t n) {
  return fold_in_vectors<squares_node>(
      from, n, [](double a, double b) { return a + b; },
      [](const auto& at) { return warpfold::detail::rounded_product(at.element(), at.element()); });
}
// `Op` is squares_op, whose header this one does not include: most programs need no norm.
template <class Op, class View>
  requires(std::is_same_v<Op, squares_op> && is_number_v<typename View::value_type>)
struct tree_fold<Op, lifted_view<View, Op>> {
  using element = typename View::value_type;
  static constexpr bool is_scaled = std::is_same_v<element, double>;
  using value = std::conditional_t<is_scaled, scaled_squares, double>;

  static value fold(const lifted_view<View, Op>& view, std::size_t first, std::size_t last) {
    constexpr std::size_t block = 1024;
    const Op combine{};
    if constexpr (is_exact) {
      const transform_view<View, typename Op::square> squares(view.elements(), {});
      return fold_exact(squares, first, last, combine);
    } else {
      return fold_numbers<double, block>(
          view.elements(), first, last, combine, [&](const auto& from, std::size_t n) {
            if constexpr (!is_scaled) {
              return squares_in_order(from, n);
            } else {
              const auto node = [x = from.from](std::size_t begin, std::size_t end) {
                return fold_block(x + begin, end - begin);
              };
              return warpfold::detail::fold_by_nodes<value>(combine, node, block, 0, n);
            }
          });
    }
  }

 private:
  // True if every sum of 2^16 squares is an integer of less than 53 bits, so that their order does
  // not matter.
  static constexpr bool is_exact = std::is_integral_v<element> && sizeof(element) <= 2;
  template <class Squares, class Combine>
  static value fold_exact(const Squares& squares, std::size_t first, std::size_t last,
                          const Combine& combine) {
    constexpr std::size_t block = std::size_t{1} << 16;
    const auto sum = [&](std::size_t from, std::size_t to) {
      return interleaved_fold(reduction<Squares, plus>{squares, {}, {}}, from, to);
    };
    return warpfold::detail::fold_by_nodes<value>(combine, sum, block, first, last);
  }

  // Unscaled if no element needs a scale.
  static value fold_block(const double* x, std::size_t n) {
    const numbers_source<double> from{x};
    const double sum = squares_in_order(from, n);
    if (Op::is_plain(sum)) [[likely]]
      return {0, sum, 0};
    return fold_values(from, n, Op{}, lift_by<Op>{});
  }
};

#undef WARPFOLD_HOST_HAS_ASM

}  // namespace detail

/// The fold of elements `first` to `last - 1`, at least one, in the declared order; positions count
/// from `first`.
template <class Op, class View>
auto vector_tree_fold(const Op&, const View& view, std::size_t first, std::size_t last) {
  return detail::tree_fold<Op, View>::fold(view, first, last);
}

#endif

}  // namespace warpfold::host
