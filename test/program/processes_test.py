#!/usr/bin/env python3
"""Runs `warpfold reduce` under mpirun with 2 and 4 processes, and compares the output with that of one process.

usage: processes_test.py PROGRAM MPIRUN

Needs a program with MPI, and Python. The sums of these files are exact, so the digits do not depend on the number of
processes.
"""
import os
import re
import shlex
import struct
import subprocess
import sys
import unittest

import program_test
from program_test import npy, packed

PROGRAM = MPIRUN = None


class ProcessesTest(unittest.TestCase):
    setUp, enterContext, file = (getattr(program_test.ProgramTest, name) for name in ("setUp", "enterContext", "file"))

    def run_program(self, processes, *arguments):
        """Without mpirun if `processes` is 0."""
        launcher = [MPIRUN, "-n", str(processes)] if processes else []
        return subprocess.run([*launcher, PROGRAM, *arguments], capture_output=True, encoding="utf-8", timeout=300)

    def value(self, processes, *arguments):
        done = self.run_program(processes, "reduce", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("\x1b", done.stdout)
        values = re.findall(r"^\w+ = .*$", done.stdout, re.M)
        self.assertEqual(len(values), 1, done.stdout)  # only the first process prints
        if processes > 1:
            self.assertRegex(done.stdout, r"(?m)^by %d processes with wf::\w+: .* GB/s" % processes)
        return values[0]

    def agrees(self, path, *arguments, processes=(2,)):
        expected = self.value(0, path, "--no-baselines", "--repeat", "1", *arguments)
        for n in processes:
            with self.subTest(arguments=arguments, processes=n):
                self.assertEqual(self.value(n, path, *arguments), expected)
        return expected

    def errors(self, processes, *arguments):
        """The program's lines on standard error, without those of mpirun."""
        done = self.run_program(processes, "reduce", *arguments)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn(" = ", done.stdout)
        return [line for line in done.stderr.splitlines() if line.startswith("warpfold: ")]

    def test_ops(self):
        values = [(i * 7919 % 2001) - 1000 for i in range(5000)]
        path = self.file(npy("'<i4'", (5000,), packed("i", values)))
        self.assertEqual(self.agrees(path, processes=(1, 2, 4)), "plus = %d  (int64)" % sum(values))
        for op in ("minimum", "bit_xor", "logical_and", "argmin"):
            self.agrees(path, "--op", op, processes=(4,))
        self.agrees(path, "--op", "plus", "--policy", "seq")
        odd = self.file(npy("'|u1'", (300,), bytes(i % 128 * 2 + 1 for i in range(300))), "odd.npy")
        for op in ("multiplies", "maximum", "bit_and", "bit_or", "logical_or", "argmax"):
            self.agrees(odd, "--op", op)

    def test_elements(self):
        eighths = [(i * 7919 % 2001 - 1000) / 8 for i in range(3000)]
        for descr, letter in (("<f2", "e"), ("<f4", "f"), ("<f8", "d")):
            path = self.file(npy(repr(descr), (3000,), packed(letter, eighths)))
            self.agrees(path)
            self.agrees(path, "--op", "maximum")
        self.agrees(path, "--op", "logical_or")
        for descr, letter in (("<c8", "f"), ("<c16", "d")):
            self.agrees(self.file(npy(repr(descr), (1500,), packed(letter, eighths))))
        points = self.file(npy("'<f4'", (1000, 3), packed("f", eighths)))
        self.agrees(points, "--as", "float3")
        self.agrees(points, "--as", "float3", "--op", "minimum")
        bools = self.file(npy("'|b1'", (200,), bytes(i % 3 for i in range(200))))
        for op in ("plus", "bit_xor", "logical_and", "maximum"):
            self.agrees(bools, "--op", op)
        fields = self.file(npy("[('a', '|u1'), ('n', '<i8')]", (100,),
                               b"".join(struct.pack("<Bq", i, -i) for i in range(100))))
        self.agrees(fields, "--field", "n")

    def test_few_elements(self):
        """Processes without elements."""
        self.agrees(self.file(npy("'<i4'", (0,), b"")))
        self.agrees(self.file(npy("'<f4'", (0,), b"")), "--op", "logical_and")
        one = self.file(npy("'<f8'", (1,), packed("d", [2.5])))
        for op in ("plus", "minimum", "argmax"):
            self.agrees(one, "--op", op, processes=(2, 4))
        lines = self.errors(2, self.file(npy("'<i4'", (0,), b"")), "--op", "minimum")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("an empty array has no minimum", lines[0])

    def test_places(self):
        """The lowest index of equal elements; NaN wins."""
        values = [5.0] * 256
        for index in (40, 100, 200):
            values[index] = 1.0
        path = self.file(npy("'<f4'", (256,), packed("f", values)))
        self.assertEqual(self.agrees(path, "--op", "argmin", processes=(2, 4)), "argmin = 1 at 40  (float32)")
        values[130] = float("nan")
        path = self.file(npy("'<f4'", (256,), packed("f", values)))
        self.assertIn("at 130", self.agrees(path, "--op", "argmax"))

    def test_means_and_norms(self):
        """Of unequal parts. These means and norms have few digits, so rounding does not depend on the number of processes."""
        values = [i % 8 for i in range(4096)] + [0] * 4096
        ints = self.file(npy("'<i4'", (8192,), packed("i", values)))
        self.assertEqual(self.agrees(ints, "--op", "mean", processes=(2, 4)), "mean = 1.75  (float64)")
        self.agrees(ints, "--op", "norm", processes=(2, 4))
        floats = self.file(npy("'<f4'", (257,), packed("f", [2.5] * 257)))
        self.agrees(floats, "--op", "mean", processes=(2, 4))
        large = self.file(npy("'<f8'", (9,), packed("d", [1.5e308] * 9)))
        self.assertEqual(self.agrees(large, "--op", "mean", processes=(2, 4)), "mean = 1.5e+308  (float64)")
        threes = self.file(npy("'<f8'", (16,), packed("d", [3e200] * 16)))
        self.assertEqual(self.agrees(threes, "--op", "norm", processes=(2, 4)), "norm = 1.2e+201  (float64)")
        one = self.file(npy("'<f8'", (1,), packed("d", [2.5])))
        for op in ("mean", "norm"):
            self.agrees(one, "--op", op, processes=(4,))
        none = self.file(npy("'<f4'", (0,), b""))
        self.agrees(none, "--op", "norm")
        self.assertIn("an empty array has no mean", self.errors(2, none, "--op", "mean")[0])

    def test_repeat(self):
        path = self.file(npy("'<i4'", (100,), packed("i", range(100))))
        done = self.run_program(2, "reduce", path)
        self.assertIn(", includes reading the file", done.stdout)
        done = self.run_program(2, "reduce", path, "--repeat", "3")
        self.assertIn("(median of 3)", done.stdout)

    def test_errors(self):
        """One line, of the failed process of the lowest rank."""
        path = self.file(npy("'<i4'", (100,), packed("i", range(100))))
        for part, arguments in (("missing.npy: cannot open the file", [str(self.folder / "missing.npy")]),
                                ("--gpus is for one process", [path, "--gpus", "all"]),
                                ("cannot read standard input", ["-"])):
            lines = self.errors(2, *arguments)
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], "^warpfold: rank 0 of 2: ")
            self.assertIn(part, lines[0])
        # One process does not find the file.
        (self.folder / "0").mkdir()
        (self.folder / "1").mkdir()
        self.file(npy("'<i4'", (4,), bytes(16)), "0/a.npy")
        script = "cd %s/${OMPI_COMM_WORLD_RANK:-$PMI_RANK} && exec %s reduce a.npy" % (
            shlex.quote(str(self.folder)), shlex.quote(PROGRAM))
        done = subprocess.run([MPIRUN, "-n", "2", "sh", "-c", script], capture_output=True, encoding="utf-8", timeout=300)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"(?m)^warpfold: rank 1 of 2: a.npy: cannot open the file")
        self.assertNotIn(" = ", done.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    PROGRAM = program_test.PROGRAM = os.path.abspath(sys.argv.pop(1))
    MPIRUN = sys.argv.pop(1)
    unittest.main()
