#!/usr/bin/env python3
"""Writes groups.md from small records and from the records of the repository, and compares the text.

usage: report_groups_test.py

Needs only Python.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BENCHMARKS = SOURCE / "benchmarks"
RESULTS = BENCHMARKS / "results"
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


def contender(name, cold, queue=None, graph=None, **more):
    times = {"cold_us": cold, "queue_us": queue, "graph_us": graph}
    return {"name": name, **{k: v for k, v in times.items() if v is not None}, **more}


SUMS = {"work": "segment sums", "size": "16 MB", "bytes": 20000000, "contenders": [
    contender("warpfold", 10.0, 8.0, 6.0), contender("a warp", 12.0, 6.0, 6.3), contender("CUB", 2000.0)]}
SOFTMAX = {"work": "softmax", "size": "8 x 4", "bytes": 8000, "contenders": [
    contender("warpfold", 20.0, 20.0), contender("a block", 30.0, 30.0), contender("a copy", 15.0, 16.0)]}
KEYS = {"work": "softmax", "size": "9 x 4", "bytes": 8000, "contenders": [contender("warpfold", 20.0, 20.0)]}
GROUPS = {"gpu": "G", "commit": "c0ffee", "cub": 300001, "rows": [SUMS, SOFTMAX, KEYS]}
TORCH = {"gpu": "G", "commit": "c0ffee", "pytorch": "9.9", "compile": "ok", "rows": [
    {"work": "softmax", "size": "8 x 4", "contenders": [contender("torch.softmax", 25.0, 44.0),
                                                        contender("torch.compile", 16.2, 44.0)]}]}


def changed(record, **fields):
    return {**record, **fields}


def without(record, key):
    return {k: v for k, v in record.items() if k != key}


def run(script, *arguments):
    return subprocess.run([sys.executable, BENCHMARKS / script, *arguments], capture_output=True, text=True, env=ENVIRONMENT)


class ReportOfGroups(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def make(self, groups=GROUPS, torch=TORCH):
        for name, record in (("groups", groups), ("groups_torch", torch)):
            if record is not None:
                (self.folder / f"{name}.json").write_text(record if isinstance(record, str) else json.dumps(record))
        return run("report_groups.py", self.folder / "groups.json")

    def page(self, **records):
        done = self.make(**records)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "groups.md").read_text()

    def section(self, title, **records):
        """The lines of one section, without empty ones."""
        text = self.page(**records)
        self.assertEqual(text.count(f"\n## {title}\n"), 1)
        return [line for line in text.split(f"\n## {title}\n")[1].split("\n## ")[0].splitlines() if line]

    def test_the_head_counts_the_rows(self):
        text = self.page()
        self.assertTrue(text.startswith("# Groups on G\n\nCommit c0ffee, CUB 3.0.1, PyTorch 9.9, called from Python."), text)
        self.assertIn("| cold | 2 | 1 | 1 | 0.99 |\n"      # 1.2 and 0.81
                      "| queue | 2 | 1 | 1 | 1.06 |\n"     # 0.75 and 1.5
                      "| graph | 1 | 1 | 1 | 1.05 |\n", text)
        for absent in ("**", "Without PyTorch"):
            self.assertNotIn(absent, text)

    def test_the_least_ratio_of_a_row_is_first(self):
        self.assertEqual(self.section("The 10 rows with the least x")[2:], [
            "| segment sums | 16 MB | queue | 8.0 | a warp | 6.0 | 0.75 |",
            "| softmax | 8 x 4 | cold | 20.0 | torch.compile | 16.2 | 0.81 |",
        ])

    def test_there_are_at_most_ten_such_rows(self):
        rows = [changed(SUMS, size=f"{k} MB", contenders=[contender("warpfold", 10.0), contender("CUB", 9.0 + k / 10)])
                for k in range(12, 0, -1)]
        lines = self.section("The 10 rows with the least x", groups=changed(GROUPS, rows=rows), torch=None)[2:]
        self.assertEqual([line.split(" | ")[1] for line in lines], [f"{k} MB" for k in range(1, 11)])

    def test_a_line_for_each_row(self):
        self.assertEqual(self.section("All rows")[2:], [
            "| segment sums | 16 MB | 10.0 | 2,000 | 1.20 | a warp | 0.75 | a warp | 1.05 | a warp |  |",
            "| softmax | 8 x 4 | 20.0 | 0 | 0.81 | torch.compile | 1.50 | a block |  |  | 0.75 |",
            "| softmax | 9 x 4 | 20.0 | 0 |  |  |  |  |  |  |  |",
        ])

    def test_all_contenders(self):
        self.assertEqual(self.section("All contenders"), [
            "### Segment sums",
            "| size | contender | cold, us | x | queue, us | x | graph, us | x |",
            "|---|---|---:|---:|---:|---:|---:|---:|",
            "| 16 MB | warpfold | 10.0 |  | 8.0 |  | 6.0 |  |",
            "|  | a warp | 12.0 | 1.20 | 6.0 | 0.75 | 6.3 | 1.05 |",
            "|  | CUB | 2,000.0 | 200.00 |  |  |  |  |",
            "### Softmax",
            "| size | contender | cold, us | x | queue, us | x | graph, us | x |",
            "|---|---|---:|---:|---:|---:|---:|---:|",
            "| 8 x 4 | warpfold | 20.0 |  | 20.0 |  |  |  |",
            "|  | a block | 30.0 | 1.50 | 30.0 | 1.50 |  |  |",
            "|  | a copy | 15.0 | 0.75 | 16.0 | 0.80 |  |  |",
            "|  | torch.softmax | 25.0 | 1.25 | 44.0 | 2.20 |  |  |",
            "|  | torch.compile | 16.2 | 0.81 | 44.0 | 2.20 |  |  |",
            "| 9 x 4 | warpfold | 20.0 |  | 20.0 |  |  |  |",
        ])

    def test_without_pytorch(self):
        text = self.page(torch=None)
        self.assertIn("Commit c0ffee, CUB 3.0.1. Without PyTorch. Reductions", text)
        self.assertNotIn("torch.", text)

    def test_what_failed_is_told(self):
        row = {"work": "segment sums", "size": "16 MB", "contenders": [], "error": "RuntimeError: no"}
        text = self.page(torch=changed(TORCH, commit="abad1dea", compile="no compiler", rows=[row]))
        self.assertIn("**PyTorch's figures are of another run:** G, commit abad1dea.", text)
        self.assertIn("**No `torch.compile` for some rows:** no compiler", text)
        self.assertIn("**Errors of PyTorch:** segment sums, 16 MB: RuntimeError: no", text)

    def test_a_wrong_result_is_no_peer(self):
        ours, peer, cub = SUMS["contenders"]
        text = self.page(groups=changed(GROUPS, rows=[changed(SUMS, contenders=[ours, {**peer, "wrong": 3}, cub])]), torch=None)
        self.assertIn("**Wrong results:** a warp, segment sums, 16 MB\n", text)
        self.assertIn("|  | a warp WRONG | 12.0 |  | 6.0 |  | 6.3 |  |", text)
        self.assertIn("| segment sums | 16 MB | 10.0 | 2,000 | 200.00 | CUB |", text)
        text = self.page(groups=changed(GROUPS, rows=[changed(SUMS, contenders=[{**ours, "wrong": 3}, peer, cub])]), torch=None)
        self.assertIn("| segment sums | 16 MB | WRONG | 2,000 |  |  |", text)

    def test_malformed_records(self):
        def first_row(**fields):
            return changed(GROUPS, rows=[changed(SUMS, **fields)])

        other = changed(TORCH, rows=[changed(TORCH["rows"][0], size="5 x 5")])
        for name, record, told in (
            ("groups", "{", "the benchmark groups"),
            ("groups", without(GROUPS, "cub"), "no 'cub'"),
            ("groups", changed(GROUPS, rows=[]), "no rows"),
            ("groups", first_row(bytes=0), "bytes is 0"),
            ("groups", first_row(contenders=[]), "segment sums, 16 MB is not warpfold"),
            ("groups", first_row(contenders=[contender("CUB", 1.0)]), "segment sums, 16 MB is not warpfold"),
            ("groups", first_row(contenders=[contender("warpfold", "1")]), "cold_us is '1'"),
            ("torch", without(TORCH, "compile"), "no 'compile'"),
            ("torch", [], "groups_torch.py"),
            ("torch", other, "a row that"),
        ):
            with self.subTest(name=name, told=told):
                done = self.make(**{name: record})
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(str(self.folder / ("groups.json" if name == "groups" else "groups_torch.json")), done.stderr)
                self.assertIn(told, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertFalse((self.folder / "groups.md").exists())
                (self.folder / "groups_torch.json").unlink()

    def test_no_record(self):
        done = run("report_groups.py", self.folder / "groups.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"there is no {self.folder / 'groups.json'}", done.stderr)

    def test_those_that_are_kept_are_of_their_records(self):
        for kept in sorted(RESULTS.glob("*/groups.md")):
            with self.subTest(gpu=kept.parent.name):
                for name in ("groups.json", "groups_torch.json"):
                    if (kept.parent / name).is_file():
                        (self.folder / name).write_bytes((kept.parent / name).read_bytes())
                done = run("report_groups.py", self.folder / "groups.json")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual((self.folder / "groups.md").read_text(), kept.read_text())
                for file in self.folder.iterdir():
                    file.unlink()


class RowsOfPyTorch(unittest.TestCase):
    """groups_torch.py --list needs neither PyTorch nor a GPU."""

    def list(self, *arguments):
        done = run("groups_torch.py", "--list", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_the_list(self):
        rows = self.list()
        self.assertEqual(len(set(rows)), len(rows))
        self.assertIn("softmax: 8192 x 1024", rows)
        self.assertEqual(self.list("--only", "row dots", "--only", "10000 x 17"),
                         ["row dots: 256 x 4097", "axis sums: 10000 x 17, axis 0"])

    def test_groups_measures_each(self):
        # groups.cu makes its texts from numbers. Its record has them.
        for kept in sorted(RESULTS.glob("*/groups.json")):
            with self.subTest(gpu=kept.parent.name):
                measured = {f"{r['work']}: {r['size']}" for r in json.loads(kept.read_text())["rows"]}
                self.assertEqual([row for row in self.list() if row not in measured], [])


if __name__ == "__main__":
    unittest.main()
