#!/usr/bin/env python3
"""Writes exact.md beside FILE: exact.json.

usage: report_exact.py FILE

Needs only Python.
"""
import sys

import contenders


def key(row):
    return row["work"], *row["size"].split(", ", 1)


def parse(data):
    """Returns the record; `rows` is {(work, size, numbers): row}, where the first contender of a row is warpfold."""
    return {"gpu": data["gpu"], "commit": data["commit"], "rows": contenders.parse_rows(data, key)}


def read(path):
    """Returns the record, and None for PyTorch, which has no exact sum. Raises Malformed."""
    return contenders.read(path, parse, lambda data: contenders.parse_torch(data, key))


def over(row, name, way):
    """The time of warpfold over that of the contender `name`, or None."""
    ours, *others = row["contenders"]
    found = [c for c in others if c["name"] == name]
    if not found or ours["wrong"] or way not in ours["times"] or way not in found[0]["times"]:
        return None
    return ours["times"][way] / found[0]["times"][way]


def in_order(texts):
    return list(dict.fromkeys(texts))


def table(rows, work, way, peer="plain", title=None):
    """The ratios of a kind of work: a line for each kind of numbers, a column for each size. Empty if no row has
    the peer."""
    keys = [k for k in rows if k[0] == work]
    sizes, kinds = in_order(k[1] for k in keys), in_order(k[2] for k in keys)
    lines = [f"| {title or work}, {way} | " + " | ".join(sizes) + " |", "|---|" + "---:|" * len(sizes)]
    for kind in kinds:
        found = [over(rows[work, size, kind], peer, way) if (work, size, kind) in rows else None for size in sizes]
        lines.append(f"| {kind} | " + " | ".join("" if x is None else f"{x:.2f}" for x in found) + " |")
    has_peer = any(c["name"] == peer for k in keys for c in rows[k]["contenders"])
    return lines if has_peer else []


def page(own, torch):
    rows = own["rows"]
    lines = [f"# Exact sums on {own['gpu']}", "",
             f"Commit {own['commit']}. The time of an exact sum over that of a plain one, which rounds. Medians of one run. `cold`: one call "
             "with a cold cache; `graph`: one of 20 in a graph, for calls below 0.3 ms. Sizes are those of the bytes read. In every row, the "
             "result has the bits of the kernel whose threads hold states, if such a state fits; some rows, columns and segments are compared "
             "with their sums alone, and classes with nothing. [All figures](exact.json).", ""]
    lines += contenders.notes(own, torch)
    works = in_order(k[0] for k in rows)
    for work in works:
        for way in ("cold", "graph"):
            if found := table(rows, work, way):
                lines += [*found, ""]
    cub = [table(rows, work, way, "cub gpu_to_gpu", f"{work}, over CUB's gpu_to_gpu") for work in works for way in ("cold", "graph")]
    if any(cub):
        lines += ["The time of an exact sum over that of CUB's with `determinism::gpu_to_gpu`, which rounds, but has the same bits on "
                  "every GPU. CUB, of CCCL 3.5, allocates its scratch from the stream.", ""]
        for found in filter(None, cub):
            lines += [*found, ""]
    return "\n".join(lines[:-1]) + "\n"


if __name__ == "__main__":
    sys.exit(contenders.write_page(__doc__, read, page))
