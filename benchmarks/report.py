#!/usr/bin/env python3
"""Makes a report of what the benchmark `grid` measured: report.md beside FILE, and its pictures.

usage: report.py FILE

What is asked of the library (faster than CUB by how much, where) is in TARGETS; each element and op that misses it is
listed, with where and by how much.
Without matplotlib the report has no pictures, and says so.
"""
import argparse
import json
import math
import pathlib
import statistics

from pictures import pyplot, size_text

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
# way, contender, from bytes, to bytes, times as fast at least
TARGETS = [
    ("cold", "CUB", 0, math.inf, 0.99),
    ("hot", "CUB", 0, math.inf, 0.99),
    ("queue", "CUB", 0, math.inf, 0.99),
    ("graph", "CUB", 0, math.inf, 0.99),
    ("value", "CUB", 0, math.inf, 0.99),
    ("cold", "CUB", 64 * KB, 64 * MB, 1.25),
    ("queue", "CUB", 0, MB, 2.0),
    ("value", "Thrust", 0, MB, 2.5),
    ("value", "Thrust", 0, 16 * MB, 2.2),
]
WAYS = ["cold", "hot", "queue", "graph", "value"]


def read(path):
    """The file, and {(element, op, way, bytes): {who: us}}, in its order."""
    data = json.loads(path.read_text())
    times = {}
    for row in data["rows"]:
        element_bytes = data["element_bytes"][row["element"]]
        for n, us in zip(row["n"], row["us"], strict=True):
            times.setdefault((row["element"], row["op"], row["way"], n * element_bytes), {})[row["who"]] = us
    return data, times, data["wrong"]


def ratios(times, way, other, low=0, high=math.inf):
    """[(ratio, element, op, bytes)] of the cells of one way to call."""
    return [
        (us[other] / us["warpfold"], element, op, bytes_)
        for (element, op, w, bytes_), us in times.items()
        if w == way and low <= bytes_ <= high and other in us
    ]


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def summary(times):
    lines = ["| way to call | beside | cells | geometric mean | least | below 0.99 |", "|---|---|---:|---:|---:|---:|"]
    for way in WAYS:
        for other in ("CUB", "Thrust"):
            r = ratios(times, way, other)
            if not r:
                continue
            values = [x[0] for x in r]
            lines.append(f"| {way} | {other} | {len(r)} | {geometric_mean(values):.2f} | {min(values):.2f} | "
                         f"{sum(v < 0.99 for v in values)} |")
    return lines


def target_text(way, other, low, high, least):
    where = "everywhere" if high == math.inf else f"{size_text(low)} to {size_text(high)}" if low else f"up to {size_text(high)}"
    return f"{way}, {where}: {least} × {other}"


def targets(times):
    """A table of what is asked, and [(asked, [(ratio, element, op, bytes)])] of what misses it."""
    lines = ["| asked | cells | reached in | least |", "|---|---:|---:|---:|"]
    misses = []
    for way, other, low, high, least in TARGETS:
        r = ratios(times, way, other, low, high)
        if not r:
            continue
        missed = [x for x in r if x[0] < least]
        asked = target_text(way, other, low, high, least)
        lines.append(f"| {asked} | {len(r)} | {100 - 100 * len(missed) / len(r):.1f} % | {min(r)[0]:.2f} |")
        if missed:
            misses.append((asked, missed))
    return lines, misses


def missed_lines(asked, missed, most=20):
    """A line for each element and op that misses `asked`, the farthest away first."""
    rows = {}
    for ratio, element, op, bytes_ in missed:
        rows.setdefault((element, op), []).append((bytes_, ratio))
    lines = [f"### {asked}", "", "| element, op | cells | from | to | least |", "|---|---:|---:|---:|---:|"]
    by_least = sorted(rows.items(), key=lambda row: min(x[1] for x in row[1]))
    for (element, op), cells in by_least[:most]:
        lines.append(f"| {element} {op} | {len(cells)} | {size_text(min(cells)[0])} | {size_text(max(cells)[0])} | "
                     f"{min(x[1] for x in cells):.2f} |")
    if len(by_least) > most:
        lines.append(f"| and {len(by_least) - most} more | | | | |")
    return [*lines, ""]


def floor_lines(data, times):
    """Times over the floor: an empty launch and the bytes at the ceiling."""
    launch, ceiling = data["empty_launch_us"]["cold"], data["read_ceiling_gb_s"] * 1e3
    by_size = {}
    for (element, op, way, bytes_), us in times.items():
        if way == "cold":
            power = 2 ** math.floor(math.log2(bytes_))
            by_size.setdefault(power, []).append((us["warpfold"] / (launch + bytes_ / ceiling), element, op))
    lines = ["| size | median | largest | of |", "|---:|---:|---:|---|"]
    for size in sorted(by_size):
        worst = max(by_size[size])
        lines.append(f"| {size_text(size)} | {statistics.median(x[0] for x in by_size[size]):.2f} | {worst[0]:.2f} | "
                     f"{worst[1]}, {worst[2]} |")
    return lines


