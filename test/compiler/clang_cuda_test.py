#!/usr/bin/env python3
"""Clang as the CUDA compiler: compiles clang_cuda.cu for the GPU and the host, links it and runs it.

usage: clang_cuda_test.py CLANG CUDA_ROOT INCLUDE
"""

import os
import subprocess
import sys
import tempfile

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clang_cuda.cu")


def main():
    clang, root, include = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        library = next(d for d in ("lib64", "lib") if os.path.exists(os.path.join(root, d, "libcudart.so")))
        library = os.path.join(root, library)
        command = [clang, "-x", "cuda", f"--cuda-path={root}", "--cuda-gpu-arch=sm_90", "-std=c++20", "-Wall", "-Wextra", "-Werror",
                   "-Wno-unknown-cuda-version", "-Wno-missing-braces", "-Wno-pass-failed", "-I", include, "-isystem",
                   os.path.join(root, "include", "cccl"), SOURCE]
        # Clang's new driver needs a package of its own.
        link = ["--no-offload-new-driver", "-O1", "-DONLY_RANGES", "-o", program, f"-L{library}", "-lcudart"]
        for what, flags in ("all calls", ["-fsyntax-only"]), ("a program", link):
            build = subprocess.run([*command, *flags], capture_output=True, text=True)
            if build.returncode != 0:
                sys.exit(f"{clang}: {what} of clang_cuda.cu: exit status {build.returncode}\n{build.stdout}{build.stderr}")
        run = subprocess.run([program], capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": library})
        print(run.stdout, end="")
        lines = run.stdout.splitlines()
        if run.returncode != 0 or run.stderr or len(lines) != 2 or not lines[0].startswith("seq 0x"):
            sys.exit(f"the program ends with {run.returncode}\n{run.stderr}")
        if not lines[1].startswith("device 0x") and "Looked for an NVIDIA GPU" not in lines[1]:
            sys.exit("neither a result of a GPU nor the message of a machine without one")


main()
