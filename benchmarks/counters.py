#!/usr/bin/env python3
"""Compares the counts of the emulation with those of the GPU, for each kernel.

    counters.py gpu BINARY OUT.csv          run the benchmark `counters` under Nsight Compute
    counters.py compare EMULATED.json OUT.csv RESULTS.md RESULTS.json

The program of the GPU is built from counters.cu and needs `ncu`. The program of the emulation is built from counters.cpp
and needs no GPU. Both run the same kernels in the same order, and must have the same number of launches.
"""

import csv
import json
import subprocess
import sys

# The compared counters: the name in the emulation, and the metric of Nsight Compute.
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_loads": "smsp__sass_inst_executed_op_shared_ld.sum",
    "shared_stores": "smsp__sass_inst_executed_op_shared_st.sum",
    "shared_load_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
# Bank conflicts are compared by a definition that both sides can compute: wavefronts beyond one per instruction.
# Nsight Compute's own counter also counts waits that other traffic causes (it shows conflicts although every lane
# uses a separate bank), so the table shows it without a comparison.
CONFLICTS = {
    "shared_load_conflicts": ("shared_load_wavefronts", "shared_loads"),
    "shared_store_conflicts": ("shared_store_wavefronts", "shared_stores"),
}
# The last block of these kernels polls the posts of the other blocks. The number of polls depends on timing, and so
# does the divergence of its lanes. The emulation counts each post once, with all lanes together. Its counts of global
# memory are therefore the fewest that the GPU can have.
WAITING = {"single_pass", "automatic", "bulk_copy"}

BESIDE = {
    "conflicts_counter_load": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "conflicts_counter_store": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}


def run_on_gpu(binary, out):
    command = ["ncu", "--csv", "--print-units", "base", "--metrics", ",".join([*METRICS.values(), *BESIDE.values()]), binary]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"ncu failed ({done.returncode}):\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    with open(out, "w") as f:
        f.write(done.stdout)


def read_gpu(path):
    """The launches in a CSV of ncu, in order: {metric: value}."""
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
    rows, equal, waits, far = [], 0, 0, 0
    for e, g in zip(emulated, gpu):
        row = {k: e[k] for k in ("kernel", "elements", "launch")}
        ours = {name: e[name] for name in METRICS}
        theirs = {name: int(g[metric]) for name, metric in METRICS.items()}
        for name, (wavefronts, instructions) in CONFLICTS.items():
            ours[name] = ours[wavefronts] - ours[instructions]
            theirs[name] = theirs[wavefronts] - theirs[instructions]
        for name in ours:
            row[name] = {"emulation": ours[name], "gpu": theirs[name]}
            if ours[name] == theirs[name]:
                equal += 1
            elif abs(ours[name] - theirs[name]) > 0.02 * theirs[name]:
                if e["kernel"] in WAITING and "global" in name and ours[name] < theirs[name]:
                    waits += 1
                else:
                    far += 1
        for name, metric in BESIDE.items():
            row[name] = int(g[metric])
        rows.append(row)
    json.dump(rows, open(json_path, "w"), indent=1)

    names = [*METRICS, *CONFLICTS]
    total = len(rows) * len(names)
    summary = (f"{equal} of {total} counters are equal, {total - equal - waits - far} more within 2 %, "
               f"{waits} differ because of waiting (below), {far} differ for an unknown reason.")
    with open(markdown_path, "w") as f:
        f.write("# Counters: the emulation and the GPU\n\n" + summary + "\n\n"
                "Float sums. A bold cell has two different counts, the emulation's first. The last two columns are the "
                "GPU's own counters of bank conflicts, which also count waits that other traffic causes.\n\n"
                f"Waiting: in {', '.join(sorted(WAITING))} the last block polls the posts of the other blocks. The number of "
                "polls and the divergence of its lanes depend on timing. The emulation counts each post once, so its global "
                "loads and stores are the fewest possible.\n\n")
        f.write("| kernel | elements | launch | " +
                " | ".join(n.replace("_", " ") for n in [*names, *BESIDE]) + " |\n")
        f.write("|---|---:|---:|" + "---:|" * (len(names) + len(BESIDE)) + "\n")
        for row in rows:
            cells = []
            for name in names:
                ours, theirs = row[name]["emulation"], row[name]["gpu"]
                cells.append(str(theirs) if ours == theirs else f"**{ours} / {theirs}**")
            cells += [str(row[name]) for name in BESIDE]
            f.write(f"| {row['kernel']} | {row['elements']} | {row['launch']} | " + " | ".join(cells) + " |\n")
    print(summary)
    if far:
        sys.exit(1)


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "gpu":
        run_on_gpu(*sys.argv[2:])
    elif len(sys.argv) == 6 and sys.argv[1] == "compare":
        compare(*sys.argv[2:])
    else:
        sys.exit(__doc__)
