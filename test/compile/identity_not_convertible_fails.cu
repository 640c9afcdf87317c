// The same as compiled by nvcc.
// expect: with_identity was given a value that does not convert
#include <vector>

#include <warpfold/reduce.hpp>

struct larger {
  __host__ __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};
struct text {
  char at[8];
};

float call(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::device, v, warpfold::with_identity(larger{}, text{}));
}
