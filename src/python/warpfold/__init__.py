"""Reductions of arrays with the same bits on every machine and with any number of threads.

(The last bit of logsumexp depends on the machine's logarithm.)

Arrays are those of NumPy, PyTorch (on the CPU) and other libraries that speak DLPack or the buffer protocol. They are not
copied, and calls run without the global interpreter lock. Elements: integers of 8 to 64 bits, bool, float16, bfloat16, float32,
float64, complex64, complex128. (No 16-bit floats if the module was built without the headers of the CUDA toolkit.)

With `axis` a function returns a NumPy array; otherwise a number of all elements, which are taken in memory order. argmin,
argmax, segments and keys need row-major order, and the two arrays of dot one order. `threads` limits the threads of a call; 0 is
all. Errors: ValueError for bad values, TypeError for other element types, MemoryError.

>>> import numpy, warpfold
>>> x = numpy.array([1e20, 1, -1e20])
>>> warpfold.sum(x, exact=True)
1.0
"""

from . import _warpfold

__all__ = ["sum", "prod", "min", "max", "minmax", "argmin", "argmax", "mean", "var", "std", "norm", "count_nonzero", "dot", "vdot",
           "logsumexp", "segment_sum", "segment_prod", "segment_min", "segment_max", "segment_argmin", "segment_argmax",
           "segment_mean", "segment_var", "segment_std", "segment_norm", "segment_logsumexp", "reduce_by_key",
           "run_lengths"]
__version__ = _warpfold.version

# warpfold_operation in warpfold.h
_SUM, _PRODUCT, _MINIMUM, _MAXIMUM, _ARGMIN, _ARGMAX, _MEAN, _VARIANCE, _SAMPLE_VARIANCE, _STDDEV = range(1, 11)
_NORM_1, _NORM_2, _NORM_INFINITY, _COUNT_NONZERO, _EXACT_SUM, _SAMPLE_STDDEV, _LOG_SUM_EXP, _MINMAX = range(11, 19)


def _fold(operation, x, axis, threads):
    if axis is None:
        return _warpfold.reduce(operation, x, threads)
    return _warpfold.reduce_axis(operation, x, axis, threads)


def sum(x, axis=None, exact=False, threads=0):
    """The sum; with `exact`, of floating-point or complex numbers, rounded only once. Integers are added in 64 bits, and 16-bit
    floats in float32."""
    return _fold(_EXACT_SUM if exact else _SUM, x, axis, threads)


def prod(x, axis=None, threads=0):
    """The product. Integers are multiplied in 64 bits."""
    return _fold(_PRODUCT, x, axis, threads)


def min(x, axis=None, threads=0):
    """The least element; NaN if there is one."""
    return _fold(_MINIMUM, x, axis, threads)


def max(x, axis=None, threads=0):
    """The greatest element; NaN if there is one."""
    return _fold(_MAXIMUM, x, axis, threads)


def minmax(x, threads=0):
    """The pair (least, greatest), read once; both are NaN if any element is NaN."""
    return _warpfold.reduce(_MINMAX, x, threads)


def argmin(x, axis=None, threads=0):
    """The index of the first NaN, or else of the first least element."""
    return _fold(_ARGMIN, x, axis, threads)


def argmax(x, axis=None, threads=0):
    """The index of the first NaN, or else of the first greatest element."""
    return _fold(_ARGMAX, x, axis, threads)


def mean(x, axis=None, threads=0):
    """The mean; float64 of integers, float32 of 16-bit floats."""
    return _fold(_MEAN, x, axis, threads)


def var(x, axis=None, ddof=0, threads=0):
    """The variance, divided by n - `ddof`, which is 0 or 1. Of complex numbers, that of both parts together."""
    return _fold(_by_ddof(ddof, _VARIANCE, _SAMPLE_VARIANCE), x, axis, threads)


def std(x, axis=None, ddof=0, threads=0):
    """The square root of the variance, which is divided by n - `ddof`, 0 or 1; rounded once."""
    return _fold(_by_ddof(ddof, _STDDEV, _SAMPLE_STDDEV), x, axis, threads)


def _by_ddof(ddof, of_population, of_sample):
    if ddof not in (0, 1):
        raise ValueError(f"warpfold: ddof is {ddof}; pass 0 or 1")
    return of_sample if ddof else of_population


def norm(x, ord=2, axis=None, threads=0):
    """The norm: the sum of absolute values (1), the root of the sum of squares (2), the greatest (inf); of an axis, only 2."""
    operations = {1: _NORM_1, 2: _NORM_2, float("inf"): _NORM_INFINITY}
    if ord not in operations:
        raise ValueError(f"warpfold: the order of the norm is {ord}; pass 1, 2 or math.inf")
    if axis is not None and ord != 2:
        raise ValueError(f"warpfold: the order of the norm is {ord}, but along an axis only 2 is supported")
    return _fold(operations[ord], x, axis, threads)


