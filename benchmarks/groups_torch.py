#!/usr/bin/env python3
"""Measures PyTorch's calls for the rows of groups.cu.

usage: groups_torch.py FOLDER [--only TEXT]... [--no-compile] [--compile-seconds S]
       groups_torch.py --list

FOLDER is a GPU's folder of results; the script writes groups_torch.json there, and report_groups.py writes groups.md. Run it right
after groups on the same machine, as ./dev bench does.

`cold`: one call between events, after a write of 1 GB flushed the L2 cache, while the GPU waits until the host has enqueued the
call. `queue`: one of 20 calls in a row, from Python. `graph`: one of 20 in a graph. Times are medians in us. A call of more than 20 ms
is timed once. Each result is compared with a computation in double or in integers. torch.compile gets S seconds for all rows
(default: 60); if it fails or takes longer, the record has the reason.
--list prints the rows without PyTorch. --only selects the rows that contain one of the texts; then no record is written.
"""
import argparse
import math
import os
import pathlib
import signal
import sys
import time

import torch_contenders
from torch_contenders import Contender, one_line

torch = None  # imported by main: --list needs no PyTorch


# --- rows ------------------------------------------------------------------------------------------------------------------------

def small_integers(*shape):
    """Floats from 0 to 3, whose sums are exact below 2^24."""
    return torch.randint(0, 4, shape, device="cuda", dtype=torch.uint8).float()


def spread_floats(*shape):
    return torch.rand(*shape, device="cuda") * 4 + 0.5


def offsets_of(lengths, mean, n):
    segments = n * 6 // 5 // mean + 4096
    if lengths == "uniform":
        sizes = torch.randint(0, 2 * mean + 1, (segments,), device="cuda")
    else:
        sizes = torch.empty(segments, device="cuda").exponential_(1 / mean).round_().long()
    offsets = torch.zeros(segments + 1, dtype=torch.int64, device="cuda")
    torch.cumsum(sizes, 0, out=offsets[1:])
    last = min(int(torch.searchsorted(offsets, n)), segments)
    offsets[last] = n
    return offsets[:last + 1].int()


def near(got, want, relative, absolute=0.0):
    return torch.allclose(got.double(), want.double(), rtol=relative, atol=absolute)


def segment_sums(n, lengths, mean):
    def contenders():
        x, offsets = small_integers(n), offsets_of(lengths, mean, n)
        before = torch.zeros(n + 1, dtype=torch.int64, device="cuda")
        torch.cumsum(x, 0, dtype=torch.int64, out=before[1:])
        want = before[offsets[1:].long()] - before[offsets[:-1].long()]
        del before
        yield Contender("torch.segment_reduce", lambda: torch.segment_reduce(x, "sum", offsets=offsets, unsafe=True),
                        lambda out: near(out, want, 1e-6), in_graph=False)
    return contenders


ROW_WORK = {
    "softmax": ("torch.softmax", lambda x: torch.softmax(x, 1)),
    "layer norm": ("torch layer_norm", lambda x: torch.nn.functional.layer_norm(x, x.shape[1:])),
    "logsumexp": ("torch.logsumexp", lambda x: torch.logsumexp(x, 1)),
    "row argmax": ("torch.argmax", lambda x: torch.argmax(x, 1)),
}


def rows_of_matrix(work, height, width, compiler):
    def contenders():
        x = spread_floats(height, width)
        name, function = ROW_WORK[work]
        some = slice(0, 1000)
        want = function(x[some].double())

        def right(out):
            if work == "row argmax":
                # An element that is as great as the first one is right too: random floats repeat.
                return torch.equal(x[some].gather(1, out[some, None]), x[some].gather(1, want[:, None]))
            return near(out[some], want, 1e-4, 1e-4 if work != "softmax" else 1e-7)

        yield Contender(name, lambda: function(x), right)
        compiled = compiler.compiled(function, x)
        if compiled is not None:
            yield Contender("torch.compile", lambda: compiled(x), right)
    return contenders


