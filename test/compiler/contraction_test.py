#!/usr/bin/env python3
"""Compiles and runs contraction.cpp with and without fused multiply-adds, by each compiler: the bits must not differ.

usage: contraction_test.py INCLUDE COMPILER... -- FLAGS...
"""

import os
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contraction.cpp")
# The last one has such instructions only in the functions for AVX-512.
VARIANTS = (["-O1", "-ffp-contract=off"], ["-O2", "-march=native", "-ffp-contract=fast"], ["-O3"])


def bits(compiler, variant, include, flags, folder):
    """The lines that the program prints."""
    program = os.path.join(folder, "program")
    subprocess.run([compiler, "-std=c++20", "-w", *variant, "-I", include, SOURCE, "-o", program, *flags], check=True)
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def main():
    split = sys.argv.index("--")
    include, *compilers = sys.argv[1:split]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        expected = None
        for compiler in compilers:
            for variant in VARIANTS:
                lines = bits(compiler, variant, include, sys.argv[split + 1:], folder)
                expected = expected or lines
                wrong = [f"    {got} instead of {want}" for got, want in zip(lines, expected) if got != want]
                print(f"{compiler} {' '.join(variant)}: {len(lines)} results, {len(wrong)} with other bits", *wrong, sep="\n")
                failed = failed or bool(wrong) or len(lines) != len(expected)
    return failed


if __name__ == "__main__":
    sys.exit(main())
