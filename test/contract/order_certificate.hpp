// A certificate of the declared order (op/fold_order.hpp): an op that is neither associative nor
// commutative, so two folds are equal only if they combine the same elements in the same tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpfold/core/config.hpp>

namespace test {

struct ordered_hash {
  WARPFOLD_HD constexpr std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const {
    const std::uint64_t x =
        (left ^ left >> 31) * 0x9e3779b97f4a7c15 + right * 0xd1342543de82ef95 + 1;
    return x ^ x >> 29;
  }
};

/// The same in states of more than 96 bytes, which blocks do not post and ranks do not send with
/// their frames.
struct wide_hash {
  std::uint64_t of[13];
  friend bool operator==(const wide_hash&, const wide_hash&) = default;
};
struct hash_each {
  WARPFOLD_HD wide_hash operator()(const wide_hash& a, const wide_hash& b) const {
    wide_hash c{};
    for (int k = 0; k < 13; ++k) c.of[k] = ordered_hash{}(a.of[k], b.of[(k + 1) % 13]);
    return c;
  }
};

/// The same in structs of `Bytes` bytes.
template <std::size_t Bytes, class Unit>
struct byte_hash {
  Unit of[Bytes / sizeof(Unit)];
  friend bool operator==(const byte_hash&, const byte_hash&) = default;
};
struct hash_bytes {
  template <std::size_t Bytes, class Unit>
  WARPFOLD_HD byte_hash<Bytes, Unit> operator()(const byte_hash<Bytes, Unit>& a,
                                                const byte_hash<Bytes, Unit>& b) const {
    constexpr std::size_t units = Bytes / sizeof(Unit);
    byte_hash<Bytes, Unit> c{};
    for (std::size_t k = 0; k < units; ++k) {
      c.of[k] = static_cast<Unit>(3u * a.of[k] + 7u * b.of[(k + 1) % units] + 1u);
    }
    return c;
  }
};
struct first_unit {
  WARPFOLD_HD std::uint64_t operator()(const auto& x) const { return x.of[0]; }
};

/// The same of elements and their indices.
struct hash_with_index {
  WARPFOLD_HD constexpr std::uint64_t lift(const std::uint64_t& x, std::size_t i) const {
    return ordered_hash{}(x, i);
  }
  WARPFOLD_HD constexpr std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    return ordered_hash{}(a, b);
  }
};

/// The same of elements, with the index of the last one, which can be moved.
struct hash_and_last {
  struct state {
    std::uint64_t hash, last;
    friend bool operator==(const state&, const state&) = default;
  };
  template <class>
  using accumulator = state;
  WARPFOLD_HD constexpr state lift(const std::uint64_t& x, std::size_t i) const { return {x, i}; }
  WARPFOLD_HD constexpr state operator()(const state& a, const state& b) const {
    return {ordered_hash{}(a.hash, b.hash), b.last};
  }
  WARPFOLD_HD constexpr state moved(const state& a, std::size_t by) const {
    return {a.hash, a.last + by};
  }
};

/// Elements that all differ: element i is the function of i + 1.
struct ordered_element {
  WARPFOLD_HD constexpr std::uint64_t operator()(std::uint64_t i) const {
    return i * 0xbf58476d1ce4e5b9;
  }
};
inline std::vector<std::uint64_t> ordered_elements(std::size_t n) {
  std::vector<std::uint64_t> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = ordered_element{}(i + 1);
  return v;
}
struct wide_element {
  WARPFOLD_HD wide_hash operator()(std::uint64_t i) const {
    wide_hash h{};
    h.of[i % 13] = i;
    return h;
  }
};

/// The fold of `element(first)` to `element(last - 1)`, at least one, as the definition of the
/// order says: the left operand of the last combination has the largest power of two of elements.
template <class A, class Op, class Element>
A recursive_fold(const Op& op, const Element& element, std::size_t first, std::size_t last) {
  if (last - first == 1) return element(first);
  std::size_t left = 1;
  while (2 * left < last - first) left *= 2;
  const A a = recursive_fold<A>(op, element, first, first + left);
  return static_cast<A>(op(a, recursive_fold<A>(op, element, first + left, last)));
}

/// The fold of the elements of a random access range.
template <class Range, class Op = ordered_hash>
std::uint64_t ordered_fold(const Range& v, const Op& op = {}) {
  return recursive_fold<std::uint64_t>(op, [&](std::size_t i) { return v[i]; }, 0, v.size());
}

/// Sizes around every boundary of the tree and of the loops that fold it.
inline std::vector<std::size_t> ordered_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t n = 1; n <= 300; ++n) sizes.push_back(n);
  for (std::size_t n = 512; n <= 1u << 18; n *= 2) {
    for (const std::size_t near : {n - 1, n, n + 1, n + n / 2 + 3}) sizes.push_back(near);
  }
  return sizes;
}

}  // namespace test