def write_report(path, data, times, wrong, pictures):
    reached, misses = targets(times)
    lines = [
        f"# The grid on {data['gpu']}",
        "",
        f"Commit {data['commit']}, CUB {data['cub']}. Medians of one run; ratios are theirs over ours, so that 2 is twice "
        f"as fast. Read ceiling {data['read_ceiling_gb_s']:.0f} GB/s, empty launch {data['empty_launch_us']['cold']:.2f} us "
        f"cold and {data['empty_launch_us']['graph']:.2f} us in a graph. Ways to call: benchmarks/grid/grid.hpp.",
        "",
    ]
    for title, name in pictures:
        lines += [f"![{title}]({name})", ""]
    if not pictures:
        lines += ["(No matplotlib, no pictures.)", ""]
    if wrong:
        lines += ["**Wrong results:** " + ", ".join(f"{c['who']} {c['element']} {c['op']} n = {c['n']}" for c in wrong), ""]
    lines += ["## In all", "", *summary(times), "", "## What is asked", "", *reached, ""]
    lines += ["## Over the floor", "", "Cold; an empty launch and the bytes at the read ceiling are 1.", "",
              *floor_lines(data, times), ""]
    lines += ["## What is missed", ""]
    for asked, missed in misses:
        lines += missed_lines(asked, missed)
    path.write_text("\n".join(lines) + "\n")
    return sum(len(missed) for _, missed in misses)


def draw_ratios(plt, times, way, other, name):
    """Rows: element and op. Columns: sizes. Red is slower than the other, blue faster."""
    cells = {}
    for ratio, element, op, bytes_ in ratios(times, way, other):
        cells.setdefault(f"{element} {op}", {})[math.floor(math.log2(bytes_))] = ratio
    rows = list(cells)
    powers = sorted({p for row in cells.values() for p in row})
    image = [[math.log2(cells[r][p]) if p in cells[r] else math.nan for p in powers] for r in rows]
    figure, axes = plt.subplots(figsize=(9, 1.6 + 0.24 * len(rows)), layout="constrained")
    shown = axes.imshow(image, aspect="auto", cmap="RdBu", vmin=-1.6, vmax=1.6, interpolation="nearest")
    for y, r in enumerate(rows):
        for x, p in enumerate(powers):
            if p in cells[r]:
                value = cells[r][p]
                axes.text(x, y, f"{value:.1f}" if value >= 1.95 else f"{value:.2f}", ha="center", va="center", fontsize=5.5,
                          color="white" if abs(math.log2(value)) > 1 else "black",
                          fontweight="bold" if value < 0.99 else "normal")
    axes.set_xticks(range(len(powers)), [size_text(2**p) for p in powers], rotation=60, ha="right", fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.set_xlabel("bytes")
    axes.set_title(f"times as fast as {other}, {way}", loc="left", fontweight="bold")
    bar = figure.colorbar(shown, ax=axes, shrink=0.4)
    bar.set_ticks([-1, 0, 1], labels=["half", "as fast", "twice"])
    figure.savefig(name, dpi=130)
    plt.close(figure)


def draw_bandwidth(plt, data, times, name):
    elements = list(dict.fromkeys(k[0] for k in times))
    columns = 3
    figure, all_axes = plt.subplots(math.ceil(len(elements) / columns), columns, sharex=True, sharey=True, squeeze=False,
                                    figsize=(10, 2.4 * math.ceil(len(elements) / columns)), layout="constrained")
    for axes, element in zip([a for row in all_axes for a in row], elements):
        for who, style in (("warpfold", "-"), ("CUB", "--")):
            points = [(b, b / us[who] * 1e-3) for (e, op, way, b), us in times.items()
                      if e == element and op == "sum" and way == "cold" and who in us]
            axes.plot([p[0] for p in points], [p[1] for p in points], style, label=who)
        axes.axhline(data["read_ceiling_gb_s"], color="#555555", linestyle=":", linewidth=1.4)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_title(element, loc="left", fontweight="bold", fontsize=10)
        axes.grid(color="#dddddd")
        ticks = [KB, 64 * KB, 4 * MB, 256 * MB, 4 * GB]
        axes.set_xticks(ticks, [size_text(t) for t in ticks], rotation=45, ha="right", fontsize=8)
    for i, axes in enumerate(a for row in all_axes for a in row):
        if i >= len(elements):
            axes.axis("off")
        elif i + columns >= len(elements):  # the last of its column
            axes.tick_params(labelbottom=True)
    all_axes[0][0].legend(frameon=False, fontsize=8)
    figure.supylabel("GB/s, sums, cold; dotted: the read ceiling", fontsize=9)
    figure.savefig(name, dpi=130)
    plt.close(figure)


def draw(path, data, times):
    plt = pyplot(10, path)
    if plt is None:
        return []
    folder = path.parent
    pictures = [("Bandwidth over size, each element", "grid_bandwidth.png")]
    draw_bandwidth(plt, data, times, folder / pictures[0][1])
    for way in WAYS:
        other = "Thrust" if way == "value" else "CUB"
        if ratios(times, way, other):
            pictures.append((f"Times as fast as {other}, {way}", f"grid_{way}.png"))
            draw_ratios(plt, times, way, other, folder / pictures[-1][1])
    return pictures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", type=pathlib.Path, help="grid.json")
    path = parser.parse_args().file
    try:
        data, times, wrong = read(path)
    except (OSError, ValueError, KeyError) as e:
        parser.error(f"{path} is no file of the grid: {e}")
    if not times:
        parser.error(f"{path} has no figures")
    pictures = draw(path, data, times)
    misses = write_report(path.parent / "report.md", data, times, wrong, pictures)
    print(f"wrote {path.parent / 'report.md'}, {len(pictures)} pictures; {misses} cells miss what is asked")


if __name__ == "__main__":
    main()
