#!/usr/bin/env python3
"""Writes reports of small records and of the records of the repository, and compares their text.

usage: report_test.py

Needs only Python. Draws pictures if matplotlib is installed.
"""
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import claims

SOURCE = pathlib.Path(__file__).resolve().parents[2]
RESULTS = SOURCE / "benchmarks" / "results"
MB, GB = 1 << 20, 1 << 30

GRID = {
    "gpu": "G", "commit": "c0ffee", "cub": 300001, "read_ceiling_gb_s": 2000.0,
    "empty_launch_us": {"cold": 3.0, "graph": 1.0}, "element_bytes": {"f32": 4}, "wrong": [],
    "rows": [{"element": "f32", "op": "sum", "way": "cold", "who": who, "n": [1 << 20, 1 << 28], "us": us}
             for who, us in (("warpfold", [5.0, 540.0]), ("CUB", [6.0, 541.0]))],
}
EVERYDAY = {
    "gpu": "G", "commit": "c0ffee", "cub": 300001, "figures": [
        {"op": "sum", "type": "f32", "bytes": 16 * MB, "us": 10.0, "cub_us": 15.0},
        {"op": "sum", "type": "f32", "bytes": 2 * GB, "us": 1000.0, "cub_us": 990.0},
        {"op": "argmin", "type": "f32", "bytes": 16 * MB, "us": 12.554, "cub_us": 12.554},
        {"op": "argmin", "type": "f32", "bytes": 2 * GB, "wrong": True},
        {"op": "sum", "type": "f64", "bytes": 16 * MB, "us": 20.0},
        {"op": "argmin", "type": "f64", "bytes": 16 * MB, "us": 25.0, "cub_wrong": True},
        {"op": "argmin", "type": "f64", "bytes": 64 * MB, "us": 25.0},  # a size that the report does not show
    ],
}
AXIS = {
    "gpu": "G", "commit": "c0ffee", "read_ceiling_gb_s": 2000.0, "figures": [
        {"shape": "2^25 x 16", "sums": "rows", "bytes": 2 * GB, "us": 1200.0, "gb_s": 1900.0},
        {"shape": "7 x 5", "sums": "rows", "bytes": 140, "us": 1.0, "gb_s": 1000.0},
        {"shape": "2^25 x 16", "sums": "columns", "bytes": 2 * GB, "us": 1200.0, "gb_s": 1500.0},
        {"shape": "7 x 5", "sums": "columns", "bytes": 140, "wrong": True},
    ],
}
AXIS_PYTHON = {
    "gpu": "G", "commit": "c0ffee", "pytorch": "9.9", "rows": [
        {"shape": "2^25 x 16", "sums": "rows", "us": 3000.0, "ours_us": 1200.0},
        {"shape": "2^25 x 16", "sums": "columns", "us": 1100.0, "ours_us": 1000.0},
    ],
}
PYTHON = {
    "gpu": "G", "commit": "c0ffee", "versions": {"torch": "9.9"}, "sum_gb_s": {"torch": 1.0}, "copy_gb_s": {"torch": 1.0},
    "wrong": [], "left_out": [], "element_bytes": {"f32": 4},
    "rows": [{"element": "f32", "op": "sum", "way": "cold", "who": "torch", "n": [1 << 20], "us": [10.0]}],
}
ALL = {"grid": GRID, "python": PYTHON, "everyday": EVERYDAY, "axis": AXIS, "axis_python": AXIS_PYTHON}


def changed(record, **fields):
    return {**record, **fields}


def without(record, key):
    return {k: v for k, v in record.items() if k != key}


def first_figure(record, **fields):
    """The record with changed fields of its first figure; None removes a field."""
    figure = {k: v for k, v in {**record["figures"][0], **fields}.items() if v is not None}
    return changed(record, figures=[figure, *record["figures"][1:]])


