#!/usr/bin/env python3
"""Writes axis_shapes.md from small records and from the records of the repository, and compares the text.

usage: report_axis_shapes_test.py

Needs only Python.
"""
import json
import pathlib
import tempfile
import unittest

from report_groups_test import RESULTS, changed, contender, run, without


def row(shape, axes, ours, **peers):
    return {"shape": shape, "axes": axes, "bytes": 4000, "contenders": [
        contender("warpfold", ours), *(contender(name.replace("_", " "), us) for name, us in peers.items())]}


MATRIX = row([3, 5], [0], 10.0, a_thread_an_output=12.0, a_block_32_columns=9.0)
CUBE = row([3, 5, 7], [1], 10.0, a_warp_a_slab=9.6)
SHAPES = {"gpu": "G", "commit": "c0ffee", "rows": [
    MATRIX, CUBE, row([3, 5, 7], [2], 10.0, a_warp_a_row=20.0), row([2, 3, 5, 7], [1, 2], 10.0, a_warp_a_slab=40.0)]}
TORCH = {"gpu": "G", "commit": "c0ffee", "pytorch": "9.9", "rows": [
    {"shape": [3, 5], "axes": [0], "contenders": [contender("torch.sum", 8.0)]},
    {"shape": [3, 5, 7], "axes": [1], "contenders": [contender("torch.sum", 30.0)]}]}


class ReportOfShapes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def make(self, shapes=SHAPES, torch=TORCH):
        for name, record in (("axis_shapes", shapes), ("axis_shapes_torch", torch)):
            if record is not None:
                (self.folder / f"{name}.json").write_text(json.dumps(record))
        return run("report_axis_shapes.py", self.folder / "axis_shapes.json")

    def page(self, **records):
        done = self.make(**records)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "axis_shapes.md").read_text()

    def test_the_head(self):
        text = self.page()
        self.assertTrue(text.startswith("# Random shapes along an axis on G\n\nCommit c0ffee, PyTorch 9.9, called from Python. "
                                        "Sums of 4 random arrays"), text)
        for absent in ("**", "Without PyTorch"):
            self.assertNotIn(absent, text)

    def test_shares_of_ranks_and_places(self):
        # x is 0.8, 0.96, 2 and 4.
        self.assertIn("| rows | number | at least 1.00 | at least 0.95 | geometric mean of x |\n"
                      "|---|---:|---:|---:|---:|\n"
                      "| all | 4 | 2 | 3 | 1.57 |\n"
                      "| rank 2 | 1 | 0 | 0 | 0.80 |\n"
                      "| rank 3 | 2 | 1 | 2 | 1.39 |\n"
                      "| rank 4 | 1 | 1 | 1 | 4.00 |\n"
                      "| first axis | 1 | 0 | 0 | 0.80 |\n"
                      "| middle axis | 1 | 0 | 1 | 0.96 |\n"
                      "| last axis | 1 | 1 | 1 | 2.00 |\n"
                      "| several axes | 1 | 1 | 1 | 4.00 |\n", self.page())

    def test_the_worst_are_first(self):
        self.assertIn("## The 10 rows with the least x\n\n"
                      "| shape | along | warpfold, us | fastest peer | us | x |\n"
                      "|---|---|---:|---|---:|---:|\n"
                      "| 3 x 5 | axis 0 | 10.0 | torch.sum | 8.0 | 0.80 |\n"
                      "| 3 x 5 x 7 | axis 1 | 10.0 | a warp a slab | 9.6 | 0.96 |\n"
                      "| 3 x 5 x 7 | axis 2 | 10.0 | a warp a row | 20.0 | 2.00 |\n"
                      "| 2 x 3 x 5 x 7 | axes 1, 2 | 10.0 | a warp a slab | 40.0 | 4.00 |\n", self.page())

    def test_there_are_at_most_ten_of_them(self):
        rows = [row([k, 5], [0], 10.0, a_peer=9.0 + k) for k in range(12, 0, -1)]
        lines = self.page(shapes=changed(SHAPES, rows=rows), torch=None).split("## The 10 rows with the least x\n")[1].splitlines()[3:]
        self.assertEqual([line.split(" | ")[0] for line in lines], [f"| {k} x 5" for k in range(1, 11)])

    def test_without_pytorch(self):
        text = self.page(torch=None)
        self.assertIn("Commit c0ffee. Without PyTorch. Sums", text)
        self.assertIn("| 3 x 5 | axis 0 | 10.0 | a block 32 columns | 9.0 | 0.90 |", text)

    def test_what_failed_is_told(self):
        wrong = changed(MATRIX, contenders=[*MATRIX["contenders"][:2], {**MATRIX["contenders"][2], "wrong": 3}])
        failed = {"shape": [3, 5, 7], "axes": [1], "contenders": [], "error": "RuntimeError: no"}
        text = self.page(shapes=changed(SHAPES, rows=[wrong, CUBE]), torch=changed(TORCH, commit="abad1dea", rows=[failed]))
        self.assertIn("**PyTorch's figures are of another run:** G, commit abad1dea.", text)
        self.assertIn("**Errors of PyTorch:** 3 x 5 x 7, axis 1: RuntimeError: no\n", text)
        self.assertIn("**Wrong results:** a block 32 columns, 3 x 5, axis 0\n", text)
        self.assertIn("| 3 x 5 | axis 0 | 10.0 | a thread an output | 12.0 | 1.20 |", text)

    def test_malformed_records(self):
        other = changed(TORCH, rows=[changed(TORCH["rows"][0], axes=[1])])
        for records, told in (
            ({"shapes": without(SHAPES, "commit")}, "the benchmark axis_shapes: a part of it has no 'commit'"),
            ({"shapes": changed(SHAPES, rows=[])}, "no rows"),
            ({"shapes": changed(SHAPES, rows=[without(MATRIX, "axes")])}, "no 'axes'"),
            ({"shapes": changed(SHAPES, rows=[changed(MATRIX, axes=[2])])}, "axes is [2]; 3 x 5 has axes 0 to 1"),
            ({"shapes": changed(SHAPES, rows=[changed(MATRIX, axes=[])])}, "axes is []"),
            ({"shapes": changed(SHAPES, rows=[changed(MATRIX, contenders=[])])}, "the first contender of 3 x 5, axis 0 is not warpfold"),
            ({"torch": without(TORCH, "pytorch")}, "axis_shapes_torch.py: a part of it has no 'pytorch'"),
            ({"torch": other}, "a row that"),
        ):
            with self.subTest(told=told):
                done = self.make(**records)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(told, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertFalse((self.folder / "axis_shapes.md").exists())

    def test_no_record(self):
        for script, argument in (("report_axis_shapes.py", self.folder / "axis_shapes.json"), ("axis_shapes_torch.py", self.folder)):
            done = run(script, argument)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"there is no {self.folder / 'axis_shapes.json'}", done.stderr)

    def test_those_that_are_kept_are_of_their_records(self):
        for kept in sorted(RESULTS.glob("*/axis_shapes.md")):
            with self.subTest(gpu=kept.parent.name):
                records = [json.loads(path.read_text()) if path.is_file() else None
                           for path in (kept.with_suffix(".json"), kept.with_name("axis_shapes_torch.json"))]
                self.assertEqual(self.page(shapes=records[0], torch=records[1]), kept.read_text())
                for file in self.folder.iterdir():
                    file.unlink()


if __name__ == "__main__":
    unittest.main()