def logsumexp(x, axis=None, threads=0):
    """The logarithm of the sum of the exponentials, which does not overflow; -inf without elements."""
    return _fold(_LOG_SUM_EXP, x, axis, threads)


def count_nonzero(x, threads=0):
    """The number of elements that are not zero."""
    return _warpfold.reduce(_COUNT_NONZERO, x, threads)


def dot(a, b, exact=False, threads=0):
    """The sum of the products of elements with equal indices, which are real; with `exact`, rounded only once."""
    return _warpfold.dot(a, b, exact, False, threads)


def vdot(a, b, exact=False, threads=0):
    """The same with the conjugates of the elements of `a`, for real and complex numbers."""
    return _warpfold.dot(a, b, exact, True, threads)


def segment_sum(x, offsets, exact=False, threads=0):
    """The sum of each segment: elements offsets[s] to offsets[s + 1] - 1. Offsets are int64."""
    return _warpfold.reduce_segments(_EXACT_SUM if exact else _SUM, x, offsets, threads)


def segment_prod(x, offsets, threads=0):
    """The product of each segment."""
    return _warpfold.reduce_segments(_PRODUCT, x, offsets, threads)


def segment_min(x, offsets, threads=0):
    """The least element of each segment; of an empty one, infinity or the greatest integer."""
    return _warpfold.reduce_segments(_MINIMUM, x, offsets, threads)


def segment_max(x, offsets, threads=0):
    """The greatest element of each segment; of an empty one, -infinity or the least integer."""
    return _warpfold.reduce_segments(_MAXIMUM, x, offsets, threads)


def segment_argmin(x, offsets, threads=0):
    """The index in its segment of the first NaN, or else of the first least element; 2**64 - 1 of an empty segment."""
    return _warpfold.reduce_segments(_ARGMIN, x, offsets, threads)


def segment_argmax(x, offsets, threads=0):
    """The index in its segment of the first NaN, or else of the first greatest element; 2**64 - 1 of an empty segment."""
    return _warpfold.reduce_segments(_ARGMAX, x, offsets, threads)


def segment_mean(x, offsets, threads=0):
    """The mean of each segment; NaN of an empty one."""
    return _warpfold.reduce_segments(_MEAN, x, offsets, threads)


def segment_var(x, offsets, ddof=0, threads=0):
    """The variance of each segment, divided by n - `ddof`, 0 or 1; NaN of a segment with `ddof` or fewer elements."""
    return _warpfold.reduce_segments(_by_ddof(ddof, _VARIANCE, _SAMPLE_VARIANCE), x, offsets, threads)


def segment_std(x, offsets, ddof=0, threads=0):
    """The square root of the variance of each segment."""
    return _warpfold.reduce_segments(_by_ddof(ddof, _STDDEV, _SAMPLE_STDDEV), x, offsets, threads)


def segment_norm(x, offsets, threads=0):
    """The root of the sum of squares of each segment; it does not overflow. 0 of an empty one."""
    return _warpfold.reduce_segments(_NORM_2, x, offsets, threads)


def segment_logsumexp(x, offsets, threads=0):
    """The logarithm of the sum of the exponentials of each segment; -inf of an empty one."""
    return _warpfold.reduce_segments(_LOG_SUM_EXP, x, offsets, threads)


def reduce_by_key(keys, values, operation="sum", threads=0):
    """The key of each run of equal adjacent keys, and the fold of its values: two arrays.

    `operation` is "sum", "prod", "min", "max", "argmin", "argmax", "mean", "var", "std", "norm", "logsumexp", or "exact_sum",
    which is rounded only once. Indices count from the first value of the run.
    """
    operations = {"sum": _SUM, "prod": _PRODUCT, "min": _MINIMUM, "max": _MAXIMUM, "argmin": _ARGMIN, "argmax": _ARGMAX,
                  "mean": _MEAN, "var": _VARIANCE, "std": _STDDEV, "norm": _NORM_2, "logsumexp": _LOG_SUM_EXP,
                  "exact_sum": _EXACT_SUM}
    if operation not in operations:
        raise ValueError(f"warpfold: there is no operation {operation!r} by key; pass one of {', '.join(operations)}")
    return _warpfold.reduce_by_key(operations[operation], keys, values, threads)


def run_lengths(keys, threads=0):
    """The key of each run of equal adjacent keys, and the number of its keys: two arrays."""
    return _warpfold.run_lengths(keys, threads)
