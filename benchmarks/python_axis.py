#!/usr/bin/env python3
"""Measures PyTorch's row and column sums on the shapes of axis.json, and writes them beside the library's.

usage: python_axis.py FOLDER

FOLDER is a GPU's folder of results that contains axis.json. The script writes axis_python.json and axis_python.md there. Run
it right after axis on the same machine, as ./dev bench does. It times one call with a cold L2 cache between events, as
benchmarks/axis.cu does. First it compares PyTorch's results with sums in double.
"""
import json
import pathlib
import re
import statistics
import sys

import torch

FLUSH_BYTES = 256 << 20
CALLS = 15


def extent(text):
    """Converts 2^25 or 20000 to a number."""
    power = re.fullmatch(r"2\^(\d+)", text)
    return 1 << int(power[1]) if power else int(text)


def us_of(call, flush):
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = []
    call()
    for _ in range(CALLS):
        flush.fill_(1)
        start.record()
        call()
        stop.record()
        stop.synchronize()
        times.append(start.elapsed_time(stop) * 1e3)
    return statistics.median(times)


def is_right(x, axis, sums):
    # In double, and only a part of the results: all of them would take 4 GB.
    part = slice(0, 1 << 10)
    exact = (x[part] if axis == 1 else x[:, part]).double().sum(axis)
    return torch.allclose(sums[part].double(), exact, rtol=1e-4)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    ours = json.loads((folder / "axis.json").read_text())
    flush = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    rows = []
    for figure in ours["figures"]:
        shape = tuple(extent(e) for e in figure["shape"].split(" x "))
        axis = 1 if figure["sums"] == "rows" else 0
        x = torch.rand(*shape, device="cuda")
        out = torch.empty(shape[1 - axis], device="cuda")
        us = us_of(lambda: torch.sum(x, dim=axis, out=out), flush)
        if not is_right(x, axis, out):
            sys.exit(f"PyTorch's sums of {figure['shape']} along {axis} are wrong")
        rows.append({"shape": figure["shape"], "sums": figure["sums"], "us": round(us, 2), "ours_us": figure["us"]})
        ratio = us / figure["us"]
        print(f"{figure['shape']:>16}  {figure['sums']:8} {us:9.1f} us  ours {figure['us']:9.1f}  {ratio:5.2f}", flush=True)
        del x, out
    record = {"gpu": torch.cuda.get_device_name(0), "pytorch": torch.__version__, "commit": ours["commit"], "rows": rows}
    (folder / "axis_python.json").write_text(json.dumps(record, indent=1) + "\n")
    table = [
        f"# Row and column sums beside PyTorch on {record['gpu']}",
        "",
        f"PyTorch {record['pytorch']}, called from Python right after warpfold, commit {ours['commit']}. float, cold cache, medians"
        " in us; in parentheses the speedup over PyTorch.",
        "",
        "| rows x columns | sums of | warpfold | PyTorch |",
        "|---:|:---|---:|---:|",
    ]
    table += [f"| {r['shape']} | {r['sums']} | {r['ours_us']:.1f} | {r['us']:.1f} ({r['us'] / r['ours_us']:.2f}) |" for r in rows]
    (folder / "axis_python.md").write_text("\n".join(table) + "\n")


if __name__ == "__main__":
    main()
