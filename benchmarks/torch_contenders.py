"""Measures calls of PyTorch beside the contenders of a benchmark. Imports PyTorch only to measure."""
import json
import os
import statistics
import sys
import time

CALLS = 20
SLOW_US = 20e3
MOST_IN_GRAPH_US = 300
WAIT_CYCLES = 1 << 20  # about 0.6 ms: the host enqueues a call meanwhile


class Contender:
    """A call of PyTorch. `in_graph`: it does not wait, so a graph can capture it."""

    def __init__(self, name, call, right, in_graph=True):
        self.name, self.call, self.right, self.in_graph = name, call, right, in_graph


def one_line(error):
    """The type of an error and the start of its first line."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0][:160] if text else ''}"


class Timer:
    def __init__(self, only_cold=False):
        import torch
        self.cuda, self.only_cold = torch.cuda, only_cold
        self.flush = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
        self.start, self.stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def between(self, call):
        self.start.record()
        call()
        self.stop.record()
        self.stop.synchronize()
        return self.start.elapsed_time(self.stop) * 1e3

    def cold(self, call):
        self.flush.fill_(1)
        self.cuda._sleep(WAIT_CYCLES)
        return self.between(call)

    def times(self, contender):
        """The members of a contender, or its error."""
        out = contender.call()
        self.cuda.synchronize()
        record = {"name": contender.name}
        if not contender.right(out):
            record["wrong"] = 1
        del out
        once = self.cold(contender.call)
        if once > SLOW_US:
            return {**record, "cold_us": round(once, 2)}
        few = once > 2000
        record["cold_us"] = round(statistics.median(self.cold(contender.call) for _ in range(3 if few else 9)), 2)
        if self.only_cold:
            return record

        def calls():
            for _ in range(CALLS):
                contender.call()

        record["queue_us"] = round(statistics.median(self.between(calls) for _ in range(1 if few else 3)) / CALLS, 2)
        if contender.in_graph and record["cold_us"] < MOST_IN_GRAPH_US:
            graph = self.cuda.CUDAGraph()
            with self.cuda.graph(graph):
                calls()
            graph.replay()
            self.cuda.synchronize()
            record["graph_us"] = round(statistics.median(self.between(graph.replay) for _ in range(5)) / CALLS, 2)
        return record


def measure(rows, only_cold=False):
    """Measures rows of (text, members of the record, function that makes contenders).

    Returns the rows of the record, and the number of calls that failed or were wrong."""
    import torch
    began, timer, measured, failed = time.monotonic(), Timer(only_cold), [], 0
    for name, members, contenders in rows:
        record = {**members, "contenders": []}
        print(f"{time.monotonic() - began:5.1f} s  {name}", file=sys.stderr, flush=True)
        try:
            for contender in contenders():
                times = timer.times(contender)
                record["contenders"].append(times)
                text = ", ".join(f"{key.removesuffix('_us')} {times[key]:.2f} us" for key in ("cold_us", "queue_us", "graph_us")
                                 if key in times)
                print(f"         {contender.name}: {text}{'  WRONG' if 'wrong' in times else ''}", file=sys.stderr, flush=True)
                failed += "wrong" in times
        except Exception as e:  # one call that PyTorch refuses leaves the other rows
            record["error"] = one_line(e)
            print(f"         {record['error']}", file=sys.stderr, flush=True)
            failed += 1
        measured.append(record)
        torch.cuda.empty_cache()
    return measured, failed


def commit_of(folder, name):
    """The commit that ./dev bench sets, or that of the record beside which PyTorch is measured."""
    if "WARPFOLD_COMMIT" in os.environ:
        return os.environ["WARPFOLD_COMMIT"]
    try:
        return json.loads((folder / f"{name}.json").read_text())["commit"]
    except (OSError, ValueError, KeyError):
        return "unknown"


def write(folder, name, rows, **members):
    """Writes the record `name`_torch.json, with a line for each row."""
    import torch
    folder.mkdir(parents=True, exist_ok=True)
    where = folder / f"{name}_torch.json"
    members = {"gpu": torch.cuda.get_device_name(0), "pytorch": torch.__version__, "commit": commit_of(folder, name), **members}
    lines = [f" {json.dumps(key)}: {json.dumps(value)},\n" for key, value in members.items()]
    where.write_text("{\n" + "".join(lines) + ' "rows": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n ]\n}\n")
    print(f"wrote {where}")