def folds_of_arrays(work, count, length):
    def contenders():
        arrays = [small_integers(length) for _ in range(count)]
        order = 2 if work == "norms of arrays" else 1
        want = torch.stack([torch.linalg.vector_norm(a.double(), order) for a in arrays])
        name = "torch._foreach_norm" if order == 2 else "torch._foreach_norm(x, 1)"
        yield Contender(name, lambda: torch._foreach_norm(arrays, order), lambda out: near(torch.stack(out), want, 1e-5))
    return contenders


def counted_bytes(classes):
    def contenders():
        labels = torch.randint(0, classes, (1 << 28,), device="cuda", dtype=torch.uint8)
        # torch.bincount waits for the greatest label.
        yield Contender("torch.bincount", lambda: torch.bincount(labels, minlength=classes),
                        lambda out: all(int(out[c]) == int((labels == c).sum()) for c in (0, classes - 1)) and int(out.sum()) == 1 << 28,
                        in_graph=False)
    return contenders


def sums_by_class(classes):
    def contenders():
        labels = torch.randint(0, classes, (1 << 24,), device="cuda")
        x = small_integers(1 << 24)
        want = torch.zeros(classes, device="cuda", dtype=torch.float64).scatter_add_(0, labels, x.double())
        out = torch.empty(classes, device="cuda")
        yield Contender("torch scatter_add_", lambda: out.zero_().scatter_add_(0, labels, x), lambda got: near(got, want, 1e-6))
        yield Contender("torch.bincount", lambda: torch.bincount(labels, x, minlength=classes), lambda got: near(got, want, 1e-6),
                        in_graph=False)
    return contenders


def k_means(points, classes):
    def contenders():
        labels = torch.randint(0, classes, (points,), device="cuda")
        x = small_integers(points, 2)
        want = torch.zeros(classes, 2, device="cuda", dtype=torch.float64).index_add_(0, labels, x.double())
        out = torch.empty(classes, 2, device="cuda")

        def step():
            return out.zero_().index_add_(0, labels, x), torch.bincount(labels, minlength=classes)

        yield Contender("torch index_add_, bincount", step,
                        lambda got: near(got[0], want, 1e-6) and int(got[1].sum()) == points, in_graph=False)
    return contenders


def row_dots(height, width):
    def contenders():
        a, b = small_integers(height, width), small_integers(height, width)
        want = (a.double() * b.double()).sum(1)
        yield Contender("torch.linalg.vecdot", lambda: torch.linalg.vecdot(a, b), lambda out: near(out, want, 1e-6))
        yield Contender("torch (a * b).sum(1)", lambda: (a * b).sum(1), lambda out: near(out, want, 1e-6))
    return contenders


def axis_sums(axis, shape):
    def contenders():
        x = small_integers(*shape)
        out = torch.empty([e for d, e in enumerate(shape) if d != axis], device="cuda")
        want = torch.sum(x, axis, dtype=torch.int64)
        yield Contender("torch.sum", lambda: torch.sum(x, axis, out=out), lambda got: near(got, want, 1e-6))
    return contenders


