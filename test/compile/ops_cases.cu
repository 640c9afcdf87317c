// Wrong uses of ops, as nvcc sees them.
// alone
#include <complex>
#include <span>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

// expect: arg takes wf::minimum or wf::maximum
namespace arg_of_plus {
auto call(const std::vector<int>& v) {
  return warpfold::reduce(warpfold::device, v, warpfold::arg(warpfold::plus{}));
}
}  // namespace arg_of_plus

// expect: with_identity was given a value that does not convert
// The same as compiled by nvcc.
namespace identity_not_convertible {
struct larger {
  __host__ __device__ float operator()(float a, float b) const { return a < b ? b : a; }
};
struct text {
  char at[8];
};

float call(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::device, v, warpfold::with_identity(larger{}, text{}));
}
}  // namespace identity_not_convertible

// expect: the op cannot be called as op\(x, x\)
// An op that cannot be called with two elements, as nvcc sees it.
namespace op_takes_no_elements {
struct joins_names {
  __host__ __device__ const char* operator()(const char* a, const char* b) const;
};

auto joined(const warpfold::device_buffer<float>& v) {
  return warpfold::reduce(warpfold::device, v, joins_names{});
}
}  // namespace op_takes_no_elements

// expect: plus needs operator\+ for the elements
// lines: 12
// A struct without an addition, as nvcc sees it.
namespace plus_of_structs {
struct point {
  float x, y;
};

point total(std::span<const point> v) { return warpfold::reduce(warpfold::device, v); }
}  // namespace plus_of_structs

// expect: use cuda::std::complex
// Only the host can call the operators of std::complex; nvcc would compile their sum to nothing.
namespace standard_complex_on_device {
std::complex<float> call(std::span<const std::complex<float>> v) {
  return warpfold::reduce(warpfold::device, v);
}
}  // namespace standard_complex_on_device
