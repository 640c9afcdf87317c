#!/usr/bin/env python3
"""Writes a report of the benchmark `grid`: report.md and its pictures beside FILE.

usage: report.py FILE

The function `asked` has the targets: the speedup over CUB by size, and the distance from the limit of the memory. The report
lists each element and op that misses a target, with the sizes and the worst value. If FILE has two versions of CUB, the
toolkit's and the newest, the target refers to the faster one in each cell.

The report has a section for each of these files in the folder of FILE: python.json (of python_contenders.py),
everyday.json, axis.json with axis_python.json (of the benchmarks of these names), and misses.md (causes of missed
targets, written by hand). A file that cannot be read is an error, and the script writes nothing. Without matplotlib the
report has no pictures.
"""
import argparse
import dataclasses
import math
import pathlib
import statistics

import records
import report_axis
import report_everyday
from pictures import pyplot, save, size_text

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30
CUBS = ["CUB", "CUB newest"]
BEST = "best CUB"  # the faster of both versions in each cell
WAYS = ["cold", "hot", "queue", "graph", "value"]
# way, contender, from bytes, to bytes, least speedup
RATIOS = [
    *((way, BEST, 0, math.inf, 0.99) for way in WAYS),
    ("cold", BEST, 64 * KB, 64 * MB, 1.25),
    ("graph", BEST, 12 * MB, 20 * MB, 1.2),  # about 16 MB: structs of three, five and seven floats have 12, 20 and 14
    ("queue", BEST, 0, MB, 2.0),
    ("value", "Thrust", 0, MB, 2.5),
    ("value", "Thrust", 0, 16 * MB, 2.2),
]


@dataclasses.dataclass
class Target:
    """A target for some cells (value, element, op, bytes): at least `bound`, or at most."""

    text: str
    cells: list
    bound: float
    at_most: bool = False

    def missed(self):
        return [c for c in self.cells if (c[0] > self.bound if self.at_most else c[0] < self.bound)]

    def worst(self, cells):
        return (max if self.at_most else min)(c[0] for c in cells)


def parse(data):
    """Returns the file, and {(element, op, way, bytes): {who: us}} in its order."""
    times = {}
    records.require(data, "gpu", "commit", "wrong")
    for row in data["rows"]:
        element_bytes = data["element_bytes"][row["element"]]
        for n, us in zip(row["n"], row["us"], strict=True):
            times.setdefault((row["element"], row["op"], row["way"], n * element_bytes), {})[row["who"]] = us
    return data, times


def theirs(us, other):
    """The time of a contender in a cell, or None."""
    if other == BEST:
        return min((us[who] for who in CUBS if who in us), default=None)
    return us.get(other)


def ratios(times, way, other, low=0, high=math.inf):
    """[(speedup, element, op, bytes)] of the cells of one way to call."""
    return [
        (theirs(us, other) / us["warpfold"], element, op, bytes_)
        for (element, op, w, bytes_), us in times.items()
        if w == way and low <= bytes_ <= high and "warpfold" in us and theirs(us, other)
    ]


def over_floor(data, times):
    """[(time over the floor, element, op, bytes)], cold. The floor is an empty launch plus the bytes at the read ceiling."""
    launch, ceiling = data["empty_launch_us"]["cold"], data["read_ceiling_gb_s"] * 1e3
    return [(us["warpfold"] / (launch + bytes_ / ceiling), element, op, bytes_)
            for (element, op, way, bytes_), us in times.items() if way == "cold" and "warpfold" in us]


def of_ceiling(data, times, low):
    """[(share of the read ceiling, element, op, bytes)], cold, from `low` bytes on."""
    return [(bytes_ / us["warpfold"] / (data["read_ceiling_gb_s"] * 1e3), element, op, bytes_)
            for (element, op, way, bytes_), us in times.items() if way == "cold" and bytes_ >= low and "warpfold" in us]


