#!/usr/bin/env python3
"""Measures the reductions of PyTorch and CuPy, if installed, on the grid's elements, ops and sizes.

usage: python_contenders.py FILE [--seconds S] [--most BYTES]

FILE is python.json beside the grid's grid.json, with the same kind of rows, so that report.py can compare the times. Run it
right after the grid on the same machine, as ./dev bench grid does. It uses two of the grid's ways to call:

- cold:   one call with a cold L2 cache, timed by events
- value:  one call that returns a value to the host, timed by the host's clock

Values are as random as the grid's. The script compares results with NumPy's before it times anything; a wrong result is
reported and has no time. Sums and products of halves are computed in float32, as warpfold does. The libraries share S
seconds; the script lists the cells for which the time was too short.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import time

from pictures import size_text

MB, GB = 1 << 20, 1 << 30
BLOCK_BYTES = 4 * MB  # the memory has repetitions of a block of this size
FLUSH_BYTES = 256 * MB
# element, NumPy's type, the library's type, bytes. NumPy does not have bfloat16. Wide elements come first, because CuPy
# compiles a kernel for each op of narrow ones (24 s for the first, H100), and the last elements may not fit into the time.
ELEMENTS = [
    ("f32", "float32", "float32", 4),
    ("f64", "float64", "float64", 8),
    ("i32", "int32", "int32", 4),
    ("i64", "int64", "int64", 8),
    ("f16", "float16", "float16", 2),
    ("bf16", "float32", "bfloat16", 2),
    ("c32", "complex64", "complex64", 8),
    ("i16", "int16", "int16", 2),
    ("i8", "int8", "int8", 1),
    ("u8", "uint8", "uint8", 1),
]
HALVES = ("float16", "bfloat16")


def ops_of(element):
    return ("sum", "product") if element == "c32" else ("sum", "min", "max", "product")


class Contender:
    """Times the calls of a library."""

    def us_between(self, call):
        start, stop = self.events
        start.record()
        call()
        stop.record()
        stop.synchronize()
        return self.elapsed_ms(start, stop) * 1e3


class PyTorch(Contender):
    name = "PyTorch"

    def __init__(self, most):
        import torch

        if not torch.cuda.is_available():
            raise ImportError("PyTorch was built without CUDA, or finds no GPU")
        self.torch, self.version, self.gpu = torch, torch.__version__, torch.cuda.get_device_name(0)
        self.memory = torch.empty(most, dtype=torch.uint8, device="cuda")
        self.flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def fill(self, raw):
        self.memory.view(-1, len(raw)).copy_(self.torch.from_numpy(raw).cuda().expand(len(self.memory) // len(raw), -1))

    def has(self, kind):
        return hasattr(self.torch, kind)

    def range(self, kind, bytes_):
        return self.memory[:bytes_].view(getattr(self.torch, kind))

    def call(self, op, x, kind):
        wide = self.torch.float32 if kind in HALVES else None
        return {"sum": lambda: self.torch.sum(x, dtype=wide), "product": lambda: self.torch.prod(x, dtype=wide),
                "min": lambda: self.torch.min(x), "max": lambda: self.torch.max(x)}[op]

    def copy(self, bytes_):
        to, from_ = self.memory[bytes_:2 * bytes_], self.memory[:bytes_]
        return lambda: to.copy_(from_)

    def flush_cache(self):
        self.flush.fill_(1)

    def elapsed_ms(self, start, stop):
        return start.elapsed_time(stop)

    def synchronize(self):
        self.torch.cuda.synchronize()

    def free(self):
        del self.memory, self.flush
        self.torch.cuda.empty_cache()


class CuPy(Contender):
    name = "CuPy"

    def __init__(self, most):
        import cupy

        if not cupy.cuda.is_available():
            raise ImportError("CuPy finds no GPU")
        self.cupy, self.version = cupy, cupy.__version__
        self.gpu = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.memory = cupy.empty(most, dtype=cupy.uint8)
        self.flush = cupy.empty(FLUSH_BYTES, dtype=cupy.uint8)
        self.events = [cupy.cuda.Event() for _ in range(2)]

    def fill(self, raw):
        self.memory.reshape(-1, len(raw))[:] = self.cupy.asarray(raw)

    def has(self, kind):
        return hasattr(self.cupy, kind)

    def range(self, kind, bytes_):
        return self.memory[:bytes_].view(getattr(self.cupy, kind))

    def call(self, op, x, kind):
        wide = self.cupy.float32 if kind in HALVES else None
        return {"sum": lambda: x.sum(dtype=wide), "product": lambda: x.prod(dtype=wide), "min": lambda: x.min(),
                "max": lambda: x.max()}[op]

    def copy(self, bytes_):
        to, from_ = self.memory[bytes_:2 * bytes_], self.memory[:bytes_]
        return lambda: self.cupy.copyto(to, from_)

    def flush_cache(self):
        self.flush.data.memset_async(1, FLUSH_BYTES, self.cupy.cuda.get_current_stream())

    def elapsed_ms(self, start, stop):
        return self.cupy.cuda.get_elapsed_time(start, stop)

    def synchronize(self):
        self.cupy.cuda.get_current_stream().synchronize()

    def free(self):
        del self.memory, self.flush
        self.cupy.get_default_memory_pool().free_all_blocks()


def values(np, numpy_type, of_size_one):
    """A block of the grid's values: all integers, and quarters from -4 to 4 for floats. With `of_size_one`, values whose
    products have the magnitude 1."""
    random = np.random.default_rng(2026)
    kind = np.dtype(numpy_type)
    count = BLOCK_BYTES // kind.itemsize
    if kind.kind == "c":
        if of_size_one:
            return np.array([1, -1, 1j, -1j], kind)[random.integers(0, 4, count)]
        return (random.integers(-16, 17, 2 * count) / 4).astype(np.float32).view(kind)
    if of_size_one:
        return (1 - 2 * random.integers(0, 2, count)).astype(kind)
    if kind.kind == "f":
        return (random.integers(-16, 17, count) / 4).astype(kind)
    return random.integers(-(1 << 31), 1 << 31, count).astype(kind)


def raw_bytes(np, block, kind):
    """The block in the library's type. The values have few digits, so half of a float32 is exactly the bfloat16."""
    if kind == "bfloat16":
        block = (block.view(np.uint32) >> 16).astype(np.uint16)
        block = np.tile(block, BLOCK_BYTES // block.nbytes)
    return block.view(np.uint8)


def folded(np, part, op):
    if op in ("min", "max"):
        return getattr(part, op)().item()
    wide = {"u": np.int64, "i": np.int64, "f": np.float64, "c": np.complex128}[part.dtype.kind]
    return (part.sum(dtype=wide) if op == "sum" else part.prod(dtype=wide)).item()


def expected(np, block, whole, op, n):
    """The result of `n` elements of repetitions of the block; the result of one block is `whole`."""
    if n < len(block):
        return folded(np, block[:n], op)
    if op in ("min", "max"):
        return whole
    result, times = whole, n // len(block)
    if op == "sum":
        return result * times
    while times > 1:
        result, times = result * result, times // 2
        if isinstance(result, int):
            result %= 1 << 64
    return result


def right(got, want, op, n):
    """Sums of floats may be added in another order, with a rounding error for each element. All other results are exact;
    integers modulo 2^64."""
    if isinstance(want, int):
        return (got - want) % (1 << 64) == 0
    return abs(got - want) <= (1e-6 * n if op == "sum" else 0)


def sample(once, bytes_):
    """The median and the interquartile range of a few calls, as many as fit into 30 ms."""
    all_us, started = [], time.perf_counter()
    for _ in range(9 if bytes_ < 64 * MB else 5):
        all_us.append(once())
        if len(all_us) >= 3 and time.perf_counter() - started > 0.03:
            break
    all_us.sort()
    return statistics.median(all_us), all_us[len(all_us) * 3 // 4] - all_us[len(all_us) // 4]


def cold(library, call):
    # Twice, so that the flush takes longer than Python takes to enqueue the call.
    library.flush_cache()
    library.flush_cache()
    return library.us_between(call)


def value(library, call):
    library.synchronize()
    start = time.perf_counter()
    call().item()
    return (time.perf_counter() - start) * 1e6


def measure_column(np, library, element, op, block, kind, element_bytes, most, out):
    rows = {way: {"element": element, "op": op, "way": way, "who": library.name, "n": [], "us": [], "iqr_us": []}
            for way in ("cold", "value")}
    whole = folded(np, block, op)
    n = 256
    while n * element_bytes <= most:
        bytes_ = n * element_bytes
        try:
            call = library.call(op, library.range(kind, bytes_), kind)
            got, want = call().item(), expected(np, block, whole, op, n)
            if not right(got, want, op, n):
                out["wrong"].append({"element": element, "op": op, "who": library.name, "n": n})
                print(f"  {library.name} {element} {op} of {n}: {got} instead of {want}")
            else:
                for way, once in (("cold", cold), ("value", value)):
                    us, spread = sample(lambda: once(library, call), bytes_)
                    rows[way]["n"].append(n)
                    rows[way]["us"].append(float(f"{us:.5g}"))
                    rows[way]["iqr_us"].append(float(f"{spread:.3g}"))
        except Exception as e:  # an unsupported type, too little memory, no compiler: each library has its own classes
            out["left_out"].append(f"{library.name} {element} {op} from {size_text(bytes_)} on")
            print(f"  not measured: {out['left_out'][-1]}: {error_text(e)}")
            break
        n *= 2
    out["rows"] += [row for row in rows.values() if row["n"]]


def measure(np, library, most, until, out):
    for element, numpy_type, kind, element_bytes in ELEMENTS:
        if not library.has(kind):
            continue
        out["element_bytes"][element] = element_bytes
        started = time.perf_counter()
        for of_size_one in (False, True):
            block = values(np, numpy_type, of_size_one)
            library.fill(raw_bytes(np, block, kind))
            for op in ops_of(element):
                if (op == "product") != of_size_one:
                    continue
                if time.perf_counter() > until:
                    out["left_out"].append(f"{library.name} {element} {op}")
                    continue
                measure_column(np, library, element, op, block, kind, element_bytes, most, out)
        print(f"  {library.name:8} {element:8} {time.perf_counter() - started:5.1f} s", flush=True)


def error_text(e):
    return f"{type(e).__name__}: {(str(e).splitlines() or [''])[0]}"


def references(library, most, out):
    """Measures a sum and a copy of up to 1 GB, to compare the state of the machine with that of the grid's run."""
    bytes_ = min(GB, most // 2)
    for name, call, moved in (("sum_gb_s", library.call("sum", library.range("float32", bytes_), "float32"), bytes_),
                              ("copy_gb_s", library.copy(bytes_), 2 * bytes_)):
        call()
        us, _ = sample(lambda: cold(library, call), bytes_)
        out[name][library.name] = round(moved / us * 1e-3, 1)
    out["gpu"], out["versions"][library.name] = library.gpu, library.version


def write(path, out):
    """Writes a line for each row, as in grid.json."""
    rows = out.pop("rows")
    head = json.dumps(out, indent=2)
    lines = ",\n".join("    " + json.dumps(row, separators=(",", ":")) for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head[:-2] + ',\n  "rows": [\n' + lines + "\n  ]\n}\n")
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", type=pathlib.Path, help="python.json")
    parser.add_argument("--seconds", type=float, default=40, help="seconds of the whole run (default: 40)")
    parser.add_argument("--most", type=int, default=4 * GB, help="bytes of the largest range (default: 4 GB)")
    arguments = parser.parse_args()
    most = arguments.most // BLOCK_BYTES * BLOCK_BYTES
    if most == 0:
        parser.error(f"--most is too small; pass at least {BLOCK_BYTES} bytes")
    started = time.perf_counter()
    try:
        import numpy as np
    except ImportError:
        print("NumPy is missing, which checks the results: PyTorch and CuPy are not measured")
        return 0
    out = {"gpu": "", "commit": os.environ.get("WARPFOLD_COMMIT", "unknown"), "versions": {}, "sum_gb_s": {},
           "copy_gb_s": {}, "element_bytes": {}, "wrong": [], "left_out": [], "rows": []}
    kinds = [PyTorch, CuPy]
    for i, kind in enumerate(kinds):
        now = time.perf_counter() - started
        until = started + now + (arguments.seconds - now) / (len(kinds) - i)
        try:
            library = kind(most)
            references(library, most, out)
        except Exception as e:  # it is not installed, finds no GPU, or does not work
            print(f"{kind.name} is not measured: {error_text(e)}")
            continue
        print(f"{library.name} {library.version}, {library.gpu}: f32 summed at {out['sum_gb_s'][library.name]:.0f} GB/s, copied "
              f"at {out['copy_gb_s'][library.name]:.0f}", flush=True)
        measure(np, library, most, until, out)
        library.free()
    if not out["rows"]:
        print("nothing was measured")
        return 0
    wrong = bool(out["wrong"])
    write(arguments.file, out)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
