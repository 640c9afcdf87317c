"""The section of the report about folds along an axis, from axis.json and, if present, axis_python.json."""
import records
from pictures import finish_dots, save

AXES = ["rows", "columns"]
COLORS = {"rows": "#1b3a5c", "columns": "#e07b00"}


def parse(data):
    """Returns the record; `shapes` is {shape: {rows or columns: (bytes, share of the read ceiling or None)}}."""
    shapes, wrong = {}, []
    ceiling = records.positive(data, "read_ceiling_gb_s")
    for f in data["figures"]:
        if f["sums"] not in AXES:
            raise ValueError(f"sums is {f['sums']!r}; it must be rows or columns")
        if f.get("wrong"):
            wrong.append(f"{f['sums']} of {f['shape']}")
        part = None if f.get("wrong") else records.positive(f, "gb_s") / ceiling
        shapes.setdefault(f["shape"], {})[f["sums"]] = (records.positive(f, "bytes"), part)
    if not shapes:
        raise ValueError("it has no figures")
    return {"gpu": data["gpu"], "commit": data["commit"], "ceiling": ceiling, "shapes": shapes, "wrong": wrong}


def parse_python(data):
    """Returns the record; `times` is {(shape, rows or columns): (PyTorch's us, speedup over PyTorch)}."""
    times = {(r["shape"], r["sums"]): (records.positive(r, "us"), r["us"] / records.positive(r, "ours_us"))
             for r in data["rows"]}
    return {"gpu": data["gpu"], "commit": data["commit"], "pytorch": data["pytorch"], "times": times}


def read(folder):
    """Returns the record, with the record of PyTorch or None as `python`; None without axis.json. Raises Malformed."""
    record = records.read(folder / "axis.json", "the benchmark axis", parse)
    if record is not None:
        record["python"] = records.read(folder / "axis_python.json", "python_axis.py", parse_python)
    return record


def lines(record, grid, folder, picture):
    """`picture`: the name of its file, or None."""
    python = record["python"]
    text = ["## Along an axis", "",
            f"Commit {record['commit']}; row and column sums of float, cold cache, medians of one run "
            f"({records.whole(folder, 'axis')}). The table shows the bandwidth (bytes read and written) as a share of the read "
            f"ceiling of that run, {record['ceiling']:.0f} GB/s.", "",
            *records.other_run(record, grid, "These figures are")]
    if python is not None:
        text += [f"PyTorch {python['pytorch']}, commit {python['commit']}: the columns × PyTorch show the speedup over it, called "
                 f"from Python right after warpfold ({records.whole(folder, 'axis_python')}).", "",
                 *records.other_run(python, record, "PyTorch's figures are")]
    if record["wrong"]:
        text += ["**Wrong results:** " + ", ".join(record["wrong"]), ""]
    head = [f"{axis}: {what}" for axis in AXES for what in ("of ceiling", *(["× PyTorch"] if python else []))]
    text += ["| rows × columns | " + " | ".join(head) + " |", "|---:|" + "---:|" * len(head)]
    for shape, sums in record["shapes"].items():
        cells = []
        for axis in AXES:
            _, part = sums.get(axis, (None, None))
            cells.append("" if part is None else f"{100 * part:.1f} %")
            if python:
                _, ratio = python["times"].get((shape, axis), (None, None))
                cells.append("" if ratio is None else f"{ratio:.2f}")
        text.append(f"| {shape} | " + " | ".join(cells) + " |")
    if picture:
        text += ["", f"![Row and column sums, share of the read ceiling]({picture})"]
    return [*text, ""]


def draw(plt, record, folder):
    """Draws a row of dots for each shape: row sums above column sums; hollow dots are PyTorch. Returns the file name."""
    name = "axis.png"
    shapes = list(record["shapes"])
    figure, axes = plt.subplots(figsize=(5, 1.6 + 0.42 * len(shapes)), layout="constrained")
    for axis, lane in zip(AXES, (-0.18, 0.18)):
        ours, theirs = [], []
        for place, shape in enumerate(shapes):
            bytes_, part = record["shapes"][shape].get(axis, (None, None))
            if part is not None:
                ours.append((100 * part, place + lane))
            us, _ = (record["python"] or {"times": {}})["times"].get((shape, axis), (None, None))
            if bytes_ and us:
                theirs.append((100 * bytes_ / us * 1e-3 / record["ceiling"], place + lane))
        style = {"marker": "o", "linestyle": "", "color": COLORS[axis], "markersize": 7}
        if theirs:  # drawn first, so that equal dots show warpfold
            axes.plot(*zip(*theirs), **style, markerfacecolor="white", label=f"{axis}, PyTorch")
        if ours:
            axes.plot(*zip(*ours), **style, label=f"{axis}, warpfold")
    axes.set_yticks(range(len(shapes)), [s.replace(" x ", " × ") for s in shapes])
    axes.set_ylim(len(shapes) - 0.5, -0.5)  # the first row at the top
    axes.set_xlim(0, 104)
    axes.set_xlabel(f"% of the read ceiling, {record['ceiling']:,.0f} GB/s; cold")
    axes.set_title("Row and column sums of float", loc="left", fontweight="bold")
    finish_dots(figure, axes)
    save(figure, folder / name)
    plt.close(figure)
    return name
