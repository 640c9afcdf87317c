#!/usr/bin/env python3
"""Draws the record of the benchmark `segments`: segments.png and segments.md beside FILE.

usage: segments_plot.py FILE

Bandwidth over the mean length, a panel for each number of elements: lines for the distributions of lengths, and CUB for
equal lengths. Needs matplotlib and no GPU. Without matplotlib it prints the command to run later, and exits with 77.
"""
import argparse
import json
import pathlib
import sys

import pictures

COLORS = {"equal": "#1b3a5c", "uniform": "#4878a8", "power law": "#2f8f6f"}
CUB = "#c77700"
# A mean of 100 segments and more: with fewer, the mean says little.
LEAST_SEGMENTS = 100


def rate(row, time="us"):
    return row["bytes"] / row[time] / 1e3


def draw(axes, rows, plain, n):
    for kind, color in COLORS.items():
        own = [r for r in rows if r["kind"] == kind and r["op"] == "sum" and r["segments"] >= LEAST_SEGMENTS]
        axes.plot([r["mean"] for r in own], [rate(r) for r in own], "o-", color=color, markersize=4, label=kind)
    own = [r for r in rows if r["kind"] == "one size"]
    axes.plot([r["mean"] for r in own], [rate(r) for r in own], "s:", color="#888888", markersize=3,
              label="segments_of_size")
    own = [r for r in rows if r["kind"] == "equal" and r["op"] == "sum" and r["segments"] >= LEAST_SEGMENTS]
    axes.plot([r["mean"] for r in own], [rate(r, "cub_us") for r in own], "^-", color=CUB, markersize=4, label="CUB, equal")
    own = [r for r in own if "peer_us" in r]
    axes.plot([r["mean"] for r in own], [rate(r, "peer_us") for r in own], "v-", color="#6a3d9a", markersize=4,
              label="plain kernel, equal")
    axes.axhline(plain, color="#8a2d2d", linestyle="--", linewidth=1.4, label="sum of all elements")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_ylim(0)
    axes.set_title(f"{pictures.count_text(n)} floats, {pictures.size_text(4 * n)}", loc="left", fontweight="bold")
    axes.set_xlabel("mean length of the segments, elements")
    axes.grid(color="#dddddd")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def ratio(row, peer, time):
    return f"{row[peer] / row[time]:.2f}" if peer in row and time in row else ""


def table(measured):
    lines = [f"# Folds and transforms of segments on {measured['gpu']}", "",
             f"Commit {measured['commit']}, CUB {measured['cub']}. Floats, int offsets, medians, cold cache unless a column says "
             "otherwise. Bytes are those of the elements, the offsets and the results. `of the sum`: the time of a sum of all elements "
             "over this time. `plain`: the time of the fastest plain kernel (a thread, 4 threads, a warp or a block for each segment, in "
             "any order) over this time. `CUB`: the same for `DeviceSegmentedReduce`. Graphs have 20 calls.",
             "", "![Bandwidth over the mean length](segments.png)"]
    for n in sorted({r["elements"] for r in measured["rows"]}):
        lines += ["", f"## {pictures.count_text(n)} elements", "",
                  "| lengths | mean | op | us | GB/s | of the sum | plain | CUB | graph, us | plain | CUB |",
                  "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
        for r in (r for r in measured["rows"] if r["elements"] == n):
            text = "WRONG" if "wrong" in r else f"{r['us']:,.1f}"
            graph = f"{r['graph_us']:,.1f}" if "graph_us" in r else ""
            lines.append(f"| {r['kind']} | {r['mean']:g} | {r['op']} | {text} | {rate(r):,.0f} | {r['sum_us'] / r['us']:.2f} | "
                         f"{ratio(r, 'peer_us', 'us')} | {ratio(r, 'cub_us', 'us')} | {graph} | "
                         f"{ratio(r, 'peer_graph_us', 'graph_us')} | {ratio(r, 'cub_graph_us', 'graph_us')} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    measured = json.loads(options.file.read_text())
    options.file.with_suffix(".md").write_text(table(measured))
    print(f"wrote {options.file.with_suffix('.md')}")
    plt = pictures.pyplot(9, options.file)
    if plt is None:
        return 77
    sizes = sorted({r["elements"] for r in measured["rows"]})
    figure, panels = plt.subplots(1, len(sizes), layout="constrained", figsize=(3.4 * len(sizes), 3.8))
    for axes, n in zip(panels, sizes):
        rows = [r for r in measured["rows"] if r["elements"] == n]
        draw(axes, rows, 4 * n / rows[0]["sum_us"] / 1e3, n)
    panels[0].set_ylabel("GB/s")
    figure.suptitle(f"Sums of segments, {measured['gpu']}", x=0.01, ha="left", fontweight="bold")
    figure.legend(*panels[-1].get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False)
    pictures.save(figure, options.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
