#!/usr/bin/env python3
"""Writes axis_shapes.md beside FILE: axis_shapes.json, joined with axis_shapes_torch.json if that is there.

usage: report_axis_shapes.py FILE

Needs only Python.
"""
import sys

import contenders


def key(row):
    axes = row["axes"]
    return " x ".join(map(str, row["shape"])), f"ax{'i' if len(axes) == 1 else 'e'}s {', '.join(map(str, axes))}"


def groups_of(row):
    """The names of the groups of rows that a row is in."""
    rank, axes = len(row["shape"]), row["axes"]
    if not axes or any(axis not in range(rank) for axis in axes):
        raise ValueError(f"axes is {axes}; {' x '.join(map(str, row['shape']))} has axes 0 to {rank - 1}")
    if len(axes) > 1:
        place = "several axes"
    else:
        place = "first axis" if axes[0] == 0 else "last axis" if axes[0] == rank - 1 else "middle axis"
    return {"groups": {f"rank {rank}", place}}


def parse(data):
    """Returns the record; `rows` is {(shape, axes): row}, where the first contender of a row is warpfold."""
    return {"gpu": data["gpu"], "commit": data["commit"], "rows": contenders.parse_rows(data, key, groups_of)}


def read(path):
    """Returns both records; the second one is None without its file. Raises Malformed."""
    return contenders.read(path, parse, lambda data: contenders.parse_torch(data, key))


def summary(rows):
    names = ["rank 2", "rank 3", "rank 4", "first axis", "middle axis", "last axis", "several axes"]
    lines = [contenders.share_line("all", rows, "cold")]
    lines += [contenders.share_line(name, [row for row in rows if name in row["groups"]], "cold") for name in names]
    return ["| rows | number | " + " | ".join(contenders.SHARES) + " |", "|---|---:|---:|---:|---:|", *filter(None, lines)]


def page(own, torch):
    rows = own["rows"]
    lines = [f"# Random shapes along an axis on {own['gpu']}", "",
             f"Commit {own['commit']}" + contenders.with_pytorch(torch) +
             f" Sums of {len(rows)} random arrays of float along random axes, cold cache, medians of one run. Peers are plain kernels "
             "and PyTorch. `x` is the time of the fastest peer over that of warpfold. [All figures](axis_shapes.json).", ""]
    lines += contenders.notes(own, torch)
    lines += summary(rows.values())
    lines += ["", f"## The {contenders.WORST} rows with the least x", "", *contenders.worst(rows, ["shape", "along"], ["cold"])]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(contenders.write_page(__doc__, read, page))
