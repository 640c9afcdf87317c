/// @file
/// Structs of many shapes for the tests of wf::soa, and what is reduced of them.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <warpfold/soa.hpp>

#include "contract/oracle.hpp"

namespace test {

/// Padding between the fields and after them.
struct padded {
  BOOST_HANA_DEFINE_STRUCT(padded, (unsigned char, tag), (double, charge), (short, kind));
  friend bool operator==(const padded&, const padded&) = default;
};

/// A struct in a struct, 12 bytes and no power of two.
struct placed {
  struct point {
    float x, y, z;
    friend bool operator==(const point&, const point&) = default;
  };
  point at;
  int id;
  friend bool operator==(const placed&, const placed&) = default;
};

/// Array members, one of them of arrays.
struct with_arrays {
  BOOST_HANA_DEFINE_STRUCT(with_arrays, (std::type_identity_t<float[3]>, position),
                           (double, weight), (std::type_identity_t<short[2][5]>, counts));
  friend bool operator==(const with_arrays&, const with_arrays&) = default;
};

/// Single bytes beside doubles.
struct flagged {
  BOOST_HANA_DEFINE_STRUCT(flagged, (unsigned char, low), (double, value), (signed char, high),
                           (double, weight), (bool, set));
  friend bool operator==(const flagged&, const flagged&) = default;
};

struct seven {
  BOOST_HANA_DEFINE_STRUCT(seven, (float, a), (float, b), (float, c), (float, d), (float, e),
                           (float, f), (float, g));
  friend bool operator==(const seven&, const seven&) = default;
};

/// One field, and no default constructor.
struct single {
  int value;
  WARPFOLD_HD explicit constexpr single(int v) : value(v) {}
  friend bool operator==(const single&, const single&) = default;
};

/// A field without a default constructor, and one of 20 bytes.
struct composed {
  struct twenty {
    unsigned words[5];
    friend bool operator==(const twenty&, const twenty&) = default;
  };
  single first;
  twenty second;
  unsigned char third;
  friend bool operator==(const composed&, const composed&) = default;
};

}  // namespace test

BOOST_HANA_ADAPT_STRUCT(test::placed, at, id);
BOOST_HANA_ADAPT_STRUCT(test::single, value);
BOOST_HANA_ADAPT_STRUCT(test::composed, first, second, third);

