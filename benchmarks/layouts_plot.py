#!/usr/bin/env python3
"""Draws the record of the benchmark `layouts`: layouts.png beside FILE.

usage: layouts_plot.py FILE

The panels: the speedup of struct sums and of reductions of small numbers over CUB, by size; the share of the read
ceiling at the largest size; transformations and copies of structs beside cudaMemcpyAsync; and the time to read one
field or all fields. Needs matplotlib and no GPU. Without matplotlib it prints the command to run later, and exits
with 77.
"""
import argparse
import json
import math
import pathlib
import sys

import pictures
from pictures import size_text

OURS, CUB, LIMIT, GRID = "#1f5f99", "#b0b0b0", "#8a2d2d", "#e4e4e4"
KB, GB = 1 << 10, 1 << 30
SIZE_TICKS = [64 * KB, 1024 * KB, 16384 * KB, 4 * GB]


def cases(figures):
    """{(type, op): {bytes: {kernel: us}}}, in the order of the file"""
    found = {}
    for f in figures:
        found.setdefault((f["type"], f["op"]), {}).setdefault(f["bytes"], {})[f["kernel"]] = f["us"]
    return found


def speedups(by_size):
    """{bytes: speedup over CUB}"""
    return {size: us["CUB"] / us["automatic"] for size, us in by_size.items()}


def largest(by_size):
    """(bytes, {kernel: us}) of the largest size"""
    size = max(by_size)
    return size, by_size[size]


def struct_name(type_):
    return "12 bytes (float3)" if type_ == "float3" else type_


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


def title(axes, text):
    axes.set_title(text, loc="left", fontweight="bold", fontsize="medium")


def draw_band(axes, lines, color):
    """The range of several lines over the size, and their geometric mean, which it returns."""
    sizes = sorted(next(iter(lines)))
    least = [min(line[s] for line in lines) for s in sizes]
    most = [max(line[s] for line in lines) for s in sizes]
    mean = [geometric_mean(line[s] for line in lines) for s in sizes]
    if len(lines) > 1:
        axes.fill_between(sizes, least, most, color=color, alpha=0.25, linewidth=0)
    axes.plot(sizes, mean, color=color, marker="o", markersize=3.5, linewidth=1.8)
    return dict(zip(sizes, mean))


def finish_speedups(axes, top):
    axes.axhline(1, color=LIMIT, linestyle="--", linewidth=1.4)
    axes.text(64 * KB, 1, "CUB", color=LIMIT, va="bottom", ha="left")
    axes.set_xscale("log", base=2)
    axes.set_xticks(SIZE_TICKS, [size_text(s) for s in SIZE_TICKS])
    axes.minorticks_off()
    axes.set_xlim(40 * KB, 7 * GB)
    axes.set_ylim(0.9, top)
    axes.set_ylabel("speedup over CUB")
    axes.set_xlabel("size of the range, cold cache")
    axes.grid(color=GRID)


def finish_bars(axes, names):
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)


