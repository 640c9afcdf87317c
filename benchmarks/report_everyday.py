"""The section of the report about everyday reductions, from everyday.json."""
import records
from pictures import finish_dots, save, size_text

SIZES = [16 << 20, 2 << 30]
TYPES = ["f32", "f64"]
SERIES = [(type_, size) for type_ in TYPES for size in SIZES]
COLORS = {16 << 20: "#e07b00", 2 << 30: "#1b3a5c"}
MARKS = {"f32": "o", "f64": "s"}


def parse(data):
    """Returns the record; `ops` is {op: {(type, bytes): (time relative to a sum or None, speedup over CUB or None)}}."""
    def time(f, key):
        return records.positive(f, key) if key in f else None

    # Computed from the times in whole nanoseconds, as in everyday.md, because the ratios in the file are rounded.
    def ratio(a, b):
        return round(a * 1e3) / round(b * 1e3) if a and b else None

    ops, wrong = {}, []
    sums = {(f["type"], f["bytes"]): time(f, "us") for f in data["figures"] if f["op"] == "sum"}
    for f in data["figures"]:
        cell = (f["type"], f["bytes"])
        wrong += [f"{who} {f['op']} {f['type']} {size_text(f['bytes'])}"
                  for who, key in (("warpfold", "wrong"), ("CUB", "cub_wrong")) if f.get(key)]
        if cell in SERIES:
            us = time(f, "us")  # a wrong result has no time
            if us is None and not f.get("wrong"):
                raise ValueError(f"{f['op']} of {f['type']} has no time, but is not marked as wrong")
            ops.setdefault(f["op"], {})[cell] = (ratio(us, sums.get(cell)), ratio(time(f, "cub_us"), us))
    if not ops:
        raise ValueError("it has no figures at 16 MB or 2 GB")
    return {"gpu": data["gpu"], "commit": data["commit"], "cub": int(data["cub"]), "ops": ops, "wrong": wrong}


def read(folder):
    """Returns None without everyday.json. Raises Malformed."""
    return records.read(folder / "everyday.json", "the benchmark everyday", parse)


def cell_text(cell):
    if cell is None:
        return ""
    of_sum, vs_cub = cell
    text = "" if of_sum is None else f"{of_sum:.2f}"
    return text if vs_cub is None else f"{text} ({vs_cub:.2f})".strip()


def lines(record, grid, folder, picture):
    """`picture`: the name of its file, or None."""
    text = ["## Everyday reductions", "",
            f"Commit {record['commit']}, CUB {records.version_text(record['cub'])}; cold cache, medians of one run "
            f"({records.whole(folder, 'everyday')}). The table shows the time relative to a plain sum of the same bytes, and in "
            "parentheses the speedup over CUB if CUB has the reduction.", "",
            *records.other_run(record, grid, "These figures are")]
    if record["wrong"]:
        text += ["**Wrong results:** " + ", ".join(record["wrong"]), ""]
    text += ["| op | " + " | ".join(f"{type_}, {size_text(size)}" for type_, size in SERIES) + " |",
             "|---|" + "---:|" * len(SERIES)]
    text += [f"| {op} | " + " | ".join(cell_text(cells.get(s)) for s in SERIES) + " |" for op, cells in record["ops"].items()]
    if picture:
        text += ["", f"![Everyday reductions, time relative to a sum]({picture})"]
    return [*text, ""]


def draw(plt, record, folder):
    """Draws a row for each op, with its four cells one below the other. Returns the file name."""
    name = "everyday.png"
    ops = list(record["ops"])
    figure, axes = plt.subplots(figsize=(5, 1.6 + 0.56 * len(ops)), layout="constrained")
    for lane, (type_, size) in enumerate(SERIES):
        ours, theirs = [], []
        for place, op in enumerate(ops):
            of_sum, vs_cub = record["ops"][op].get((type_, size), (None, None))
            y = place + (lane - 1.5) * 0.19
            if of_sum is not None:
                ours.append((of_sum, y))
                if vs_cub is not None:
                    theirs.append((of_sum * vs_cub, y))
        style = {"marker": MARKS[type_], "linestyle": "", "color": COLORS[size], "markersize": 6}
        if ours:
            axes.plot(*zip(*ours), **style, zorder=3, label=f"{type_}, {size_text(size)}")
        if theirs:
            axes.plot(*zip(*theirs), **style, markerfacecolor="white", zorder=2)
    axes.plot([], [], "o", color="#555555", markerfacecolor="white", label="hollow: CUB")
    axes.axvline(1, color="#555555", linestyle=":", linewidth=1.4, zorder=1)
    axes.set_yticks(range(len(ops)), [op.replace("_", " ") for op in ops])
    axes.set_ylim(len(ops) - 0.5, -0.5)  # the first row at the top
    axes.set_xlabel("time relative to a sum, cold cache")
    axes.set_title("Everyday reductions: time", loc="left", fontweight="bold")
    finish_dots(figure, axes)
    save(figure, folder / name)
    plt.close(figure)
    return name
