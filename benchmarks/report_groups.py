#!/usr/bin/env python3
"""Writes groups.md beside FILE: groups.json, joined with groups_torch.json if that is there.

usage: report_groups.py FILE

Needs only Python.
"""
import argparse
import math
import pathlib
import sys

import records

WAYS = ("cold", "queue", "graph")
COPY = "a copy"  # a floor, not a peer
WORST = 10


def parse_contender(c):
    times = {way: records.positive(c, f"{way}_us") for way in WAYS if f"{way}_us" in c}
    return {"name": c["name"], "times": times, "wrong": "wrong" in c}


def parse(data):
    """Returns the record; `rows` is {(work, size): row}, where the first contender of a row is warpfold."""
    rows = {}
    for r in data["rows"]:
        contenders = [parse_contender(c) for c in r["contenders"]]
        if not contenders or contenders[0]["name"] != "warpfold" or "cold" not in contenders[0]["times"]:
            raise ValueError(f"the first contender of {r['work']}, {r['size']} is not warpfold with a time")
        rows[r["work"], r["size"]] = {"bytes": records.positive(r, "bytes"), "contenders": contenders}
    if not rows:
        raise ValueError("it has no rows")
    return {"gpu": data["gpu"], "commit": data["commit"], "cub": int(data["cub"]), "rows": rows}


def parse_torch(data):
    rows = {(r["work"], r["size"]): [parse_contender(c) for c in r["contenders"]] for r in data["rows"]}
    errors = [f"{r['work']}, {r['size']}: {r['error']}" for r in data["rows"] if "error" in r]
    return {"gpu": data["gpu"], "commit": data["commit"], "pytorch": data["pytorch"], "compile": data["compile"], "rows": rows,
            "errors": errors}


def read(path):
    """Returns both records; the second one is None without its file. Raises Malformed."""
    own = records.read(path, "the benchmark groups", parse)
    beside = path.with_name("groups_torch.json")
    torch = records.read(beside, "groups_torch.py", parse_torch)
    if own is None or torch is None:
        return own, torch
    for key, contenders in torch["rows"].items():
        if key not in own["rows"]:
            raise records.Malformed(f"{beside} has a row that {path} does not have: {', '.join(key)}; run both again")
        own["rows"][key]["contenders"] += contenders
    return own, torch


def ratio(row, contender, way):
    """The time of a contender over that of warpfold, or None."""
    ours, theirs = row["contenders"][0], contender["times"].get(way)
    if ours["wrong"] or contender["wrong"] or theirs is None or way not in ours["times"]:
        return None
    return theirs / ours["times"][way]


def fastest(row, way):
    """(ratio, name) of the fastest peer, or None. A copy is no peer."""
    found = [(ratio(row, c, way), c["name"]) for c in row["contenders"][1:] if c["name"] != COPY]
    return min((f for f in found if f[0] is not None), default=None)


def of_a_copy(row):
    return next((ratio(row, c, "cold") for c in row["contenders"][1:] if c["name"] == COPY), None)


def two_digits(value):
    return "" if value is None else f"{value:.2f}"


def us_text(contender, way):
    return f"{contender['times'][way]:,.1f}" if way in contender["times"] else ""


def summary(rows):
    lines = ["| way | rows | at least 1.00 | at least 0.95 | geometric mean of x |", "|---|---:|---:|---:|---:|"]
    for way in WAYS:
        found = [f[0] for f in (fastest(row, way) for row in rows.values()) if f is not None]
        if found:
            mean = math.exp(sum(map(math.log, found)) / len(found))
            # Of the ratios as the tables show them.
            share = [sum(round(x, 2) >= least for x in found) for least in (1, 0.95)]
            lines.append(f"| {way} | {len(found)} | {share[0]} | {share[1]} | {mean:.2f} |")
    return lines


