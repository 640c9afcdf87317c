#!/usr/bin/env python3
"""Evaluates the machine code of negated_extrema.cu to find wrong results of the compiler. Needs no GPU.

usage: machine_code_test.py NVCC NVDISASM INCLUDE [--ptxas PTXAS]...

The kernels run in one thread and have no branches, so their machine code can be evaluated instruction by instruction.
The test passes if every guarded kernel gives the right result with every ptxas, and if the bare kernel gives a wrong one with
every ptxas that has the bug. The second condition shows that the test would notice a missing guard.
"""

import argparse
import itertools
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "negated_extrema.cu")
MASK = 0xFFFFFFFF

# The bits of the elements of each kernel, and the extremum of -x[0..3] that it computes.
KERNELS = {
    "bare_maximum_int": (32, max),
    "guarded_maximum_int": (32, max),
    "guarded_minimum_int": (32, min),
    "guarded_maximum_short": (16, max),
    "guarded_minimum_short": (16, min),
}
# Architectures that have the instruction VIMNMX3.
ARCHITECTURES = ("90", "100")


def signed(x, bits=32):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def halves(x):
    return x & 0xFFFF, x >> 16 & 0xFFFF


class Thread:
    """One thread of a kernel. Parameters and addresses are 0 except for offsets, so `memory` starts at address 0."""

    def __init__(self, memory, element_bytes):
        self.memory = memory
        self.element_bytes = element_bytes
        self.registers = {}
        self.stored = None

    def value(self, operand):
        operand = operand.strip()
        negative = operand.startswith("-") and not re.match(r"-(0x)?[0-9]", operand)
        name = operand[1:] if negative else operand
        name = name.removesuffix(".reuse")
        if name in ("RZ", "URZ"):
            x = 0
        elif re.fullmatch(r"U?R[0-9]+", name):
            x = self.registers[name]
        elif name.startswith("c["):
            x = 0  # a pointer or the guard's zero
        else:
            x = int(name, 0)
        return -x & MASK if negative else x & MASK

    def load(self, operand):
        offset = int(re.search(r"\+(0x[0-9a-f]+)\]", operand).group(1), 16) if "+" in operand else 0
        return self.memory[offset // self.element_bytes]

    def extremum(self, opcode, operands):
        *values, greatest = operands
        assert greatest in ("PT", "!PT"), greatest
        choose = max if greatest == "!PT" else min
        values = [self.value(v) for v in values]
        if ".S16x2" in opcode:
            low, high = (choose((signed(x, 16) for x in lane)) for lane in zip(*map(halves, values)))
            return (low & 0xFFFF) | (high & 0xFFFF) << 16
        assert ".U" not in opcode, opcode
        return choose(signed(x) for x in values) & MASK

    def permuted(self, a, selector, b):
        data = self.value(a) | self.value(b) << 32
        result = 0
        for i in range(4):
            pick = self.value(selector) >> 4 * i & 15
            byte = data >> 8 * (pick & 7) & 0xFF
            if pick & 8:
                byte = 0xFF if byte & 0x80 else 0
            result |= byte << 8 * i
        return result

    def run(self, opcode, operands):
        base = opcode.split(".")[0]
        # Carries and predicates that these kernels do not use.
        values = [o for o in operands if o != "PT"] if base in ("IADD3", "IADD") else operands
        if base in ("NOP", "S2R"):
            return
        if base == "STG":
            self.stored = self.value(operands[1])
            return
        target = operands[0]
        if base in ("LDC", "ULDC", "LDCU"):
            result = 0
            if ".64" in opcode:
                bank, number = re.fullmatch(r"(U?R)([0-9]+)", target).groups()
                self.registers[f"{bank}{int(number) + 1}"] = 0
        elif base == "LDG":
            result = self.load(operands[1]) & (0xFFFF if ".U16" in opcode else MASK)
        elif base in ("IADD3", "IADD", "VIADD"):
            result = sum(self.value(v) for v in values[1:])
        elif base == "IMAD":  # IMAD.MOV and IMAD.IADD are names for multiplications by 0 and 1
            result = self.value(operands[1]) * self.value(operands[2]) + self.value(operands[3])
        elif base in ("MOV", "UMOV"):
            result = self.value(operands[1])
        elif base == "PRMT":
            result = self.permuted(*operands[1:])
        elif base == "VIADDMNMX" and "." not in opcode:
            choose = max if operands[-1] == "!PT" else min
            total = self.value(operands[1]) + self.value(operands[2])
            result = choose(signed(total), signed(self.value(operands[3])))
        elif base in ("VIMNMX", "VIMNMX3"):
            inputs = operands[1:]
            if base == "VIMNMX":  # two predicates precede the inputs in code for compute capability 10.0
                inputs = [o for o in inputs[:-1] if o != "PT"] + inputs[-1:]
            result = self.extremum(opcode, inputs)
        else:
            raise NotImplementedError(f"{opcode} {', '.join(operands)}")
        self.registers[target] = result & MASK


def instructions(listing, kernel):
    """The kernel's instructions as (opcode, operands), up to EXIT."""
    body = listing.split(f".text.{kernel}:", 1)[1]
    for line in body.splitlines():
        found = re.match(r"\s+/\*[0-9a-f]+\*/\s+([A-Z][\w.]*)\s*(.*?)\s*;", line)
        if found is None:
            continue
        opcode, operands = found.groups()
        if opcode == "EXIT":
            return
        yield opcode, [o.strip() for o in operands.split(",")] if operands else []


def wrong_results(listing, kernel):
    """The number of inputs with wrong results of the kernel's machine code, and the number of inputs."""
    bits, choose = KERNELS[kernel]
    code = list(instructions(listing, kernel))
    wrong = tried = 0
    for x in itertools.product((-7, -1, 0, 3, 900, -900), repeat=4):
        thread = Thread([v & (1 << bits) - 1 for v in x], bits // 8)
        for opcode, operands in code:
            thread.run(opcode, operands)
        tried += 1
        wrong += signed(thread.stored, bits) != choose(-v for v in x)
    return wrong, tried


def version_of(ptxas):
    text = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.search(r"V(\d+)\.(\d+)", text).groups()))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("nvcc")
    arguments.add_argument("nvdisasm")
    arguments.add_argument("include")
    arguments.add_argument("--ptxas", action="append", default=[], help="also test code from this ptxas")
    given = arguments.parse_args()
    beside_nvcc = os.path.join(os.path.dirname(os.path.realpath(given.nvcc)), "ptxas")
    failed = 0
    print(f"{'ptxas':8} {'architecture':14} {'kernel':24} wrong")
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
        for architecture in ARCHITECTURES:
            subprocess.run([given.nvcc, "-std=c++20", f"-arch=compute_{architecture}", "-ptx", "-I",
                            given.include, "-o", ptx, SOURCE], check=True)
            for ptxas in [beside_nvcc, *given.ptxas]:
                version = version_of(ptxas)
                subprocess.run([ptxas, "-O3", f"-arch=sm_{architecture}", "-o", cubin, ptx], check=True)
                listing = subprocess.run([given.nvdisasm, "-c", cubin], capture_output=True, text=True,
                                         check=True).stdout
                for kernel in KERNELS:
                    wrong, tried = wrong_results(listing, kernel)
                    must_be_wrong = kernel.startswith("bare") and architecture == "90" and version < (13, 4)
                    bad = wrong == 0 if must_be_wrong else wrong != 0 and kernel.startswith("guarded")
                    failed += bad
                    print(f"{version[0]}.{version[1]:<5} sm_{architecture:11} {kernel:24} {wrong} of {tried}"
                          f"{'  <-- not as expected' if bad else ''}")
    print(f"{failed} not as expected" if failed else "all as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
