#!/usr/bin/env python3
"""Compares what the emulation counts with what the GPU counts, kernel by kernel.

    counters.py gpu BINARY OUT.csv          run the benchmark `counters` under Nsight Compute
    counters.py compare EMULATED.json OUT.csv RESULTS.md RESULTS.json

The GPU's side is built from counters.cu and needs `ncu`; the emulation's from counters.cpp and needs no GPU.
Both run the same kernels in the same order. A launch on either side that has no partner is an error.
"""

import csv
import json
import subprocess
import sys

# What is compared: the emulation's name, Nsight Compute's metric.
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_loads": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared_stores": "smsp__sass_inst_executed_op_shared_st.sum",
    "shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}


def run_on_gpu(binary, out):
    command = ["ncu", "--csv", "--print-units", "base", "--metrics", ",".join(METRICS.values()), binary]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ncu failed ({done.returncode}):\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    with open(out, "w") as f:
        f.write(done.stdout)


def read_gpu(path):
    """The launches of a CSV of ncu's, in order: {metric: value}."""
    with open(path) as f:
        lines = [line for line in f if line.startswith('"')]
    launches = {}
    for row in csv.DictReader(lines):
        if "reduction<" not in row["Kernel Name"]:
            continue
        value = row["Metric Value"].replace(",", "")
        launches.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(value)
    return [launches[i] for i in sorted(launches)]


def compare(emulated_path, gpu_path, markdown_path, json_path):
    emulated = json.load(open(emulated_path))
    gpu = read_gpu(gpu_path)
    if len(emulated) != len(gpu):
        sys.exit(f"{len(emulated)} launches in the emulation, {len(gpu)} on the GPU")
    rows, off = [], 0
    for e, g in zip(emulated, gpu):
        row = {k: e[k] for k in ("kernel", "elements", "launch")}
        for name, metric in METRICS.items():
            want = g.get(metric)
            row[name] = {"emulation": e[name], "gpu": None if want is None else int(want)}
            if want is not None and want != e[name]:
                row[name]["off"] = round((e[name] - want) / want * 100, 2) if want else None
                off += 1
        rows.append(row)
    json.dump(rows, open(json_path, "w"), indent=1)

    with open(markdown_path, "w") as f:
        f.write("| kernel | elements | launch | " + " | ".join(n.replace("_", " ") for n in METRICS) + " |\n")
        f.write("|---|---:|---:|" + "---:|" * len(METRICS) + "\n")
        for row in rows:
            cells = []
            for name in METRICS:
                c = row[name]
                if c["gpu"] is None:
                    cells.append(f"{c['emulation']} / ?")
                elif c["gpu"] == c["emulation"]:
                    cells.append(str(c["gpu"]))
                else:
                    percent = f", {c['off']:+.1f} %" if c["off"] is not None else ""
                    cells.append(f"**{c['emulation']} / {c['gpu']}**{percent}")
            f.write(f"| {row['kernel']} | {row['elements']} | {row['launch']} | " + " | ".join(cells) + " |\n")
    total = len(rows) * len(METRICS)
    print(f"{total - off} of {total} counters are equal; the others are bold in {markdown_path}")


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "gpu":
        run_on_gpu(*sys.argv[2:])
    elif len(sys.argv) == 6 and sys.argv[1] == "compare":
        compare(*sys.argv[2:])
    else:
        sys.exit(__doc__)
