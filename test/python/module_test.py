"""The Python module beside NumPy, math.fsum and fractions; without a GPU."""

import math
import pathlib
import re
import threading
import unittest
from fractions import Fraction

import numpy as np
import warpfold as wf

TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]


def numbers(dtype, shape):
    n = int(np.prod(shape))
    return (np.arange(n) * 37 % 19 + 1).astype(dtype).reshape(shape)


class Whole(unittest.TestCase):
    def test_each_type(self):
        for dtype in TYPES:
            x = numbers(dtype, 1000)
            with self.subTest(dtype=dtype):
                self.assertEqual(wf.sum(x), x.astype("float64").sum())
                self.assertEqual(wf.min(x), 1)
                self.assertEqual(wf.max(x), 19)
                self.assertEqual(wf.argmin(x), x.argmin())
                self.assertEqual(wf.argmax(x), x.argmax())
                self.assertAlmostEqual(wf.mean(x), x.mean(dtype="float64"), places=5)
                self.assertAlmostEqual(wf.var(x), x.var(dtype="float64"), places=4)
                self.assertAlmostEqual(wf.std(x, ddof=1), x.std(dtype="float64", ddof=1), places=5)
                self.assertEqual(wf.count_nonzero(x), 1000)
                self.assertIs(type(wf.sum(x)), float if "float" in dtype else int)
        self.assertEqual(wf.prod(numbers("int32", 10)), int(np.prod(numbers("int64", 10))))
        self.assertEqual(wf.sum(np.array([True, False, True])), 2)

    def test_halves(self):
        x = (np.arange(1000) * 37 % 19 / 4 - 2).astype("float16")
        self.assertEqual(wf.sum(x), float(x.astype("float32").sum()))
        self.assertEqual(wf.sum(x, exact=True), math.fsum(x))
        for f in (wf.min, wf.max):
            self.assertEqual(f(x), getattr(x, f.__name__)())
        self.assertAlmostEqual(wf.mean(x), x.mean(dtype="float64"), places=6)
        for value in (65504, 2.0 ** -24, -0.0, math.inf, 1 / 3):
            one = np.array([value], "float16")
            self.assertEqual(np.float64(wf.max(one)).tobytes(), np.float64(one[0]).tobytes())
        self.assertTrue(math.isnan(wf.max(np.array([math.nan], "float16"))))
        rows = wf.max(x.reshape(20, 50), axis=1)
        self.assertEqual(rows.dtype, np.float16)
        np.testing.assert_array_equal(rows, x.reshape(20, 50).max(axis=1))
        self.assertEqual(wf.sum(x.reshape(20, 50), axis=0).dtype, np.float32)

    def test_complex_numbers(self):
        for dtype in ("complex64", "complex128"):
            z = (np.arange(600) * 37 % 19 + 1j * (np.arange(600) * 7 % 11)).astype(dtype)
            with self.subTest(dtype=dtype):
                self.assertEqual(wf.sum(z), z.sum())
                self.assertIs(type(wf.sum(z)), complex)
                self.assertAlmostEqual(wf.mean(z), complex(z.mean()), places=4)
                self.assertAlmostEqual(wf.var(z), float(z.var()), places=3)
                self.assertAlmostEqual(wf.norm(z), float(np.linalg.norm(z)), places=3)
                self.assertEqual(wf.vdot(z, z[::-1].copy()), np.vdot(z, z[::-1]))
                self.assertEqual(wf.count_nonzero(z), np.count_nonzero(z))
                m = z.reshape(20, 30)
                np.testing.assert_array_equal(wf.sum(m, axis=0), m.sum(axis=0))
                self.assertEqual(wf.mean(m, axis=1).dtype, z.dtype)
                self.assertEqual(wf.segment_norm(z, np.array([0, 2, 600])).shape, (2,))
                for f in (wf.max, wf.argmin, wf.logsumexp):
                    with self.assertRaisesRegex(TypeError, "complex numbers have no order"):
                        f(z)
                with self.assertRaisesRegex(TypeError, "pass vdot"):
                    wf.dot(z, z)
        z = np.array([1e20 + 1j, 1 - 1e20j, -1e20 + 1e20j] * 100)
        self.assertEqual(wf.sum(z, exact=True), complex(100, 100))

    def test_exact(self):
        x = np.array([1e20, 1, -1e20, 3e-9] * 1000)
        self.assertEqual(wf.sum(x, exact=True), math.fsum(x))
        y = np.array([0.1, 1e16, -3.7, 2.5] * 1000)
        exact = sum((Fraction(a) * Fraction(b) for a, b in zip(x.tolist(), y.tolist())), Fraction())
        self.assertEqual(wf.dot(x, y, exact=True), float(exact))

    def test_the_bits_depend_on_neither_threads_nor_strides(self):
        x = np.sin(np.arange(3_000_000))
        total = wf.sum(x)
        self.assertEqual(wf.sum(x, threads=1), total)
        self.assertEqual(wf.sum(np.repeat(x, 2)[::2]), total)
        self.assertEqual(wf.sum(x.reshape(3, 1000, 1000)), total)

    def test_deviations_do_not_overflow(self):
        x = np.array([0, 3e38], dtype="float32")
        self.assertEqual(wf.std(x, ddof=1), float(np.float32(3e38 / math.sqrt(2))))
        self.assertEqual(wf.std(x.reshape(1, 2), axis=1, ddof=1)[0], np.float32(3e38 / math.sqrt(2)))

    def test_norms(self):
        x = np.array([3, -4], dtype="float32")
        self.assertEqual([wf.norm(x, ord=o) for o in (1, 2, math.inf)], [7, 5, 4])
        np.testing.assert_array_equal(wf.norm(np.array([[3.0, 4], [0, -2]]), axis=1), [5, 2])

    def test_nan(self):
        x = np.array([1, math.nan, 3])
        self.assertTrue(math.isnan(wf.max(x)) and math.isnan(wf.sum(x)))
        self.assertEqual(wf.argmin(x), 1)

    def test_minmax(self):
        for dtype in ("int8", "uint64", "float32", "float64", "float16"):
            x = numbers(dtype, (60,))
            self.assertEqual(wf.minmax(x), (x.min(), x.max()))
        self.assertTrue(all(math.isnan(y) for y in wf.minmax(np.array([1, math.nan]))))
        self.assertEqual(wf.minmax(np.arange(10)[1::3]), (1, 7))
        with self.assertRaisesRegex(ValueError, "empty range"):
            wf.minmax(np.zeros(0))
        with self.assertRaisesRegex(TypeError, "complex numbers have no order"):
            wf.minmax(np.array([1j]))

    def test_other_layouts(self):
        x = numbers("float64", (6, 7))
        self.assertEqual(wf.sum(np.asfortranarray(x)), x.sum())
        self.assertEqual(wf.max(x.T), 19)
        self.assertEqual(wf.sum(np.float64(5).reshape(())), 5)
        self.assertEqual(wf.sum(np.zeros(0)), 0)
        self.assertEqual(wf.sum(memoryview(b"\x01\x02\x03")), 6)


