"""The figures of README.md and of pages of docs/, computed again from their records.

`claims` returns for each page the texts that it must contain, with the values of the records. `leftovers` returns the
figures of a page that are in none of these texts, and so have no record. `is_stale` tells whether kernels have changed
since a record.
"""
import json
import math
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
RESULTS = SOURCE / "benchmarks" / "results"
sys.path.insert(0, str(SOURCE / "benchmarks"))
import report  # noqa: E402

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30

# The records that pages cite, and the folders and headers whose code they measured.
PLAIN = ["kernel/automatic.hpp", "kernel/bulk_copy.hpp", "kernel/single_block.hpp", "kernel/single_pass.hpp", "kernel/staged.hpp",
         "kernel/tuned.hpp", "kernel/tuning.hpp", "collective/thread_fold.hpp", "collective/block_reduce.hpp",
         "collective/warp_reduce.hpp", "collective/grid_finish.hpp"]
IN_ORDER = ["kernel/in_order.hpp", "kernel/in_order_copies.hpp", "collective/tile_fold.hpp", "collective/row_fold.hpp",
            "collective/node_finish.hpp", "collective/unchecked_fold.hpp"]
MEASURED = {
    "h100/grid.json": [*PLAIN, *IN_ORDER],
    "h100/sums.json": [*PLAIN, *IN_ORDER],
    "h100/everyday.json": [*PLAIN, *IN_ORDER],
    "h100/axis.json": ["kernel/axis"],
    "h200/peers.json": ["kernel"],
    "h100/segments.json": ["kernel/segments.hpp", "collective/group_fold.hpp", "collective/grid_groups.hpp"],
    "h200/segments.json": ["kernel/segments.hpp", "kernel/elementwise/transformed_segments.hpp", "collective/group_fold.hpp",
                           "collective/grid_groups.hpp"],
    "h200/normalize.json": ["kernel/elementwise/folded_segments.hpp", "kernel/axis/transformed_rows.hpp",
                            "kernel/axis/transformed_terms.hpp", "kernel/axis/transformed_tiles.hpp", "collective/group_fold.hpp",
                            "collective/grid_groups.hpp", "op/exponential_sum.hpp", "op/softmax.hpp"],
    "h200/grid.json": [*PLAIN, *IN_ORDER],
    "h200/everyday.json": [*PLAIN, *IN_ORDER],
    "h200/keys.json": ["kernel/key_runs.hpp", "collective/tile_totals.hpp", "collective/run_begins.hpp", "collective/warp_elements.hpp",
                       "collective/group_fold.hpp"],
    "h100x2/two_gpus.json": ["collective/rank_exchange.hpp", "collective/exchanged_reduction.hpp", "collective/rank_frame.hpp"],
}


def load(name):
    return json.loads((RESULTS / name).read_text())


def near(value, text):
    """True if `text`, a number, is `value` rounded to its digits, up or down where both are as near."""
    digits = len(text.partition(".")[2])
    return abs(value - float(text)) <= 0.5 * 10**-digits * (1 + 1e-6) + 1e-9


def grid_mean(name, way=None, other=report.BEST):
    _, times = report.parse(load(name))
    return report.geometric_mean(x[0] for w in ([way] if way else report.WAYS) for x in report.ratios(times, w, other))


def python_mean(way):
    _, times = report.parse(load("h100/grid.json"))
    _, theirs = report.parse(load("h100/python.json"))
    return report.geometric_mean(us["PyTorch"] / times[cell]["warpfold"] for cell, us in theirs.items()
                                 if cell[2] == way and "PyTorch" in us and "warpfold" in times.get(cell, {}))


def cells(way=None):
    _, times = report.parse(load("h100/grid.json"))
    return [x[0] for w in ([way] if way else report.WAYS) for x in report.ratios(times, w, report.BEST)]


def at_least(way, bound):
    values = cells(way)
    return math.floor(1000 * sum(v >= bound for v in values) / len(values)) / 10  # rounded down, as in the report


def sum_of(bytes_, mode, type_="f32"):
    found = [f for f in load("h100/sums.json")["figures"] if (f["type"], f["mode"], f["bytes"]) == (type_, mode, bytes_)]
    return found[0] if found else None


def sums_row(bytes_):
    cold, graph, value = (sum_of(bytes_, mode) for mode in ("cold", "hot", "value"))
    row = [cold["us"], cold["cub_us"] / cold["us"], graph["cub_us"] / graph["us"]]
    return row + [value["thrust_us"] / value["us"]] if value and "thrust_us" in value else row


def peer(work, size, other, ours=None):
    """The speedups over a contender: (cold, warm)."""
    row = next(r for r in load("h200/peers.json")["rows"] if (r["work"], r["size"]) == (work, size))
    by_name = {c["name"]: c for c in row["contenders"]}
    own = by_name[ours] if ours else row["contenders"][0]
    return by_name[other]["cold_us"] / own["cold_us"], by_name[other]["warm_us"] / own["warm_us"]