def all_rows(compiler):
    """(work, size, contenders) of each row; work and size are those of groups.cu."""
    rows = []
    for text, n, means in (("16 MB", 1 << 22, (256, 5000, 33, 3)), ("256 MB", 1 << 26, (1, 3, 8, 256, 5000)),
                           ("1 GB", 1 << 28, (1, 3, 8, 256, 5000))):
        rows += [("segment sums", f"{text}, mean {mean}, {lengths}", segment_sums(n, lengths, mean))
                 for mean in means for lengths in ("uniform", "exponential")]
    shapes = {
        "softmax": [(8192, 1024), (32768, 768), (1000000, 33), (4096, 8191), (1024, 50257)],
        "layer norm": [(1000000, 33), (8192, 4096)],
        "logsumexp": [(8192, 1024), (8192, 50257)],
        "row argmax": [(8192, 1024), (8192, 4096), (4096, 8192), (4096, 12288)],
    }
    rows += [(work, f"{height} x {width}", rows_of_matrix(work, height, width, compiler))
             for work, of_work in shapes.items() for height, width in of_work]
    rows += [(work, "64 of 100000", folds_of_arrays(work, 64, 100000)) for work in ("norms of arrays", "sums of arrays")]
    rows += [("sums of arrays", f"1000 of {length}, list on the GPU", folds_of_arrays("sums of arrays", 1000, length))
             for length in (100, 1000)]
    rows += [("bytes counted", f"268 M, {classes} classes", counted_bytes(classes)) for classes in (64, 256)]
    rows += [("sums by class", f"2^24 floats, {classes} classes", sums_by_class(classes)) for classes in (64, 256, 1000, 4096, 65536)]
    rows += [("k-means sums and counts", f"1000000 points, {classes} centers", k_means(1000000, classes)) for classes in (8, 100)]
    rows.append(("row dots", "256 x 4097", row_dots(256, 4097)))
    for shape, axes in (((2, 3, 50000001), (0, 1)), ((5, 5, 5, 999999), (0, 1, 2, 3)), ((100000, 100, 7), (1,)), ((10000, 17), (0,)),
                        ((128, 128), (0, 1)), ((1000, 1000), (0,)), ((99, 101, 103, 31), (0,))):
        rows += [("axis sums", " x ".join(map(str, shape)) + f", axis {axis}", axis_sums(axis, shape)) for axis in axes]
    return rows


# --- torch.compile ---------------------------------------------------------------------------------------------------------------

class Compiler:
    """torch.compile with a limit of time. After a failure it compiles nothing more; `reason` has the cause."""

    def __init__(self, seconds):
        self.left, self.reason = seconds, None if seconds > 0 else "not asked for"

    def compiled(self, function, x):
        if self.reason is not None:
            return None

        def expire(*_):
            raise TimeoutError

        before = signal.signal(signal.SIGALRM, expire)
        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, self.left)
        try:
            torch._dynamo.reset()
            result = torch.compile(function, dynamic=False, fullgraph=True)
            result(x)
            torch.cuda.synchronize()
            return result
        except Exception as e:  # each version of PyTorch has other types
            if time.monotonic() - began >= self.left:
                self.reason = "the time for it was over"
            else:
                self.reason = one_line(e)
            print(f"torch.compile: {self.reason}; no more of it", file=sys.stderr, flush=True)
            return None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            self.left -= time.monotonic() - began
            if self.left <= 0 and self.reason is None:
                self.reason = "the time for it was over"


def main():
    global torch
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path, nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--only", metavar="TEXT", action="append", default=[])
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--compile-seconds", metavar="S", type=float, default=60)
    options = parser.parse_args()
    if not math.isfinite(options.compile_seconds):
        parser.error(f"--compile-seconds is {options.compile_seconds}; pass a number of seconds")
    compiler = Compiler(0 if options.no_compile else options.compile_seconds)
    rows = [r for r in all_rows(compiler) if not options.only or any(text in f"{r[0]}: {r[1]}" for text in options.only)]
    if options.list:
        for work, size, _ in rows:
            print(f"{work}: {size}")
        return 0
    if options.folder is None:
        parser.error("FOLDER is missing")
    # Compiles in this process, so that the limit of time stops it.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    import torch as imported
    torch = imported
    if not torch.cuda.is_available():
        print("no GPU: nothing to measure")
        return 0
    torch.manual_seed(7)
    measured, failed = torch_contenders.measure(
        (f"{work}: {size}", {"work": work, "size": size}, contenders) for work, size, contenders in rows)
    if options.only:
        print(f"no record: --only selected {len(measured)} rows")
        return 1 if failed else 0
    torch_contenders.write(options.folder, "groups", measured, compile=compiler.reason or "ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