def names(data):
    """The names of the contenders. With one version of CUB there is no best one."""
    if "newest_cub" not in data:
        return {BEST: "CUB", "CUB": "CUB", "Thrust": "Thrust"}
    return {BEST: "the best CUB", "CUB": f"CUB {records.version_text(data['cub'])}",
            "CUB newest": f"CUB {records.version_text(data['newest_cub'])}", "Thrust": "Thrust"}


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def summary(data, times):
    lines = ["| way to call | speedup over | cells | geometric mean | least | cells below 0.99 |", "|---|---|---:|---:|---:|---:|"]
    for way in WAYS:
        for other, name in names(data).items():
            r = ratios(times, way, other)
            if not r or (other == "CUB" and "newest_cub" not in data):
                continue
            values = [x[0] for x in r]
            lines.append(f"| {way} | {name} | {len(r)} | {geometric_mean(values):.2f} | {min(values):.2f} | "
                         f"{sum(v < 0.99 for v in values)} |")
    return lines


def where_text(low, high):
    if high == math.inf:
        return "all sizes"
    if low == 12 * MB:
        return "about 16 MB (in the L2 cache)"
    return f"{size_text(low)} to {size_text(high)}" if low else f"up to {size_text(high)}"


def asked(data, times):
    """The targets for single cells."""
    called = names(data)
    targets = [Target(f"{way}, {where_text(low, high)}: at least {least}× {called[other]}", ratios(times, way, other, low, high), least)
               for way, other, low, high, least in RATIOS]
    targets.append(Target("cold, 1 GB and more: at least 0.99 of the read ceiling", of_ceiling(data, times, GB), 0.99))
    targets.append(Target("cold, all sizes: at most 1.5 times the floor", over_floor(data, times), 1.5, at_most=True))
    return [t for t in targets if t.cells]


def asked_lines(data, times, targets):
    lines = ["| target | cells | reached in | worst |", "|---|---:|---:|---:|"]
    for t in targets:
        # Rounded down, so that 100 % means all cells.
        reached = math.floor(1000 * (1 - len(t.missed()) / len(t.cells)) + 1e-9) / 10
        lines.append(f"| {t.text} | {len(t.cells)} | {reached:.1f} % | {t.worst(t.cells):.2f} |")
    everything = [x[0] for way in WAYS for x in ratios(times, way, BEST)]
    if everything:
        mean = geometric_mean(everything)
        lines.append(f"| all ways, geometric mean: at least 1.4× {names(data)[BEST]} | {len(everything)} | "
                     f"{'yes' if mean >= 1.4 else 'no'} | {mean:.2f} |")
    return lines


def missed_lines(target, most=20):
    """A line for each element and op that misses the target, the worst first, in a section that is closed at first."""
    rows = {}
    missed = target.missed()
    for value, element, op, bytes_ in missed:
        rows.setdefault((element, op), []).append((value, element, op, bytes_))
    lines = ["<details>", f"<summary>{target.text}: missed in {len(missed)} cells</summary>", "",
             "| element, op | cells | from | to | worst |", "|---|---:|---:|---:|---:|"]
    by_worst = sorted(rows.items(), key=lambda row: target.worst(row[1]), reverse=target.at_most)
    for (element, op), cells in by_worst[:most]:
        sizes = [c[3] for c in cells]
        lines.append(f"| {element} {op} | {len(cells)} | {size_text(min(sizes))} | {size_text(max(sizes))} | "
                     f"{target.worst(cells):.2f} |")
    if len(by_worst) > most:
        lines.append(f"| and {len(by_worst) - most} more | | | | |")
    return [*lines, "", "</details>", ""]


