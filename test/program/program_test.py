#!/usr/bin/env python3
"""Runs the program on files that this test writes, and compares the output and the exit code.

usage: program_test.py PROGRAM

Needs only Python. On a machine with a GPU the automatic policy is wf::device, so the test checks the values
of the host and of the GPU.
"""
import json
import math
import os
import pathlib
import pty
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROGRAM = None

# NumPy's descr, struct's letter, bytes
INTEGERS = {"|i1": "b", "<i2": "h", "<i4": "i", "<i8": "q", "|u1": "B", "<u2": "H", "<u4": "I", "<u8": "Q"}
FLOATS = {"<f2": "e", "<f4": "f", "<f8": "d"}
COMPLEX = {"<c8": "f", "<c16": "d"}


def npy(descr, shape, data, order="False", version=1):
    """The bytes of an .npy file."""
    header = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    header = header.encode("utf-8" if version == 3 else "latin-1")
    preamble = 10 if version == 1 else 12
    header += b" " * (63 - (len(header) + preamble) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def packed(letter, values):
    return struct.pack("<%d%s" % (len(values), letter), *values)


def fold(op, values, start):
    for x in values:
        start = op(start, x)
    return start


OPS = {
    "plus": lambda a, b: a + b,
    "multiplies": lambda a, b: a * b,
    "minimum": min,
    "maximum": max,
    "bit_and": lambda a, b: a & b,
    "bit_or": lambda a, b: a | b,
    "bit_xor": lambda a, b: a ^ b,
    "logical_and": lambda a, b: bool(a) and bool(b),
    "logical_or": lambda a, b: bool(a) or bool(b),
}


def wrapped(x, signed):
    """`x` in 64 bits."""
    x &= 2**64 - 1
    return x - 2**64 if signed and x >= 2**63 else x


class ProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        info = subprocess.run([PROGRAM, "info"], capture_output=True, text=True, check=True).stdout
        cls.has_par = "wf::par" in info  # needs oneTBB
        # Without CUDA or Boost.Context the help lists no kernels.
        kernels = {command: subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True,
                                           check=True).stdout for command in ("ladder", "coalescing")}
        cls.has_ladder = "Kernels:" in kernels["ladder"]
        cls.has_emulation = "Kernels:" in kernels["coalescing"]
        cls.has_others = len(re.findall("wf::", info.replace("wf::device", ""))) > 1

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def enterContext(self, manager):  # unittest has it from Python 3.11 on
        value = manager.__enter__()
        self.addCleanup(manager.__exit__, None, None, None)
        return value

    def file(self, content, name="a.npy"):
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def run_program(self, *arguments, given=None):
        """With `given`, the bytes of standard input, through a pipe."""
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, input=given, timeout=300)
        done.stdout, done.stderr = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        # The output is not a terminal, so no colors; and no characters that a terminal executes.
        self.assertNotRegex(done.stdout + done.stderr, r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        self.assertNotRegex(done.stdout + done.stderr,
                            r"[\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0001]")
        return done

    def reduce(self, path, *arguments):
        """The value and its type, as printed."""
        done = self.run_program("reduce", path, *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stderr, "")
        found = re.search(r"^(\w+) = (.*)  \((\w+)\)$", done.stdout, re.M)
        self.assertIsNotNone(found, done.stdout)
        return found[2], found[3]

    def quick(self, path, op, *arguments):
        return self.reduce(path, "--op", op, "--no-baselines", "--repeat", "1", *arguments)

    def fails(self, part, *arguments, code=1):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(part, done.stderr)

    # --- values ----------------------------------------------------------------------------------

    def test_integers(self):
        chance = random.Random(1)
        for descr, letter in INTEGERS.items():
            bits = 8 * struct.calcsize(letter)
            signed = letter.islower()
            low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
            values = [chance.randint(low, high) for _ in range(1000)] + [low, high]
            path = self.file(npy(repr(descr), (len(values),), packed(letter, values)))
            for op, function in OPS.items():
                if op == "multiplies":
                    odd = [x | 1 for x in values]  # or the product is soon 0
                    path = self.file(npy(repr(descr), (len(odd),), packed(letter, odd)), "odd.npy")
                    expected = fold(function, odd[1:], odd[0])
                else:
                    path = str(self.folder / "a.npy")
                    expected = fold(function, values[1:], values[0])
                if op.startswith("logical"):
                    expected = str(bool(expected)).lower()
                elif op in ("plus", "multiplies"):
                    expected = wrapped(expected, signed)
                for policy in ("auto", "seq"):
                    with self.subTest(descr=descr, op=op, policy=policy):
                        got, kind = self.quick(path, op, "--policy", policy)
                        self.assertEqual(got, str(expected))
                        logical = op.startswith("logical")
                        self.assertEqual(kind, "bool" if logical else "int64" if signed else "uint64")

    def test_logical(self):
        """Each descr, with only zeros, one nonzero, no zero."""
        for descr, letter in {**INTEGERS, **FLOATS, "|b1": "?"}.items():
            for values in ([0] * 50, [0] * 49 + [1], [1] * 50):
                path = self.file(npy(repr(descr), (50,), packed(letter, values)))
                for op, expected in (("logical_and", all(values)), ("logical_or", any(values))):
                    with self.subTest(descr=descr, op=op, values=sum(values)):
                        self.assertEqual(self.quick(path, op), (str(expected).lower(), "bool"))

    def test_bool_of_any_byte(self):
        """Each byte other than 0 is true, as in NumPy."""
        numbers = {"plus": ("3", "int64"), "multiplies": ("0", "int64"), "minimum": ("false", "bool"),
                   "maximum": ("true", "bool"), "bit_and": ("false", "bool"), "bit_or": ("true", "bool"),
                   "bit_xor": ("true", "bool"), "logical_and": ("false", "bool"), "logical_or": ("true", "bool")}
        all_true = {"plus": ("4", "int64"), "multiplies": ("1", "int64"), "minimum": ("true", "bool"),
                    "maximum": ("true", "bool"), "bit_and": ("true", "bool"), "bit_or": ("true", "bool"),
                    "bit_xor": ("false", "bool"), "logical_and": ("true", "bool"), "logical_or": ("true", "bool")}
        for values, expected in ((bytes([2, 0, 40, 20]), numbers), (bytes([1, 2, 4, 255]), all_true)):
            plain = self.file(npy("'|b1'", (4,), values))
            field = self.file(npy("[('n', '<i2'), ('b', '|b1')]", (4,),
                                  b"".join(struct.pack("<hB", -1, x) for x in values)), "field.npy")
            for op, value in expected.items():
                for policy in ("auto", "seq"):
                    with self.subTest(values=values, op=op, policy=policy):
                        self.assertEqual(self.quick(plain, op, "--policy", policy), value)
                        self.assertEqual(self.quick(field, op, "--policy", policy, "--field", "b"), value)
                self.assertEqual(self.reduce(plain, "--op", op, "--repeat", "1"), value)  # the others agree
        path = self.file(npy("'|b1'", (200_000,), bytes([0, 7, 0, 255]) * 50_000))
        self.assertEqual(self.reduce(path, "--repeat", "1"), ("100000", "int64"))
        path = self.file(npy("'|b1'", (0,), b""))
        self.assertEqual(self.reduce(path), ("0", "int64"))
        self.assertEqual(self.reduce(path, "--op", "multiplies"), ("1", "int64"))

    def test_bool(self):
        values = [True, False, True, True]
        path = self.file(npy("'|b1'", (4,), packed("?", values)))
        expected = {"plus": ("3", "int64"), "multiplies": ("0", "int64"), "minimum": ("false", "bool"),
                    "maximum": ("true", "bool"), "bit_and": ("false", "bool"),
                    "bit_or": ("true", "bool"), "bit_xor": ("true", "bool")}
        for op, value in expected.items():
            with self.subTest(op=op):
                self.assertEqual(self.quick(path, op), value)

    def test_floats(self):
        chance = random.Random(2)
        for descr, letter in FLOATS.items():
            # The values after rounding to the type.
            values = struct.unpack("<1000" + letter,
                                   packed(letter, [chance.uniform(-2, 2) for _ in range(1000)]))
            near_one = struct.unpack("<1000" + letter,
                                     packed(letter, [chance.uniform(0.9, 1.1) for _ in range(1000)]))
            path = self.file(npy(repr(descr), (1000,), packed(letter, values)))
            product_path = self.file(npy(repr(descr), (1000,), packed(letter, near_one)), "p.npy")
            kind = "float64" if letter == "d" else "float32"
            error = 1e-12 if letter == "d" else 1e-4
            for policy in ("auto", "seq"):
                with self.subTest(descr=descr, policy=policy):
                    got, got_kind = self.quick(path, "plus", "--policy", policy)
                    self.assertAlmostEqual(float(got), math.fsum(values), delta=1000 * error)
                    self.assertEqual(got_kind, kind)
                    got, _ = self.quick(product_path, "multiplies", "--policy", policy)
                    self.assertAlmostEqual(float(got) / math.prod(near_one), 1, delta=10 * error)
                    for op, expected in (("minimum", min(values)), ("maximum", max(values))):
                        got, _ = self.quick(path, op, "--policy", policy)
                        self.assertEqual(struct.pack(letter, float(got)), struct.pack(letter, expected))

    def test_whole_arrays(self):
        """mean, norm, argmin and argmax: every policy agrees, also for a field, whose elements lie apart."""
        chance = random.Random(5)
        for descr, letter in {**INTEGERS, **FLOATS}.items():
            values = [chance.randint(0, 100) for _ in range(1000)]
            if letter.islower():
                values = [x - 50 for x in values]
            least, greatest = min(values), max(values)
            expected = {"mean": sum(values) / 1000, "norm": math.sqrt(sum(x * x for x in values)),
                        "argmin": f"{least} at {values.index(least)}",
                        "argmax": f"{greatest} at {values.index(greatest)}"}
            plain = self.file(npy(repr(descr), (1000,), packed(letter, values)))
            field = self.file(npy(f"[('x', '|u1'), ('y', '{descr}')]", (1000,),
                                  b"".join(b"\x07" + packed(letter, [x]) for x in values)), "field.npy")
            for op, want in expected.items():
                for arguments in ([plain], [plain, "--policy", "seq"], [field, "--field", "y"]):
                    with self.subTest(descr=descr, op=op, arguments=arguments[1:]):
                        got, kind = self.reduce(*arguments, "--op", op, "--repeat", "1")
                        if op.startswith("arg"):
                            self.assertEqual(got, want)
                        else:
                            self.assertAlmostEqual(float(got), want, delta=1e-4 if letter in "ef" else 1e-9)
                            self.assertEqual(kind, "float32" if op == "mean" and letter in "ef" else "float64")
        path = self.file(npy("'|b1'", (4,), bytes([1, 0, 7, 1])))
        self.assertEqual(self.reduce(path, "--op", "mean"), ("0.75", "float64"))
        self.fails("norm is not defined for bool", "reduce", path, "--op", "norm")
        path = self.file(npy("'<c8'", (2,), packed("f", [3, 4, 0, 12])))
        self.assertEqual(self.reduce(path, "--op", "norm"), ("13", "float64"))
        self.fails("mean is not defined for complex64", "reduce", path, "--op", "mean")
        path = self.file(npy("'<f4'", (3,), packed("f", [1, math.nan, 2])))
        self.assertRegex(self.reduce(path, "--op", "argmax")[0], r"^-?nan at 1$")
        self.assertRegex(self.reduce(path, "--op", "mean")[0], r"^-?nan$")
        path = self.file(npy("'<i8'", (3,), packed("q", [2**62, 2**62 - 1, -(2**62)])))
        self.assertEqual(self.reduce(path, "--op", "argmax"), (f"{2**62} at 0", "int64"))
        self.fails("mean is not defined for float3", "reduce",
                   self.file(npy("'<f4'", (1, 3), bytes(12))), "--as", "float3", "--op", "mean")

    def test_standard_input(self):
        """- reads the bytes of an .npy file from a pipe to its end."""
        content = npy("'<f8'", (200_000,), packed("d", range(200_000)))  # longer than a pipe
        for command in (["reduce", "-", "--op", "argmax"], ["explain", "-"]):
            done = self.run_program(*command, given=content)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("standard input: float64, shape (200000,)", done.stdout)
        self.assertIn("argmax = 199999 at 199999", self.run_program("reduce", "-", "--op", "argmax", given=content).stdout)
        for given, part in ((b"", "standard input: the file is empty"), (b"text", "standard input: not an .npy file"),
                            (content[:-1], "standard input: the header says")):
            done = self.run_program("reduce", "-", given=given)
            self.assertEqual(done.returncode, 1)
            self.assertIn(part, done.stderr)
        parent, child = pty.openpty()
        done = subprocess.run([PROGRAM, "reduce", "-"], stdin=child, capture_output=True, text=True)
        os.close(parent)
        os.close(child)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard input: this is a terminal; pipe", done.stderr)

    def test_special_floats(self):
        for descr, letter in FLOATS.items():
            tiny = struct.unpack(letter, b"\x01" + bytes(struct.calcsize(letter) - 1))[0]
            for values, op, expected in (
                ([1.0, math.nan, 2.0], "maximum", "nan"),
                ([1.0, math.nan, 2.0], "minimum", "nan"),
                ([1.0, math.inf, 2.0], "plus", "inf"),
                ([-math.inf, math.inf], "minimum", "-inf"),
                ([0.0, -0.0], "minimum", "-0"),
                ([0.0, -0.0], "maximum", "0"),
                ([tiny, 1.0], "minimum", tiny),
            ):
                path = self.file(npy(repr(descr), (len(values),), packed(letter, values)))
                with self.subTest(descr=descr, op=op, values=values):
                    got, _ = self.reduce(path, "--op", op, "--repeat", "1")  # the baselines agree
                    if isinstance(expected, str):
                        self.assertEqual(got.replace("-nan", "nan"), expected)
                    else:
                        self.assertEqual(struct.pack(letter, float(got)), struct.pack(letter, expected))

    def test_complex(self):
        values = [complex(1, 2), complex(-3, 0.5), complex(0.25, -1)]
        for descr, letter in COMPLEX.items():
            data = packed(letter, [part for z in values for part in (z.real, z.imag)])
            path = self.file(npy(repr(descr), (3,), data))
            for op, expected in (("plus", sum(values)), ("multiplies", math.prod(values))):
                with self.subTest(descr=descr, op=op):
                    got, kind = self.quick(path, op)
                    self.assertEqual(complex(got), expected)
                    self.assertEqual(kind, "complex64" if descr == "<c8" else "complex128")
            self.fails("use one of: plus multiplies", "reduce", path, "--op", "minimum")

    def test_points(self):
        values = [1, -2, 3.5, 4, 5, -6, 0.5, 8, 9]
        path = self.file(npy("'<f4'", (3, 3), packed("f", values)))
        for op, expected in (("plus", "(5.5, 11, 6.5)"), ("minimum", "(0.5, -2, -6)"),
                             ("maximum", "(4, 8, 9)"), ("multiplies", "(2, -80, -189)")):
            with self.subTest(op=op):
                self.assertEqual(self.quick(path, op, "--as", "float3"), (expected, "float3"))
        self.assertEqual(self.quick(path, "plus")[0], "23")
        self.fails("bit_or is not defined for float3", "reduce", path, "--as", "float3", "--op", "bit_or")

    def test_fields(self):
        """Packed structs: fields at any alignment."""
        kinds = {"a": "|u1", "mass": "<f8", "h": "<f2", "n": "<i8", "flag": "|b1"}
        letters = {"|u1": "B", "<f8": "d", "<f2": "e", "<i8": "q", "|b1": "?"}
        chance = random.Random(3)
        items = [(i % 200, chance.uniform(-1, 1), i % 64 / 8, -(10**9) * i, i % 2 == 0)
                 for i in range(1, 20001)]
        layout = "<" + "".join(letters[k] for k in kinds.values())
        data = b"".join(struct.pack(layout, *item) for item in items)
        path = self.file(npy(repr(list(kinds.items())), (len(items),), data))
        columns = dict(zip(kinds, zip(*items)))
        for policy in ("auto", "seq"):
            with self.subTest(policy=policy):
                def value(field, op):
                    return self.quick(path, op, "--field", field, "--policy", policy)[0]

                self.assertEqual(value("a", "plus"), str(sum(columns["a"])))
                self.assertEqual(value("n", "plus"), str(sum(columns["n"])))
                self.assertEqual(value("n", "minimum"), str(min(columns["n"])))
                self.assertEqual(value("flag", "plus"), str(sum(columns["flag"])))
                self.assertAlmostEqual(float(value("mass", "plus")), math.fsum(columns["mass"]), delta=1e-9)
                self.assertEqual(float(value("mass", "maximum")), max(columns["mass"]))
                self.assertEqual(float(value("h", "plus")), sum(columns["h"]))
        self.fails("--field mass    <f8  (float64)", "reduce", path)
        self.fails("there is no field 'weight'; choose one of", "reduce", path, "--field", "weight")

    def test_pieces(self):
        """An array longer than one piece, in a sparse file."""
        count = 300_000_007
        path = self.file(npy("'|u1'", (count,), b""), "long.npy")
        start = os.path.getsize(path)
        with open(path, "r+b") as file:
            for i in (0, 134217727, 134217728, 268435456, count - 1):  # about the pieces' ends
                file.seek(start + i)
                file.write(b"\x41")
        for policy in ("auto", "seq"):
            for op, expected in (("plus", 5 * 0x41), ("maximum", 0x41), ("minimum", 0), ("bit_xor", 0x41)):
                with self.subTest(policy=policy, op=op):
                    got, _ = self.quick(path, op, "--policy", policy)
                    self.assertEqual(got, str(expected))

    def test_empty(self):
        path = self.file(npy("'<f4'", (0, 3), b""))
        self.assertEqual(self.reduce(path), ("0", "float32"))
        self.assertEqual(self.reduce(path, "--op", "multiplies")[0], "1")
        self.assertEqual(self.reduce(path, "--as", "float3")[0], "(0, 0, 0)")
        self.assertEqual(self.reduce(path, "--op", "logical_and"), ("true", "bool"))
        self.assertEqual(self.reduce(path, "--op", "norm"), ("0", "float64"))
        for op in ("minimum", "maximum", "mean", "argmin", "argmax"):
            self.fails("an empty array has no " + op, "reduce", path, "--op", op)

    def test_one_element(self):
        self.assertEqual(self.reduce(self.file(npy("'<f8'", "()", packed("d", [2.5]))))[0], "2.5")

    # --- the table -------------------------------------------------------------------------------

    def test_baselines_agree(self):
        """For cases that all policies support, every policy has a time and a ratio."""
        chance = random.Random(4)
        for descr, letter in (("|u1", "B"), ("<i4", "i"), ("<f4", "f"), ("<f8", "d")):
            values = [chance.randint(0, 200) for _ in range(100_003)]
            if letter in "fd":
                values = [x / 7 - 10 for x in values]
            path = self.file(npy(repr(descr), (len(values),), packed(letter, values)))
            for op in ("plus", "minimum", "maximum"):
                with self.subTest(descr=descr, op=op):
                    done = self.run_program("reduce", path, "--op", op, "--repeat", "3")
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertNotIn("WRONG", done.stdout)
                    if not self.has_others:
                        continue
                    rows = re.findall(r"^  (wf::\S+) .*$", done.stdout, re.M)
                    self.assertIn("wf::seq", rows)
                    timed = re.findall(r"^  wf::\S+ .* [\d.]+x$", done.stdout, re.M)
                    self.assertEqual(len(timed), len(rows), done.stdout)
                    self.assertEqual("wf::par" in rows, self.has_par)
                    self.assertTrue(timed[0].endswith(" 1.00x"), done.stdout)

    def test_a_wrong_sum_shows(self):
        """A running sum of 2^25 ones in float32, as that of Thrust, stops at 2^24; a tree does not."""
        path = self.file(npy("'<f4'", (1 << 25,), packed("f", [1.0]) * (1 << 25)))
        for policy in [("--policy", "seq"), ()]:
            done = self.run_program("reduce", path, "--repeat", "1", *policy)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, r"(?m)^plus = 33554432  \(float32\)$")
            if "thrust_seq" in done.stdout:
                self.assertRegex(done.stdout, r"(?m)^  wf::baseline::thrust_seq .* WRONG  its value is 16777216$")

    # --- names -----------------------------------------------------------------------------------

    def test_names_that_are_not_ascii(self):
        """Versions 1 and 2 have latin-1 in the file, version 3 has utf-8; the command line has utf-8."""
        for version, names in ((1, ("é", "ÿx")), (2, ("é", "ÿx")), (3, ("é", "質量", "\U0001f600"))):
            descr = "[%s]" % ", ".join("('%s', '<i4')" % name for name in names)
            data = packed("i", range(7, 7 + len(names)))
            path = self.file(npy(descr, (1,), data, version=version))
            for i, name in enumerate(names):
                with self.subTest(version=version, name=name):
                    self.assertEqual(self.quick(path, "plus", "--field", name.encode())[0], str(7 + i))
                    self.fails("--field %s    <i4  (int32)" % name, "reduce", path)
            self.assertIn("  é mean ", self.run_program("demo", str(self.folder)).stdout)

    def test_control_characters(self):
        """Characters that a terminal executes are escaped; `run_program` checks that."""
        descr = "[('\x1b]0;x\x07', '<i4'), ('a\\nb', '<i4'), ('t', '<M8[\x1b[2J]'), ('c\x9b', '<i4')]"
        path = self.file(npy(descr, (1,), struct.pack("<iiqi", 1, 2, 3, 4)), "\x1b[31m\r\n\x7f\x9b.npy")
        done = self.run_program("reduce", path)
        self.assertEqual(done.returncode, 1)
        for part in (r"\x1b[31m\r\n\x7f\x9b.npy: ", r"--field \x1b]0;x\x07 ", r"--field a\nb ",
                     r"--field t    <M8[\x1b[2J]  (cannot be reduced)", r"--field c\x9b "):
            self.assertIn(part, done.stderr)
        for name, value in (("\x1b]0;x\x07", "1"), (r"\x1b]0;x\x07", "1"), ("a\nb", "2"), (r"a\nb", "2"),
                            (r"c\x9b", "4")):
            self.assertEqual(self.quick(path, "plus", "--field", name)[0], value)  # the name itself, or its escaped form
        self.fails(r"there is no field '\x1bq'; choose one of", "reduce", path, "--field", "\x1bq")
        self.fails(r"the type '<M8[\x1b[2J]'", "reduce", path, "--field", "t")
        self.assertIn(r"c\x9b mean", self.run_program("demo", str(self.folder)).stdout)
        broken = self.file(npy("'<f4\x1bc'", (1,), bytes(4)))
        self.fails(r"'<f4\x1bc'", "reduce", broken)
        self.fails(r"\x1bc", "reduce", "\x1bc")
        self.fails(r"\xff", "reduce", b"\xff")  # not utf-8
        self.fails(r"\x1bc", "tune", "--check", "\x1bc")
        self.fails(r"\x1bc", "demo", "\x1bc")
        self.fails(r"\x1bc", "\x1bc", code=2)
        self.fails(r"\x1bc", "reduce", path, "\x1bc", code=2)
        self.fails(r"\x1bc", "reduce", path, "--op", "\x1bc", code=2)
        self.fails(r"\x1bc", "reduce", path, "--\x1bc", code=2)
        self.fails(r"\x1bc", "tune", "--most", "\x1bc", code=2)
        bad = self.file(b"warpfold tuning 1\n\x1bc\n", "\x1bc.tuning")
        self.fails(r"\x1bc.tuning:2", "tune", "--check", bad)

    def test_format_characters(self):
        """A name cannot change the direction of text on a terminal, or hide part of it."""
        names = ("a\u202eb", "\u2066c", "d\u200b", "e\u2028", "\u061cf", "g\U000e0001")
        descr = "[%s]" % ", ".join("('%s', '<i4')" % name for name in names)
        path = self.file(npy(descr, (1,), packed("i", range(len(names))), version=3), "\u202egpj.npy")
        for i, name in enumerate(names):
            shown = name.encode("ascii", "backslashreplace").decode()
            self.fails("--field %s    <i4  (int32)" % shown, "reduce", path)
            self.assertEqual(self.quick(path, "plus", "--field", name.encode())[0], str(i))
            self.assertEqual(self.quick(path, "plus", "--field", shown)[0], str(i))
        self.fails(r"\u202egpj.npy: ", "reduce", path)

    # --- errors -------------------------------------------------------------------------

    def test_not_a_regular_file(self):
        """Nothing waits for a pipe or a terminal."""
        pipe = str(self.folder / "pipe.npy")
        os.mkfifo(pipe)
        parent, child = pty.openpty()
        self.addCleanup(os.close, parent)
        self.addCleanup(os.close, child)
        for path in (pipe, "/dev/zero", os.ttyname(child)):
            for command in (["reduce", path], ["explain", path], ["tune", "--check", path]):
                with self.subTest(command=command):
                    done = subprocess.run([PROGRAM, *command], capture_output=True, encoding="utf-8", timeout=20)
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertIn(path + ": not a regular file", done.stderr)
        self.fails("this is a directory", "tune", "--check", str(self.folder))
        long = self.file(b"warpfold tuning 1\n" + b"#" * 70_000, "long.tuning")
        self.fails("longer than 64 KB", "tune", "--check", long)
        os.mkfifo(self.folder / "a.txt")  # in the place of the description of a.npy
        self.file(npy("'<i4'", (2,), packed("i", [3, 4])))
        done = subprocess.run([PROGRAM, "demo", str(self.folder)], capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"(?m)^a.npy\n(.*\n)*  mean +3.5 ")
        self.assertIn("pipe.npy: not a regular file", done.stderr)

    def test_bad_files(self):
        good = npy("'<f4'", (4,), bytes(16))
        self.fails("truncated", "reduce", self.file(good[:-1]))
        self.fails("truncated", "reduce", self.file(good[:20]))
        self.fails("the file is empty", "reduce", self.file(b""))
        self.fails("not an .npy file", "reduce", self.file(b"something else entirely"))
        self.fails("Fortran order", "reduce", self.file(npy("'<f4'", (2, 2), bytes(16), "True")))
        self.fails("big-endian", "reduce", self.file(npy("'>f4'", (4,), bytes(16))))
        self.fails("Python objects", "reduce", self.file(npy("'|O'", (4,), bytes(32))))
        self.fails("cannot be reduced", "reduce", self.file(npy("'<M8[ns]'", (4,), bytes(32))))
        self.fails("damaged", "reduce", self.file(npy("'<f4'", (2**62, 2**62), bytes(16))))
        self.fails("this is a directory", "reduce", str(self.folder))
        self.fails("No such file", "reduce", str(self.folder / "missing.npy"))
        self.fails("omit --field", "reduce", self.file(good), "--field", "x")
        self.fails("last dimension of 3", "reduce", self.file(good), "--as", "float3")
        done = self.run_program("reduce", self.file(good + b"xx"), "--repeat", "1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("the 2 bytes after the array are ignored", done.stderr)

    def test_command_line(self):
        commands = "the commands are reduce, explain, demo, info, ladder, tune and coalescing"
        self.fails("no command; " + commands, code=2)
        self.fails("unknown command 'frob'; " + commands, "frob", code=2)
        self.fails("unknown command 'frob'; " + commands, "frob", "--op", "plus", code=2)
        self.fails("unknown option '--frob'", "--frob", code=2)
        self.fails("FILE is required", "reduce", code=2)
        path = self.file(npy("'<f4'", (4,), bytes(16)))
        self.fails("--op", "reduce", path, "--op", "median", code=2)
        self.fails("--as", "reduce", path, "--as", "float4", code=2)
        self.fails("--policy", "reduce", path, "--policy", "fastest", code=2)
        self.fails("--repeat", "reduce", path, "--repeat", "0", code=2)
        self.fails("--bogus", "reduce", path, "--bogus", code=2)
        for arguments in (["--help"], ["reduce", "--help"], ["explain", "--help"], ["demo", "--help"]):
            done = self.run_program(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Usage: warpfold", done.stdout)
        self.assertIn("warpfold reduce - --op norm", self.run_program("reduce", "--help").stdout)
        for command in ("explain", "demo", "info", "ladder", "tune", "coalescing"):  # not those of the whole program
            examples = self.run_program(command, "--help").stdout.partition("\nExamples:\n")[2].splitlines()
            self.assertTrue(examples, command)
            for line in examples:
                self.assertTrue(line.startswith(f"  warpfold {command}"), line)
        self.assertRegex(self.run_program("--version").stdout, r"^warpfold \d+\.\d+\.\d+\n$")

    def test_gpus(self):
        path = self.file(npy("'<i4'", (1000,), packed("i", range(1000))))
        for text in ("some", "0,", "0,0", "-1", "0;1", ",".join(str(i) for i in range(17))):
            self.fails("names no GPUs; use all, or up to 16 different numbers such as 0,1",
                       "reduce", path, "--gpus=" + text, code=2)
        self.fails("--gpus", "reduce", path, "--gpus", "all", "--policy", "par", code=2)
        info = self.run_program("info").stdout
        if re.search(r"(?m)^CUDA +not built in", info):
            self.fails("built without CUDA; omit --gpus", "reduce", path, "--gpus", "all")
            return
        if re.search(r"(?m)^GPU +not usable", info):
            self.fails("cudaGetDeviceCount failed", "reduce", path, "--gpus", "all")
            return
        self.fails("there is no GPU 99; this machine has", "reduce", path, "--gpus", "0,99")
        self.fails("wf::across(wf::devices) is not built for bit_or on int32; omit --gpus",
                   "reduce", path, "--gpus", "0", "--op", "bit_or")
        points = [(i * 7919 % 2001 - 1000) / 8 for i in range(300_000)]  # exact sums
        points = self.file(npy("'<f4'", (100_000, 3), packed("f", points)), "points.npy")
        fields = self.file(npy("[('a', '|u1'), ('n', '<i8')]", (70_000,),
                               b"".join(struct.pack("<Bq", i % 256, -i) for i in range(70_000))), "fields.npy")
        empty = self.file(npy("'<f8'", (0,), b""), "empty.npy")
        one = self.file(npy("'<i4'", (1,), packed("i", [-3])), "one.npy")
        large = self.file(npy("'|u1'", (70_000_000,), bytes(range(250)) * 280_000), "large.npy")
        for arguments in ([path], [path, "--op", "argmax"], [points], [points, "--op", "mean"], [points, "--op", "norm"],
                          [points, "--as", "float3"], [points, "--op", "argmin"], [fields, "--field", "n"],
                          [fields, "--field", "a", "--op", "maximum"], [empty], [one], [one, "--op", "minimum"],
                          [large], [large, "--op", "maximum"]):
            for gpus in ("0", "all"):
                with self.subTest(arguments=arguments, gpus=gpus):
                    # The program compares the value with those of the other policies.
                    done = self.run_program("reduce", *arguments, "--gpus", gpus, "--repeat", "2")
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                    self.assertIn("by wf::across(wf::devices), ", done.stdout)
                    self.assertNotIn("WRONG", done.stdout)

    def test_launcher_without_mpi(self):
        """One process says that the program needs MPI; a process that a launcher has started alone does not."""
        path = self.file(npy("'<i4'", (4,), bytes(16)))

        def launched(**variables):
            environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_", "PMI_", "PMIX_"))}
            return subprocess.run([PROGRAM, "reduce", path], capture_output=True, encoding="utf-8", timeout=60,
                                  env={**environment, **variables})

        done = launched(PMI_RANK="0", PMI_SIZE="1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        if re.search(r"(?m)^MPI +built in", self.run_program("info").stdout):
            return
        for rank, text in (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")):
            done = launched(**{rank: "0", text: "2"})
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "^warpfold: this program was built without MPI, .*\n$")
            done = launched(**{rank: "1", text: "2"})
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", ""))

    # --- the kernels -----------------------------------------------------------------------------

    def test_unknown_names(self):
        """Each error lists the names that are accepted."""
        if self.has_ladder:
            self.fails('"int8" is not one of int32, float32, float64, uint8', "ladder", "--type", "int8", code=2)
        self.fails('"median" is not one of plus, minimum, maximum', "ladder", "--op", "median", code=2)
        for count in ("0", "-1", "2^40", "2^", "many"):
            self.fails("is not a number of elements from 1 to", "ladder", "--n", count, code=2)
        if self.has_ladder:
            self.fails('"ladder" is not one of atomic, ', "ladder", "--kernel", "ladder", code=2)
            self.fails("is not built for minimum of uint8", "ladder", "--type", "uint8", "--op", "minimum",
                       code=2)
        self.fails("--kernel is required", "coalescing", code=2)
        known = ["coalescing", "--kernel", "single_pass"]
        self.fails('"tiled" is not one of contiguous, misaligned, strided, zip', *known, "--view", "tiled", code=2)
        self.fails('"bool" is not one of int8, int16, ', *known, "--type", "bool", code=2)
        if self.has_emulation:
            self.fails('"fastest" is not one of atomic, ', "coalescing", "--kernel", "fastest", code=2)
        for command in ("ladder", "coalescing"):
            done = self.run_program(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("--kernel NAME", done.stdout)

    def test_ladder(self):
        """Every kernel gives the sum; without a GPU the command fails."""
        info = self.run_program("info").stdout
        if re.search(r"(?m)^GPU +not usable", info):
            self.fails("needs a usable GPU", "ladder")
            return
        path = self.folder / "ladder.json"
        done = self.run_program("ladder", "--n", "1000", "2^16", "--json", str(path),
                                "--markdown", str(self.folder / "ladder.md"))
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("2^16 int32, plus", done.stdout)
        ladder = json.loads(path.read_text())
        self.assertEqual([run["elements"] for run in ladder["runs"]], [1000, 65536])
        for run in ladder["runs"]:
            figures = {figure["kernel"]: figure for figure in run["figures"]}
            self.assertEqual(list(figures)[-1], "CUB")
            self.assertEqual(figures["completely_unrolled"]["source"]["gb_s"], 118.667)
            for name, figure in figures.items():
                if "unsupported" not in figure:
                    self.assertGreater(figure["us"], 0, name)
        self.assertIn("| interleaved_addressing | Harris | 0.5519 |", (self.folder / "ladder.md").read_text())
        done = self.run_program("ladder", "--n", "5000", "--op", "minimum", "--type", "float64",
                                "--kernel", "grid_2d", "CUB")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(re.findall(r"(?m)^  (\w+) ", done.stdout), ["kernel", "grid_2d", "CUB"])

    def test_tune(self):
        """Files are checked on every machine. Without a GPU the rest fails; with one it measures up to 256 KB."""
        table = "warpfold tuning 1\ncompute_capability 1\nmultiprocessors 2\nl2_bytes 3\n"
        good = self.file((table + "0 512 1 keep\n4096 256 2 stream\n").encode(), "good.tuning")
        bad = self.file((table + "0 512 1 keep\n4096 48 2 stream\n").encode(), "bad.tuning")
        missing = str(self.folder / "missing.tuning")
        self.fails(bad + ":6: row 1 of this tuning has block 48; it takes a multiple of 32",
                   "tune", "--check", bad)
        self.fails(missing + ": cannot open the file: No such file", "tune", "--check", missing)
        for arguments in (["--show", "--check", good], ["--show", "--out", missing],
                          ["--check", good, "--most", "2^20"]):
            self.fails("cannot be combined", "tune", *arguments, code=2)
        for most in ("0", "1000", "2^33", "1GB"):
            self.fails("is not a number of bytes from 131072 to 4294967296", "tune", "--most", most, code=2)
        done = self.run_program("tune", "--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--out FILE", done.stdout)

        if re.search(r"(?m)^GPU +not usable", self.run_program("info").stdout):
            done = self.run_program("tune", "--check", good)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("a tuning of 2 rows for compute capability 0.1, 2 multiprocessors", done.stdout)
            self.assertIn("cannot be checked without a usable GPU: ", done.stdout)
            for arguments in ([], ["--out", missing]):
                self.fails("needs a usable GPU", "tune", *arguments)
            done = self.run_program("tune", "--show")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"^# no usable GPU \(.*\): the built-in table for an H100\nwarpfold tuning 1\n")
            done = self.run_program("tune", "--check", self.file(done.stdout.encode(), "h100.tuning"))
            self.assertIn("for compute capability 9.0, 132 multiprocessors", done.stdout)
            self.assertFalse(os.path.exists(missing))
            return

        self.fails(good + ": this tuning is for another GPU: its compute_capability is 1,",
                   "tune", "--check", good)
        self.fails("cannot write the file", "tune", "--out", str(self.folder))
        done = self.run_program("tune", "--show")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^# .*: the built-in table, (measured on this kind of GPU|computed from its properties)\n")
        is_measured = "measured on" in done.stdout
        own = self.file(done.stdout.encode(), "own.tuning")
        tuned = str(self.folder / "tuned.tuning")
        done = self.run_program("tune", "--most", "2^18", "--out", tuned)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(re.findall(r"(?m)^ +(\d+ KB) .*x$", done.stdout), ["128 KB", "192 KB", "256 KB"])
        self.assertIn('wf::read_tuning("%s")' % tuned, done.stdout)
        self.assertEqual("Please send the table in" in done.stdout, not is_measured)
        for path in (own, tuned):
            done = self.run_program("tune", "--check", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("for this GPU", done.stdout)

    def coalescing(self, *arguments):
        """The numbers of each launch by access and line, and the whole output."""
        done = self.run_program("coalescing", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        launches = []
        for line in done.stdout.splitlines():
            if line.startswith("launch "):
                launches.append({"shape": line.split(": ")[1]})
            elif line == "total":
                launches.append({"shape": line})
            # access; bytes, requests, partial, then sectors, per request, ideal, used or wavefronts, conflicts
            found = re.match(r"  (\S+:\d+)? *(global|shared) (\w+) +(\d.*)", line)
            if found and launches:
                key = (found[2] + " " + found[3], re.sub(r":\d+$", "", found[1] or ""))
                numbers = [float(x) for x in found[4].replace(",", "").replace("%", "").split()]
                launches[-1].setdefault(key, []).append(numbers)
        return launches, done.stdout

    def test_coalescing(self):
        if not self.has_emulation:
            self.fails("without the emulation", "coalescing", "--kernel", "single_pass")
            return
        # 32 blocks of 128 threads, each with one load of 4 bytes: 4 warps a block, 4 sectors a warp.
        file = "kernel/ladder/sequential_addressing.hpp"
        launches, text = self.coalescing("--kernel", "sequential_addressing", "--n", "4096")
        self.assertEqual([l["shape"] for l in launches],
                         ["sequential_addressing<<<32, 128>>>", "sequential_addressing<<<1, 128>>>", "total"])
        first, second, total = launches
        self.assertEqual(first["global load", file], [[4, 128, 0, 512, 4, 4, 100]])
        self.assertEqual(second["global load", file], [[4, 1, 0, 4, 4, 4, 100]])
        self.assertEqual(total["global load", ""], [[129, 0, 516, 4, 4, 100]])
        for launch in (first, second):
            for numbers in launch["shared load", file] + launch["shared store", file]:
                self.assertEqual(numbers[-1], 0)  # no bank conflicts
        self.assertEqual(text.count("keep the three rules"), 2)
        self.assertNotIn("broken", text)

        # One element off, each run begins 4 bytes into a sector and ends in a fifth.
        launches, text = self.coalescing("--kernel", "sequential_addressing", "--view", "misaligned")
        self.assertEqual(launches[0]["global load", file], [[4, 128, 0, 640, 5, 4, 80]])
        self.assertRegex(text, r"sequential_addressing.hpp:\d+  global load  kept +kept +broken by all 128\n")

        # Every third: 32 lanes span 95 elements, 12 sectors.
        launches, text = self.coalescing("--kernel", "sequential_addressing", "--view", "strided")
        self.assertEqual(launches[0]["global load", file], [[4, 128, 0, 1536, 12, 4, 33]])
        self.assertRegex(text, r"global load  kept +broken by all 128  kept\n")
        self.assertIn("(2) thread k takes element k", text)

        if "without the emulation" in self.run_program("coalescing", "--kernel", "atomic", "--type", "float64").stderr:
            self.fails("built without the emulation of float64; build it with -D WARPFOLD_PROGRAM_COALESCING=ON",
                       "coalescing", "--kernel", "atomic", "--type", "float64")
            return
        # 8 bytes a lane are 8 sectors a warp.
        launches, text = self.coalescing("--kernel", "warp_shuffle", "--type", "float64", "--n", "8192")
        (loads,) = [numbers for (what, _), (numbers, *_) in list(launches[0].items())[1:] if what == "global load"]
        self.assertEqual(loads, [8, 256, 0, 2048, 8, 8, 100])
        self.assertIn("keep the three rules", text)

        # A float3 is three loads of 4 bytes, each 12 bytes from the next lane's.
        launches, text = self.coalescing("--kernel", "atomic", "--type", "float3", "--n", "256")
        self.assertRegex(text, r"broken by all 24 +broken by all 24")

    def test_info(self):
        done = self.run_program("info")
        self.assertEqual(done.returncode, 0)
        for word in ("GPU", "CUDA", "driver", "policies", "wf::seq", "baselines"):
            self.assertIn(word, done.stdout)

    def test_explain(self):
        path = self.file(npy("'<f4'", (50_000,), bytes(200_000)))
        for arguments in ([], ["--policy", "seq"], ["--op", "maximum"]):
            done = self.run_program("explain", path, *arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, r"(?m)^policy \w+, kernel \w+")
            self.assertRegex(done.stdout, r"(?m)^  elements +50000$")
            self.assertRegex(done.stdout, r"(?m)^  expected time ")
        self.fails("is not defined for float32", "explain", path, "--op", "bit_or")

    def test_demo(self):
        self.file(npy("'|u1'", (2, 2), bytes([1, 2, 3, 250])), "bytes.npy")
        (self.folder / "bytes.txt").write_text("four bytes\n")
        self.file(npy("'<f4'", (2, 3), packed("f", range(6))), "points.npy")
        self.file(npy("[('a', '<i4'), ('name', '<U1')]", (2,), struct.pack("<iiii", 5, 65, 6, 66)), "structs.npy")
        done = self.run_program("demo", str(self.folder))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("bytes.npy: four bytes", done.stdout)
        for row in (r"^  mean +64 ", r"^  minimum +\(0, 1, 2\) ", r"^  a mean +5.5 ", r"^  extent: 3 x 3 x 3$"):
            self.assertRegex(done.stdout, "(?m)" + row)
        self.assertNotIn("WRONG", done.stdout)
        # Of a picture the mean color; of elements with labels, the label of the greatest.
        self.file(npy("'|u1'", (1, 2, 3), bytes([10, 20, 30, 20, 40, 255])), "picture.npy")
        self.file(npy("[('heat', '<f4'), ('cold', '<f4')]", (3,), packed("f", [1, 0, 35.5, -1, 2, 0])), "days.npy")
        (self.folder / "days.txt").write_text("days\nMonday\nTuesday\nFriday\n")
        done = self.run_program("demo", str(self.folder))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("  mean color: red 15, green 30, blue 142 of 255\n", done.stdout)
        self.assertIn("  greatest heat: 35.5 (Tuesday)\n", done.stdout)
        for name in ("picture", "days"):
            (self.folder / (name + ".npy")).unlink()
        self.check_emulation(done.stdout)
        empty = self.folder / "empty"
        empty.mkdir()
        # An error names each unreadable file; the others are reduced.
        self.file(b"something else entirely", "a.npy")
        self.file(npy("'<f4'", (4,), bytes(15)), "middle.npy")
        (self.folder / "folder.npy").mkdir()
        done = self.run_program("demo", str(self.folder))
        self.assertEqual(done.returncode, 1)
        for part in ("a.npy: not an .npy file", "folder.npy: this is a directory", "middle.npy: the header says",
                     "warpfold: 3 of 6 files were skipped"):
            self.assertIn(part, done.stderr)
        for name in ("bytes", "points", "structs"):
            self.assertRegex(done.stdout, "(?m)^%s.npy" % name)
        self.fails("no .npy file", "demo", str(empty))
        self.fails("cannot list the folder", "demo", str(self.folder / "missing"))

    def check_emulation(self, text):
        """Without a GPU the demo shows a race, a table of coalescing, and a picture that is an SVG file."""
        shown = self.has_emulation and re.search(r"(?m)^GPU +not usable", self.run_program("info").stdout)
        picture = self.folder / "ladder.svg"
        self.assertEqual(picture.exists(), bool(shown))
        if not shown:
            self.assertNotIn("emulation:", text)
            return
        self.assertRegex(text, r"tree_without_barriers<<<1, 64>>>, block 0, .* without a barrier between")
        self.assertRegex(text, r"(?m)^  contiguous +129 +516 +4.00 +100 %\n  misaligned +129 +644 +4.99 +80 %$")
        self.assertIn("file://" + str(picture.resolve()), text)
        names = [e.text for e in xml.etree.ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("sequential_addressing", names)

    def test_speedups_read_forwards(self):
        """The demo divides the time of another policy by that of the first. std::reduce takes long for a minimum."""
        values = packed("d", [x / 3 for x in range(100_000)])
        self.file(npy("'<f8'", (100_000,), values), "numbers.npy")
        text = self.run_program("demo", str(self.folder)).stdout
        self.assertIn("how many times as fast as\nother policies it is", text)
        if self.has_par:
            self.assertRegex(text, r"(?m)^ +value +policy +time +GB/s +vs seq +vs std_par")
            self.assertGreater(float(re.search(r"(?m)^  minimum .*? [\d.]+x +([\d.]+)x", text)[1]), 1.5)

    def test_terminal(self):
        """Colors only on a terminal, and not if NO_COLOR is set."""
        path = self.file(npy("'<f4'", (4,), bytes(16)))

        def on_terminal(**environment):
            parent, child = pty.openpty()
            command = [PROGRAM, "reduce", path, "--repeat", "1"]
            with subprocess.Popen(command, stdout=child, stderr=subprocess.DEVNULL,
                                  env={**os.environ, "TERM": "xterm", **environment}) as process:
                os.close(child)
                output = b""
                try:
                    while part := os.read(parent, 4096):
                        output += part
                except OSError:  # the error at the end of a terminal
                    pass
            os.close(parent)
            self.assertEqual(process.returncode, 0)
            return output

        os.environ.pop("NO_COLOR", None)
        self.assertIn(b"\x1b[1m", on_terminal())
        self.assertNotIn(b"\x1b", on_terminal(NO_COLOR="1"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
