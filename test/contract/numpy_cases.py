#!/usr/bin/env python3
"""Writes the results of NumPy for some arrays, for test/contract/everyday_contract.hpp.

usage: numpy_cases.py > numpy_cases.hpp, and ./dev format

The header contains the arrays, so they are short. No array has zeros of both signs, which are equal in NumPy.
"""
import numpy as np


def arrays():
    random = np.random.default_rng(20)
    yield "one", np.array([2.5])
    yield "two", np.array([-1.0, 3.0])
    yield "equal", np.full(37, 0.1)
    yield "normal", random.normal(0, 1, 64)
    yield "far from zero", random.normal(1e6, 1, 64)
    yield "uniform, 33", random.uniform(-5, 5, 33)
    yield "tens of powers", 10.0 ** random.uniform(-12, 12, 40) * random.choice([-1, 1], 40)
    yield "ties", random.integers(-3, 4, 50).astype(float)
    yield "large", random.uniform(1e300, 1e307, 12)
    yield "infinity", np.array([1.0, np.inf, -2.0, 5.0])
    yield "both infinities", np.array([1.0, np.inf, -np.inf, 5.0])
    yield "not a number", np.array([4.0, 1.0, np.nan, -7.0, np.nan, 9.0])


def number(x):
    if np.isnan(x):
        return "nan"
    if np.isinf(x):
        return "inf" if x > 0 else "-inf"
    return float(x).hex()


def main():
    np.seterr(all="ignore")
    print("/// @file")
    print(f"/// Results of NumPy {np.__version__} for some arrays; written by test/contract/numpy_cases.py.")
    print("#pragma once\n\n#include <cmath>\n#include <cstddef>\n#include <vector>\n")
    print("namespace test {\n")
    print("struct numpy_case {\n  const char* name;\n  std::vector<double> values;")
    print("  double sum, mean, var, var_of_sample, norm_1, norm_2, norm_infinity, norm_3, dot;")
    print("  std::size_t argmin, argmax;\n};\n")
    print("inline std::vector<numpy_case> numpy_cases() {")
    print("  const double inf = HUGE_VAL, nan = std::nan(\"\");")
    print("  return {")
    for name, x in arrays():
        # Where powers overflow in NumPy they do here: norms of the large array are taken of a scaled one.
        scale = 2.0 ** -600 if name == "large" else 1.0
        y = x * scale
        values = ", ".join(number(v) for v in x)
        results = [x.sum(), x.mean(), x.var(), x.var(ddof=1) if len(x) > 1 else np.nan,
                   np.linalg.norm(y, 1) / scale, np.linalg.norm(y, 2) / scale, np.linalg.norm(y, np.inf) / scale,
                   np.linalg.norm(y, 3) / scale if scale == 1.0 else np.inf, np.dot(x, x)]
        print(f"      {{\"{name}\", {{{values}}},")
        print("       " + ", ".join(number(r) for r in results) + f", {x.argmin()}, {x.argmax()}}},")
    print("  };\n}\n\n}  // namespace test")


if __name__ == "__main__":
    main()