def draw_pairs(axes, rows, text_of, first, second):
    """`rows`: [(name, value, value)]; two bars each, with their values."""
    names = [row[0] for row in rows]
    for which, (label, color) in enumerate((first, second)):
        places = [i + (which - 0.5) * 0.38 for i in range(len(rows))]
        values = [row[1 + which] for row in rows]
        axes.barh(places, values, height=0.36, color=color, label=label)
        for place, value in zip(places, values):
            inside = value > 0.25 * max(values)
            axes.text(value, place, f" {text_of(value)} ", va="center", ha="right" if inside else "left", fontsize="small",
                      color="white" if inside and which == 0 else "black")
    finish_bars(axes, names)
    axes.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.1,
                fontsize="small")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    plt = pictures.pyplot(9, options.file)
    if plt is None:
        return 77

    measured = json.loads(options.file.read_text())
    found = cases(measured["figures"])
    structs = {type_: sizes for (type_, op), sizes in found.items() if op == "add"}
    numbers = {key: sizes for key, sizes in found.items() if key[1] in ("plus", "minimum", "maximum")}
    ceiling = measured["read_ceiling_gb_s"]

    figure = plt.figure(figsize=(7, 9.4), layout="constrained")
    top, bottom = figure.subfigures(2, 1, height_ratios=[3.1, 6.3], hspace=0.02)
    panels = top.subplot_mosaic([["structs", "numbers"]])
    panels |= bottom.subplot_mosaic([["share"], ["moves"], ["fields"]], height_ratios=[2.9, 2.1, 1.3])

    axes = panels["structs"]
    title(axes, "Sums of structs")
    regular = [speedups(sizes) for type_, sizes in structs.items() if type_ != "50 bytes"]
    middle = draw_band(axes, regular, OURS)
    axes.text(16384 * KB, middle[1024 * KB] + 0.22, "12 to 36 bytes", color=OURS, ha="center")
    odd = draw_band(axes, [speedups(structs["50 bytes"])], "#c77700")
    axes.text(100 * 1024 * KB, odd[16384 * KB], "50 bytes", color="#c77700", ha="left", va="top")
    finish_speedups(axes, 4.3)

    axes = panels["numbers"]
    title(axes, "Chars, shorts and halves")
    draw_band(axes, [speedups(sizes) for sizes in numbers.values()], OURS)
    axes.text(1024 * KB, 1.96, f"geometric mean and range\nof {len(numbers)} sums, minima, maxima", color=OURS, ha="left", va="top")
    finish_speedups(axes, 2.0)

    axes = panels["share"]
    rows = []
    for type_, sizes in structs.items():
        size, us = largest(sizes)
        rows.append((f"structs of {struct_name(type_)}", *(size / us[k] / 1e3 / ceiling * 100 for k in ("automatic", "CUB"))))
    shares = [[size / us[k] / 1e3 / ceiling * 100 for k in ("automatic", "CUB")]
              for size, us in map(largest, numbers.values())]
    rows.append((f"chars, shorts, halves ({size_text(largest(next(iter(numbers.values())))[0])})",
                 *(geometric_mean(s[i] for s in shares) for i in (0, 1))))
    draw_pairs(axes, rows, lambda v: f"{v:.0f} %", ("warpfold", OURS), ("CUB", CUB))
    axes.axvline(100, color=LIMIT, linestyle="--", linewidth=1.4)
    axes.set_xlim(0, 105)
    axes.set_xlabel(f"% of the read ceiling (dashed; plain 16-byte loads, {ceiling:.0f} GB/s)")
    title(axes, f"Bandwidth at {size_text(largest(structs['float3'])[0])}")

    axes = panels["moves"]
    rows = []
    for (type_, op), sizes in found.items():
        if op == "transform":
            size, us = largest(sizes)
            rows.append((f"transform structs of {struct_name(type_)}", us["cudaMemcpyAsync"] / us["staged"],
                         us["cudaMemcpyAsync"] / us["direct"]))
    size, us = largest(found["28 bytes", "copy to and from soa"])
    for to, name in (("to soa", "copy structs of 28 bytes to soa"), ("to structs", "copy soa to structs of 28 bytes")):
        rows.append((name, us["cudaMemcpyAsync"] / us[f"{to}, staged"], us["cudaMemcpyAsync"] / us[f"{to}, direct"]))
    draw_pairs(axes, rows, lambda v: f"{v:.2f}", ("staged", OURS), ("direct", CUB))
    axes.axvline(1, color=LIMIT, linestyle="--", linewidth=1.4)
    axes.set_xlim(0, 1.05)
    axes.set_xlabel("speed relative to cudaMemcpyAsync (dashed)")
    title(axes, f"Transformations and copies, {size_text(size)}")

    axes = panels["fields"]
    size, us = largest(found["28 bytes", "fields"])
    rows = [(f"reduce {which} of 7 fields", us[f"{which} {plural} of soa"], us[f"{which} {plural} of structs"])
            for which, plural in (("one", "field"), ("all", "fields"))]
    rows[1] = ("reduce all 7 fields", *rows[1][1:])
    draw_pairs(axes, rows, lambda v: f"{v:.0f} µs", ("from wf::soa", OURS), ("from structs", CUB))
    axes.set_xlim(0, 1.05 * max(max(row[1:]) for row in rows))
    axes.set_xlabel("time in µs, less is better")
    title(axes, f"Fields of 28-byte structs, {size_text(size)}")

    figure.suptitle(measured["gpu"], x=0.01, ha="left", fontsize="large", fontweight="bold")
    pictures.save(figure, options.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