class Axes(unittest.TestCase):
    def test_each_axis(self):
        x = numbers("float64", (3, 5, 130))
        for array in (x, np.asfortranarray(x), x[::2, ::2, ::3], x.transpose(2, 0, 1)):
            for axis in (0, 1, 2, -1):
                with self.subTest(shape=array.shape, strides=array.strides, axis=axis):
                    np.testing.assert_array_equal(wf.sum(array, axis=axis), array.sum(axis=axis))
                    np.testing.assert_array_equal(wf.argmax(array, axis=axis), array.argmax(axis=axis))
                    np.testing.assert_allclose(wf.var(array, axis=axis, ddof=1), array.var(axis=axis, ddof=1))
        sums = wf.sum(x.astype("float32"), axis=0)
        self.assertEqual((sums.dtype, sums.shape), (np.dtype("float32"), (5, 130)))
        self.assertEqual(wf.sum(numbers("int8", (4, 4)), axis=1).dtype, np.dtype("int64"))

    def test_a_row_has_the_bits_of_its_sum(self):
        x = np.sin(np.arange(7 * 1001)).reshape(7, 1001)
        for r, c in ((0, 1), (1, 0)):
            lines = wf.sum(x, axis=c)
            self.assertEqual([wf.sum(np.ascontiguousarray(x.take(i, axis=r))) for i in range(x.shape[r])], lines.tolist())

    def test_results_outlive_their_array(self):
        def maximum():
            return wf.max(np.arange(1_000_000.0).reshape(1000, 1000), axis=1)

        kept = [maximum() for _ in range(5)]
        self.assertTrue(all(m[0] == 999 and m[-1] == 999_999 for m in kept))


