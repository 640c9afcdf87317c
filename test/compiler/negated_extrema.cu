// Kernels with the pattern that ptxas before 13.4 translates wrongly, bare and with the library's
// guard. machine_code_test.py compiles this file and evaluates the machine code of each kernel
// without a GPU. The kernels use one thread and no branches.
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

struct negate {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(-x);
  }
};

template <class Op, class View>
__device__ auto fold_four(const View& elements) {
  return wf::fold_tree<0, 4>(Op{}, [&](int k) { return elements[static_cast<std::size_t>(k)]; });
}

template <class T>
using computed = wf::transform_view<wf::contiguous_view<const T>, negate>;
template <class T>
using guarded = decltype(wf::detail::guarded(std::declval<computed<T>>()));

extern "C" __global__ void bare_maximum_int(computed<int> x, int* y) {
  *y = fold_four<wf::maximum>(x);
}
extern "C" __global__ void guarded_maximum_int(guarded<int> x, int* y) {
  *y = fold_four<wf::maximum>(x);
}
extern "C" __global__ void guarded_minimum_int(guarded<int> x, int* y) {
  *y = fold_four<wf::minimum>(x);
}
extern "C" __global__ void guarded_maximum_short(guarded<short> x, short* y) {
  *y = fold_four<wf::maximum>(x);
}
extern "C" __global__ void guarded_minimum_short(guarded<short> x, short* y) {
  *y = fold_four<wf::minimum>(x);
}