namespace test {

// Element `i` of the test data: small whole numbers, so that sums are the same in every order.

inline void make(padded& p, unsigned i) {
  p.tag = static_cast<unsigned char>(i * 7);
  p.charge = i % 31;
  p.kind = static_cast<short>(i % 113);
}
inline void make(placed& p, unsigned i) {
  p.at = {static_cast<float>(i % 5), static_cast<float>(i % 7), static_cast<float>(i % 11)};
  p.id = static_cast<int>(i);
}
inline void make(with_arrays& w, unsigned i) {
  for (unsigned k = 0; k < 3; ++k) w.position[k] = static_cast<float>((i + k) % 17);
  w.weight = i % 101;
  for (unsigned k = 0; k < 10; ++k) w.counts[k / 5][k % 5] = static_cast<short>(i * 3 + k);
}
inline void make(flagged& f, unsigned i) {
  f.low = static_cast<unsigned char>(i * 11);
  f.value = i % 13;
  f.high = static_cast<signed char>(i * 5);
  f.weight = i % 19;
  f.set = i % 3 == 0;
}
inline void make(seven& s, unsigned i) {
  float* const all[] = {&s.a, &s.b, &s.c, &s.d, &s.e, &s.f, &s.g};
  for (unsigned k = 0; k < 7; ++k) *all[k] = static_cast<float>((i * (k + 1)) % 37);
}
inline void make(single& s, unsigned i) { s.value = static_cast<int>(i * 3 % 1009); }
inline void make(composed& c, unsigned i) {
  make(c.first, i);
  for (unsigned k = 0; k < 5; ++k) c.second.words[k] = i * 2654435761u + k;
  c.third = static_cast<unsigned char>(i * 13);
}

template <class T>
T start_of() {
  if constexpr (std::is_default_constructible_v<T>) {
    return T{};
  } else if constexpr (std::is_same_v<T, single>) {
    return single(0);
  } else {
    return T{single(0), {}, 0};
  }
}

template <class T>
std::vector<T> elements(std::size_t n) {
  std::vector<T> all(n, start_of<T>());
  for (std::size_t i = 0; i < n; ++i) make(all[i], static_cast<unsigned>(i));
  return all;
}

/// Of two elements one that every byte of every field has a part in; in any order the same.
struct merge {
  WARPFOLD_HD padded operator()(padded a, const padded& b) const {
    a.tag = static_cast<unsigned char>(a.tag ^ b.tag);
    a.charge += b.charge;
    a.kind = static_cast<short>(a.kind ^ b.kind);
    return a;
  }
  WARPFOLD_HD placed operator()(placed a, const placed& b) const {
    a.at = {a.at.x + b.at.x, a.at.y + b.at.y, a.at.z < b.at.z ? b.at.z : a.at.z};
    a.id = a.id ^ b.id;
    return a;
  }
  WARPFOLD_HD with_arrays operator()(with_arrays a, const with_arrays& b) const {
    for (int k = 0; k < 3; ++k) a.position[k] += b.position[k];
    a.weight += b.weight;
    for (int k = 0; k < 10; ++k) {
      a.counts[k / 5][k % 5] = static_cast<short>(a.counts[k / 5][k % 5] ^ b.counts[k / 5][k % 5]);
    }
    return a;
  }
  WARPFOLD_HD flagged operator()(flagged a, const flagged& b) const {
    a.low = static_cast<unsigned char>(a.low ^ b.low);
    a.value += b.value;
    a.high = static_cast<signed char>(a.high ^ b.high);
    a.weight += b.weight;
    a.set = a.set != b.set;
    return a;
  }
  WARPFOLD_HD seven operator()(seven a, const seven& b) const {
    a.a += b.a;
    a.b += b.b;
    a.c += b.c;
    a.d += b.d;
    a.e += b.e;
    a.f += b.f;
    a.g = a.g < b.g ? b.g : a.g;
    return a;
  }
  WARPFOLD_HD single operator()(single a, const single& b) const {
    return single(a.value + b.value);
  }
  WARPFOLD_HD composed operator()(composed a, const composed& b) const {
    a.first = (*this)(a.first, b.first);
    for (int k = 0; k < 5; ++k) a.second.words[k] ^= b.second.words[k];
    a.third = static_cast<unsigned char>(a.third + b.third);
    return a;
  }
};

/// None, one, around chunks of every length, around a warp and a block, and many.
inline constexpr std::size_t soa_sizes[] = {0,  1,  2,  3,  4,  5,   7,   8,   9,    15,   16,
                                            17, 31, 32, 33, 63, 255, 256, 257, 1000, 4097, 70001};

/// Whole elements and two fields of a container give with `policy` what the elements give with
/// wf::seq.
template <class T, auto Member, class Container, class Policy>
void check_reductions(const Container& container, const std::vector<T>& all, const Policy& policy) {
  const T start = start_of<T>();
  CHECK(wf::reduce(policy, container, start, merge{}) == wf::reduce(wf::seq, all, start, merge{}));
  if (!all.empty()) {
    CHECK(wf::reduce(policy, container, merge{}) == wf::reduce(wf::seq, all, merge{}));
  }
  using number = wf::field_t<Member>;
  std::vector<number> numbers;
  for (const T& x : all) numbers.push_back(x.*Member);
  CHECK(same(wf::reduce(policy, container.template field<Member>()), wf::reduce(wf::seq, numbers)));
}

}  // namespace test
