#!/usr/bin/env python3
"""Models the time of a sum on 8 to 4096 GPUs, from the record of two GPUs.

usage: scaling.py FILE [--page PAGE] [--check]

FILE is the record of the benchmark `two_gpus`. Writes the tables of the model into PAGE, between its marks, and
draws scaling.png beside FILE. --check: only compares the tables of PAGE, without a picture, and fails
if they differ. The formulas and their constants are in docs/scaling.md. Needs no GPU. Without matplotlib it prints the
command to draw later, and exits with 77.
"""
import argparse
import json
import math
import pathlib
import statistics
import sys

import pictures

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- the model: begin -->", "<!-- the model: end -->"

# Assumptions, in us and bytes per us. docs/scaling.md names them.
NVLINK_HOP = 1.0
STORE = 0.01        # a letter to a peer
LOAD = 0.3          # eight letters from the GPU's own memory
FRAME_LOAD = 0.3    # a frame, in the kernel that folds the frames of NCCL
HOST_FRAME = 0.01   # a frame, on the host
NETWORK_RATE = 25e3
WAIT = 5.0          # a call that waits, without its fold, if the record does not tell
HOST = 8            # GPUs of a host

RANKS = [8, 16, 64, 512, 4096]
HOPS = [2, 10, 30, 100]
STATE = 4  # bytes of a sum of floats


