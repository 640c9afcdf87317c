#!/usr/bin/env python3
"""Draws the record of `warpfold ladder --json FILE`: ladder.png beside FILE.

usage: ladder_plot.py FILE

Draws a panel for each size and a bar for each kernel, with the figure of its source as a mark, and lines for the
read ceiling and CUB. Needs matplotlib and no GPU. Without matplotlib it prints the command to run later, and exits
with 77.
"""
import argparse
import json
import pathlib
import sys

import pictures

KERNEL, LADDER, MARK, LINE = "#4878a8", "#1b3a5c", "#e07b00", "#8a2d2d"


def source_rate(source):
    """The GB/s of the source, computed from its time and bytes if it gives no bandwidth; or None."""
    if "gb_s" in source:
        return source["gb_s"]
    return source["bytes"] / source["ms"] / 1e6 if "ms" in source else None


def remark(figure):
    for word in ("wrong", "failed"):
        if word in figure:
            return word.upper()
    return "not on this GPU"


def draw(axes, run, ladder):
    figures = [f for f in run["figures"] if f["kernel"] != "CUB"]
    cub = next((f for f in run["figures"] if f["kernel"] == "CUB" and "gb_s" in f), None)
    ceiling = ladder["read_ceiling_gb_s"]
    places = range(len(figures))
    rates = [f.get("gb_s", 0) for f in figures]
    colors = [LADDER if f.get("source", {}).get("name") == "Harris" else KERNEL for f in figures]
    axes.barh(places, rates, color=colors, height=0.7)
    for place, figure, rate in zip(places, figures, rates):
        text = f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"
        axes.text(rate + 0.012 * ceiling, place, text if "gb_s" in figure else remark(figure),
                  va="center", backgroundcolor="white", zorder=2.5,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})

    shown = set()
    for place, figure in zip(places, figures):
        source = figure.get("source", {})
        rate = source_rate(source)
        if rate is None:
            continue
        label = f"the source's figure, {source['gpu']}"
        marker = "D" if "gb_s" in source else "^"
        axes.plot(rate, place, marker, color=MARK, markersize=7, markeredgecolor="white", zorder=4,
                  label=label if label not in shown else None)
        shown.add(label)
    axes.axvline(ceiling, color=LINE, linestyle="--", linewidth=1.8, zorder=1.5,
                 label=f"plain 16-byte loads, {ceiling:,.0f}")
    if cub is not None:
        axes.axvline(cub["gb_s"], color="#555555", linestyle=":", linewidth=2.2, zorder=1.5,
                     label=f"CUB, {cub['gb_s']:,.0f}")

    axes.set_yticks(list(places), [f["kernel"] for f in figures])
    axes.set_ylim(len(figures) - 0.4, -0.6)  # the first row at the top
    axes.set_xlim(0, ceiling * 1.16)
    axes.set_xlabel("GB/s, cold L2 cache")
    axes.set_title(f"{ladder['op']} of {pictures.count_text(run['elements'])} {run['type']}, "
                   f"{run['bytes'] / 1e6:,.1f} MB", loc="left", fontweight="bold")
    axes.grid(axis="x", color="#dddddd", zorder=0)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    plt = pictures.pyplot(12, options.file)
    if plt is None:
        return 77
    from matplotlib.patches import Patch

    ladder = json.loads(options.file.read_text())
    runs = ladder["runs"]
    rows = max(len(run["figures"]) for run in runs)
    figure, panels = plt.subplots(len(runs), 1, squeeze=False, layout="constrained",
                                  figsize=(7, len(runs) * (0.31 * rows + 1.1) + 1.6))
    for axes, run in zip(panels[:, 0], runs):
        draw(axes, run, ladder)
    figure.suptitle(ladder["gpu"], x=0.01, ha="left", fontsize=14, fontweight="bold")
    handles, labels = panels[-1, 0].get_legend_handles_labels()
    if len(runs) > 1:  # the value of CUB differs between the panels
        labels = [label.split(",")[0] if label.startswith("CUB") else label for label in labels]
    handles.insert(0, Patch(color=LADDER))
    labels.insert(0, "Harris's ladder")
    figure.legend(handles, labels, loc="outside lower left", frameon=False)
    pictures.save(figure, options.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
