// Only the host can call the operators of std::complex; nvcc would compile their sum to nothing.
// expect: use cuda::std::complex
#include <complex>
#include <span>

#include <warpfold/reduce.hpp>

std::complex<float> call(std::span<const std::complex<float>> v) {
  return warpfold::reduce(warpfold::device, v);
}