class Report(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name) / "gpu"
        self.folder.mkdir()
        self.hidden = pathlib.Path(temporary.name) / "hidden"
        self.hidden.mkdir()
        (self.hidden / "matplotlib.py").write_text("raise ImportError\n")

    def write(self, **records):
        for name, record in records.items():
            text = record if isinstance(record, str) else json.dumps(record)
            (self.folder / f"{name}.json").write_text(text)

    def make(self, pictures=False):
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        if not pictures:
            environment["PYTHONPATH"] = str(self.hidden)
        return subprocess.run([sys.executable, SOURCE / "benchmarks" / "report.py", self.folder / "grid.json"],
                              capture_output=True, text=True, env=environment)

    def report(self, pictures=False):
        done = self.make(pictures)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return (self.folder / "report.md").read_text()

    def section(self, title):
        """The lines of one section, without empty ones."""
        text = self.report()
        self.assertEqual(text.count(f"\n## {title}\n"), 1)
        return [line for line in text.split(f"\n## {title}\n")[1].split("\n## ")[0].splitlines() if line]

    def test_everyday(self):
        self.write(**ALL)
        lines = self.section("Everyday reductions")
        self.assertTrue(lines[0].startswith("Commit c0ffee, CUB 3.0.1; cold"), lines[0])
        self.assertIn("([all figures](everyday.json))", lines[0])
        self.assertEqual(lines[1:], [
            "**Wrong results:** warpfold argmin f32 2 GB, CUB argmin f64 16 MB",
            "| op | f32, 16 MB | f32, 2 GB | f64, 16 MB | f64, 2 GB |",
            "|---|---:|---:|---:|---:|",
            "| sum | 1.00 (1.50) | 1.00 (0.99) | 1.00 |  |",
            "| argmin | 1.26 (1.00) |  | 1.25 |  |",
        ])
        (self.folder / "everyday.md").write_text("")
        self.assertIn("([all figures](everyday.md))", self.section("Everyday reductions")[0])

    def test_axis(self):
        self.write(**ALL)
        lines = self.section("Along an axis")
        self.assertTrue(lines[0].startswith("Commit c0ffee; row and column sums of float"), lines[0])
        self.assertIn("([all figures](axis.json))", lines[0])
        self.assertIn("2000 GB/s", lines[0])
        self.assertTrue(lines[1].startswith("PyTorch 9.9, commit c0ffee"), lines[1])
        self.assertIn("([all figures](axis_python.json))", lines[1])
        self.assertEqual(lines[2:], [
            "**Wrong results:** columns of 7 x 5",
            "| rows × columns | rows: of ceiling | rows: × PyTorch | columns: of ceiling | columns: × PyTorch |",
            "|---:|---:|---:|---:|---:|",
            "| 2^25 x 16 | 95.0 % | 2.50 | 75.0 % | 1.10 |",
            "| 7 x 5 | 50.0 % |  |  |  |",
        ])

    def test_axis_without_pytorch(self):
        self.write(**without(ALL, "axis_python"))
        lines = self.section("Along an axis")
        self.assertNotIn("PyTorch", "\n".join(lines))
        self.assertIn("| 2^25 x 16 | 95.0 % | 75.0 % |", lines)

    def test_what_is_not_there_is_left_out(self):
        self.write(grid=GRID)
        text = self.report()
        for title in ("Everyday reductions", "Along an axis", "Beside PyTorch and CuPy"):
            self.assertNotIn(title, text)
        self.write(axis_python=AXIS_PYTHON)  # has no section without axis.json
        self.assertEqual(self.report(), text)

    def test_another_run_is_told(self):
        self.write(**ALL)
        self.assertNotIn("of another run", self.report())
        self.write(everyday=changed(EVERYDAY, commit="abad1dea"), axis=changed(AXIS, gpu="H"))
        text = self.report()
        self.assertEqual(re.findall(r"\*\*(.* of another run:\*\* .*)", text), [
            "These figures are of another run:** G, commit abad1dea.",
            "These figures are of another run:** H, commit c0ffee.",
            "PyTorch's figures are of another run:** G, commit c0ffee.",  # other than the record of the same section
        ])

    def test_malformed_records(self):
        for name, record, told in (
            ("grid", "{", "the grid"),
            ("grid", without(GRID, "rows"), "no 'rows'"),
            ("grid", [], "the grid"),
            ("grid", without(GRID, "commit"), "no 'commit'"),
            ("python", without(PYTHON, "rows"), "no 'rows'"),
            ("python", without(PYTHON, "left_out"), "no 'left_out'"),
            ("python", changed(PYTHON, copy_gb_s={}), "no 'torch'"),
            ("everyday", "", "the benchmark everyday"),
            ("everyday", without(EVERYDAY, "commit"), "no 'commit'"),
            ("everyday", [EVERYDAY], "the benchmark everyday"),
            ("everyday", changed(EVERYDAY, figures=[]), "no figures"),
            ("everyday", first_figure(EVERYDAY, us="10"), "us is '10'"),
            ("everyday", first_figure(EVERYDAY, us=0), "us is 0"),
            ("everyday", first_figure(EVERYDAY, us=None), "sum of f32 has no time"),
            ("axis", without(AXIS, "read_ceiling_gb_s"), "no 'read_ceiling_gb_s'"),
            ("axis", changed(AXIS, figures=[]), "no figures"),
            ("axis", first_figure(AXIS, gb_s=None), "no 'gb_s'"),
            ("axis", first_figure(AXIS, sums="planes"), "planes"),
            ("axis_python", without(AXIS_PYTHON, "pytorch"), "no 'pytorch'"),
            ("axis_python", changed(AXIS_PYTHON, rows=[{"shape": "7 x 5", "sums": "rows", "us": 1, "ours_us": 0}]),
             "ours_us is 0"),
        ):
            with self.subTest(name=name, told=told):
                self.write(**{**ALL, name: record})
                done = self.make()
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(str(self.folder / f"{name}.json"), done.stderr)
                self.assertIn(told, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertFalse((self.folder / "report.md").exists())

    def test_no_grid(self):
        done = self.make()
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"there is no {self.folder / 'grid.json'}", done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib")
    def test_pictures(self):
        self.write(**ALL)
        text = self.report(pictures=True)
        shown = re.findall(r"!\[.*\]\((.*)\)", text)
        self.assertIn("everyday.png", shown)
        self.assertIn("axis.png", shown)
        for name in shown:
            self.assertGreater((self.folder / name).stat().st_size, 1000, name)
        # Figures without values are not drawn and are not an error.
        self.write(everyday=first_figure(EVERYDAY, us=None, wrong=True), axis=first_figure(AXIS, gb_s=None, wrong=True))
        self.report(pictures=True)

    def test_those_that_are_kept_are_of_their_records(self):
        def words(text):
            return [line for line in text.splitlines() if line and not line.startswith(("![", "(No matplotlib"))]

        for kept in sorted(RESULTS.glob("*/report.md")):
            with self.subTest(gpu=kept.parent.name):
                for file in kept.parent.iterdir():
                    if file.suffix in (".json", ".md") and file != kept:
                        (self.folder / file.name).write_bytes(file.read_bytes())
                self.assertEqual(words(self.report()), words(kept.read_text()), "see ./dev report")
                for name in re.findall(r"\]\(([^)#]*)\)", kept.read_text()):
                    self.assertTrue((kept.parent / name).is_file(), name)
                for file in self.folder.iterdir():
                    file.unlink()

    def test_the_benchmarks_tables_have_the_same_figures(self):
        for kept in sorted(RESULTS.glob("*/report.md")):
            text = kept.read_text()
            tables = {name: [[cell.strip() for cell in line.strip("|").split("|")]
                             for line in (kept.parent / f"{name}.md").read_text().splitlines() if line.startswith("| ")][1:]
                      for name in ("everyday", "axis", "axis_python") if (kept.parent / f"{name}.md").is_file()}
            with self.subTest(gpu=kept.parent.name):
                cells = {}
                for op, type_, size, _, _, of_sum, _, vs_cub in tables.get("everyday", []):
                    cells.setdefault(op, {})[type_, size] = of_sum + (f" ({vs_cub})" if vs_cub else "")
                order = [(t, s) for t in ("f32", "f64") for s in ("16 MB", "2 GB")]
                for op, row in cells.items():
                    self.assertIn(f"| {op} | " + " | ".join(row[c] for c in order) + " |", text)
                cells = {}
                for shape, sums, *_, part in tables.get("axis", []):
                    cells.setdefault(shape, {})[sums] = [part]
                for shape, sums, _, theirs in tables.get("axis_python", []):
                    cells[shape][sums].append(theirs[theirs.index("(") + 1:-1])
                for shape, row in cells.items():
                    self.assertIn(f"| {shape} | " + " | ".join([*row["rows"], *row["columns"]]) + " |", text)


class Pictures(unittest.TestCase):
    """The pictures of the repository are small, and a page shows each."""

    def test_each_is_small_and_shown(self):
        pages = (*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md"), *RESULTS.glob("*/*.md"))
        shown = {(page.parent / name).resolve() for page in pages
                 for names in re.findall(r"!\[[^\]]*\]\(([^)#]*)\)|<img[^>]* src=\"([^\"]*)\"", page.read_text()) for name in names if name}
        kept = [p for folder in ("benchmarks", "docs") for p in (SOURCE / folder).rglob("*")
                if p.suffix in (".png", ".svg", ".jpg", ".gif")]
        self.assertGreater(len(kept), 0)
        for picture in kept:
            with self.subTest(picture=str(picture.relative_to(SOURCE))):
                self.assertLessEqual(picture.stat().st_size, 150_000, "at most 150 kB; see benchmarks/pictures.py")
                self.assertIn(picture.resolve(), shown, "no page shows it; remove it")


class Claims(unittest.TestCase):
    """The figures of README.md and of pages of docs/ are those of the records; see claims.py."""

    # Texts with figures that are no measurements of the library, or that say that they have no record.
    ALLOWED = {
        "README.md": ["CUDA 13.0", "faster of 3.0 and 3.5", "nvcc 13.0", "capability 7.5", "tested on 9.0",
                      "CUB 3.0", "Apache-2.0"],
        "docs/performance.md": [
            "versions of CUB: 3.0 from the toolkit, and 3.5", "CUDA 13.0", "over CUB 3.0", "CUB 3.0,", "of CUB 3.0,", "nvcc 13.0",
            "1.6 to 3.2 GB", "16.8 M", "up to 0.5 MB", "In one trial without a record, `torch.compile` took 1/2.7 of the time",
            "take about 5 us", "Up to 0.5 MB",
        ],
    }

    def test_figures_are_those_of_the_records(self):
        for page, of_page in claims.claims().items():
            text = (SOURCE / page).read_text()
            for pattern, values in of_page:
                with self.subTest(page=page, pattern=pattern):
                    self.assertIsNone(claims.check(text, pattern, values))

    def test_every_figure_has_a_record(self):
        for page, allowed in self.ALLOWED.items():
            with self.subTest(page=page):
                patterns = [c[0] for c in claims.claims()[page]]
                left = claims.leftovers((SOURCE / page).read_text(), patterns, allowed)
                self.assertEqual(left, [], "these figures have no record: add them to claims.py, or remove them")

    def test_a_page_says_that_a_record_is_old(self):
        # Without the history of the record's commit (an archive, a shallow clone) nothing is known about its age.
        known = [r for r in claims.MEASURED if claims.has_history(claims.load(r)["commit"])]
        if not known:
            self.skipTest("the commits of the records are not in this checkout")
        for page in ("README.md", "docs/performance.md"):
            text = " ".join((SOURCE / page).read_text().split())
            for record in known:
                commit = claims.load(record)["commit"][:7]
                folder, name = record.removesuffix(".json").split("/")
                if f"benchmarks/results/{folder}/{name}." not in text and name not in ("grid", "sums"):
                    continue
                with self.subTest(page=page, record=record):
                    self.assertTrue(commit in text, f"the page cites the record {record}, but does not name its commit, {commit}")
                    if claims.is_stale(record):
                        self.assertTrue(re.search(r"[Kk]ernels have changed since", text),
                                        f"the kernels have changed since the record {record}: renew it, or say so")

    def test_the_record_of_compile_times_has_the_headers_of_today(self):
        headers = set(claims.load("compile.json")["headers_beyond_empty_file"])
        gone = sorted(h for h in headers if not (SOURCE / "include" / h).is_file())
        self.assertEqual(gone, [], "run ./dev bench --compile")

    def test_these_checks_find_faults(self):
        page, (pattern, values) = "README.md", claims.claims()["README.md"][0]
        text = (SOURCE / page).read_text()
        self.assertIn("the record says", claims.check(text, pattern, [values[0] + 0.01]))
        self.assertEqual(claims.leftovers("It is 9.87× as fast, at 5 % of the cost.", ["It is #× as fast"], []), ["5 %"])
        self.assertEqual(claims.leftovers("```sh\n1.5×\n```\n", [], []), [])
        self.assertTrue(claims.near(0.9984, "0.998") and not claims.near(0.9984, "0.999"))
        self.assertFalse(claims.has_history("0" * 40))
        self.assertEqual(claims.code_of("int a;  // why\n\n"), claims.code_of("int  a;"))


if __name__ == "__main__":
    unittest.main()
