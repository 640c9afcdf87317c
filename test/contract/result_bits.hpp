/// @file
/// The bits of many results as one number, which is the same for every policy with the declared
/// order, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <warpfold/core/config.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/moments_to_4.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/squares.hpp>

#include "contract/order_certificate.hpp"

namespace test {

namespace wf = warpfold;

/// Neither associative nor commutative: a tree in another order, or with exchanged operands, has
/// another result. The product is exact, so no compiler changes the bits by fusing it.
struct leaning_mean {
  template <class T>
  WARPFOLD_HD constexpr T operator()(T a, T b) const {
    return a * T(0.25) + b * T(0.5);
  }
};

struct sum_with_itself {
  template <class T>
  WARPFOLD_HD constexpr T operator()(T x) const {
    return x + x;
  }
};

/// Three floats, whose sum is that of each.
struct float_triple {
  float x, y, z;
  friend bool operator==(const float_triple&, const float_triple&) = default;
};
struct triple_element {
  WARPFOLD_HD float_triple operator()(int i) const {
    const auto x = static_cast<float>(i % 1000);
    return {x + 0.1f, x + 1e7f, -x - 3.3f};
  }
};
struct add_triples {
  WARPFOLD_HD float_triple operator()(const float_triple& a, const float_triple& b) const {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

/// Results as one number, which depends on every bit of each and on their order.
class result_hash {
 public:
  template <class Result>
  void add(const Result& result) {
    unsigned char bytes[sizeof result];
    std::memcpy(bytes, &result, sizeof result);
    for (const unsigned char b : bytes) bits_ = (bits_ ^ b) * 0x100000001b3;
  }
  std::uint64_t value() const { return bits_; }

 private:
  std::uint64_t bits_ = 0xcbf29ce484222325;
};

/// The same numbers on every machine.
class arbitrary_numbers {
 public:
  /// From -100 000 to 185 000; sums of them are rounded.
  template <class T>
  std::vector<T> around_zero(std::size_t n) {
    std::vector<T> v(n);
    for (T& x : v) x = static_cast<T>(next() % 2'000'003) / T(7) - T(100'000);
    return v;
  }
  template <class T>
  std::vector<T> around_one(std::size_t n) {
    std::vector<T> v(n);
    for (T& x : v) x = 1 + static_cast<T>(next() % 2001) / T(1'000'000) - T(0.001);
    return v;
  }
  std::uint32_t next() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<std::uint32_t>(state_ >> 33);
  }

 private:
  std::uint64_t state_ = 1;
};

/// The number for all policies. It changes only if the calls below do.
inline constexpr std::uint64_t expected_bits = 5000650501576778458u;

/// Calls `where.reduce(elements, op)`, `where.reduce(elements, init, op)` and `where.dot(a, b)` for
/// several types, ops and sizes: 540 calls. `Complex` is a library's class of complex numbers.
template <template <class> class Complex, class Where>
std::uint64_t result_bits(const Where& where) {
  result_hash bits;
  const auto add = [&](const auto& result) { bits.add(result); };
  arbitrary_numbers numbers;
  for (const std::size_t n : {1u, 2u, 3u, 7u, 31u, 33u, 100u, 129u, 1000u, 1025u, 2049u, 4099u,
                              8192u, 16'385u, 20'000u, 33'000u, 65'537u, 100'003u}) {
    const auto of_number = [&]<class T>(T) {
      const auto v = numbers.around_zero<T>(n), w = numbers.around_zero<T>(n);
      add(where.reduce(v, wf::plus{}));
      add(where.reduce(v, T(0.1), wf::plus{}));
      add(where.reduce(v, leaning_mean{}));
      add(where.dot(v, w));
      add(where.reduce(numbers.around_one<T>(n), wf::multiplies{}));
      add(where.reduce(v, wf::minimum{}));
      add(where.reduce(v, wf::plus{}.compensated()));
      add(where.reduce(v, wf::squares_op{}));
      const auto both =
          where.reduce(v, wf::all(wf::plus{}, wf::projected(wf::squares_op{}, sum_with_itself{})));
      add(wf::get<0>(both));
      add(wf::get<1>(both));
      add(where.reduce(v, wf::moments_op{}));
      add(where.reduce(v, wf::moments_to_4_op{}));
      std::vector<Complex<T>> z(n), turn(n);
      for (std::size_t i = 0; i < n; ++i) {
        z[i] = {v[i] / 1000, w[i] / 1000};
        turn[i] = {T(0.6), T(0.8) + v[i] / T(1e9)};
      }
      add(where.dot(z, turn));
      add(where.reduce(turn, wf::multiplies{}));
      const auto least_and_moments = where.reduce(
          v, wf::all(wf::minimum{}, wf::projected(wf::moments_op{}, sum_with_itself{})));
      add(wf::get<0>(least_and_moments));
      add(wf::get<1>(least_and_moments));
    };
    of_number(float{});
    of_number(double{});
    std::vector<float_triple> points(n);
    for (auto& p : points) {
      const auto xyz = numbers.around_zero<float>(3);
      p = {xyz[0], xyz[1], xyz[2]};
    }
    add(where.reduce(points, add_triples{}));
    add(where.reduce(ordered_elements(n), ordered_hash{}));
  }
  return bits.value();
}

}  // namespace test