def floor_lines(data, times):
    """The time relative to the floor, by size."""
    by_size = {}
    for value, element, op, bytes_ in over_floor(data, times):
        by_size.setdefault(2 ** math.floor(math.log2(bytes_)), []).append((value, element, op))
    lines = ["| size | median | largest | element, op of the largest |", "|---:|---:|---:|---|"]
    for size in sorted(by_size):
        worst = max(by_size[size])
        lines.append(f"| {size_text(size)} | {statistics.median(x[0] for x in by_size[size]):.2f} | {worst[0]:.2f} | "
                     f"{worst[1]}, {worst[2]} |")
    return lines


def parse_python(data):
    """Does the same for python.json."""
    for who in data["versions"]:
        for key in ("sum_gb_s", "copy_gb_s"):
            records.positive(data[key], who)
    records.require(data, "left_out")
    return parse(data)


def left_out_lines(names):
    """A line for each contender and element, with its ops: `names` are such as "CuPy c32 sum"."""
    ops = {}
    for name in names:
        of, op = name.rsplit(" ", 1)
        ops.setdefault(of, []).append(op)
    return [f"- {of}: {', '.join(ops[of])}" for of in ops]


def python_lines(python, theirs_, data, times):
    """The speedups over PyTorch and CuPy, of a separate run on the same machine."""
    lines = ["## Beside PyTorch and CuPy", "",
             f"{', '.join(f'{who} {version}' for who, version in python['versions'].items())}, called from Python "
             "right after the other contenders. The table compares cells of the same element, op, bytes and way.", ""]
    for who in python["versions"]:
        lines += [f"For a comparison of the two runs: {who} sums 1 GB of f32 at {python['sum_gb_s'][who]:.0f} GB/s and copies it "
                  f"at {python['copy_gb_s'][who]:.0f} GB/s (bytes read and written). The read ceiling above is "
                  f"{data['read_ceiling_gb_s']:.0f} GB/s.", ""]
    lines += records.other_run(python, data, "These figures are")
    if python["wrong"]:
        lines += ["**Wrong results:** " + mistakes_text(python["wrong"]), ""]
    if python["left_out"]:
        lines += ["Not measured, or not at all sizes:", "", *left_out_lines(python["left_out"]), ""]
    lines += ["| way | speedup over | cells | geometric mean | least | cell of the least |", "|---|---|---:|---:|---:|---|"]
    for way in WAYS:
        for who in python["versions"]:
            r = [(us[who] / times[cell]["warpfold"], *cell) for cell, us in theirs_.items()
                 if cell[2] == way and who in us and "warpfold" in times.get(cell, {})]
            if r:
                least, element, op, _, bytes_ = min(r)
                lines.append(f"| {way} | {who} | {len(r)} | {geometric_mean(x[0] for x in r):.2f} | {least:.2f} | "
                             f"{element} {op}, {size_text(bytes_)} |")
    return [*lines, ""]


def mistakes_text(wrong):
    return ", ".join(f"{m['who']} {m['element']} {m['op']} n = {m['n']}" for m in wrong)


def write_report(path, data, times, pictures, sections):
    """`sections`: the lines of the other sections."""
    targets = asked(data, times)
    cubs = f"CUB {records.version_text(data['cub'])} of the toolkit"
    if "newest_cub" in data:
        cubs += f" and {records.version_text(data['newest_cub'])} of the newest CCCL. The best CUB is the faster of both in each cell"
    lines = [
        f"# The grid on {data['gpu']}",
        "",
        f"Commit {data['commit']}, {cubs}. All figures are medians of one run. A speedup of 2 means that warpfold is twice as "
        f"fast. The read ceiling is {data['read_ceiling_gb_s']:.0f} GB/s. An empty launch takes "
        f"{data['empty_launch_us']['cold']:.2f} us cold and {data['empty_launch_us']['graph']:.2f} us in a graph. The floor is an "
        "empty launch plus the time of the bytes at the read ceiling. benchmarks/grid/grid.hpp describes the ways to call.",
        "",
    ]
    if data["wrong"]:
        lines += ["**Wrong results:** " + mistakes_text(data["wrong"]), ""]
    lines += ["## Targets", "", *asked_lines(data, times, targets), ""]
    lines += ["## Summary", "", *summary(data, times), ""]
    lines += sections
    lines += ["## Pictures", ""]
    for title, name in pictures:
        lines += [f"![{title}]({name})", ""]
    if not pictures:
        lines += ["(No matplotlib, no pictures.)", ""]
    lines += ["## Time relative to the floor", "", "With a cold cache.", "",
              *floor_lines(data, times), ""]
    lines += ["## Missed targets", ""]
    for t in targets:
        if t.missed():
            lines += missed_lines(t)
    why = path.parent / "misses.md"
    if why.is_file():
        lines += ["## Why", "", why.read_text().rstrip("\n"), ""]
    path.write_text("\n".join(lines).rstrip("\n") + "\n")
    return sum(len(t.missed()) for t in targets)