class Segments(unittest.TestCase):
    def test_segments(self):
        x = np.array([1.0, 2, 3, 4, 5])
        offsets = np.array([0, 2, 2, 5])
        np.testing.assert_array_equal(wf.segment_sum(x, offsets), [3, 0, 12])
        np.testing.assert_array_equal(wf.segment_max(x, offsets), [2, -math.inf, 5])
        np.testing.assert_array_equal(wf.segment_min(x, offsets), [1, math.inf, 3])
        np.testing.assert_array_equal(wf.segment_prod(x, offsets), [2, 1, 60])
        np.testing.assert_array_equal(wf.segment_sum(np.array([1e20, 1, -1e20]), np.array([0, 3]), exact=True), [1])
        np.testing.assert_array_equal(wf.segment_mean(x, offsets), [1.5, math.nan, 4])
        np.testing.assert_array_equal(wf.segment_norm(x, offsets), [wf.norm(x[:2]), 0, wf.norm(x[2:])])
        uneven = np.array([0, 1, 5])
        np.testing.assert_array_equal(wf.segment_argmax(x, uneven), [0, 3])
        np.testing.assert_array_equal(wf.segment_argmin(-x, uneven), [0, 3])
        np.testing.assert_array_equal(wf.segment_var(x, uneven), [0, np.var(x[1:])])
        np.testing.assert_array_equal(wf.segment_std(x, uneven, ddof=1), [math.nan, np.std(x[1:], ddof=1)])
        np.testing.assert_array_equal(wf.segment_argmax(x, offsets), np.array([1, 2**64 - 1, 2], np.uint64))


class Keys(unittest.TestCase):
    def test_runs(self):
        keys = np.array([7, 7, 3, 7, 7], np.int16)
        found, sums = wf.reduce_by_key(keys, np.array([1.0, 2, 3, 4, 5]))
        np.testing.assert_array_equal(found, [7, 3, 7])
        self.assertEqual(found.dtype, np.int16)
        np.testing.assert_array_equal(sums, [3, 3, 9])
        found, lengths = wf.run_lengths(keys)
        np.testing.assert_array_equal(lengths, [2, 1, 2])
        np.testing.assert_array_equal(wf.reduce_by_key(keys, np.arange(5), "max")[1], [1, 2, 4])
        np.testing.assert_array_equal(wf.reduce_by_key(keys, np.arange(5), "mean")[1], [0.5, 2, 3.5])
        np.testing.assert_array_equal(wf.reduce_by_key(keys, np.arange(5), "argmax")[1], [1, 0, 1])
        self.assertEqual(wf.run_lengths(np.zeros(0))[0].size, 0)
        with self.assertRaisesRegex(ValueError, "no operation 'median' by key"):
            wf.reduce_by_key(keys, np.arange(5), "median")
        with self.assertRaisesRegex(ValueError, "5 keys and 4 values"):
            wf.reduce_by_key(keys, np.arange(4))

    def test_log_sum_exp(self):
        x = np.array([[1000.0, 1000.0], [0.0, 1.0]])
        self.assertAlmostEqual(wf.logsumexp(x[0]), 1000 + math.log(2))
        np.testing.assert_allclose(wf.logsumexp(x, axis=1), [1000 + math.log(2), math.log(1 + math.e)], rtol=1e-15)
        self.assertEqual(wf.logsumexp(np.zeros(0)), -math.inf)
        np.testing.assert_array_equal(wf.segment_logsumexp(np.array([5.0]), np.array([0, 1, 1])), [5, -math.inf])