def ranges_of_1_kb():
    own = next(r for r in load("h200/peers.json")["rows"] if (r["work"], r["size"]) == ("sums of ranges", "1000 of 1 KB"))["contenders"][0]
    return [own["cold_us"], own["warm_us"]]


def peers_row(*parts):
    """Both columns of a row of the table: cold, then warm, of each part."""
    pairs = [peer(*part) for part in parts]
    return [p[0] for p in pairs] + [p[1] for p in pairs]


def keys_over_cub(call, is_short):
    """The speedups over CUB for 2^24 keys, of runs of up to 1000 keys or of longer ones."""
    return [r["cub_us"] / r["us"] for r in load("h200/keys.json")["rows"]
            if r["elements"] == 1 << 24 and r["call"] == call and (r["mean"] <= 1000) == is_short]


def beside_fastest(own, torch):
    """The time of the fastest other contender over that of warpfold, the first of `own`, cold."""
    others = [c for c in own[1:] if c["name"] != "a copy"] + torch
    return min(c["cold_us"] for c in others if c.get("cold_us")) / own[0]["cold_us"]


def groups_row(*parts):
    """The time of the fastest other contender over that of warpfold, cold, of each (work, size)."""
    own = {(r["work"], r["size"]): r["contenders"] for r in load("h200/groups.json")["rows"]}
    torch = {(r["work"], r["size"]): r["contenders"] for r in load("h200/groups_torch.json")["rows"]}

    return [beside_fastest(own[part], torch.get(part, [])) for part in parts]


def axis_shapes_mean():
    """The time of the fastest peer over that of warpfold, cold: the geometric mean of 300 random shapes, H200."""
    def key(r):
        return tuple(r["shape"]), tuple(r["axes"])

    torch = {key(r): r["contenders"] for r in load("h200/axis_shapes_torch.json")["rows"]}
    return report.geometric_mean(beside_fastest(r["contenders"], torch.get(key(r), [])) for r in load("h200/axis_shapes.json")["rows"])


def groups_mean():
    return report.geometric_mean(groups_row((r["work"], r["size"]))[0] for r in load("h200/groups.json")["rows"])


def segments(kind, mean, log2, op="sum"):
    return next(r for r in load("h100/segments.json")["rows"]
                if (r["kind"], r["mean"], r["elements"], r["op"]) == (kind, mean, 1 << log2, op))


def two_gpus(floats, who):
    return next(row[f"{who}_us"] for row in load("h100x2/two_gpus.json")["sums"] if row["floats"] == floats)


def compile_share(what, other="Thrust", key="seconds"):
    calls = load("compile.json")["calls"]
    return 100 * calls[what][key] / calls[other][key]


def host(variant, op, type_, size, threads=1):
    """The GB/s of `wf::par`, and of the fastest other."""
    speeds = next(f for f in load(f"host/{variant}.json")["figures"]
                  if (f["op"], f["type"], f["bytes"], f["threads"]) == (op, type_, size, threads))["gb_s"]
    return [speeds["par"], max(v for who, v in speeds.items() if who not in ("par", "seq", "read"))]


HOST_ROWS = [("sum of `float`", "sum", "f32"), ("sum of `double`", "sum", "f64"), ("sum of `int`", "sum", "i32"),
             ("dot product of `float`", "dot", "f32"), ("dot product of `int`", "dot", "i32"),
             ("dot product of `signed char`", "dot", "i8"), ("maximum of `float`", "max", "f32"),
             ("maximum of `long long`", "max", "i64"), ("least and greatest `float`", "minmax", "f32"),
             ("index of the least `float`", "argmin", "f32"), ("norm of `float`", "norm_2", "f32"),
             ("variance of `double`", "variance", "f64")]


def host_claims():
    large = 1 << 26
    sizes = [64, 1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 24, large]
    found = [(f"| {text}{label} |" + " # |" * len(sizes), [ratio(host(variant, op, type_, size)) for size in sizes])
             for variant, label in (("gcc_O2", ""), ("gcc_native", ", native")) for text, op, type_ in HOST_ROWS]
    read = next(f for f in load("host/gcc_O2.json")["figures"] if "read" in f["gb_s"] and f["threads"] == 2 and f["type"] == "f32")
    sum_, other = host("gcc_O2", "sum", "f32", large, 2)
    found += [("sum of `float` # (only reading #, the fastest other #)", [sum_, read["gb_s"]["read"], other]),
              ("maximum of `float` # (#)", host("gcc_O2", "max", "f32", large, 2)),
              ("dot product of `double` # (#)", host("gcc_O2", "dot", "f64", large, 2))]
    means = (3, 8, 32, 256, 4096)
    for what, of in (("sum", ""), ("maximum", "max ")):
        for text, op in (("equal lengths", "equal"), ("exponential lengths", "exp")):
            both = [host("gcc_O2", f"{of}{op} {mean}", "f32", large) for mean in means]
            found += [(f"| {what}, {text} |" + " # |" * 5, [b[0] for b in both]),
                      (f"| {what}, {text}, the fastest other |" + " # |" * 5, [b[1] for b in both])]
    return found


