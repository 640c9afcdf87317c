#!/usr/bin/env python3
"""Draws the record of the benchmark `two_gpus`: two_gpus.png beside FILE.

usage: two_gpus_plot.py FILE

The time of a sum over the bytes of each GPU. The record may have PyTorch's times as `torch_us`. Needs matplotlib and no
GPU. Without matplotlib it prints the command to run later, and exits with 77.
"""
import argparse
import json
import pathlib
import sys

import pictures
from pictures import size_text

LINES = [  # key, label, color, line, marker
    ("one_gpu_us", "one GPU, its part only", "#777777", ":", "o"),
    ("devices_us", "two GPUs: wf::devices", "#1f5f99", "-", "o"),
    ("nccl_mailboxes_us", "two GPUs: wf::nccl, mailboxes", "#2aa198", "-", "P"),
    ("nccl_us", "two GPUs: wf::nccl", "#3a8a5f", "-", "s"),
    ("sum_then_nccl_us", "wf::sum, then ncclAllReduce", "#c77700", "--", "^"),
    ("cub_then_nccl_us", "CUB's sum, then ncclAllReduce", "#8a2d2d", "--", "v"),
    ("torch_us", "torch.sum, then all_reduce", "#7a4b94", "--", "D"),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    plt = pictures.pyplot(10, options.file)
    if plt is None:
        return 77
    record = json.loads(options.file.read_text())
    rows = record["sums"]

    figure, axes = plt.subplots(figsize=(7, 4.8), layout="constrained")
    for key, label, color, line, marker in LINES:
        found = [(4 * r["floats"], r[key]) for r in rows if key in r]
        if found:
            axes.plot(*zip(*found), color=color, linestyle=line, marker=marker, markersize=3.5, linewidth=1.6, label=label)
    sizes = [4 * r["floats"] for r in rows]
    ticks = [s for i, s in enumerate(sizes) if i % 2 == 0 or s == sizes[-1]]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(ticks, [size_text(s) for s in ticks])
    axes.minorticks_off()
    axes.set_yticks([1, 3, 10, 30, 100, 300, 1000], ["1", "3", "10", "30", "100", "300", "1000"])
    axes.set_xlabel("bytes of each GPU, floats")
    axes.set_ylabel("time of a sum, µs, in a graph, calls back-to-back")
    axes.grid(color="#e4e4e4")
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(frameon=False)
    version = record["nccl"]
    axes.set_title(f"{record['gpus']} × {record['gpu']}, NCCL {version // 10000}.{version // 100 % 100}.{version % 100}",
                   loc="left", fontweight="bold", fontsize="medium")
    pictures.save(figure, options.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
