#!/usr/bin/env python3
"""Measures torch.sum for the arrays and axes of axis_shapes.json.

usage: axis_shapes_torch.py FOLDER

FOLDER is a GPU's folder of results that contains axis_shapes.json. The script writes axis_shapes_torch.json there, and
report_axis_shapes.py writes axis_shapes.md. Run it right after axis_shapes on the same machine, as ./dev bench does.

Times are medians in us of one call between events, after a write of 1 GB flushed the L2 cache, while the GPU waits until the host has
enqueued the call. Elements are small integers, and each sum is compared with a sum of integers.
"""
import argparse
import math
import pathlib
import sys

import records
import report_axis_shapes
import torch_contenders


def parse(data):
    arrays = [{"shape": r["shape"], "axes": r["axes"]} for r in data["rows"]]
    if not arrays:
        raise ValueError("it has no rows")
    return arrays


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    folder = parser.parse_args().folder
    try:
        arrays = records.read(folder / "axis_shapes.json", "the benchmark axis_shapes", parse)
    except records.Malformed as e:
        parser.error(str(e))
    if arrays is None:
        parser.error(f"there is no {folder / 'axis_shapes.json'}; run the benchmark axis_shapes first")
    import torch
    if not torch.cuda.is_available():
        print("no GPU: nothing to measure")
        return 0
    torch.manual_seed(7)
    most = max(math.prod(a["shape"]) for a in arrays)
    elements = torch.randint(-2, 3, (most,), device="cuda", dtype=torch.int8).float()

    def row(array):
        shape, axes = array["shape"], array["axes"]

        def contenders():
            x = elements[:math.prod(shape)].view(shape)
            out = torch.empty([e for d, e in enumerate(shape) if d not in axes], device="cuda")
            want = torch.sum(x, axes, dtype=torch.int64)
            yield torch_contenders.Contender("torch.sum", lambda: torch.sum(x, axes, out=out), lambda got: torch.equal(got.long(), want))
        return ", ".join(report_axis_shapes.key(array)), array, contenders

    measured, failed = torch_contenders.measure(map(row, arrays), only_cold=True)
    torch_contenders.write(folder, "axis_shapes", measured)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