def exact_over_plain(kind, type_, threads):
    speeds = next(f for f in load("host/exact_gcc_O2.json")["figures"]
                  if (f["op"], f["type"], f["bytes"], f["threads"]) == (kind, type_, 256 * MB, threads))["gb_s"]
    return speeds["plain"] / speeds["par"]


def gpu_exact_over_plain(work, size, kind, name="warpfold", way="cold_us"):
    row = next(r for r in load("h200/exact.json")["rows"] if (r["work"], r["size"]) == (work, f"{size}, {kind}"))
    times = {c["name"]: c[way] for c in row["contenders"] if way in c}
    return times[name] / times["plain"]


def gpu_exact_claims():
    kinds = ("normal", "uniform", "lognormal, sigma 1", "lognormal, sigma 10", "every binade", "cancelling pairs")
    found = [(f"| `{name}`, {size}{'; lognormal(2)' if type_ == 'f16' else ''} |" + " # |" * 6, [gpu_exact_over_plain(f"sum {type_}", size, kind) for kind in kinds])
             for name, type_, sizes in (("float", "f32", ("16 MB", "256 MB", "1 GB")), ("double", "f64", ("16 MB", "256 MB", "1 GB")),
                                        ("__half", "f16", ("256 MB",)), ("__nv_bfloat16", "bf16", ("256 MB",)))
             for size in sizes]

    def compensated(type_):
        return span([gpu_exact_over_plain(f"sum {type_}", "256 MB", kind, "compensated") for kind in kinds])

    def end_in_graph(type_):
        row = next(r for r in load("h200/exact.json")["rows"] if (r["work"], r["size"]) == (f"sum {type_}", "256 KB, uniform"))
        times = {c["name"]: c.get("graph_us") for c in row["contenders"]}
        return times["warpfold"] - times["plain"]

    def over_cub(type_):
        rows = [r for r in load("h200/exact.json")["rows"] if r["work"] == f"sum {type_}" and r["size"].startswith("256 MB, ")]
        times = [{c["name"]: c.get("graph_us") for c in r["contenders"]} for r in rows]
        return span([t["warpfold"] / t["cub gpu_to_gpu"] for t in times if t["warpfold"] and t["cub gpu_to_gpu"]])
    found += [(f"| {group} |" + " # |" * 4, [gpu_exact_over_plain(f"{group} {type_}", "1 GB", kind)
                                             for type_ in ("f32", "f64") for kind in ("normal", "lognormal, sigma 10")])
              for group in ("segments of 32", "segments of 1024", "rows of 32", "rows of 1024", "rows of 65536", "columns of 4096", "10 classes",
                            "1000 classes")]
    return found + [
        ("takes # to # times its time for `float`, and # to # times for `double`", over_cub("f32") + over_cub("f64")),
        ("They take # to # times as long as plain ones for 256 MB of `float`, and # to # times for", compensated("f32") + compensated("f64")),
        ("takes # times as long as a plain one if exponents are similar, and # times for",
         [gpu_exact_over_plain("dot f32", "256 MB", kind) for kind in ("normal", "lognormal, sigma 10")]),
        ("One of `double` takes # times as long", [gpu_exact_over_plain("dot f64", "256 MB", "normal")]),
        ("take # times as long as a plain sum for `double`, and # times for `__nv_bfloat16`",
         [gpu_exact_over_plain(f"sum {type_}", "256 MB", "half zeros") for type_ in ("f64", "bf16")]),
        ("take # us longer than a plain sum for `float`, and # us for `double`", [end_in_graph("f32"), end_in_graph("f64")]),
    ]


def exact_claims():
    kinds = ("normal", "uniform", "lognormal(1)", "lognormal(10)", "binades", "cancelling")
    figures = {(f["op"], f["type"], f["bytes"], f["threads"]): f["gb_s"] for f in load("host/exact_gcc_O2.json")["figures"]}
    found = []
    for name, type_ in (("float", "f32"), ("double", "f64")):
        for text, threads in (("one thread", 1), ("two threads", 2)):
            speeds = [figures[kind, type_, 256 * MB, threads] for kind in kinds]
            found.append((f"| `{name}`, {text} |" + " # |" * 6, [s["plain"] / s["par"] for s in speeds]))
        speeds = [figures[kind, type_, 256 * KB, 1] for kind in kinds]
        found.append((f"| `{name}`, 256 KB |" + " # |" * 6, [s["par"] / max(s["bins"], s["add"], s["fsum"]) for s in speeds]))

    def over_exact(bytes_):
        return span([figures[kind, type_, bytes_, 1]["plain"] / figures[kind, type_, bytes_, 1]["par"]
                     for kind in kinds[:3] for type_ in ("f32", "f64")])
    wide = [figures[kind, "f64", 256 * MB, 1] for kind in kinds[3:]]
    found += [("At 256 MB the twenty lines are up to # times as fast for doubles", [max(s["bins"] / s["par"] for s in wide)]),
              ("an exact one takes # to # times as long at 256 KB, and # to # times as long at 4 KB", over_exact(256 * KB) + over_exact(4 * KB))]
    return found


