#!/usr/bin/env python3
"""Counts the files and functions that a call on `wf::device` passes before its kernel starts. Needs no GPU.

usage: call_path_test.py [--print] NVCC CXX_COMPILER INCLUDE

Compiles call_path.cu without optimization, with a record of each function that is entered, and links it with
call_path_runtime.cpp in place of the CUDA runtime. A function is one place in the headers: its instances count once.
Fails if a call passes more than BOUNDS says. `--print` lists the functions in the order in which they are entered.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Files and functions. Lower a bound when a path gets shorter.
BOUNDS = {"reduce": (26, 67), "transform_axis": (33, 129)}


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{result.stderr}")
    return result.stdout


def build(nvcc, compiler, include, folder):
    """Compiles the program; functions of the CUDA runtime that it only has to call return 0."""
    program, runtime, rest = (os.path.join(folder, name) for name in ("call_path.o", "runtime.o", "rest.cpp"))
    run(nvcc, "-ccbin", compiler, "-std=c++20", "-arch=sm_90", "-I", include, "-O0", "-g", "-Xcompiler",
        "-finstrument-functions", "-c", os.path.join(HERE, "call_path.cu"), "-o", program)
    run(nvcc, "-ccbin", compiler, "-std=c++20", "-c", os.path.join(HERE, "call_path_runtime.cpp"), "-o", runtime)
    needed = set(re.findall(r"\bU (_*cuda\w+)$", run("nm", program), re.M))
    written = set(re.findall(r"\bT (_*cuda\w+)$", run("nm", runtime), re.M))
    with open(rest, "w", encoding="utf-8") as file:
        file.writelines(f'extern "C" int {name}() {{ return 0; }}\n' for name in sorted(needed - written))
    path = os.path.join(folder, "call_path")
    run(compiler, "-no-pie", program, runtime, rest, "-o", path)
    return path


def passed(program, call, include):
    """The functions of the headers that a call enters: (depth, name, file, line), each once."""
    record = [line.split() for line in run(program, call).splitlines()]
    named = run("addr2line", "-fC", "-e", program, *(address for _, address in record)).splitlines()
    found = {}
    for (depth, _), name, place in zip(record, named[::2], named[1::2]):
        path, line = place.split(" ")[0].rsplit(":", 1)
        path = os.path.realpath(path)
        if path.startswith(include + os.sep):
            found.setdefault((path, line), (int(depth), name, os.path.relpath(path, include), line))
    return list(found.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--print", action="store_true")
    parser.add_argument("nvcc")
    parser.add_argument("compiler")
    parser.add_argument("include")
    options = parser.parse_args()
    include = os.path.realpath(options.include)
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        program = build(options.nvcc, options.compiler, include, folder)
        for call, (most_files, most_functions) in BOUNDS.items():
            functions = passed(program, call, include)
            files = {file for _, _, file, _ in functions}
            print(f"{call}: {len(files)} files (at most {most_files}), {len(functions)} functions (at most {most_functions})")
            if options.print:
                for depth, name, file, line in functions:
                    print(f"  {'  ' * depth}{name}  {file}:{line}")
            failed |= not functions or len(files) > most_files or len(functions) > most_functions
    if failed:
        sys.exit("A call passes more files or functions than the bound in call_path_test.py.")


if __name__ == "__main__":
    main()
