// kernel::in_order has the bits of wf::seq: an op that tells every tree apart, sums and dot
// products of numbers, every size around the boundaries, any alignment and any launch.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/kernel/in_order.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/packed.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/staged.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/view/where.hpp>

#include "contract/order_certificate.hpp"
#include "contract/result_bits.hpp"

namespace test {

namespace wf = warpfold;

/// `Fixture` is that of policy_contract.hpp.
template <class Fixture>
struct in_order_contract {
  template <class T>
  using array = typename Fixture::template array<T>;

  static auto policy(unsigned block = 0, unsigned grid = 0) {
    return Fixture::policy().with_kernel(wf::kernel::in_order<>{block, grid});
  }
  template <class T>
  static std::span<const T> part(const array<T>& a, std::size_t n) {
    return {a.data(), n};
  }

  /// The elements of `v`, `offset` bytes from an aligned address.
  template <class T, class Op>
  static void check_bits(const std::vector<T>& v, const Op& op, std::size_t offset = 0) {
    INFO(v.size(), " elements of ", sizeof(T), " bytes, ", offset,
         " bytes from an aligned address");
    const array<T> a(v, offset);
    CHECK(wf::reduce(policy(), part(a, v.size()), op) == wf::reduce(wf::seq, v, op));
  }

  template <class T>
  static std::vector<T> numbers(std::size_t n) {
    std::mt19937 random(static_cast<unsigned>(n));
    std::vector<T> v(n);
    for (T& x : v) x = static_cast<T>(static_cast<double>(random()) / 7 - 3e8);
    return v;
  }

  static void check_certificate(std::size_t most) {
    constexpr ordered_hash hash;
    for (const std::size_t n : ordered_sizes()) {
      if (n > most) continue;
      INFO(n, " elements");
      const std::vector<std::uint64_t> v = ordered_elements(n);
      const std::uint64_t expected = ordered_fold(v);
      for (const std::size_t offset : {std::size_t{0}, std::size_t{8}}) {
        const array<std::uint64_t> a(v, offset);
        REQUIRE(wf::reduce(policy(), part(a, n), hash) == expected);
        REQUIRE(wf::reduce(policy(64, 3), part(a, n), hash) == expected);
        REQUIRE(wf::reduce(policy(96, 2000), part(a, n), hash) == expected);
      }
      const array<std::uint64_t> a(v, 0);
      REQUIRE(wf::reduce(policy(), part(a, n), std::uint64_t{5}, hash) == hash(5, expected));
    }
  }

  // Ranges that read no memory.
  static void check_computed(std::size_t most) {
    constexpr ordered_hash hash;
    const auto elements = [](std::size_t n) {
      return wf::project(wf::counting(std::uint64_t{1}, n), ordered_element{});
    };
    for (const std::size_t n : ordered_sizes()) {
      if (n > most) continue;
      INFO(n, " elements");
      const std::uint64_t expected = ordered_fold(ordered_elements(n));
      REQUIRE(wf::reduce(policy(), elements(n), hash) == expected);
      REQUIRE(wf::reduce(policy(64, 3), elements(n), hash) == expected);
      REQUIRE(wf::reduce(policy(96, 2000), elements(n), hash) == expected);
      REQUIRE(wf::reduce(policy(), elements(n), std::uint64_t{5}, hash) == hash(5, expected));
    }
    for (const std::size_t n : {1u, 31u, 1000u, 20000u}) {
      const auto wide = wf::project(wf::counting(std::uint64_t{1}, n), wide_element{});
      CHECK(wf::reduce(policy(), wide, hash_each{}) == wf::reduce(wf::seq, wide, hash_each{}));
      const auto triples = wf::project(wf::counting(0, n), triple_element{});
      CHECK(wf::reduce(policy(), triples, add_triples{}) ==
            wf::reduce(wf::seq, triples, add_triples{}));
    }
    CHECK(wf::reduce(policy(), elements(0), std::uint64_t{7}, hash) == 7);
  }