def ratio(both):
    return both[0] / both[1]


def slowest(log2, low, high, ours="us", cub="cub_us"):
    """The largest time over CUB's, of sums of segments whose mean length is from `low` to `high`."""
    return max(r[ours] / r[cub] for r in load("h100/segments.json")["rows"]
               if r["elements"] == 1 << log2 and low <= r["mean"] <= high and cub in r)


def plain_over_ours(kind, sizes, time=("peer_us", "us")):
    """The times of the fastest plain kernel over those of segments of this kind."""
    return [r[time[0]] / r[time[1]] for r in load("h100/segments.json")["rows"]
            if r["kind"] == kind and r["elements"] in [1 << log2 for log2 in sizes] and time[0] in r]


def span(values):
    values = list(values)
    return [min(values), max(values)]


def of_rows(log2=None):
    return [r for r in load("h100/segments.json")["rows"] if log2 is None or r["elements"] == 1 << log2]


def share_of_sum():
    """The least and the largest bandwidth of segments of one and of two elements over that of a sum, 1 GB of equal lengths."""
    return span(r["bytes"] / r["us"] / (4 * r["elements"] / r["sum_us"]) for r in of_rows(28)
                if r["kind"] in ("equal", "uniform") and r["mean"] <= 2)


def one_long_segment():
    return max(r["cub_us"] / r["us"] for r in of_rows(22) if r["kind"] == "one")


def transforms(log2, means=None, kind=None):
    """The times of the fastest plain kernel over those of transforms of segments, H200."""
    return [r["peer_us"] / r["us"] for r in load("h200/segments.json")["rows"]
            if r["op"] == "transform" and r["elements"] == 1 << log2 and "peer_us" in r
            and (means is None or r["mean"] in means) and kind in (None, r["kind"])]


def normalized(work, log2, ratio="peer_us"):
    """The times of the fastest plain kernel, or of a copy, over those of transforms of segments with an op, H200."""
    return [r[ratio] / r["us"] for r in load("h200/normalize.json")["rows"]
            if r["work"] == work and r["elements"] == 1 << log2 and r["kind"] != "matrix" and ratio in r]


def rows_beside_a_copy(shape):
    """The time of a copy over that of transform_axis: softmax, layer norm, and division by the sum, H200."""
    height, width = shape
    found = {r["work"]: r["copy_us"] / r["us"] for r in load("h200/normalize.json")["rows"]
             if (r["kind"], r["segments"], r["mean"]) == ("matrix", height, width)}
    return [found[work] for work in ("softmax", "layer norm", "share")]


def softmax_of_uneven_segments():
    return max(r["us"] / r["peer_us"] for r in load("h200/normalize.json")["rows"]
               if (r["work"], r["kind"], r["mean"], r["elements"]) == ("softmax", "exponential", 256, 1 << 26))


def moments_over_sums():
    rows = [r for r in load("h200/segments.json")["rows"] if r["kind"] == "uniform" and r["elements"] == 1 << 26]
    sums = {r["mean"]: r["us"] for r in rows if r["op"] == "sum"}
    return span(r["us"] / sums[r["mean"]] for r in rows if r["op"] == "moments" and r["mean"] in sums)


def over_sums():
    sums = {(r["kind"], r["mean"], r["elements"]): r["us"] for r in of_rows() if r["op"] == "sum"}
    return span(r["us"] / sums[key] for r in of_rows() if r["op"] in ("argmax", "moments")
                for key in [(r["kind"], r["mean"], r["elements"])] if key in sums)


def unknown_cost():
    rows = [r for r in load("h200/peers.json")["rows"] if r["work"].startswith(("points in", "function of", "pi by"))]
    found = [c["cold_us"] / r["contenders"][0]["cold_us"] for r in rows for c in r["contenders"] if c["name"] == "CUB"]
    assert len(found) == 43, len(found)
    return span(found)


def calls():
    axis, torch = load("h100/axis.json"), load("h100/axis_python.json")["rows"]
    two_rows = "2 x 150000003"
    of_8, of_256 = segments("equal", 8, 28), segments("equal", 256, 28)
    one = next(r for r in of_rows(28) if r["kind"] == "one")
    less = span(100 * (1 - r["cub_us"] / r["us"]) for r in of_rows(28) if r["kind"] in ("equal", "uniform") and 1e4 <= r["mean"] <= 1e5)
    return [
        ("reach # to # % of the bandwidth of plain loads",
         span(100 * f["gb_s"] / axis["read_ceiling_gb_s"] for f in axis["figures"] if f["bytes"] > 1.5e9 and f["shape"] != two_rows)),
        ("They are # to # times as fast as PyTorch's", span(r["us"] / r["ours_us"] for r in torch if r["shape"] != two_rows)),
        ("take # and # times as long as PyTorch's", span(r["ours_us"] / r["us"] for r in torch if r["shape"] == two_rows)),
        ("segments of 8 elements take 1/# of the time of `cub::DeviceSegmentedReduce`, of 256 elements 1/#",
         [r["cub_us"] / r["us"] for r in (of_8, of_256)]),
        ("elements CUB takes # to # % less time; with a single one it takes # times as long", less + [one["cub_us"] / one["us"]]),
    ]