def worst(rows):
    lines = ["| work | size | way | warpfold, us | fastest peer | us | x |", "|---|---|---|---:|---|---:|---:|"]
    cells = []
    for (work, size), row in rows.items():
        found = [(*f, way) for way in WAYS if (f := fastest(row, way)) is not None]
        if found:
            cells.append((*min(found), work, size, row["contenders"][0]))
    for x, name, way, work, size, ours in sorted(cells, key=lambda c: c[0])[:WORST]:
        time = ours["times"][way]
        lines.append(f"| {work} | {size} | {way} | {time:,.1f} | {name} | {x * time:,.1f} | {x:.2f} |")
    return lines


def one_line_each(rows):
    lines = ["| work | size | cold, us | GB/s | " + " | ".join(f"x {way} | fastest" for way in WAYS) + " | of a copy |",
             "|---|---|---:|---:|" + "---:|---|" * len(WAYS) + "---:|"]
    for (work, size), row in rows.items():
        ours = row["contenders"][0]
        cells = []
        for way in WAYS:
            x, name = fastest(row, way) or (None, "")
            cells += [two_digits(x), name]
        us = "WRONG" if ours["wrong"] else us_text(ours, "cold")
        lines.append(f"| {work} | {size} | {us} | {row['bytes'] / ours['times']['cold'] / 1e3:,.0f} | " + " | ".join(cells) +
                     f" | {two_digits(of_a_copy(row))} |")
    return lines


def every_contender(rows):
    lines = []
    for work in dict.fromkeys(work for work, _ in rows):
        lines += ["", f"### {work[0].upper()}{work[1:]}", "",
                  "| size | contender | " + " | ".join(f"{way}, us | x" for way in WAYS) + " |", "|---|---|" + "---:|---:|" * len(WAYS)]
        for (_, size), row in ((key, row) for key, row in rows.items() if key[0] == work):
            for c in row["contenders"]:
                first = c is row["contenders"][0]
                cells = [cell for way in WAYS for cell in (us_text(c, way), "" if first else two_digits(ratio(row, c, way)))]
                lines.append(f"| {size if first else ''} | {c['name']}{' WRONG' if c['wrong'] else ''} | " + " | ".join(cells) + " |")
    return lines


def page(own, torch):
    rows = own["rows"]
    lines = [f"# Groups on {own['gpu']}", "",
             f"Commit {own['commit']}, CUB {records.version_text(own['cub'])}" +
             (f", PyTorch {torch['pytorch']}, called from Python." if torch else ". Without PyTorch.") +
             " Reductions of segments, ragged rows, rows, lists of arrays, classes, axes and runs of keys. Peers are plain kernels, CUB "
             "and PyTorch. Medians of one run. `cold`: one call with a cold cache; `queue`: one of 20 calls in a row; `graph`: one of 20 "
             "in a graph. `x` is the time of a contender over that of warpfold. Bytes are those read and written. A contender that takes "
             "more than four times as long has one time. A copy moves as many bytes; it is a floor, and no peer.", ""]
    if torch:
        lines += records.other_run(torch, own, "PyTorch's figures are")
        if torch["compile"] != "ok":
            lines += [f"**No `torch.compile` for some rows:** {torch['compile']}", ""]
        if torch["errors"]:
            lines += ["**Errors of PyTorch:** " + "; ".join(torch["errors"]), ""]
    wrong = [f"{c['name']}, {work}, {size}" for (work, size), row in rows.items() for c in row["contenders"] if c["wrong"]]
    if wrong:
        lines += ["**Wrong results:** " + "; ".join(wrong), ""]
    lines += summary(rows)
    lines += ["", f"## The {WORST} rows with the least x", "", *worst(rows)]
    lines += ["", "## All rows", "", *one_line_each(rows)]
    lines += ["", "## All contenders", *every_contender(rows)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    path = parser.parse_args().file
    try:
        own, torch = read(path)
    except records.Malformed as e:
        parser.error(str(e))
    if own is None:
        parser.error(f"there is no {path}")
    path.with_suffix(".md").write_text(page(own, torch))
    print(f"wrote {path.with_suffix('.md')}")


if __name__ == "__main__":
    sys.exit(main())
