#!/usr/bin/env python3
"""Measures the compile time and the code size of one reduction of floats, with warpfold, CUB and Thrust.

Compiles one call with nvcc for one architecture, and every public header alone, and prints
  - the processor seconds of each call (user and system time of the compiler and its children, the least of
    --repeat runs; waiting for other programs does not count),
  - the bytes of machine code and the number of kernels in its cubin,
  - the seconds of each header beyond an empty file, and whether it includes CCCL, Hana or oneTBB.
Lists the values above a limit. Exits with 1 only if something does not compile. --json FILE writes a record.
"""

import argparse
import json
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"

CALLS = {
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

# Limits for one call of warpfold.
LIMIT_OF_THRUST_SECONDS = 0.25
LIMIT_OF_CUB_BYTES = 0.5
# The limit for a header, beyond an empty file, if it includes no large library. (Every header of oneTBB takes
# longer.)
LIMIT_HEADER_SECONDS = 1.5
# This header includes every header of warpfold that needs no other library.
EVERYTHING = "warpfold/warpfold.hpp"
LIMIT_EVERYTHING_SECONDS = 3.0
# The limit for a header that adopts a library, beyond the headers of that library that its users include.
LIMIT_ADOPTING_SECONDS = 0.5
ADOPTS = {
    "warpfold/drop_in/cub.hpp": ["cub/device/device_reduce.cuh", "cub/device/device_run_length_encode.cuh",
                                 "cub/device/device_segmented_reduce.cuh",
                                 "cub/device/device_transform.cuh"],
    "warpfold/drop_in/std_policies.hpp": ["execution", "functional"],
    "warpfold/drop_in/thrust_policies.hpp": ["thrust/execution_policy.h", "thrust/functional.h",
                                             "thrust/iterator/counting_iterator.h",
                                             "thrust/iterator/transform_iterator.h",
                                             "thrust/iterator/zip_iterator.h"],
}

EMPTY = "an empty file"

# The large libraries, by the paths of their files. A header that includes one names it in the comment at its top
# (cmake/header_includes_test.cmake).
LARGE = {
    "CCCL": re.compile(r"/(cccl|cub|thrust|libcudacxx)/"),
    "Hana": re.compile(r"/boost/hana[/.]"),
    "oneTBB": re.compile(r"/oneapi/tbb/"),
}

# For each optional need (cmake/warpfold_needs.cmake), a header that proves it is installed.
SHOWN_BY = {"tbb": "oneapi/tbb.h", "openmp": "omp.h", "boost": "boost/hana.hpp",
            "boost_context": "boost/context/fiber.hpp", "mpi": "mpi.h"}


class Nvcc:
    """nvcc for one architecture, with a folder for its files."""

    def __init__(self, path, arch, folder):
        self.path, self.arch, self.folder = path, arch, pathlib.Path(folder)

    def run(self, text, output, *options):
        """Compiles `text` and returns the processor seconds. Raises CompileError with the output."""
        source = self.folder / "source.cu"
        source.write_text(text)
        before = processor_seconds()
        done = subprocess.run([self.path, "-std=c++20", f"-arch={self.arch}", f"-I{INCLUDE}", *options,
                               str(source), "-o", str(self.folder / output)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        took = processor_seconds() - before
        if done.returncode != 0:
            raise CompileError(done.stdout)
        return took

    def seconds(self, texts, repeat, terminal):
        """The least time of `repeat` runs of each text, and the errors of texts that do not compile. Runs in rounds, so
        that a busy moment affects one run of many texts instead of all runs of one."""
        least, failed = {}, {}
        for turn in range(repeat):
            for i, (name, text) in enumerate(texts.items()):
                if name in failed:
                    continue
                terminal.progress(f"round {turn + 1} of {repeat}, {i + 1} of {len(texts)}: {name}")
                try:
                    took = self.run(text, "source.o", "-c")
                except CompileError as error:
                    failed[name] = str(error)
                    continue
                least[name] = min(took, least.get(name, took))
        terminal.progress()
        return least, failed

    def kernels(self, text):
        """The bytes of machine code of each kernel."""
        self.run(text, "source.cubin", "-cubin")
        return code_sections((self.folder / "source.cubin").read_bytes())

    def files(self, text):
        """The files that nvcc reads."""
        self.run(text, "source.d", "-M")
        rule = (self.folder / "source.d").read_text().split(":", 1)[1]
        return rule.replace("\\\n", " ").split()

    def version(self):
        done = subprocess.run([self.path, "--version"], check=True, capture_output=True, text=True)
        return done.stdout.splitlines()[-1]


class CompileError(Exception):
    pass


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def code_sections(elf):
    """The sizes of the sections .text.<kernel> of a cubin, an ELF file (64 bits, little-endian)."""
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    (table,) = struct.unpack_from("<Q", elf, 0x28)  # e_shoff
    entry, count, names_at = struct.unpack_from("<HHH", elf, 0x3A)  # e_shentsize, e_shnum, e_shstrndx

    def section(i):
        # sh_name, sh_type, sh_flags, sh_addr, sh_offset, sh_size
        name, _, _, _, offset, size = struct.unpack_from("<IIQQQQ", elf, table + i * entry)
        return name, offset, size

    _, names, _ = section(names_at)
    sizes = {}
    for i in range(count):
        name, _, size = section(i)
        text = elf[names + name:elf.index(b"\0", names + name)].decode()
        if text.startswith(".text."):
            sizes[text.removeprefix(".text.")] = size
    return sizes


def nvcc_here():
    """Finds nvcc as ./dev does."""
    for candidate in (os.environ.get("CUDACXX"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc",
                      str(ROOT / "build/toolchain/cuda/bin/nvcc")):
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    return None


class Terminal:
    """Prints colors if stdout is a terminal, and a line of progress if stderr is one."""

    def __init__(self):
        colors = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        self.bold, self.red, self.plain = ("\x1b[1m", "\x1b[31m", "\x1b[0m") if colors else ("", "", "")
        self.shows_progress = sys.stderr.isatty()

    def progress(self, text=""):
        if self.shows_progress:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)

    def table(self, head, rows, missed=()):
        """Prints a table: words in the first column, figures in the others. Rows above a limit are red."""
        widths = [max(len(row[c]) for row in [head, *rows]) for c in range(len(head))]

        def line(row):
            cells = [row[0].ljust(widths[0])] + [t.rjust(w) for t, w in zip(row[1:], widths[1:])]
            return "  ".join(cells).rstrip()

        print(self.bold + line(head) + self.plain)
        for row in rows:
            print(self.red + line(row) + self.plain if row[0] in missed else line(row))
        print()


def measure_calls(nvcc, repeat, terminal):
    kernels = {name: nvcc.kernels(text) for name, text in CALLS.items()}
    seconds, failed = nvcc.seconds(CALLS, repeat, terminal)
    if failed:
        raise CompileError("".join(failed.values()))
    return {name: {"seconds": seconds[name], "bytes": sum(kernels[name].values()), "kernels": len(kernels[name])}
            for name in CALLS}


def head_of(header):
    """The lines of the comment at the top of a header."""
    lines = []
    for line in (INCLUDE / header).read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line.lstrip("/ "))
    return lines


def is_here(nvcc, need, known={}):
    if need not in SHOWN_BY:  # nvcc and its libraries
        return True
    if need not in known:
        try:
            nvcc.files(f"#include <{SHOWN_BY[need]}>\n")
            known[need] = True
        except CompileError:
            known[need] = False
    return known[need]


def measure_headers(nvcc, repeat, only, terminal):
    """For each header that matches, the seconds beyond an empty file, and the large libraries it includes."""
    names = sorted(str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.hpp"))
    always = set(nvcc.files("\n"))
    texts, includes, left_out, failed = {EMPTY: "\n"}, {}, {}, {}
    for name in [name for name in names if re.search(only, name)]:
        terminal.progress(f"finding includes: {name}")
        needs = next((line.split()[1:] for line in head_of(name) if line.startswith("needs: ")), [])
        missing = [need for need in needs if not is_here(nvcc, need)]
        if missing:
            left_out[name] = " ".join(missing)
            continue
        text = f"#include <{name}>\n"
        try:
            files = set(nvcc.files(text)) - always
        except CompileError as error:
            failed[name] = str(error)
            continue
        texts[name] = text
        if name in ADOPTS:
            texts[adopted_by(name)] = "".join(f"#include <{header}>\n" for header in ADOPTS[name])
        includes[name] = [library for library, of in LARGE.items() if any(of.search(file) for file in files)]
    seconds, refused = nvcc.seconds(texts, repeat, terminal)
    failed.update(refused)
    adopted = {name: seconds.pop(adopted_by(name)) for name in ADOPTS if adopted_by(name) in seconds}
    # The reference of all other times.
    empty = min(seconds.pop(EMPTY), nvcc.seconds({EMPTY: "\n"}, 5, terminal)[0][EMPTY])
    slowest_first = sorted(seconds, key=lambda name: -seconds[name])
    headers = {name: {"seconds": max(0.0, seconds[name] - empty), "includes": includes[name]} for name in slowest_first}
    for name in adopted.keys() & headers.keys():
        headers[name]["beyond_adopted"] = max(0.0, seconds[name] - adopted[name])
    return headers, empty, left_out, failed


def adopted_by(name):
    return f"headers adopted by {name}"


def limits_missed(calls, headers):
    """A line for each exceeded limit, by the name of the row."""
    missed = {}
    if calls:
        of_thrust = calls["warpfold"]["seconds"] / calls["Thrust"]["seconds"]
        of_cub = calls["warpfold"]["bytes"] / calls["CUB"]["bytes"]
        if of_thrust > LIMIT_OF_THRUST_SECONDS:
            missed["warpfold"] = (f"one call takes {of_thrust:.0%} of Thrust's time to compile; "
                                  f"the limit is {LIMIT_OF_THRUST_SECONDS:.0%}")
        if of_cub > LIMIT_OF_CUB_BYTES:
            missed["warpfold, bytes"] = (f"one call has {of_cub:.0%} of the bytes of CUB's kernels; "
                                         f"the limit is {LIMIT_OF_CUB_BYTES:.0%}")
    for name, header in headers.items():
        limit = LIMIT_EVERYTHING_SECONDS if name == EVERYTHING else LIMIT_HEADER_SECONDS
        if not header["includes"] and header["seconds"] > limit:
            missed[name] = f"{name} takes {header['seconds']:.2f} s beyond an empty file; the limit is {limit} s"
        if header.get("beyond_adopted", 0) > LIMIT_ADOPTING_SECONDS:
            missed[name] = (f"{name} takes {header['beyond_adopted']:.2f} s beyond the headers that it adopts; "
                            f"the limit is {LIMIT_ADOPTING_SECONDS} s")
    return missed


def print_calls(calls, arch, missed, terminal):
    thrust, cub = calls["Thrust"]["seconds"], calls["CUB"]["bytes"]
    rows = [[name, f"{c['seconds']:.2f}", f"{c['seconds'] / thrust:.0%}", f"{c['bytes']:,}", f"{c['bytes'] / cub:.0%}",
             str(c["kernels"])] for name, c in calls.items()]
    terminal.table([f"one call, {arch}", "seconds", "of Thrust's", "bytes of kernels", "of CUB's", "kernels"], rows,
                   ["warpfold"] if {"warpfold", "warpfold, bytes"} & missed.keys() else [])


def print_headers(headers, empty, missed, terminal):
    rows = [[name, f"{h['seconds']:.2f}", " and ".join(h["includes"]) +
             (f" ({h['beyond_adopted']:.2f} s beyond it)" if "beyond_adopted" in h else "")]
            for name, h in headers.items()]
    terminal.table([f"one header, beyond an empty file's {empty:.2f} s", "seconds", "includes"], rows, missed)


def as_json(nvcc, calls, headers, empty):
    def rounded(value):
        return round(value, 2) if isinstance(value, float) else value

    def lines(entries):
        body = ",\n".join(f"    {json.dumps(k)}: {json.dumps({n: rounded(v) for n, v in e.items()})}"
                          for k, e in entries.items())
        return "{\n" + body + "\n  }"

    head = {"nvcc": nvcc.version(), "arch": nvcc.arch, "commit": os.environ.get("WARPFOLD_COMMIT", "unknown"),
            "unit": "processor seconds, and bytes of machine code",
            "limits": {"of_thrust_seconds": LIMIT_OF_THRUST_SECONDS, "of_cub_bytes": LIMIT_OF_CUB_BYTES,
                       "header_seconds": LIMIT_HEADER_SECONDS, "everything_seconds": LIMIT_EVERYTHING_SECONDS,
                       "beyond_adopted_seconds": LIMIT_ADOPTING_SECONDS},
            "empty_file_seconds": rounded(empty)}
    parts = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in head.items()]
    parts.append(f'  "calls": {lines(calls)}')
    parts.append(f'  "headers_beyond_empty_file": {lines(headers)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default=nvcc_here())
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--repeat", type=int, default=3, metavar="N")
    parser.add_argument("--only", metavar="REGEX", help="measure only matching headers and no call; write nothing")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if not options.nvcc or not os.access(options.nvcc, os.X_OK):
        sys.exit(f"compile.py: nvcc not found{' at ' + options.nvcc if options.nvcc else ''}; pass --nvcc")

    terminal = Terminal()
    with tempfile.TemporaryDirectory() as folder:
        nvcc = Nvcc(options.nvcc, options.arch, folder)
        try:
            calls = {} if options.only else measure_calls(nvcc, options.repeat, terminal)
        except CompileError as error:
            terminal.progress()
            sys.exit(f"{error}compile.py: a call does not compile")
        headers, empty, left_out, failed = measure_headers(nvcc, options.repeat, options.only or "", terminal)

        missed = limits_missed(calls, headers)
        if calls:
            print_calls(calls, options.arch, missed, terminal)
        print_headers(headers, empty, missed, terminal)
        for name, needs in left_out.items():
            print(f"not measured: {name}; {needs} not found")
        for what in missed.values():
            print(f"{terminal.red}above the limit: {what}{terminal.plain}")
        if not missed and not failed:
            print(f"all values are below the limits: {LIMIT_OF_THRUST_SECONDS:.0%} of Thrust's seconds, {LIMIT_OF_CUB_BYTES:.0%} of "
                  f"CUB's bytes,\n{LIMIT_HEADER_SECONDS} s for a header without {', '.join(LARGE)}")
        for name, error in failed.items():
            print(f"{error}{terminal.red}{name} does not compile{terminal.plain}")
        if options.json and not options.only and not failed:
            path = pathlib.Path(options.json)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(as_json(nvcc, calls, headers, empty))
            print(f"wrote {path}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