def kernels():
    """The rows of the table of all kernels."""
    ladder = load("h100/ladder.json")
    small, large = ({f["kernel"]: f for f in run["figures"]} for run in ladder["runs"])
    rows = [("reach # GB/s in the same run", [ladder["read_ceiling_gb_s"]])]
    for kernel, figure in large.items():
        if kernel in ("automatic", "block_tree_dynamic"):
            continue
        name, launches = (kernel, "") if kernel == "CUB" else (f"`{kernel}`", f"{figure['launches']} ")
        end = f"{figure['us']:,.0f}".replace(",", " ") if figure["us"] >= 1e4 else "#"
        values = [small[kernel]["us"], figure["us"], 100 * figure["gb_s"] / ladder["read_ceiling_gb_s"]]
        text = "| CUB, for comparison | | # µs | # µs | # % |" if kernel == "CUB" else f"| {name} | {launches}| # µs | {end} µs | # % |"
        rows.append((text, [v for v, shown in zip(values, ("#", end, "#")) if shown == "#"]))
    return rows


def layouts():
    """The rows of the table of speedups over CUB."""
    times = {(f["type"], f["op"], f["kernel"], f["bytes"]): f["us"] for f in load("h100/layouts.json")["figures"]}

    def over_cub(type_, op, kernel):
        sizes = sorted(size for t, o, k, size in times if (t, o, k) == (type_, op, kernel))
        return [times[type_, op, "CUB", size] / times[type_, op, kernel, size]
                for size in (min(sizes, key=lambda size: abs(size - 64 * MB)), sizes[-1])]

    rows = [("sum of float3, direct loads", "float3", "add", "single_pass"),
            ("sum of float3, staged in shared memory", "float3", "add", "staged"),
            *((f"sum of structs of {n} bytes{how}", f"{n} bytes", "add", kernel) for n in (20, 28, 36, 50)
              for how, kernel in (("", "automatic"), (", `wf::kernel::staged`", "staged"))),
            ("maximum of int8 (64 MB, 4 GB)", "int8", "maximum", "automatic"),
            ("sum of halves in `float` (64 MB, 4 GB)", "half", "plus", "automatic")]
    return [(f"| {text} | # | # |", over_cub(*of)) for text, *of in rows]


NUMBER = r"(\d+(?:\.\d+)?)"


def relative_to_sum(name, op, type_, bytes_):
    found = [f for f in load(name)["figures"] if (f["op"], f["type"], f["bytes"]) == (op, type_, bytes_)]
    return found[0]["of_sum"]


