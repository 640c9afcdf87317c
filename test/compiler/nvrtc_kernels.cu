// Kernels for NVRTC: reductions in a kernel of one's own, and the library's sums of a whole range.
// nvrtc_test.py compiles this file with NVRTC and with nvcc, and compares the machine code.
#include <warpfold/collectives.hpp>
#include <warpfold/kernel/in_order.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/runtime/launch.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/work/reduction.hpp>

namespace wf = warpfold;

// A block for each row.
extern "C" __global__ void norms(const float* rows, float* out, int columns) {
  const float* row = rows + std::size_t{blockIdx.x} * columns;
  float squares = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) squares += row[i] * row[i];
  const float total = wf::block_reduce(squares);
  if (threadIdx.x == 0) out[blockIdx.x] = sqrtf(total);
}

// A warp for each group of 32 values.
extern "C" __global__ void least(const double* in, double* value, std::size_t* index) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto found = wf::warp_reduce(wf::indexed<double>{in[i], i}, wf::arg(wf::minimum{}));
  if (threadIdx.x % 32 == 0) {
    value[i / 32] = found.value;
    index[i / 32] = found.index;
  }
}

// Derived, because the name of a body is long.
#define KERNEL(name, ...)       \
  struct name : __VA_ARGS__ {}; \
  template __global__ void wf::runtime::run<name>(const __grid_constant__ name)

template <class T, class Op>
using fold = wf::reduction<wf::contiguous_view<const T>, Op>;
template <class T, class Op>
using in_order = wf::kernel::in_order<>::body<fold<T, Op>, typename fold<T, Op>::result_type,
                                              wf::kernel::detail::warp_share::tiles>;
template <class T, class Op>
using in_any_order =
    wf::kernel::single_pass<>::body<fold<T, Op>, typename fold<T, Op>::result_type>;

KERNEL(sum_float, in_order<float, wf::plus>);
KERNEL(sum_double, in_order<double, wf::plus>);
KERNEL(sum_int, in_any_order<int, wf::plus>);
KERNEL(maximum_float, in_any_order<float, wf::maximum>);
