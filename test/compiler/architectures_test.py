#!/usr/bin/env python3
"""Reads the machine code of the main kernels for every architecture that the library supports. Needs no GPU.

usage: architectures_test.py NVCC NVDISASM INCLUDE

Compiles main_kernels.cu for each architecture, prints a table, and fails if a kernel
- has narrower global loads, or fewer loads, in its main loop than it asks for;
- spills registers, or has local memory beyond the bytes that KERNELS allows it;
- combines integers of a warp by shuffles although the GPU has an instruction for it;
- computes with doubles although its elements are not.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "main_kernels.cu")
ARCHITECTURES = (75, 80, 86, 89, 90, 100, 103, 120)

# What the machine code of a kernel must have:
#   loads   the global loads of its main loop, or of the longest straight code of a kernel without one
#   bytes   of each of them
#   redux   the reduction of a warp, if it is of integers or of numbers in the order of integers
#   fp64    True if it computes with doubles
#   frame   bytes of local memory, at most, and only outside the main loop
Kernel = collections.namedtuple("Kernel", "loads bytes redux fp64 frame", defaults=(8, 16, None, False, 0))
KERNELS = {
    "sum_float": Kernel(),
    "sum_double": Kernel(fp64=True),
    "sum_int": Kernel(redux="SUM"),
    "minimum_float": Kernel(redux="MIN"),
    "maximum_int": Kernel(redux="MAX"),
    "arg_float": Kernel(redux="MIN"),
    # The last block passes a state through local memory, once.
    "moments_float": Kernel(fp64=True, frame=32),
    "wide_sum_float": Kernel(),
    "copied_sum_float": Kernel(loads=4),
    "exact_sum_float": Kernel(loads=4),
    "exact_sum_double": Kernel(),
    "transform_float": Kernel(loads=4),
    "rows_float": Kernel(),
    "columns_float": Kernel(),
    # Each lane loads one element at a time: neighboring lanes have neighboring elements.
    "segments_float": Kernel(loads=16, bytes=4),
    # The table of ranges stays in the arguments: no copy of it in local memory.
    "ranges_float": Kernel(loads=4),
}


def expected(name, architecture, nvcc_version):
    """The entry of KERNELS for an architecture; None if the kernel never runs on it."""
    kernel = KERNELS[name]
    if architecture < 80:
        kernel = kernel._replace(redux=None)
    # Exact sums add integers, except on GPUs that add many doubles. From 10.0 on ptxas makes |x| of a double by an addition.
    adds_doubles = architecture in (80, 90, 100)
    if name.startswith("exact_sum"):
        kernel = kernel._replace(fp64=adds_doubles or (name == "exact_sum_double" and architecture > 100))
    if name == "copied_sum_float" and architecture < 90:
        return None
    if name == "wide_sum_float" and architecture >= 100 and nvcc_version >= 13:
        kernel = kernel._replace(loads=4, bytes=32)
    return kernel


def opcode_of(instruction):
    return re.sub(r"^@!?U?P\w+\s+", "", instruction).split()[0]


def bytes_of(opcode):
    for mark, width in (("256", 32), ("128", 16), ("64", 8), ("U16", 2), ("S16", 2), ("U8", 1), ("S8", 1)):
        if mark in opcode.split("."):
            return width
    return 4


class Code:
    """The instructions of one kernel, and the parts that have no loop inside: its innermost loops and straight pieces."""

    def __init__(self, lines):
        self.instructions = []
        labels = {}
        for line in lines:
            if label := re.match(r"(\.L_\w+):", line):
                labels[label.group(1)] = len(self.instructions)
            elif found := re.match(r"\s+/\*[0-9a-f]+\*/\s+(.*?)\s*;", line):
                self.instructions.append(found.group(1))
        self.opcodes = [opcode_of(i) for i in self.instructions]

        loops = []
        branches = []
        for i, (instruction, opcode) in enumerate(zip(self.instructions, self.opcodes)):
            target = re.search(r"`\((\.L_\w+)\)", instruction)
            if target is None or not opcode.startswith("BRA"):
                continue
            branches.append(i + 1)
            begin = labels[target.group(1)]
            if begin <= i:
                loops.append((begin, i + 1))
        self.loops = [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
        ends = sorted({0, len(self.opcodes), *labels.values(), *branches})
        self.pieces = list(zip(ends, ends[1:]))

    def part(self, bounds):
        return self.opcodes[bounds[0]:bounds[1]]

    def main_part(self, is_load):
        """The innermost loop with the most bytes in wide loads, or else such a straight piece.

        Of two pieces with as many bytes, the one with fewer narrow loads: a transformation has one piece for aligned arrays,
        and one that tests the alignment of each load.
        """
        def weight(bounds):
            widths = [bytes_of(o) for o in self.part(bounds) if is_load(o)]
            wide = sum(w for w in widths if w >= 16)
            return wide, -len(widths) if wide else len(widths)

        return self.part(max(self.loops if any(weight(b)[0] for b in self.loops) else self.pieces, key=weight))

    def count(self, pattern):
        return sum(re.match(pattern, o) is not None for o in self.opcodes)


def codes(listing):
    """The code of each kernel in what nvdisasm prints."""
    found = {}
    for name, body in re.findall(r"^\.text\._ZN8warpfold7runtime3runI\d+(\w+?)EEvT_:\n(.*?)(?=^\t\.section|\Z)", listing,
                                 re.MULTILINE | re.DOTALL):
        found[name] = Code(body.splitlines())
    return found


def resources(text):
    """Registers, bytes of local memory and bytes spilled of each kernel, as ptxas -v prints them."""
    found = {}
    for name, local, stores, loads, registers in re.findall(
            r"Compiling entry function '_ZN8warpfold7runtime3runI\d+(\w+?)EEvT_'.*?(\d+) bytes stack frame, "
            r"(\d+) bytes spill stores, (\d+) bytes spill loads.*?Used (\d+) registers", text, re.DOTALL):
        found[name] = (int(registers), int(local), int(stores) + int(loads))
    return found


def faults(name, kernel, code, local, spilled):
    """The widths of the main loop's loads, and what is wrong with the kernel."""
    copied = name == "copied_sum_float"
    memory = "LDS" if copied else "LDG"
    def is_load(opcode):
        return opcode.startswith(memory) and ".STRONG" not in opcode  # STRONG: the states of other blocks

    main = code.main_part(is_load)
    widths = [bytes_of(o) for o in main if is_load(o)]
    wrong = []
    if widths != [kernel.bytes] * kernel.loads:
        wrong.append(f"loads of {' '.join(map(str, widths))} bytes instead of {kernel.loads} x {kernel.bytes}")
    if copied and code.count(r"UBLKCP\b") == 0:
        wrong.append("no bulk copy")
    if copied and any(o.startswith("LDG") for o in main):
        wrong.append("global loads beside the copies")
    if spilled:
        wrong.append(f"{spilled} bytes spilled")
    if local > kernel.frame or any(o.startswith(("LDL", "STL")) for o in main):
        wrong.append(f"{local} bytes of local memory")
    if kernel.redux and code.count(rf"C?REDUX\.{kernel.redux}\b") == 0:
        wrong.append(f"no REDUX.{kernel.redux}")
    if not kernel.fp64 and (fp64 := code.count(r"D(ADD|MUL|FMA|SETP|MNMX)\b|F2F\.F64")):
        wrong.append(f"{fp64} instructions of doubles")
    return widths, wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("nvcc")
    arguments.add_argument("nvdisasm")
    arguments.add_argument("include")
    given = arguments.parse_args()

    def output(*command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    version = int(re.search(r"release (\d+)\.", output(given.nvcc, "--version")).group(1))
    known = output(given.nvcc, "--list-gpu-code").split()
    failed = tried = 0
    print(f"{'GPU':5} {'kernel':17} {'loads':>7} {'registers':>9} {'local':>6} {'spilled':>8} {'redux':>6}")
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "k.cubin")
        for architecture in ARCHITECTURES:
            gpu = f"{architecture // 10}.{architecture % 10}"
            if f"sm_{architecture}" not in known:
                print(f"{gpu:5} this nvcc has no such architecture")
                continue
            text = output(given.nvcc, "-std=c++20", f"-arch=sm_{architecture}", "-cubin", "-Xptxas", "-v", "-I", given.include,
                          "-o", cubin, SOURCE)
            found, used = codes(output(given.nvdisasm, "-c", cubin)), resources(text)
            for name in KERNELS:
                kernel = expected(name, architecture, version)
                if kernel is None:
                    continue
                tried += 1
                registers, local, spilled = used[name]
                widths, wrong = faults(name, kernel, found[name], local, spilled)
                failed += bool(wrong)
                loads = f"{len(widths)} x {min(widths, default=0)}"
                redux = found[name].count(r"C?REDUX\b")
                print(f"{gpu:5} {name:17} {loads:>7} {registers:9} {local:6} {spilled:8} {redux:6}"
                      f"{'  <-- ' + '; '.join(wrong) if wrong else ''}")
    print(f"{failed} of {tried} not as expected" if failed else f"all {tried} as expected")
    return 1 if failed or tried == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