def claims():
    """{page: [(text, values)]}: `#` in a text stands for a number, and the values are the record's."""
    sums = load("h100/sums.json")
    warm = [x[0] for x in report.ratios(report.parse(load("h100/grid.json"))[1], "hot", report.BEST, 2 * MB, 64 * MB)]
    largest = sum_of(4 * GB, "cold")
    bandwidth = 4 * GB / largest["us"] * 1e-3
    of_ceiling = 100 * bandwidth / sums["read_ceiling_gb_s"]
    all_cells = len(cells())
    segments_of_8 = segments("equal", 8, 28)
    readme = [
        ("256 MB of `float` take # times as long as a plain sum", [exact_over_plain("normal", "f32", 2)]),
        ("On an H200, 1 GB of `float` takes # times as long", [gpu_exact_over_plain("sum f32", "1 GB", "normal")]),
        ("**#× CUB**", [grid_mean("h100/grid.json")]),
        ("of # measurements", [all_cells]),
        ("With a cold cache it is #×, in a graph #×.", [grid_mean("h100/grid.json", way) for way in ("cold", "graph")]),
        ("at commit 23294b1: #×, #× and\n  #×.",
         [grid_mean("h200/grid.json", way) for way in (None, "cold", "graph")]),
        ("**#× Thrust** for a value", [grid_mean("h100/grid.json", "value", "Thrust")]),
        ("**# GB/s** for a sum of 4 GB", [bandwidth]),
        ("That is # % of what plain loads", [of_ceiling]),
        ("**# %** of the compile time", [compile_share("warpfold")]),
        ("(#× at 1 GB)", [sums_row(GB)[1]]),
        ("segments of 8 fold # times as fast", [segments_of_8["cub_us"] / segments_of_8["us"]]),
        ("# to # times as fast as CUB's `DeviceReduce::ReduceByKey`",
         [min(keys_over_cub("sums", True)), max(keys_over_cub("sums", True))]),
        ("longer runs #; `run_lengths` # to #;",
         [min(keys_over_cub("sums", False)), min(keys_over_cub("lengths", True)), max(keys_over_cub("lengths", True))]),
        ("64 K floats each in # µs. A sum and `ncclAllReduce` take # µs, with CUB's sum # µs",
         [two_gpus(1 << 16, who) for who in ("devices", "sum_then_nccl", "cub_then_nccl")]),
        ("exchange inside the kernel, too: # µs", [two_gpus(1 << 16, "nccl_mailboxes")]),
    ]
    sizes = [(4 * KB, "4 KB"), (64 * KB, "64 KB"), (MB, "1 MB"), (16 * MB, "16 MB"), (64 * MB, "64 MB"), (GB, "1 GB"), (4 * GB, "4 GB")]
    performance = [
        ("an empty launch took # µs with a cold cache", [load("h100/grid.json")["empty_launch_us"]["cold"]]),
        ("Over all # cells, with five ways to call, the speedup is #×", [all_cells, grid_mean("h100/grid.json")]),
        *((f"| {text} | # us | # | # | {'#' if len(sums_row(size)) == 4 else ''} |", sums_row(size)) for size, text in sizes),
        ("the bandwidth is # % of what plain loads reach in the same run (# GB/s)", [of_ceiling, sums["read_ceiling_gb_s"]]),
        *((f"| the faster CUB, {text} | # |", [grid_mean("h100/grid.json", way)])
          for text, way in (("cold cache", "cold"), ("warm cache", "hot"), ("back-to-back", "queue"), ("graph replay", "graph"),
                            ("value on the host", "value"))),
        ("take # times a sum, and moments alone # times",
         [relative_to_sum("h200/everyday.json", op, "f32", 2 * GB) for op in ("five_fused", "mean_variance")]),
        ("| Thrust, value on the host | # |", [grid_mean("h100/grid.json", "value", "Thrust")]),
        ("| PyTorch, called from Python, cold cache | # |", [python_mean("cold")]),
        ("| PyTorch, called from Python, value on the host | # |", [python_mean("value")]),
        ("Of the cells with a cold cache, # % reach at least 0.99× the faster CUB; of the graph cells, # % do",
         [at_least("cold", 0.99), at_least("graph", 0.99)]),
        ("the speedup over all cells is #×", [grid_mean("h200/grid.json")]),
        ("| 30000 seeds | CUB | # | # |", peers_row(("points in a circle, 10000 steps", "30000 seeds", "CUB"))),
        ("| 16.8 M / 537 M terms | CUB | # / # | # / # |",
         peers_row(("pi by doubles", "16777216 terms", "CUB"), ("pi by doubles", "536870912 terms", "CUB"))),
        ("| 16.8 M floats | CUB | # | # |", peers_row(("summary of six floats, a struct", "16777216 floats", "CUB"))),
        ("| 64 MB | CUB | # | # |", peers_row(("starts of words", "64 MB", "CUB"))),
        ("| 16.8 M labels, 64 / 65536 classes | CUB | # / # | # / # |",
         peers_row(("classes counted", "16777216, 64 classes", "CUB"), ("classes counted", "16777216, 65536 classes", "CUB"))),
        ("| 16.8 M labels, 64 / 4096 / 65536 classes | CUB | # / # / # | # / # / # |",
         peers_row(*(("classes counted, labels equal", f"16777216, {n} classes", "CUB") for n in (64, 4096, 65536)))),
        ("| 268 M bytes, 64 / 256 classes | CUB | # / # | # / # |",
         peers_row(*(("bytes counted", f"268435456, {n} classes", "CUB") for n in (64, 256)))),
        ("| 256 × 4096 | by hand | # | # |", peers_row(("dot products of rows", "256 x 4096", "by hand"))),
        ("| by hand | # / # / # | # / # / # |",
         peers_row(*(("labels of k-means, and changes", f"1000000 k {k}", "by hand") for k in (8, 32, 100)))),
        ("| by hand, one launch | # / # / # | # / # / # |",
         peers_row(*(("softmax of rows", size, "by hand") for size in ("8192 x 1024", "8192 x 50257", "64 x 1048576")))),
        ("| global atomics | # | # |", peers_row(("sums of floats by class", "16777216, 64 classes", "global atomics"))),
        ("| a copy | # | # |", peers_row(("matrix times a factor", "16384 x 16384", "a copy"))),
        ("| 1 MB | CUB, segments of one array | # | # |", peers_row(("sums of ranges", "1000 of 1 KB", "CUB, segments"))),
        ("| 131 MB | CUB, segments of one array | # | # |", peers_row(("sums of ranges", "1000 of 128 KB", "CUB, segments"))),
        ("| a loop of `reduce_async` | # | # |", peers_row(("sums of ranges", "1000 of 1 KB", "a loop of reduce_async"))),
        ("| a fixed size | # / # | # / # |",
         peers_row(*(("sum of a size on the GPU", size, "fixed") for size in ("16 KB", "64 MB")))),
        ("| 1 / 16 / 64 KB / 1 MB | CUB | # / # / # / # | # / # / # / # |",
         peers_row(*(("sum of floats", size, "CUB") for size in ("1 KB", "16 KB", "64 KB", "1 MB")))),
        ("Atomics in any order take # of the time", groups_row(("sums by class", "2^24 floats, 65536 classes"))),
        ("In the geometric mean of the 85 rows, the fastest other contender takes # of the time", [groups_mean()]),
        ("Of 300 random arrays that are summed along random axes, it takes # of the time", [axis_shapes_mean()]),
        *[(f"| {work} | {sizes} | " + " / ".join("#" * len(parts)) + " |", groups_row(*parts))
          for work, sizes, parts in (
              ("sums of segments, 256 MB, uniform lengths", "mean 1 / 3 / 8 / 256 / 5000",
               [("segment sums", "256 MB, mean 1, uniform"), ("segment sums", "256 MB, mean 3, uniform"), ("segment sums", "256 MB, mean 8, uniform"), ("segment sums", "256 MB, mean 256, uniform"), ("segment sums", "256 MB, mean 5000, uniform")]),
              ("sums of segments, 16 MB", "mean 3 / 33 / 256 / 5000",
               [("segment sums", "16 MB, mean 3, uniform"), ("segment sums", "16 MB, mean 33, uniform"), ("segment sums", "16 MB, mean 256, uniform"), ("segment sums", "16 MB, mean 5000, uniform")]),
              ("argmax of segments, 256 MB", "mean 33 / 256 / 5000",
               [("segment argmax", "256 MB, mean 33, uniform"), ("segment argmax", "256 MB, mean 256, uniform"), ("segment argmax", "256 MB, mean 5000, uniform")]),
              ("variances of segments, 256 MB", "mean 33 / 256 / 5000",
               [("segment variance", "256 MB, mean 33, uniform"), ("segment variance", "256 MB, mean 256, uniform"), ("segment variance", "256 MB, mean 5000, uniform")]),
              ("softmax / layer norm of segments, 256 MB", "mean 256",
               [("ragged softmax", "256 MB, mean 256, uniform"), ("ragged layer norm", "256 MB, mean 256, uniform")]),
              ("softmax of rows", "8192 × 1024 / 1000000 × 33 / 4096 × 8191 / 1024 × 50257",
               [("softmax", "8192 x 1024"), ("softmax", "1000000 x 33"), ("softmax", "4096 x 8191"), ("softmax", "1024 x 50257")]),
              ("layer norm of rows", "8192 × 4096 / 1000000 × 33",
               [("layer norm", "8192 x 4096"), ("layer norm", "1000000 x 33")]),
              ("argmax of rows", "8192 × 1024 / 4096 × 12288",
               [("row argmax", "8192 x 1024"), ("row argmax", "4096 x 12288")]),
              ("64 arrays of 100 000, list on the host", "sums / norms",
               [("sums of arrays", "64 of 100000"), ("norms of arrays", "64 of 100000")]),
              ("sums of 16.8 M floats by class", "64 / 256 / 4096 / 65536 classes",
               [("sums by class", "2^24 floats, 64 classes"), ("sums by class", "2^24 floats, 256 classes"), ("sums by class", "2^24 floats, 4096 classes"), ("sums by class", "2^24 floats, 65536 classes")]),
              ("k-means, sums and counts, 1 M points", "8 / 100 centers",
               [("k-means sums and counts", "1000000 points, 8 centers"), ("k-means sums and counts", "1000000 points, 100 centers")]),
              ("axis sums, 2 × 3 × 50000001", "axis 0 / 1",
               [("axis sums", "2 x 3 x 50000001, axis 0"), ("axis sums", "2 x 3 x 50000001, axis 1")]),
              ("axis sums, 100000 × 100 × 7 / 1000 × 1000", "axis 1 / 0",
               [("axis sums", "100000 x 100 x 7, axis 1"), ("axis sums", "1000 x 1000, axis 0")]),
              ("sums of 16.8 M floats by key", "runs of 1 / 10 / 1000",
               [("sums by key", "2^24 keys, runs of 1"), ("sums by key", "2^24 keys, runs of 10"), ("sums by key", "2^24 keys, runs of 1000")]),
          )],
        ("takes # us on the GPU, but # us in a row of calls", ranges_of_1_kb()),
        ("segments of one array take # of that", [peer("sums of ranges", "1000 of 1 KB", "CUB, segments")[1]]),
        ("# of the # cells of the grid from 2 to 64 MB gain less than 20 %; the least speedup is #×",
         [sum(v < 1.2 for v in warm), len(warm), min(warm)]),
        ("compiles in # % of the time that the same call of `thrust::reduce` takes; CUB takes # %",
         [compile_share("warpfold"), compile_share("CUB")]),
        ("have # % of the bytes of CUB's kernels", [compile_share("warpfold", "CUB", "bytes")]),
    ]
    performance += host_claims() + exact_claims() + gpu_exact_claims()
    performance += [
        ("the least speedup of a sum over CUB is #×",
         [min(f["cub_us"] / f["us"] for f in sums["figures"] if f.get("cub_us"))]),
        ("for equal lengths: # to # from 256 MB on", span(plain_over_ours("equal", (26, 28)))),
        ("# to # at 16 MB,", span(plain_over_ours("equal", (22,)))),
        ("# to # at 16 MB in a graph", span(plain_over_ours("equal", (22,), ("peer_graph_us", "graph_us")))),
        ("and # to # at 256 KB", span(plain_over_ours("equal", (16,)))),
        ("For uniform lengths: # to #.", span(plain_over_ours("uniform", (16, 22, 26, 28)))),
        ("For lengths of a power law it takes up to # times as long", [max(plain_over_ours("power law", (22, 26, 28)))]),
        ("At 256 KB, segments of 100 to 1000 elements take up to # times as long as with CUB, and in a graph # times",
         [slowest(16, 100, 1024), slowest(16, 100, 1024, "graph_us", "cub_graph_us")]),
        ("At 16 MB, segments of 100 000 elements take # times as long as with CUB, and in a graph # times",
         [slowest(22, 1e5, 1e5), slowest(22, 1e5, 1e5, "graph_us", "cub_graph_us")]),
        ("one or two elements reach # to # of the bandwidth of a sum", share_of_sum()),
        ("but one long segment takes it # times as long", [one_long_segment()]),
        ("Indices and moments of segments take # to # times as long as sums", over_sums()),
        ("On an H200 they took # to # times as long", moments_over_sums()),
        ("the fastest plain kernel takes # times as long as `transform_segments` at 16 MB, # times at 256 MB and # times at 256 KB",
         [report.geometric_mean(transforms(n)) for n in (22, 26, 16)]),
        ("At 256 MB it takes # to # times as long for lengths of a power law", span(transforms(26, kind="power law"))),
        ("and # to # times as long for segments of one or two elements", span(transforms(26, [1, 2]))),
        *[(f"| {name} | # | # | # |", [report.geometric_mean(normalized(work, n)) for n in (16, 22, 26)])
          for name, work in (("divided by the sum", "share"), ("softmax", "softmax"), ("layer normalization", "layer norm"))],
        ("division by the sum takes between # and # times as long as a copy",
         span(1 / x for x in normalized("share", 26, "copy_us"))),
        ("softmax of exponential lengths around 256 takes # times as", [softmax_of_uneven_segments()]),
        *[(f"| {shape[0]} × {shape[1]} | # | # | # |", rows_beside_a_copy(shape))
          for shape in ((262144, 128), (65536, 512), (32768, 768), (8192, 1024), (8192, 4096), (2000, 32768), (1000000, 33),
                        (500000, 67), (30000, 1001), (4096, 8191))],
        ("Over 43 sizes and costs, the speedup over CUB with a cold cache is # to #", unknown_cost()),
    ]
    headers = load("compile.json")["headers_beyond_empty_file"]
    install = [("It adds # s to the compile time of a file", [headers["warpfold/warpfold.hpp"]["seconds"]]),
               ("`warpfold/reduce.hpp` adds # s", [headers["warpfold/reduce.hpp"]["seconds"]])]
    return {"docs/install.md": install, "README.md": readme, "docs/performance.md": performance, "docs/calls.md": calls(),
            "docs/kernels.md": kernels(), "docs/layouts.md": layouts()}


