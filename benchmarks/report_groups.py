#!/usr/bin/env python3
"""Writes groups.md beside FILE: groups.json, joined with groups_torch.json if that is there.

usage: report_groups.py FILE

Needs only Python.
"""
import sys

import contenders
import records
from contenders import COPY, fastest, ratio

WAYS = ("cold", "queue", "graph")


def key(row):
    return row["work"], row["size"]


def parse(data):
    """Returns the record; `rows` is {(work, size): row}, where the first contender of a row is warpfold."""
    return {"gpu": data["gpu"], "commit": data["commit"], "cub": int(data["cub"]), "rows": contenders.parse_rows(data, key)}


def parse_torch(data):
    return {**contenders.parse_torch(data, key), "compile": data["compile"]}


def read(path):
    """Returns both records; the second one is None without its file. Raises Malformed."""
    return contenders.read(path, parse, parse_torch)


def of_a_copy(row):
    return next((ratio(row, c, "cold") for c in row["contenders"][1:] if c["name"] == COPY), None)


def two_digits(value):
    return "" if value is None else f"{value:.2f}"


def us_text(contender, way):
    return f"{contender['times'][way]:,.1f}" if way in contender["times"] else ""


def summary(rows):
    shares = [contenders.share_line(way, rows.values(), way) for way in WAYS]
    return ["| way | rows | " + " | ".join(contenders.SHARES) + " |", "|---|---:|---:|---:|---:|", *filter(None, shares)]


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
             contenders.with_pytorch(torch) +
             " Reductions of segments, ragged rows, rows, lists of arrays, classes, axes and runs of keys. Peers are plain kernels, CUB "
             "and PyTorch. Medians of one run. `cold`: one call with a cold cache; `queue`: one of 20 calls in a row; `graph`: one of 20 "
             "in a graph. `x` is the time of a contender over that of warpfold. Bytes are those read and written. A contender that takes "
             "more than four times as long has one time. A copy moves as many bytes; it is a floor, and no peer.", ""]
    if torch and torch["compile"] != "ok":
        lines += [f"**No `torch.compile` for some rows:** {torch['compile']}", ""]
    lines += contenders.notes(own, torch)
    lines += summary(rows)
    lines += ["", f"## The {contenders.WORST} rows with the least x", "", *contenders.worst(rows, ["work", "size"], WAYS)]
    lines += ["", "## All rows", "", *one_line_each(rows)]
    lines += ["", "## All contenders", *every_contender(rows)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(contenders.write_page(__doc__, read, page))
