#!/usr/bin/env python3
"""Checks the machine code of host_machine_code.cpp, for x86-64 processors.

usage: host_machine_code_test.py CXX OBJDUMP INCLUDE

- No call without vzeroupper. A function that is compiled for AVX2 may call one that is not, whose instructions wait for the
  upper halves of wide registers unless vzeroupper has cleared these. GCC leaves it out before functions that it has compiled
  already.
- No large function. GCC may unroll loops that it was told not to; the largest function then had 300 kB, and one call of
  wf::mean took 18 s to compile.
"""

import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "host_machine_code.cpp")
MOST_INSTRUCTIONS = 6000


def functions(listing):
    """The instructions of each function, by name."""
    found, name = {}, None
    for line in listing.splitlines():
        heading = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if heading:
            name = heading.group(1)
            found[name] = []
        elif name and re.match(r"^\s+[0-9a-f]+:\t", line):
            found[name].append(line.split("\t", 1)[1])
    return found


def bad_calls(body):
    """The calls after an instruction with a wide register: in the order of the text, which is close enough to that of the
    run, because the compilers place vzeroupper right before a call."""
    wide, bad = False, 0
    for instruction in body:
        if "%ymm" in instruction:
            wide = True
        elif instruction.startswith("vzeroupper"):
            wide = False
        elif re.match(r"call", instruction):
            bad += wide
    return bad


def main():
    compiler, objdump, include = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "host_machine_code.o")
        subprocess.run([compiler, "-std=c++20", "-O2", "-I", include, "-c", SOURCE, "-o", binary], check=True)
        listing = subprocess.run([objdump, "-d", "-C", "--no-show-raw-insn", binary], capture_output=True, text=True,
                                 check=True).stdout
    bodies = functions(listing)
    wide = {name: body for name, body in bodies.items() if any("%ymm" in line for line in body)}
    calls = sum(line.startswith("call") for body in wide.values() for line in body)
    for name, body in wide.items():
        bad = bad_calls(body)
        if bad:
            print(f"{bad} calls without vzeroupper: {name[:200]}")
            failed = True
    print(f"{len(wide)} functions with wide registers, {calls} calls in them")
    if not calls:
        print("no call was found, so the test shows nothing")
    if failed:
        print("see clear_upper_halves in host/vector_tree.hpp")
    largest = max(bodies, key=lambda name: len(bodies[name]))
    print(f"the largest function has {len(bodies[largest])} instructions: {largest[:200]}")
    failed = failed or len(bodies[largest]) > MOST_INSTRUCTIONS
    return 1 if failed or not calls else 0


if __name__ == "__main__":
    sys.exit(main())
