#!/usr/bin/env python3
"""Writes the record of the benchmark `keys` as a table: keys.md beside FILE.

usage: keys_table.py FILE

Needs only Python.
"""
import argparse
import json
import pathlib
import sys

import pictures


def table(measured):
    lines = [f"# Folds of runs of equal keys on {measured['gpu']}", "",
             f"Commit {measured['commit'][:7]}, CUB {measured['cub']}. Int keys and floats, medians. Bytes are those of the keys, the values "
             "and the results. `CUB`: the time of `DeviceReduce::ReduceByKey`, or of `DeviceRunLengthEncode::Encode`, over this time. "
             "Graphs have 20 calls."]
    for n in sorted({r["elements"] for r in measured["rows"]}):
        lines += ["", f"## {pictures.count_text(n)} keys", "",
                  "| lengths | mean | call | cold, us | GB/s | CUB | graph, us | CUB |", "|---|---:|---|---:|---:|---:|---:|---:|"]
        for r in (r for r in measured["rows"] if r["elements"] == n):
            text = "WRONG" if "wrong" in r else f"{r['us']:,.1f}"
            lines.append(f"| {r['lengths']} | {r['mean']:g} | {r['call']} | {text} | {r['bytes'] / r['us'] / 1e3:,.0f} | "
                         f"{r['cub_us'] / r['us']:.2f} | {r['graph_us']:,.1f} | {r['cub_graph_us'] / r['graph_us']:.2f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    options.file.with_suffix(".md").write_text(table(json.loads(options.file.read_text())))
    print(f"wrote {options.file.with_suffix('.md')}")


if __name__ == "__main__":
    sys.exit(main())
