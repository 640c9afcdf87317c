#!/usr/bin/env python3
"""Checks in the machine code of posts.cu that posts are read whole. Needs no GPU.

usage: posts_test.py NVCC NVDISASM INCLUDE

A post is 16 bytes of state and mark that must be read at once. ptxas may split a load of 16 bytes if not all of its words
are used (docs/compiler_bugs.md), and the mark could then be newer than the state. The test passes if all loads of posts have
16 bytes. Totals of tiles (collective/tile_totals.hpp) are words of 8 bytes: `WORDS` has the loads of them in a kernel.
"""

import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "posts.cu")
ARCHITECTURES = ("80", "90", "100")
WORDS = {"key_runs4body": 2}


def loads(nvcc, nvdisasm, include, architecture, folder):
    """The loads that other blocks write, as lists of opcodes by kernel."""
    cubin = os.path.join(folder, f"{architecture}.cubin")
    subprocess.run([nvcc, "-std=c++20", f"-arch=sm_{architecture}", "-cubin", "-I", include, "-o", cubin, SOURCE], check=True)
    listing = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout
    found, kernel = {}, None
    for line in listing.splitlines():
        if line.startswith(".text."):
            kernel = line[6:].rstrip(":")
            found[kernel] = []
        opcode = re.search(r"\b(LDG?\.[A-Z0-9.]*STRONG\.GPU\S*)", line)
        if opcode:
            found[kernel].append(opcode.group(1))
    return found


def main():
    nvcc, nvdisasm, include = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for architecture in ARCHITECTURES:
            of_kernels = loads(nvcc, nvdisasm, include, architecture, folder)
            posts = narrow = words = expected = 0
            for kernel, opcodes in of_kernels.items():
                short = [opcode for opcode in opcodes if ".128" not in opcode]
                of_words = sum(count for name, count in WORDS.items() if name in kernel)
                posts += len(opcodes) - len(short)
                words += min(len(short), of_words)
                narrow += max(len(short) - of_words, 0)
                expected += of_words
            print(f"sm_{architecture}: {len(of_kernels)} kernels, {posts + narrow} loads of posts, {narrow} of them narrow; "
                  f"{words} loads of totals")
            failed = failed or not posts or narrow != 0 or words != expected
    if failed:
        print("a load of a post or total is missing, or a post's has fewer than 16 bytes: see load_post in collective/memory_order.hpp")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
