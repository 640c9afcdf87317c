// Bitwise ops: every bit, their identities and types.
#include <warpfold/op/bitwise.hpp>

#include <doctest/doctest.h>

#include "contract/oracle.hpp"

TEST_CASE_TEMPLATE("bitwise ops, their identities and types", T, bool, char, signed char,
                   unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                   long long, unsigned long long) {
  const auto check = [](const auto& op, auto on_bits) {
    const T neutral = wf::op_traits<std::decay_t<decltype(op)>, T>::identity(op);
    test::random_bits random;
    for (int i = 0; i < 100; ++i) {
      const T a = static_cast<T>(random()), b = static_cast<T>(random());
      static_assert(std::is_same_v<decltype(op(a, b)), T>);
      CHECK(op(a, b) ==
            static_cast<T>(on_bits(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b))));
      CHECK(op(neutral, a) == a);
      CHECK(op(a, neutral) == a);
    }
  };
  check(wf::bit_and{}, [](std::uint64_t a, std::uint64_t b) { return a & b; });
  check(wf::bit_or{}, [](std::uint64_t a, std::uint64_t b) { return a | b; });
  check(wf::bit_xor{}, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
}

TEST_CASE("bitwise ops of two types give their common type") {
  static_assert(std::is_same_v<decltype(wf::bit_or{}(1u, 2ull)), unsigned long long>);
  CHECK(wf::bit_or{}(1u, 1ull << 40) == (1ull << 40) + 1);
}

// Operands that are not integers are refused before the call, not within it.
static_assert(!std::is_invocable_v<wf::bit_and, float, float>);
static_assert(!std::is_invocable_v<wf::bit_xor, int, double>);
static_assert(!wf::op_traits<wf::bit_or, float>::has_identity);
