"""Sums on two GPUs with PyTorch: `x.sum()` followed by `dist.all_reduce`, in CUDA graphs, one process a GPU.

python3 benchmarks/two_gpus_torch.py RECORD.json: adds `torch_us` to each row of `sums` of a record of two_gpus.cu.
"""

import json
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as processes

REPETITIONS = 9


def time_of(x: torch.Tensor) -> float:
    """Returns the median microseconds of one sum and its all-reduce."""
    calls = 4 if x.numel() >= 1 << 26 else 40
    launches = 5 if x.numel() >= 1 << 26 else 30

    def call() -> None:
        dist.all_reduce(x.sum())

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            call()
    times = []
    for _ in range(REPETITIONS):
        dist.barrier()
        graph.replay()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(launches):
            graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / (calls * launches))
    return sorted(times)[len(times) // 2]


def work(rank: int, sizes: list[int], results) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511", RANK=str(rank), WORLD_SIZE="2")
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", device_id=torch.device("cuda", rank))
    memory = torch.rand(max(sizes), device="cuda")
    for n in sizes:
        t = torch.tensor(time_of(memory[:n]), device="cuda")
        dist.all_reduce(t, op=dist.ReduceOp.MAX)
        if rank == 0:
            results[n] = t.item()
            print(f"{n:>12} floats {t.item():10.3f} us", file=sys.stderr, flush=True)
    dist.destroy_process_group()


def main() -> None:
    path = sys.argv[1]
    with open(path) as f:
        record = json.load(f)
    with processes.get_context("spawn").Manager() as manager:
        results = manager.dict()
        processes.spawn(work, ([row["floats"] for row in record["sums"]], results), nprocs=2)
        record["torch"] = torch.__version__
        for row in record["sums"]:
            row["torch_us"] = round(results[row["floats"]], 3)
    with open(path, "w") as f:
        f.write(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    begin = time.time()
    main()
    print(f"{time.time() - begin:.0f} s", file=sys.stderr)
