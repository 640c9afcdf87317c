#!/usr/bin/env python3
"""Writes exact.md from a small record and from the record of the repository, and compares the text.

usage: report_exact_test.py

Needs only Python.
"""
import json
import pathlib
import tempfile
import unittest

from report_groups_test import RESULTS, contender, run, without


def row(work, size, ours, plain, **more):
    return {"work": work, "size": size, "bytes": 4000, "contenders": [contender("warpfold", ours, **more), contender("plain", plain)]}


RECORD = {"gpu": "G", "commit": "c0ffee", "rows": [
    row("sum f32", "1 MB, normal", 11.0, 10.0), row("sum f32", "2 MB, normal", 20.0, 10.0),
    row("sum f32", "1 MB, lognormal, sigma 1", 30.0, 10.0), row("dot f32", "1 MB, normal", 15.0, 10.0)]}


class ReportOfExactSums(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def make(self, record):
        (self.folder / "exact.json").write_text(json.dumps(record))
        return run("report_exact.py", self.folder / "exact.json")

    def page(self, record):
        done = self.make(record)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "exact.md").read_text()

    def test_a_table_for_each_work(self):
        text = self.page(RECORD)
        self.assertTrue(text.startswith("# Exact sums on G\n\nCommit c0ffee. "), text)
        self.assertIn("| sum f32, cold | 1 MB | 2 MB |\n|---|---:|---:|\n| normal | 1.10 | 2.00 |\n| lognormal, sigma 1 | 3.00 |  |\n", text)
        self.assertIn("| dot f32, cold | 1 MB |\n|---|---:|\n| normal | 1.50 |\n", text)
        self.assertNotIn("Wrong results", text)

    def test_a_table_for_cub(self):
        with_cub = row("sum f32", "1 MB, normal", 11.0, 10.0)
        with_cub["contenders"].append(contender("cub gpu_to_gpu", 44.0))
        text = self.page({**RECORD, "rows": [with_cub, *RECORD["rows"][1:]]})
        self.assertIn("| sum f32, over CUB's gpu_to_gpu, cold | 1 MB | 2 MB |\n|---|---:|---:|\n| normal | 0.25 |  |\n", text)
        self.assertNotIn("dot f32, over CUB", text)
        self.assertNotIn("over CUB", self.page(RECORD))

    def test_wrong_results_have_no_ratio(self):
        text = self.page({**RECORD, "rows": [row("sum f32", "1 MB, normal", 11.0, 10.0, wrong=1)]})
        self.assertIn("**Wrong results:** warpfold, sum f32, 1 MB, normal", text)
        self.assertIn("| normal |  |", text)

    def test_a_record_that_is_not_one(self):
        for record, message in ((without(RECORD, "commit"), "the benchmark exact: a part of it has no 'commit'"),
                                ({**RECORD, "rows": []}, "the benchmark exact: it has no rows")):
            with self.subTest(message):
                done = self.make(record)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)

    def test_kept_pages(self):
        for kept in sorted(RESULTS.glob("*/exact.md")):
            with self.subTest(str(kept)):
                self.assertEqual(self.page(json.loads(kept.with_suffix(".json").read_text())), kept.read_text())


if __name__ == "__main__":
    unittest.main()