def draw_map(plt, values, title, name, colors, limits, ticks, missed):
    """Draws a map with a row for each element and op, and a column for each size. Colors show the logarithm of the value,
    from `limits[0]` to `limits[1]`. Values that are `missed` are bold."""
    cells = {}
    for value, element, op, bytes_ in values:
        cells.setdefault(f"{element} {op}", {})[math.floor(math.log2(bytes_))] = value
    rows = list(cells)
    powers = sorted({p for row in cells.values() for p in row})
    low, high = (math.log2(x) for x in limits)
    image = [[math.log2(cells[r][p]) if p in cells[r] else math.nan for p in powers] for r in rows]
    figure, axes = plt.subplots(figsize=(7.5, 1.8 + 0.21 * len(rows)), layout="constrained")
    shown = axes.imshow(image, aspect="auto", cmap=colors, vmin=low, vmax=high, interpolation="nearest")
    for y, r in enumerate(rows):
        for x, p in enumerate(powers):
            if p in cells[r]:
                value = cells[r][p]
                red, green, blue, _ = shown.cmap(shown.norm(math.log2(value)))
                dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
                axes.text(x, y, f"{value:.1f}" if value >= 1.95 else f"{value:.2f}", ha="center", va="center", fontsize=5,
                          color="white" if dark else "black", fontweight="bold" if missed(value) else "normal")
    axes.set_xticks(range(len(powers)), [size_text(2**p) for p in powers], rotation=60, ha="right", fontsize=8)
    axes.set_yticks(range(len(rows)), rows, fontsize=8)
    axes.set_xlabel("size of the range")
    axes.set_title(title, loc="left", fontweight="bold")
    bar = figure.colorbar(shown, ax=axes, location="bottom", shrink=0.6, aspect=40, fraction=0.03)
    bar.set_ticks([math.log2(x) for x in ticks], labels=list(ticks.values()))
    save(figure, name)
    plt.close(figure)


def draw_bandwidth(plt, data, times, name):
    elements = list(dict.fromkeys(k[0] for k in times))
    columns = 2
    figure, all_axes = plt.subplots(math.ceil(len(elements) / columns), columns, sharex=True, sharey=True, squeeze=False,
                                    figsize=(7.5, 2.3 * math.ceil(len(elements) / columns)), layout="constrained")
    called = {"warpfold": "warpfold", **names(data)}
    for axes, element in zip([a for row in all_axes for a in row], elements):
        for who, style in (("warpfold", "-"), ("CUB", "--"), ("CUB newest", "-.")):
            points = [(b, b / us[who] * 1e-3) for (e, op, way, b), us in times.items()
                      if e == element and op == "sum" and way == "cold" and who in us]
            if points:
                axes.plot([p[0] for p in points], [p[1] for p in points], style, label=called[who])
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
        elif i + columns >= len(elements):  # the last panel of its column
            axes.tick_params(labelbottom=True)
    all_axes[0][0].legend(frameon=False, fontsize=8)
    figure.supylabel("GB/s of sums, cold cache (dotted: read ceiling)", fontsize=9)
    save(figure, name)
    plt.close(figure)