  static void check_views() {
    constexpr ordered_hash hash;
    for (const std::size_t n : {1u, 31u, 33u, 1000u, 40000u}) {
      INFO(n, " elements");
      const std::vector<std::uint64_t> v = ordered_elements(n);
      const array<std::uint64_t> a(v, 0);
      const auto elements = part(a, n);
      CHECK(wf::reduce(policy(), wf::project(elements, sum_with_itself{}), hash) ==
            wf::reduce(wf::seq, wf::project(v, sum_with_itself{}), hash));
      CHECK(wf::reduce(policy(), wf::reverse(elements), hash) ==
            wf::reduce(wf::seq, wf::reverse(v), hash));
      CHECK(wf::reduce(policy(), wf::strided(elements, 3), hash) ==
            wf::reduce(wf::seq, wf::strided(v, 3), hash));
      CHECK(wf::reduce(policy(), wf::staged(elements), hash) == wf::reduce(wf::seq, v, hash));
      std::vector<std::uint16_t> narrow(v.size());
      for (std::size_t i = 0; i < n; ++i) narrow[i] = static_cast<std::uint16_t>(v[i] >> 40);
      const array<std::uint16_t> c(narrow, 2);
      CHECK(wf::reduce(policy(), wf::project(wf::packed(part(c, n)), ordered_element{}), hash) ==
            wf::reduce(wf::seq, wf::project(narrow, ordered_element{}), hash));
      std::vector<std::uint32_t> bits((n + 31) / 32, 0x5a13f00d);
      bits[0] |= 1;
      const array<std::uint32_t> mask(bits, 0);
      CHECK(wf::reduce(policy(), wf::where(elements, part(mask, bits.size())), hash) ==
            wf::reduce(wf::seq, wf::where(v, bits), hash));
      for (const std::size_t count : {std::size_t{0}, n / 3, n}) {
        const std::vector<std::size_t> counts{count};
        const array<std::size_t> size(counts, 0);
        const std::span<const std::uint64_t> first(v.data(), count);
        CHECK(wf::reduce(policy(), wf::counted(elements, size.data()), std::uint64_t{7}, hash) ==
              wf::reduce(wf::seq, first, std::uint64_t{7}, hash));
      }
    }
  }

  // Structs whose elements the kernel copies to shared memory, at any address.
  template <std::size_t Bytes, class Unit>
  static void check_structs_of(std::size_t most) {
    using element = byte_hash<Bytes, Unit>;
    const std::span<const element> none;
    CHECK(wf::reduce(policy(64, 3), none, element{{1, 2}}, hash_bytes{}) == element{{1, 2}});
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{31}, std::size_t{1025}, std::size_t{5000}, most}) {
      std::mt19937 random(static_cast<unsigned>(n + Bytes));
      std::vector<element> v(n);
      for (element& x : v) {
        for (Unit& u : x.of) u = static_cast<Unit>(random());
      }
      const element expected = wf::reduce(wf::seq, v, hash_bytes{});
      const std::uint64_t sum = wf::reduce(wf::seq, wf::project(v, first_unit{}), ordered_hash{});
      for (const std::size_t units :
           {std::size_t{0}, std::size_t{1}, std::size_t{3}, 16 / sizeof(Unit)}) {
        INFO(n, " elements of ", Bytes, " bytes, ", units * sizeof(Unit),
             " from an aligned address");
        const array<element> a(v, units * sizeof(Unit));
        CHECK(wf::reduce(policy(), part(a, n), hash_bytes{}) == expected);
        CHECK(wf::reduce(policy(64, 3), part(a, n), hash_bytes{}) == expected);
        CHECK(wf::reduce(policy(256, 2000), part(a, n), hash_bytes{}) == expected);
        CHECK(wf::reduce(policy(96, 7), wf::project(part(a, n), first_unit{}), ordered_hash{}) ==
              sum);
      }
    }
  }
  static void check_structs(std::size_t most) {
    check_structs_of<7, std::uint8_t>(most);
    check_structs_of<20, std::uint32_t>(most);
    check_structs_of<36, std::uint32_t>(most);
    check_structs_of<50, std::uint16_t>(most);
    check_structs_of<50, std::uint8_t>(most);
    check_structs_of<100, std::uint32_t>(most);
    check_structs_of<80, std::uint32_t>(most);
    check_structs_of<96, std::uint32_t>(most);
    check_structs_of<128, std::uint64_t>(most);
    check_structs_of<63, std::uint8_t>(most / 2);
    check_structs_of<126, std::uint16_t>(most / 2);
    check_structs_of<250, std::uint16_t>(most / 2);  // read directly
    check_structs_of<256, std::uint32_t>(most / 2);
  }

  static void check_numbers(std::size_t most) {
    for (std::size_t n = 1; n <= most; n = 3 * n + 1) {
      for (const std::size_t k : {0u, 1u, 3u}) {
        check_bits(numbers<float>(n), wf::plus{}, 4 * k);
        check_bits(numbers<double>(n), wf::plus{}, 8 * k);
        check_bits(numbers<float>(n), wf::multiplies{}, 4 * k);
        check_bits(numbers<float>(n), wf::plus{}.compensated(), 4 * k);
        check_bits(numbers<double>(n), wf::squares_op{}, 8 * k);
        check_bits(std::vector<float_triple>(n, {0.1f, 1e7f, -3.3f}), add_triples{}, 4 * k);
        std::vector<wide_hash> wide(n % 5000 + 1);
        for (std::size_t i = 0; i < wide.size(); ++i) wide[i].of[i % 13] = i + 1;
        check_bits(wide, hash_each{}, 8 * k);
      }
      const std::vector<float> x = numbers<float>(n);
      const array<float> a(x, 0), b(x, 4);
      CHECK(wf::dot(policy(), part(a, n), part(b, n)) == wf::dot(wf::seq, x, x));
      // An element that is not there adds nothing, not even a zero.
      const std::vector<float> zeros(n, -0.0f);
      const array<float> z(zeros, 0);
      CHECK(std::signbit(wf::reduce(policy(), part(z, n), wf::plus{})));
    }
  }
};

}  // namespace test