class Errors(unittest.TestCase):
    def refuses(self, error, text, call):
        with self.assertRaises(error) as caught:
            call()
        self.assertIn(text, str(caught.exception))

    def test_bad_values(self):
        x = np.arange(12.0).reshape(3, 4)
        self.refuses(ValueError, "empty range", lambda: wf.max(np.zeros(0)))
        self.refuses(ValueError, "the axis is 2", lambda: wf.sum(x, axis=2))
        self.refuses(ValueError, "the axis is -3", lambda: wf.sum(x, axis=-3))
        self.refuses(ValueError, "negative stride", lambda: wf.sum(x[0, ::-1]))
        self.refuses(ValueError, "has gaps", lambda: wf.sum(x[:, :2]))
        self.refuses(ValueError, "negative stride", lambda: wf.sum(x[::-1], axis=0))
        for other in (x[:2], x.ravel(), np.asfortranarray(x)):
            self.refuses(ValueError, "one shape and one order", lambda: wf.dot(x, other))
        square = np.arange(9.0).reshape(3, 3)
        self.refuses(ValueError, "one shape and one order", lambda: wf.dot(square, square.T))
        self.assertEqual(wf.dot(square.T, square.T), (square * square).sum())
        for call in (wf.argmin, wf.argmax, lambda a: wf.segment_sum(a, np.array([0, 12]))):
            self.refuses(ValueError, "not in row-major order", lambda: call(np.asfortranarray(x)))
        self.refuses(ValueError, "have types", lambda: wf.dot(x, x.astype("float32")))
        self.refuses(ValueError, "segment 1 begins at 3", lambda: wf.segment_sum(x[0], np.array([0, 3, 1])))
        self.refuses(ValueError, "there are no offsets", lambda: wf.segment_sum(x[0], np.zeros(0, dtype="int64")))
        self.refuses(ValueError, "threads is -1", lambda: wf.sum(x, threads=-1))
        self.refuses(ValueError, "ddof is 2", lambda: wf.var(x, ddof=2))
        self.refuses(ValueError, "order of the norm is 3", lambda: wf.norm(x, ord=3))
        self.refuses(ValueError, "along an axis only 2", lambda: wf.norm(x, ord=1, axis=0))

    def test_bad_types(self):
        self.refuses(TypeError, "incompatible function arguments", lambda: wf.sum(np.zeros(3, dtype="longdouble")))
        self.refuses(TypeError, "exact sums are of floating-point", lambda: wf.sum(np.arange(3), exact=True))
        self.refuses(TypeError, "exact sums are of floating-point", lambda: wf.dot(np.arange(3), np.arange(3), exact=True))
        with self.assertRaises(TypeError):
            wf.sum([1, 2, 3])

    def test_errors_of_threads(self):
        x, wrong = np.arange(100_000.0), []

        def work(k):
            for _ in range(50):
                try:
                    wf.sum(x, threads=-k)
                except ValueError as e:
                    if f"threads is -{k};" not in str(e):
                        wrong.append(str(e))
                else:
                    wrong.append("no error")

        threads = [threading.Thread(target=work, args=(k,)) for k in (1, 2, 3, 4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(wrong, [])


class Documentation(unittest.TestCase):
    def test_the_example(self):
        """Each line of docs/python.md with a value in its comment has that value."""
        page = pathlib.Path(__file__).resolve().parents[2] / "docs/python.md"
        block = re.search(r"```python\n(.*?)```", page.read_text(), re.S)[1]
        names, compared = {}, 0
        for line in block.splitlines():
            code, _, value = line.partition("  # ")
            if value:
                compared += 1
                self.assertEqual(repr(eval(code, names)), value.strip())
            else:
                exec(code, names)
        self.assertEqual(compared, 5)


if __name__ == "__main__":
    unittest.main()
