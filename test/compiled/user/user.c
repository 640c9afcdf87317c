/* A C11 program that links libwarpfold. Prints results as bits; reference.cpp prints the same with
 * the C++ headers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <warpfold.h>

enum { count = 100000, segments = 4 };

static void require(warpfold_status status) {
  if (status == WARPFOLD_OK) return;
  fprintf(stderr, "status %d: %s\n", (int)status, warpfold_message());
  exit(1);
}
static void print(const char* name, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  printf("%s %016" PRIx64 "\n", name, bits);
}

int main(void) {
  static double x[count], y[count];
  static int32_t k[count];
  for (int i = 0; i < count; ++i) {
    x[i] = (double)(i * INT64_C(7919) % 1001) / 7.0 - 50.0;
    y[i] = (double)(i * INT64_C(104729) % 997) / 3.0;
    k[i] = i % 1000 - 300;
  }
  const warpfold_array xs = {x, count, 1, WARPFOLD_FLOAT64}, ys = {y, count, 1, WARPFOLD_FLOAT64};
  const warpfold_array every_third = {x, (count + 2) / 3, 3, WARPFOLD_FLOAT64};
  const warpfold_array ks = {k, count, 1, WARPFOLD_INT32};
  double r;
  uint64_t index;
  int64_t sum;
  require(warpfold_reduce(WARPFOLD_SUM, &xs, 0, &r));
  print("sum", r);
  require(warpfold_reduce(WARPFOLD_SUM, &every_third, 0, &r));
  print("every third", r);
  require(warpfold_reduce(WARPFOLD_EXACT_SUM, &xs, 1, &r));
  print("exact sum", r);
  require(warpfold_reduce(WARPFOLD_VARIANCE, &xs, 0, &r));
  print("variance", r);
  require(warpfold_dot(&xs, &ys, 0, 0, &r));
  print("dot", r);
  require(warpfold_reduce(WARPFOLD_ARGMAX, &xs, 0, &index));
  printf("argmax %" PRIu64 "\n", index);
  double both[2];
  require(warpfold_reduce(WARPFOLD_MINMAX, &xs, 0, both));
  print("least", both[0]);
  print("greatest", both[1]);
  require(warpfold_reduce(WARPFOLD_SUM, &ks, 0, &sum));
  printf("integers %" PRId64 "\n", sum);
  static double _Complex z[count / 2]; /* x as pairs */
  memcpy(z, x, sizeof z);
  const warpfold_array zs = {z, count / 2, 1, WARPFOLD_COMPLEX128};
  double parts[2];
  require(warpfold_reduce(WARPFOLD_MEAN, &zs, 0, parts));
  print("complex mean", parts[0]);
  print("complex mean", parts[1]);
  require(warpfold_dot(&zs, &zs, 1, 0, parts));
  print("complex dot", parts[0]);
  const int64_t offsets[segments + 1] = {0, 10, 10, 5000, count};
  double sums[segments];
  require(warpfold_reduce_segments(WARPFOLD_SUM, &ys, offsets, segments, 0, sums));
  for (int s = 0; s < segments; ++s) print("segment", sums[s]);

  int32_t keys[4] = {7, 7, 3, 7}, keys_out[4];
  double folds[4];
  size_t runs;
  const warpfold_array four_keys = {keys, 4, 1, WARPFOLD_INT32}, four = {y, 4, 1, WARPFOLD_FLOAT64};
  require(warpfold_reduce_by_key(WARPFOLD_LOG_SUM_EXP, &four_keys, &four, 0, keys_out, folds, &runs));
  for (size_t s = 0; s < runs; ++s) print("run", folds[s]);

  const warpfold_array nothing = {NULL, 4, 1, WARPFOLD_FLOAT64};
  if (warpfold_reduce(WARPFOLD_SUM, &nothing, 0, &r) != WARPFOLD_INVALID_RANGE) return 1;
  if (warpfold_reduce((warpfold_operation)99, &xs, 0, &r) != WARPFOLD_INVALID_ARGUMENT) return 1;
  printf("error: %s\n", warpfold_message());
  return 0;
}
