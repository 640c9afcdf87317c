#!/usr/bin/env python3
"""Draws what the benchmark `layouts` measured: layouts.svg and layouts.png beside FILE.

usage: layouts_plot.py FILE

Two kinds of panels: reductions of each type, as times faster than CUB over the size; and what moves or reads
structs, as a share of a plain copy or sum of as many bytes. Needs matplotlib and no GPU; without matplotlib it
says so and exits with 77, and can be run later from the same file.
"""
import argparse
import json
import pathlib
import sys

import pictures
from pictures import size_text

MOVED = {"transform", "copy to and from soa", "fields"}


def cases(figures):
    """[(type, op, bytes, {kernel: us})], in the order of the file; the first kernel is the one to compare with."""
    found = {}
    for f in figures:
        found.setdefault((f["type"], f["op"], f["bytes"]), {})[f["kernel"]] = f["us"]
    return [(*key, kernels) for key, kernels in found.items()]


def draw_ratios(axes, title, lines):
    """`lines`: {label: [(bytes, ratio)]}"""
    for label, points in lines.items():
        axes.plot([p[0] for p in points], [p[1] for p in points], marker="o", markersize=4, label=label)
    axes.axhline(1, color="#555555", linestyle=":", linewidth=1.8)
    axes.set_xscale("log", base=2)
    sizes = sorted({p[0] for points in lines.values() for p in points})
    axes.set_xticks(sizes, [size_text(s) for s in sizes], rotation=45, ha="right")
    axes.minorticks_off()
    axes.set_ylabel("times as fast as CUB")
    axes.set_xlabel("bytes reduced, not in the L2 cache")
    axes.set_title(title, loc="left", fontweight="bold")
    axes.grid(color="#dddddd")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))


def draw_moves(axes, title, largest, base):
    names = list(largest)
    axes.barh(range(len(names)), [largest[n] for n in names], color="#4878a8", height=0.7)
    for place, name in enumerate(names):
        axes.text(largest[name] + 0.01, place, f"{largest[name]:.2f}", va="center",
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})
    axes.axvline(1, color="#8a2d2d", linestyle="--", linewidth=1.6)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, 1.12 * max(largest.values()))
    axes.set_xlabel(f"speed, {base} = 1")
    axes.set_title(title, loc="left", fontweight="bold")
    axes.grid(axis="x", color="#dddddd")
    axes.set_axisbelow(True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    plt = pictures.pyplot(11, options.file)
    if plt is None:
        return 77

    measured = json.loads(options.file.read_text())
    structs, numbers, moves = {}, {}, {}
    for type_, op, bytes_, kernels in cases(measured["figures"]):
        if op in MOVED:
            # The largest size is the last: the others are of their launches as well.
            base = next(iter(kernels))
            moves[f"{type_}, {op}, {size_text(bytes_)}"] = (op, type_, base, kernels)
        elif "staged" in kernels:
            for kernel in ("automatic", "single_pass"):
                label = type_ if kernel == "automatic" else f"{type_}, directly"
                if kernel == "automatic" or type_ in ("20 bytes", "50 bytes"):
                    structs.setdefault(label, []).append((bytes_, kernels["CUB"] / kernels[kernel]))
        else:
            numbers.setdefault(f"{type_}, {op}", []).append((bytes_, kernels["CUB"] / kernels["automatic"]))
    largest = {}
    for title, (op, type_, base, kernels) in moves.items():
        largest[(op, type_)] = (title, base, {k: kernels[base] / us for k, us in kernels.items()})

    rows = [("structs", structs), ("numbers of one and two bytes", numbers)]
    heights = [4.2 if r[0] == "structs" else 5.2 for r in rows]
    heights += [0.9 + 0.42 * len(m[2]) for m in largest.values()]
    figure, panels = plt.subplots(len(heights), 1, squeeze=False, layout="constrained",
                                  figsize=(9, sum(heights)), height_ratios=heights)
    for axes, (title, lines) in zip(panels[:, 0], rows):
        draw_ratios(axes, f"Sums of {title}" if title == "structs" else title.capitalize(), lines)
    for axes, (title, base, shares) in zip(panels[len(rows):, 0], largest.values()):
        draw_moves(axes, title, shares, base)
    figure.suptitle(measured["gpu"], x=0.01, ha="left", fontsize=14, fontweight="bold")
    pictures.save(figure, options.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
