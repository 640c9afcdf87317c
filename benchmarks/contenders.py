"""Reports of the benchmarks whose rows have contenders: the first one is warpfold, the others are its peers.

The key of a row is a tuple of texts.
"""
import argparse
import math
import pathlib

import records

COPY = "a copy"  # a floor, not a peer
WORST = 10
SHARES = ["at least 1.00", "at least 0.95", "geometric mean of x"]


def parse_contender(c):
    times = {way: records.positive(c, f"{way}_us") for way in ("cold", "queue", "graph") if f"{way}_us" in c}
    return {"name": c["name"], "times": times, "wrong": "wrong" in c}


def parse_rows(data, key, more=lambda _: {}):
    """Returns {key(row): row}; `more(row)` adds members to a row."""
    rows = {}
    for r in data["rows"]:
        contenders = [parse_contender(c) for c in r["contenders"]]
        if not contenders or contenders[0]["name"] != "warpfold" or "cold" not in contenders[0]["times"]:
            raise ValueError(f"the first contender of {', '.join(key(r))} is not warpfold with a time")
        rows[key(r)] = {"bytes": records.positive(r, "bytes"), "contenders": contenders, **more(r)}
    if not rows:
        raise ValueError("it has no rows")
    return rows


def parse_torch(data, key):
    rows = {key(r): [parse_contender(c) for c in r["contenders"]] for r in data["rows"]}
    errors = [f"{', '.join(key(r))}: {r['error']}" for r in data["rows"] if "error" in r]
    return {"gpu": data["gpu"], "commit": data["commit"], "pytorch": data["pytorch"], "rows": rows, "errors": errors}


def read(path, parse, parse_torch_record):
    """Returns the record and that of PyTorch beside it, None without its file. Adds PyTorch to the contenders. Raises Malformed."""
    own = records.read(path, f"the benchmark {path.stem}", parse)
    beside = path.with_name(f"{path.stem}_torch.json")
    torch = records.read(beside, f"{path.stem}_torch.py", parse_torch_record)
    if own is None or torch is None:
        return own, torch
    for key, contenders in torch["rows"].items():
        if key not in own["rows"]:
            raise records.Malformed(f"{beside} has a row that {path} does not have: {', '.join(key)}; run both again")
        own["rows"][key]["contenders"] += contenders
    return own, torch


def ratio(row, contender, way):
    """The time of a contender over that of warpfold, or None."""
    ours, theirs = row["contenders"][0], contender["times"].get(way)
    if ours["wrong"] or contender["wrong"] or theirs is None or way not in ours["times"]:
        return None
    return theirs / ours["times"][way]


def fastest(row, way):
    """(ratio, name) of the fastest peer, or None. A copy is no peer."""
    found = [(ratio(row, c, way), c["name"]) for c in row["contenders"][1:] if c["name"] != COPY]
    return min((f for f in found if f[0] is not None), default=None)


def share_line(name, rows, way):
    """A line of a table: the number of rows, and SHARES; None without a row that has a peer."""
    found = [f[0] for f in (fastest(row, way) for row in rows) if f is not None]
    if not found:
        return None
    mean = math.exp(sum(map(math.log, found)) / len(found))
    # Of the ratios as the tables show them.
    share = [sum(round(x, 2) >= least for x in found) for least in (1, 0.95)]
    return f"| {name} | {len(found)} | {share[0]} | {share[1]} | {mean:.2f} |"


def worst(rows, heads, ways):
    """A table of the rows with the least x. `heads` name the texts of a key."""
    heads = [*heads, "way"] if len(ways) > 1 else heads
    lines = [f"| {' | '.join(heads)} | warpfold, us | fastest peer | us | x |", "|" + "---|" * len(heads) + "---:|---|---:|---:|"]
    cells = []
    for key, row in rows.items():
        found = [(*f, way) for way in ways if (f := fastest(row, way)) is not None]
        if found:
            cells.append((*min(found), key, row["contenders"][0]))
    for x, name, way, key, ours in sorted(cells, key=lambda c: c[0])[:WORST]:
        time = ours["times"][way]
        texts = " | ".join([*key, way] if len(ways) > 1 else key)
        lines.append(f"| {texts} | {time:,.1f} | {name} | {x * time:,.1f} | {x:.2f} |")
    return lines


def notes(own, torch):
    """What failed: PyTorch of another run, its errors, and wrong results."""
    lines = records.other_run(torch, own, "PyTorch's figures are") if torch else []
    if torch and torch["errors"]:
        lines += ["**Errors of PyTorch:** " + "; ".join(torch["errors"]), ""]
    wrong = [f"{c['name']}, {', '.join(key)}" for key, row in own["rows"].items() for c in row["contenders"] if c["wrong"]]
    if wrong:
        lines += ["**Wrong results:** " + "; ".join(wrong), ""]
    return lines


def with_pytorch(torch):
    return f", PyTorch {torch['pytorch']}, called from Python." if torch else ". Without PyTorch."


def write_page(doc, read_records, page):
    """The main function of a report: writes `page(own, torch)` beside the FILE that the arguments name."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    path = parser.parse_args().file
    try:
        own, torch = read_records(path)
    except records.Malformed as e:
        parser.error(str(e))
    if own is None:
        parser.error(f"there is no {path}")
    path.with_suffix(".md").write_text(page(own, torch))
    print(f"wrote {path.with_suffix('.md')}")
