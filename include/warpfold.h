/* The C interface of libwarpfold: reductions of arrays in host memory, with the results of the C++
 * headers, bit for bit. Programs in C, C++ and Fortran link the library `warpfold`;
 * docs/compiled_library.md has an example in each language.
 *
 * - Errors: the functions that compute return a status. warpfold_message() has the text of an
 * error: what is wrong, where, and what to do. After an error nothing has been written.
 * - Threads: any number of threads may call at the same time.
 * - Order: the declared one, so the bits depend neither on the number of threads nor on the stride.
 * - Memory: arrays stay the caller's. A call keeps no pointer.
 */
#ifndef WARPFOLD_H
#define WARPFOLD_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define WARPFOLD_API __attribute__((visibility("default")))
#else
#define WARPFOLD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call returned. */
typedef enum warpfold_status {
  WARPFOLD_OK = 0,
  WARPFOLD_INVALID_ARGUMENT = 1, /* an enumerator or a number out of its domain */
  WARPFOLD_INVALID_RANGE = 2,    /* a null or misaligned pointer, device memory, different sizes */
  WARPFOLD_EMPTY_RANGE = 3,      /* too few elements for a result */
  WARPFOLD_OUT_OF_MEMORY = 4,
  WARPFOLD_FAILED = 5,                /* another error */
  WARPFOLD_STATUS_32_BITS = INT32_MAX /* so that the type has 32 bits; never returned */
} warpfold_status;

/* The type of an element or of a result. */
typedef enum warpfold_type {
  WARPFOLD_INT8 = 1,
  WARPFOLD_INT16 = 2,
  WARPFOLD_INT32 = 3,
  WARPFOLD_INT64 = 4,
  WARPFOLD_UINT8 = 5,
  WARPFOLD_UINT16 = 6,
  WARPFOLD_UINT32 = 7,
  WARPFOLD_UINT64 = 8,
  WARPFOLD_FLOAT32 = 9,
  WARPFOLD_FLOAT64 = 10,
  WARPFOLD_COMPLEX64 = 11,  /* two FLOAT32, the real and the imaginary part */
  WARPFOLD_COMPLEX128 = 12, /* two FLOAT64 */
  WARPFOLD_FLOAT16 = 13,    /* IEEE 754 binary16; only if warpfold_size() is not 0 */
  WARPFOLD_BFLOAT16 = 14,   /* the upper half of a FLOAT32; likewise */
  WARPFOLD_TYPE_32_BITS = INT32_MAX
} warpfold_type;

/* What to compute. The comment names the type of the result, which warpfold_result_type() returns:
 *
 *   T       the type of the elements
 *   part    the type of the parts of complex numbers; FLOAT32 for 16-bit floating-point numbers; T
 *           for others
 *   wide    INT64 for signed integers, UINT64 for unsigned ones, FLOAT32 for 16-bit floating-point
 *           numbers, T for others
 *   size    UINT64 for integers, otherwise part
 *   real    FLOAT64 for integers, otherwise part
 *
 * Sums and products of integers wrap. A NaN among the elements makes a NaN of every result that is
 * a floating-point number; -0 is less than 0. Complex numbers have no extrema and no LOG_SUM_EXP.
 * Only warpfold_reduce takes NORM_1, NORM_INFINITY, COUNT_NONZERO and MINMAX. */
typedef enum warpfold_operation {
  WARPFOLD_SUM = 1,             /* wide; 0 for no elements */
  WARPFOLD_PRODUCT = 2,         /* wide; 1 for no elements */
  WARPFOLD_MINIMUM = 3,         /* T */
  WARPFOLD_MAXIMUM = 4,         /* T */
  WARPFOLD_ARGMIN = 5,          /* UINT64: the index of the first NaN, else of the first least */
  WARPFOLD_ARGMAX = 6,          /* UINT64: the index of the first NaN, else of the first greatest */
  WARPFOLD_MEAN = 7,            /* real; T for complex numbers */
  WARPFOLD_VARIANCE = 8,        /* real; of the population; the mean of |z - mean|^2 */
  WARPFOLD_SAMPLE_VARIANCE = 9, /* real; n - 1 in the denominator */
  WARPFOLD_STDDEV = 10,         /* real; of the population */
  WARPFOLD_NORM_1 = 11,         /* size: the sum of absolute values */
  WARPFOLD_NORM_2 = 12,         /* FLOAT64: the square root of the sum of squares */
  WARPFOLD_NORM_INFINITY = 13,  /* size: the greatest absolute value */
  WARPFOLD_COUNT_NONZERO = 14,  /* UINT64 */
  WARPFOLD_EXACT_SUM = 15,      /* wide; floating-point and complex numbers only: rounded once */
  WARPFOLD_SAMPLE_STDDEV = 16,  /* real; n - 1 in the denominator */
  WARPFOLD_LOG_SUM_EXP = 17,    /* real: the logarithm of the sum of exponentials, which does not
                                   overflow; -infinity for no elements */
  WARPFOLD_MINMAX = 18,         /* two of T: the least and the greatest element, in one read */
  WARPFOLD_OPERATION_32_BITS = INT32_MAX
} warpfold_operation;

