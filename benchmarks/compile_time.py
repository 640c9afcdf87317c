#!/usr/bin/env python3
"""How long nvcc takes to compile one reduction of floats, one architecture: ours, CUB's, Thrust's.

Prints a table and, with --json FILE, writes it. Times are processor seconds (user and system) of the
compiler and its children, so another program beside it does not count; the least of --repeat runs.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

SOURCES = {
    "empty kernel": """
        __global__ void nothing() {}
        void call() { nothing<<<1, 1>>>(); }
    """,
    "warpfold": """
        #include <warpfold/reduce.hpp>
        #include <span>
        namespace wf = warpfold;
        float call(std::span<const float> v) { return wf::reduce(wf::device, v, wf::plus{}); }
    """,
    "CUB": """
        #include <cub/device/device_reduce.cuh>
        cudaError_t call(void* scratch, size_t& bytes, const float* in, float* out, int n) {
          return cub::DeviceReduce::Sum(scratch, bytes, in, out, n);
        }
    """,
    "Thrust": """
        #include <thrust/device_vector.h>
        #include <thrust/reduce.h>
        float call(const thrust::device_vector<float>& v) { return thrust::reduce(v.begin(), v.end()); }
    """,
}


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if not os.access(options.nvcc, os.X_OK):
        sys.exit(f"compile_time: no nvcc at {options.nvcc}; pass --nvcc")

    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SOURCES.items():
            source = pathlib.Path(folder) / "call.cu"
            source.write_text(text)
            command = [options.nvcc, "-std=c++20", f"-arch={options.arch}", f"-I{ROOT}/include",
                       "-c", str(source), "-o", str(source.with_suffix(".o"))]
            for _ in range(options.repeat):
                before = processor_seconds()
                subprocess.run(command, check=True)
                took = processor_seconds() - before
                seconds[name] = min(took, seconds.get(name, took))

    thrust = seconds["Thrust"]
    print(f"{'one call, ' + options.arch:<16}{'seconds':>9}{'of Thrust':>11}")
    for name, s in seconds.items():
        print(f"{name:<16}{s:>9.2f}{s / thrust:>10.0%}")
    if options.json:
        nvcc = subprocess.run([options.nvcc, "--version"], check=True, capture_output=True, text=True)
        path = pathlib.Path(options.json)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"nvcc": nvcc.stdout.splitlines()[-1], "arch": options.arch,
                                    "processor_seconds": {k: round(v, 2) for k, v in seconds.items()}},
                                   indent=2) + "\n")


if __name__ == "__main__":
    main()
