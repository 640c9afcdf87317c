"""Cases of exact sums, computed with Python's fractions: prints exact_cases.hpp.

python3 test/op/exact_cases.py > test/op/exact_cases.hpp; ./dev format
"""
import math
import random
import struct
from fractions import Fraction

TILES = (1, 20_000)


def bits(x):
    return "0x%016x" % struct.unpack("<Q", struct.pack("<d", x))[0]


def drawn(kind, count, rng):
    """0: similar exponents; 1: exponents of 200 binades; 2: of 1000; 3: pairs that nearly cancel; 4: the least numbers."""
    if kind == 3:
        values = [math.ldexp(rng.uniform(1, 2), rng.randint(-300, 300)) for _ in range(count // 2)]
        return [v for x in values for v in (x, -math.nextafter(x, 0))]
    if kind == 4:
        return [rng.choice((-1, 1)) * rng.randint(0, 9) * 5e-324 for _ in range(count)]
    width = (4, 200, 1000)[kind]
    return [rng.choice((-1, 1)) * math.ldexp(rng.uniform(1, 2), rng.randint(-width // 2, width // 2)) for _ in range(count)]


def rounded_root(x):
    """The double nearest to the root of a fraction."""
    if x == 0:
        return 0.0
    shift = max(0, 140 - (x.numerator.bit_length() - x.denominator.bit_length()))
    shift += shift % 2
    whole = math.isqrt((x.numerator << shift) // x.denominator)
    exact = whole * whole * x.denominator == x.numerator << shift
    return float(Fraction(2 * whole + (0 if exact else 1), 2 << (shift // 2)))  # odd: below or above the middle


def main():
    rng = random.Random(4)
    print("""/// @file
/// Exact sums, means, variances and norms of some numbers, as Python's fractions have them. Written by
/// exact_cases.py.
#pragma once

#include <cstdint>
#include <vector>

namespace test {

/// The bits of doubles. The results are those of the values, as often as `tiles` says, one row for
/// each: sum, mean, variance of a population, norm.
struct exact_case {
  std::vector<std::uint64_t> values;
  struct {
    std::uint64_t tiles, sum, mean, variance, norm;
  } results[2];
};

inline const exact_case exact_cases[] = {""")
    for number in range(40):
        values = drawn(number % 5, 2 * rng.randint(1, 5), rng)
        print("    {{" + ", ".join(bits(v) for v in values) + "},\n     {", end="")
        rows = []
        for tiles in TILES:
            exact = [Fraction(v) for v in values]
            n = len(values) * tiles
            total, squares = sum(exact) * tiles, sum(v * v for v in exact) * tiles
            results = [float(total), float(total / n), float(squares / n - (total / n) ** 2), rounded_root(squares)]
            assert tiles > 1 or results[0] == math.fsum(values)
            rows.append("{" + ", ".join([str(tiles)] + [bits(r) for r in results]) + "}")
        print(", ".join(rows) + "}},")
    print("""};

}  // namespace test""")


main()
