"""The report's section of everyday reductions, of everyday.json."""
import records
from pictures import finish_dots, save_small, size_text

SIZES = [16 << 20, 2 << 30]
TYPES = ["f32", "f64"]
SERIES = [(type_, size) for type_ in TYPES for size in SIZES]
COLOURS = {16 << 20: "#e07b00", 2 << 30: "#1b3a5c"}
MARKS = {"f32": "o", "f64": "s"}


def parse(data):
    """The file, with {op: {(type, bytes): (time over a plain sum's or None, CUB's time over ours or None)}} as `ops`."""
    def time(f, key):
        return records.positive(f, key) if key in f else None

    # Of the times in whole nanoseconds, as everyday.md has it, and not the ratios beside them, which are rounded already.
    def ratio(a, b):
        return round(a * 1e3) / round(b * 1e3) if a and b else None

    ops, wrong = {}, []
    sums = {(f["type"], f["bytes"]): time(f, "us") for f in data["figures"] if f["op"] == "sum"}
    for f in data["figures"]:
        cell = (f["type"], f["bytes"])
        wrong += [f"{who} {f['op']} {f['type']} {size_text(f['bytes'])}"
                  for who, key in (("warpfold", "wrong"), ("CUB", "cub_wrong")) if f.get(key)]
        if cell in SERIES:
            us = time(f, "us")  # a wrong result has none
            if us is None and not f.get("wrong"):
                raise ValueError(f"{f['op']} of {f['type']} has no time, and is not wrong")
            ops.setdefault(f["op"], {})[cell] = (ratio(us, sums.get(cell)), ratio(time(f, "cub_us"), us))
    if not ops:
        raise ValueError("it has no figures at 16 MB or 2 GB")
    return {"gpu": data["gpu"], "commit": data["commit"], "cub": int(data["cub"]), "ops": ops, "wrong": wrong}


def read(folder):
    """None where there is no everyday.json. Raises Malformed."""
    return records.read(folder / "everyday.json", "the benchmark everyday", parse)


def cell_text(cell):
    if cell is None:
        return ""
    of_sum, vs_cub = cell
    text = "" if of_sum is None else f"{of_sum:.2f}"
    return text if vs_cub is None else f"{text} ({vs_cub:.2f})".strip()


def lines(record, grid, folder, picture):
    """`picture`: its file's name, or None."""
    text = ["## Everyday reductions", "",
            f"Commit {record['commit']}, CUB {records.version_text(record['cub'])}; cold, medians of one run "
            f"({records.whole(folder, 'everyday')}). Our time over that of our plain sum of the same bytes; in brackets CUB's "
            "time over ours, where CUB has the same.", "",
            *records.other_run(record, grid, "These figures are")]
    if record["wrong"]:
        text += ["**Wrong results:** " + ", ".join(record["wrong"]), ""]
    text += ["| op | " + " | ".join(f"{type_}, {size_text(size)}" for type_, size in SERIES) + " |",
             "|---|" + "---:|" * len(SERIES)]
    text += [f"| {op} | " + " | ".join(cell_text(cells.get(s)) for s in SERIES) + " |" for op, cells in record["ops"].items()]
    if picture:
        text += ["", f"![Everyday reductions, times a plain sum]({picture})"]
    return [*text, ""]


def draw(plt, record, folder):
    """Dots: an op a row, its four cells one below the other in it. Returns the picture's name."""
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
        style = {"marker": MARKS[type_], "linestyle": "", "color": COLOURS[size], "markersize": 6}
        if ours:
            axes.plot(*zip(*ours), **style, zorder=3, label=f"{type_}, {size_text(size)}")
        if theirs:
            axes.plot(*zip(*theirs), **style, markerfacecolor="white", zorder=2)
    axes.plot([], [], "o", color="#555555", markerfacecolor="white", label="hollow: CUB")
    axes.axvline(1, color="#555555", linestyle=":", linewidth=1.4, zorder=1)
    axes.set_yticks(range(len(ops)), [op.replace("_", " ") for op in ops])
    axes.set_ylim(len(ops) - 0.5, -0.5)  # the first at the top
    axes.set_xlabel("times our plain sum of the same bytes, cold")
    axes.set_title("Everyday reductions: time", loc="left", fontweight="bold")
    finish_dots(figure, axes)
    save_small(figure, folder / name)
    plt.close(figure)
    return name
