#!/usr/bin/env python3
"""Compiles the headers for device code with NVRTC. Needs no GPU.

usage: nvrtc_test.py NVCC NVDISASM INCLUDE

- All headers of the folders op/, view/, collective/, kernel/ and work/ compile in one file, without warnings, except those of
  HOST_ONLY.
- The kernels of nvrtc_kernels.cu have as many instructions of each kind for floating-point numbers, shuffles, barriers and
  memory as when nvcc compiles them.
- A faulty op gets the library's message.
"""

import collections
import ctypes
import glob
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nvrtc_kernels.cu")
FOLDERS = ("op", "view", "collective", "kernel", "work")
# Headers that device code does not need.
HOST_ONLY = {
    "view/fields.hpp": "Boost.Hana",
    "view/shards.hpp": "several GPUs, std::vector",
    "work/class_reduction.hpp": "std::vector",
    "work/sharded_reduction.hpp": "several GPUs, std::vector",
    "kernel/classes/automatic.hpp": "work/class_reduction.hpp",
    "kernel/classes/buckets.hpp": "work/class_reduction.hpp",
    "kernel/classes/counts.hpp": "work/class_reduction.hpp",
    "kernel/classes/partition.hpp": "work/class_reduction.hpp",
    "kernel/classes/tables.hpp": "work/class_reduction.hpp",
}
ARCHITECTURES = ("80", "90", "100")
KERNELS = ("norms", "least", "sum_float", "sum_double", "sum_int", "maximum_float")
# Arithmetic of floating-point numbers, shuffles, barriers and memory.
COMPARED = re.compile(r"^(D|F)(ADD|MUL|FMA|MNMX|SETP)|^F?MNMX|^(SHFL|BAR|LD|ST|RED|ATOM|MUFU)")


class Nvrtc:
    def __init__(self, nvcc, include):
        toolkit = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
        found = sorted(path for folder in ("lib64", "lib", "targets/*/lib")
                       for path in glob.glob(os.path.join(toolkit, folder, "libnvrtc.so*")))
        if not found:
            sys.exit(f"no libnvrtc.so in {toolkit}; install NVRTC of the CUDA Toolkit (Debian: cuda-nvrtc-dev)")
        self.library = ctypes.CDLL(found[0])
        # As docs/install.md says.
        folders = (f"{include}/warpfold/nvrtc", include, f"{toolkit}/include", f"{toolkit}/include/cccl")
        self.options = ["-std=c++20", "-default-device", *(f"-I{folder}" for folder in folders)]

    def compile(self, source, architecture="90"):
        """The machine code, or nothing, and what the compiler printed."""
        options = [option.encode() for option in (*self.options, f"-arch=sm_{architecture}")]
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"source.cu", 0, None, None)
        failed = self.library.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        printed = self.text(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog").decode().rstrip("\0\n")
        code = b"" if failed else self.text(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN")
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return code, printed

    def text(self, program, size, get):
        length = ctypes.c_size_t()
        getattr(self.library, size)(program, ctypes.byref(length))
        buffer = ctypes.create_string_buffer(length.value)
        getattr(self.library, get)(program, buffer)
        return buffer.raw


def opcodes(nvdisasm, path):
    """How many instructions of each kind the kernels have, by kernel."""
    listing = subprocess.run([nvdisasm, "-c", path], capture_output=True, text=True, check=True).stdout
    found, kernel = {}, None
    for line in listing.splitlines():
        if line.startswith(".text."):
            kernel = next((name for name in KERNELS if re.search(rf"(\d|\.){name}\b|\d{name}E", line)), None)
            found[kernel] = collections.Counter()
        instruction = re.match(r"\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?(\S+)", line)
        if kernel and instruction and COMPARED.match(instruction.group(1)):
            found[kernel][instruction.group(1)] += 1
    return found


def check_headers(nvrtc, include):
    headers = [os.path.relpath(path, f"{include}/warpfold") for folder in FOLDERS
               for path in sorted(glob.glob(f"{include}/warpfold/{folder}/**/*.hpp", recursive=True))]
    missing = HOST_ONLY.keys() - set(headers)
    taken = [header for header in headers if header not in HOST_ONLY]
    code, printed = nvrtc.compile("".join(f"#include <warpfold/{header}>\n" for header in taken))
    print(f"{len(taken)} headers: {'compiled' if code else 'not compiled'}{': ' + printed if printed else ''}")
    if missing:
        print(f"HOST_ONLY names headers that do not exist: {', '.join(sorted(missing))}")
    return bool(code) and not printed and not missing


def check_kernels(nvrtc, nvcc, nvdisasm, include, architecture, folder):
    with open(SOURCE, encoding="utf-8") as file:
        code, printed = nvrtc.compile(file.read(), architecture)
    if not code or printed:
        print(f"sm_{architecture}: {printed}")
        return False
    paths = [os.path.join(folder, f"{compiler}_{architecture}.cubin") for compiler in ("nvrtc", "nvcc")]
    with open(paths[0], "wb") as file:
        file.write(code)
    subprocess.run([nvcc, "-std=c++20", f"-arch=sm_{architecture}", "-cubin", "-I", include, "-o", paths[1], SOURCE],
                   check=True)
    jit, compiled = (opcodes(nvdisasm, path) for path in paths)
    passed = True
    for kernel in KERNELS:
        if not jit.get(kernel) or not compiled.get(kernel):
            print(f"sm_{architecture}: no kernel {kernel}")
            passed = False
        elif jit[kernel] != compiled[kernel]:
            print(f"sm_{architecture}, {kernel}: NVRTC has more of {dict(jit[kernel] - compiled[kernel])}, "
                  f"nvcc of {dict(compiled[kernel] - jit[kernel])}")
            passed = False
    print(f"sm_{architecture}: {sum(sum(c.values()) for c in jit.values())} instructions compared")
    return passed


def check_message(nvrtc):
    code, printed = nvrtc.compile(
        "#include <warpfold/collectives.hpp>\n#include <warpfold/op/arg.hpp>\n"
        "__global__ void k(float* x) { *x = warpfold::warp_reduce(*x, warpfold::arg(warpfold::minimum{})).value; }\n")
    expected = "warpfold: this op needs the index of each value"
    print(f"faulty op: {'refused' if expected in printed else printed or 'compiled'}")
    return not code and expected in printed


def main():
    nvcc, nvdisasm, include = sys.argv[1:]
    nvrtc = Nvrtc(nvcc, include)
    passed = check_headers(nvrtc, include)
    with tempfile.TemporaryDirectory() as folder:
        for architecture in ARCHITECTURES:
            passed &= check_kernels(nvrtc, nvcc, nvdisasm, include, architecture, folder)
    passed &= check_message(nvrtc)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
