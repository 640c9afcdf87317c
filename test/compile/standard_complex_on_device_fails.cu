// The standard's complex numbers compute on the host only: nvcc would make nothing of their sum.
// expect: use cuda::std::complex
#include <complex>
#include <span>

#include <warpfold/reduce.hpp>

std::complex<float> call(std::span<const std::complex<float>> v) {
  return warpfold::reduce(warpfold::device, v);
}