/* `count` elements of a type; element i is at `data` + i * `stride` elements. */
typedef struct warpfold_array {
  const void* data;
  size_t count;
  size_t stride; /* 1: contiguous; at least 1, at most PTRDIFF_MAX */
  warpfold_type type;
} warpfold_array;

/* Returns the type of a result, or 0 if the operation does not take elements of this type. MINMAX
 * has two results. */
WARPFOLD_API warpfold_type warpfold_result_type(warpfold_operation operation, warpfold_type type);

/* Returns the bytes of an element of a type, or 0 if there is no such type. A library that was built
 * without the headers of the CUDA toolkit has no FLOAT16 and no BFLOAT16. */
WARPFOLD_API size_t warpfold_size(warpfold_type type);

/* Writes the result of an operation on all elements to `result`, which has the type that
 * warpfold_result_type returns. MINMAX writes two such elements, the least first.
 *
 * result: may lie in the array.
 * threads: the number of host threads that may fold, the caller among them; 0 for all. A limit
 * costs up to 1 us where several threads could fold. */
WARPFOLD_API warpfold_status warpfold_reduce(warpfold_operation operation,
                                             const warpfold_array* array, int threads,
                                             void* result);

/* Writes the sum of the products of elements with equal indices, for complex numbers with the
 * conjugates of `a`. The result has the type of WARPFOLD_SUM. The arrays have one type and one count.
 *
 * exact: not 0 for a sum of exact products that is rounded once; not for integers. */
WARPFOLD_API warpfold_status warpfold_dot(const warpfold_array* a, const warpfold_array* b,
                                          int exact, int threads, void* result);

/* Writes the result of an operation on each segment: segment s has the elements offsets[s] to
 * offsets[s + 1] - 1. `results` has `segments` elements of the type that warpfold_result_type
 * returns. A segment has the bits of warpfold_reduce of its elements, and indices from its first
 * element on. An empty one has the identity: infinity or the greatest integer for MINIMUM, -infinity
 * or the least integer for MAXIMUM, UINT64_MAX for ARGMIN and ARGMAX. A mean or variance of too few
 * elements is NaN.
 *
 * offsets: segments + 1 integers from 0 to the number of elements, not decreasing; not read if
 * there are no segments. The stride of the array must be 1. The results must not overlap the array.
 */
WARPFOLD_API warpfold_status warpfold_reduce_segments(warpfold_operation operation,
                                                      const warpfold_array* array,
                                                      const int64_t* offsets, size_t segments,
                                                      int threads, void* results);

/* Writes the first key of each run of equal adjacent keys to `keys_out`, the result of an operation
 * on the values of the run to `results`, and the number of runs to `runs`. A run has the bits of
 * warpfold_reduce of its values. Keys are compared as C compares them, so a NaN is a run of its own.
 *
 * results: as for warpfold_reduce_segments.
 * keys, values: of one count, with a stride of 1. The outputs have room for as many elements as
 * there are keys, or as many as there are runs; they must not overlap the inputs or each other. The
 * call allocates 8 bytes, and a key, for each key. */
WARPFOLD_API warpfold_status warpfold_reduce_by_key(warpfold_operation operation,
                                                    const warpfold_array* keys,
                                                    const warpfold_array* values, int threads,
                                                    void* keys_out, void* results, size_t* runs);

/* Writes the first key of each run of equal adjacent keys, the number of its keys, and the number of
 * runs. Arguments as for warpfold_reduce_by_key; the call allocates 16 bytes for each part of 16384
 * keys, at most 32 KB. */
WARPFOLD_API warpfold_status warpfold_run_lengths(const warpfold_array* keys, int threads,
                                                  void* keys_out, uint64_t* lengths, size_t* runs);

/* Writes the result of an operation along one axis of an array of several dimensions: a result for
 * each combination of the other indices, in row-major order and contiguous. A result has the bits
 * of warpfold_reduce of its elements. Along an axis of extent 0, ARGMIN, ARGMAX, means and variances
 * return WARPFOLD_EMPTY_RANGE, and those of a sample also along an axis of extent 1. The others give
 * what an empty segment has.
 *
 * rank: 1 to 8. extents, strides: `rank` numbers of elements; strides may be null for an array in
 * row-major order. axis: the dimension that is folded, from 0. The results must not overlap the
 * data. */
WARPFOLD_API warpfold_status warpfold_reduce_axis(warpfold_operation operation, const void* data,
                                                  warpfold_type type, int rank,
                                                  const size_t* extents, const size_t* strides,
                                                  int axis, int threads, void* results);

/* The message of this thread's last call that returned a status; an empty text if that was
 * WARPFOLD_OK. Valid until the next such call. */
WARPFOLD_API const char* warpfold_message(void);

/* The version of the library, such as "0.1.0". */
WARPFOLD_API const char* warpfold_version(void);

#ifdef __cplusplus
}
#endif

#endif