def draw_sizes(plt, data, times, name):
    """Draws the geometric mean of the speedups by size, a line for each way to call: the picture of README."""
    figure, axes = plt.subplots(figsize=(7.5, 3.4), layout="constrained")
    called = {"cold": "cold cache", "hot": "warm cache", "queue": "back-to-back", "graph": "graph replay",
              "value": "value on the host"}
    for way in WAYS:
        by_size = {}
        for value, _, _, bytes_ in ratios(times, way, BEST):
            by_size.setdefault(2 ** math.floor(math.log2(bytes_)), []).append(value)
        if by_size:
            axes.plot(sorted(by_size), [geometric_mean(by_size[size]) for size in sorted(by_size)], label=called[way])
    axes.axhline(1, color="#555555", linestyle=":", linewidth=1.4)
    axes.set_xscale("log", base=2)
    axes.set_ylim(0)
    ticks = [KB, 16 * KB, 256 * KB, 4 * MB, 64 * MB, GB]
    axes.set_xticks(ticks, [size_text(t) for t in ticks])
    axes.set_xlabel("size of the range")
    axes.set_title(f"speedup over {names(data)[BEST]}, geometric mean of elements and ops", loc="left", fontweight="bold", fontsize=11)
    axes.grid(color="#dddddd")
    axes.legend(frameon=False, fontsize=9)
    save(figure, name)
    plt.close(figure)


def draw(plt, folder, data, times):
    pictures = [("Bandwidth by size, for each element", "grid_bandwidth.png")]
    if ratios(times, "cold", BEST):
        pictures.append(("Speedup by size, for each way to call", "grid_sizes.png"))
        draw_sizes(plt, data, times, folder / pictures[-1][1])
    draw_bandwidth(plt, data, times, folder / pictures[0][1])
    floor = over_floor(data, times)
    if floor:
        pictures.append(("Time relative to the floor, cold", "grid_floor.png"))
        draw_map(plt, floor, "time relative to the floor, cold (bold: more than 1.5)", folder / pictures[-1][1], "YlOrRd", (1, 3),
                 {1: "1", 1.5: "1.5", 2: "2", 3: "3"}, lambda value: value > 1.5)
    for way in WAYS:
        other = "Thrust" if way == "value" else BEST
        r = ratios(times, way, other)
        if r:
            name = names(data)[other]
            pictures.append((f"Speedup over {name}, {way}", f"grid_{way}.png"))
            draw_map(plt, r, f"speedup over {name}, {way} (red: slower)", folder / pictures[-1][1], "RdBu", (1 / 3, 3),
                     {0.5: "0.5", 1: "1", 2: "2"}, lambda value: value < 0.99)
    return pictures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("file", type=pathlib.Path, help="grid.json")
    path = parser.parse_args().file
    folder = path.parent
    try:
        grid = records.read(path, "the grid", parse)
        python = records.read(folder / "python.json", "python_contenders.py", parse_python)
        everyday, axis = report_everyday.read(folder), report_axis.read(folder)
    except records.Malformed as e:
        parser.error(str(e))
    if grid is None:
        parser.error(f"there is no {path}")
    data, times = grid
    if not times:
        parser.error(f"{path} has no figures")
    plt = pyplot(10, path)
    pictures = draw(plt, folder, data, times) if plt else []
    sections = python_lines(*python, data, times) if python else []
    drawn = len(pictures)
    for module, record in ((report_everyday, everyday), (report_axis, axis)):
        if record is not None:
            sections += module.lines(record, data, folder, module.draw(plt, record, folder) if plt else None)
            drawn += plt is not None
    misses = write_report(folder / "report.md", data, times, pictures, sections)
    print(f"wrote {folder / 'report.md'}, {drawn} pictures; {misses} cells miss a target")


if __name__ == "__main__":
    main()