def check(text, pattern, values):
    """None, or how a claim and its record differ."""
    regex = re.escape(pattern).replace(r"\#", NUMBER).replace(r"\ ", r"\s+")
    for found in re.finditer(regex, text):
        if all(near(value, shown) for value, shown in zip(values, found.groups())):
            return None
    shown = iter(values)
    return "the record says: " + re.sub("#", lambda _: f"{next(shown):.4g}", pattern)


FIGURE = re.compile(r"\d+\.\d+|\d+\s?(?:×(?! \d)|%|GB/s|[un]s\b)")


def leftovers(text, patterns, allowed):
    """The figures of a page that no claim and none of the `allowed` texts contain."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.S | re.M)
    for pattern in patterns:
        text = re.sub(re.escape(pattern).replace(r"\#", NUMBER).replace(r"\ ", r"\s+"), " ", text)
    for words in allowed:
        text = re.sub(re.escape(words).replace(r"\ ", r"\s+"), " ", text)
    return [found[0] for found in FIGURE.finditer(text)]


def git(*arguments):
    done = subprocess.run(["git", "-C", str(SOURCE), *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def has_history(commit):
    """False in an archive or a shallow clone without that commit."""
    return git("cat-file", "-e", f"{commit}^{{commit}}") is not None


def code_of(text):
    """The text of a header without comments and layout."""
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*", "", text))


def is_stale(record):
    """True if the code that the record measured has changed since its commit, comments and layout aside."""
    commit = load(record)["commit"]
    for path in MEASURED[record]:
        listed = git("ls-tree", "-r", "--name-only", commit, "--", f"include/warpfold/{path}")
        then = set((listed or "").split())
        now = SOURCE / "include" / "warpfold" / path
        files = {str(f.relative_to(SOURCE)) for f in (now.rglob("*.hpp") if now.is_dir() else [now]) if f.is_file()}
        if then != files:
            return True
        for file in files:
            if code_of(git("show", f"{commit}:{file}") or "") != code_of((SOURCE / file).read_text()):
                return True
    return False
