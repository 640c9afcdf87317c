// The standard's complex numbers add on the host only, unless nvcc is told to relax that.
// expect: calling a constexpr __host__ function
// errors: 2
#include <complex>
#include <span>

#include <warpfold/reduce.hpp>

std::complex<float> call(std::span<const std::complex<float>> v) {
  return warpfold::reduce(warpfold::device, v);
}