class Model:
    """The times of exchanges, in us."""

    def __init__(self, record):
        self.rows = record["sums"]
        small = [r for r in self.rows if 4 * r["floats"] <= 64 << 20]
        self.devices_of_two = statistics.median(r["devices_us"] - self.fold(r) for r in small)
        self.nccl_of_two = statistics.median(r["nccl_us"] - self.fold(r) for r in small)
        boxed = [r["nccl_mailboxes_us"] - self.fold(r) for r in small if "nccl_mailboxes_us" in r]
        self.mailboxes_of_two = statistics.median(boxed) if boxed else None
        self.reduce_of_two = statistics.median(r["sum_then_nccl_us"] - self.fold(r) for r in small)
        waiting = record.get("waiting") or []
        graph = {r["floats"]: r["one_gpu_us"] for r in self.rows}
        waits = [w["one_gpu_us"] - graph[w["floats"]] for w in waiting if w["floats"] in graph]
        self.is_wait_measured = bool(waits)
        self.wait = statistics.median(waits) if waits else WAIT

    @staticmethod
    def fold(row):
        """The part of the slower GPU."""
        return max(row["one_gpu_us"], row["other_gpu_us"])

    def devices(self, ranks, state=STATE):
        letters = math.ceil((8 + state) / 4)
        return self.devices_of_two + (ranks - 2) * (letters * STORE + math.ceil(letters / 8) * LOAD)

    @staticmethod
    def hosts(ranks):
        return max(ranks // HOST, 1)

    def nccl(self, ranks, hop, log2, state=STATE):
        frame = (32 + state + 7) // 8 * 8
        hosts, inside = self.hosts(ranks), min(ranks, HOST)
        if log2:
            hops = math.log2(inside) * NVLINK_HOP + math.log2(hosts) * hop
        else:
            hops = (hosts - 1) * hop + (ranks - hosts) * NVLINK_HOP
        bytes_ = (ranks - inside) * frame / NETWORK_RATE
        return self.nccl_of_two - NVLINK_HOP + hops + bytes_ + (math.ceil(ranks / 32) - 1) * FRAME_LOAD

    def two_levels(self, ranks, hop):
        """wf::devices on each host, and then wf::nccl with one rank a host."""
        hosts = self.hosts(ranks)
        if hosts == 1:
            return self.devices(ranks)
        return (self.devices(HOST) + self.nccl_of_two - NVLINK_HOP + math.log2(hosts) * hop
                + (hosts - 1) * 40 / NETWORK_RATE + (math.ceil(hosts / 32) - 1) * FRAME_LOAD)

    def reduce(self, ranks, hop):
        """ncclAllReduce of one float, by a tree."""
        inside = min(ranks, HOST)
        hops = 2 * (math.log2(inside) * NVLINK_HOP + math.log2(self.hosts(ranks)) * hop)
        return self.reduce_of_two - NVLINK_HOP + hops

    def mpi(self, ranks, hop):
        inside = min(ranks, HOST)
        hops = math.log2(inside) * NVLINK_HOP + math.log2(self.hosts(ranks)) * hop
        return self.wait + hops + (ranks - inside) * 128 / NETWORK_RATE + ranks * HOST_FRAME


def number(us):
    return f"{us:.1f}" if us < 100 else f"{us:.0f}"


def tables(model, record):
    lines = [f"Two {record['gpu']}: `wf::devices` adds {model.devices_of_two:.2f} µs to the fold, and `wf::nccl` "
             f"{model.nccl_of_two:.2f} µs"
             + (f", or {model.mailboxes_of_two:.2f} µs with mailboxes" if model.mailboxes_of_two else "")
             + f". `ncclAllReduce` after a sum adds {model.reduce_of_two:.2f} µs. These are medians of the sizes up to 64 MB a GPU.",
             ""]
    lines += ["Measured on two GPUs, and the model: the fold of the slower GPU and these medians.", "",
              "| bytes a GPU | one GPU, µs | `wf::devices`, µs | model | error | `wf::nccl`, µs | model | error |",
              "|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for row in model.rows:
        cells = [pictures.size_text(4 * row["floats"]), f"{model.fold(row):.2f}"]
        for key, exchange in (("devices_us", model.devices_of_two), ("nccl_us", model.nccl_of_two)):
            expected = model.fold(row) + exchange
            cells += [f"{row[key]:.2f}", f"{expected:.2f}", f"{100 * (expected / row[key] - 1):+.1f} %"]
        lines.append("| " + " | ".join(cells) + " |")
    states = [s for s in record.get("states") or [] if s["state_bytes"] > 0]
    if states:
        lines += ["", "| op, 2^16 floats a GPU | bytes of a state | exchange of `wf::devices`, µs | model |", "|---|---:|---:|---:|"]
        for s in states:
            lines.append(f"| {s['op']} | {s['state_bytes']} | {s['devices_us'] - s['one_gpu_us']:.2f} | "
                         f"{model.devices_of_two + extra(s['state_bytes']):.2f} |")
    lines += ["", "The exchange of a sum of floats, in µs, without the fold:", "",
              "| GPUs | network hop, µs | `wf::devices` | `wf::nccl`, ring | `wf::nccl`, log2 | both levels | sum + `ncclAllReduce`, tree "
              "| `wf::mpi` with GPUs |", "|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for ranks in RANKS:
        for hop in HOPS if ranks > HOST else [None]:
            cells = [str(ranks), "" if hop is None else str(hop)]
            cells.append(number(model.devices(ranks)) if ranks <= 16 else "")
            h = hop or 0
            cells += [number(us) for us in (model.nccl(ranks, h, False), model.nccl(ranks, h, True), model.two_levels(ranks, h),
                                            model.reduce(ranks, h), model.mpi(ranks, h))]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def extra(state):
    """What a state of two GPUs needs beyond that of a sum of floats."""
    letters, of_sum = math.ceil((8 + state) / 4), math.ceil((8 + STATE) / 4)
    return (letters - of_sum) * STORE + (math.ceil(letters / 8) - math.ceil(of_sum / 8)) * LOAD


def draw(plt, model, record, file):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 5.6), layout="constrained")
    ranks = [2**k for k in range(3, 13)]
    colors = {2: "#1f5f99", 10: "#3a8a5f", 30: "#c77700", 100: "#8a2d2d"}
    for hop, color in colors.items():
        left.plot(ranks, [model.nccl(r, hop, True) for r in ranks], color=color, label=f"log2, hops of {hop} µs")
        left.plot(ranks, [model.nccl(r, hop, False) for r in ranks], color=color, linestyle="--",
                  label=f"ring, hops of {hop} µs")
    few = [2, 4, 8, 16]
    left.plot(few, [model.devices(r) for r in few], color="black", marker="o", markersize=3.5, label="wf::devices, one host")
    left.set_ylabel("time of the exchange, µs")
    left.set_title("Exchange of a sum: wf::nccl, 8 GPUs a host", loc="left", fontsize="medium")

    largest = max(model.rows, key=lambda r: r["floats"])
    for bytes_, style in ((largest["floats"] * 4, "-"), (64 << 20, "--"), (4 << 20, ":")):
        fold = model.fold(next(r for r in model.rows if 4 * r["floats"] == bytes_))
        for hop in (2, 30, 100):
            right.plot(ranks, [100 * fold / (fold + model.two_levels(r, hop)) for r in ranks], color=colors[hop],
                       linestyle=style, label=f"{pictures.size_text(bytes_)} a GPU, hops of {hop} µs")
    right.set_ylabel("fold / (fold + exchange), %")
    right.set_ylim(0, 104)
    right.set_title("Efficiency: wf::devices on a host, wf::nccl between hosts", loc="left", fontsize="medium")
    for axes in (left, right):
        axes.set_xscale("log", base=2)
        axes.set_xlabel("GPUs")
        axes.grid(color="#e4e4e4")
        axes.legend(frameon=False, fontsize="small", ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.13))
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
    left.set_yscale("log")
    left.set_xticks([2, 8, 32, 128, 512, 4096], ["2", "8", "32", "128", "512", "4096"])
    right.set_xticks([8, 32, 128, 512, 4096], ["8", "32", "128", "512", "4096"])
    figure.suptitle(f"Model from two {record['gpu']}", x=0.01, ha="left", fontsize="medium", fontweight="bold")
    pictures.save(figure, file.with_name("scaling.json"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--page", metavar="PAGE", type=pathlib.Path, default=ROOT / "docs" / "scaling.md")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    record = json.loads(options.file.read_text())
    model = Model(record)
    text = options.page.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    new = f"{before}{BEGIN}\n\n{tables(model, record)}\n\n{END}{after}"
    if options.check:
        if new != text:
            sys.exit(f"{options.page}: the tables are not those of {options.file}; run {sys.argv[0]} {options.file}")
        return 0
    options.page.write_text(new)
    print(f"wrote {options.page}")
    plt = pictures.pyplot(10, options.file)
    if plt is None:
        return 77
    draw(plt, model, record, options.file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
