// The kernels behind most calls, each under its name in the table of architectures_test.py. That
// test compiles this file for every architecture that the library supports, and reads the machine
// code.
#include <type_traits>
#include <utility>

#include <warpfold/kernel/axis/columns.hpp>
#include <warpfold/kernel/axis/rows.hpp>
#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/elementwise/elementwise.hpp>
#include <warpfold/kernel/many/ranges.hpp>
#include <warpfold/kernel/segments.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/kernel/thread_tables.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/launch.hpp>
#include <warpfold/view/wide.hpp>

namespace wf = warpfold;

namespace {

template <class T>
using array = wf::contiguous_view<const T>;

struct same {
  template <class Reduction>
  Reduction operator()(const Reduction& r) const {
    return r;
  }
};
// The reduction that a call of wf::reduce makes of a view and an op.
template <class View, class Op>
using reduction =
    decltype(wf::detail::with_reduction(std::declval<View>(), Op{}, wf::no_init{}, same{}));

template <class View, class Op, class Reduction = reduction<View, Op>>
using pass = wf::kernel::single_pass<>::body<Reduction, typename Reduction::result_type>;
template <class View, class Op, class Reduction = reduction<View, Op>>
using copies = wf::kernel::bulk_copy::body<Reduction, typename Reduction::result_type>;

template <class View, class Op, class Reduction = reduction<View, Op>>
using tables = wf::kernel::thread_tables::body<Reduction, typename Reduction::result_type>;

struct twice {
  __host__ __device__ float operator()(float x) const { return x + x; }
};
using doubling = wf::transformation<array<float>, wf::contiguous_output<float>, twice>;
using axis_sum = wf::axis_reduction<float, wf::plus, float>;
using segment_sums = wf::segmented_reduction<array<float>, wf::segments_by_offsets<array<int>>,
                                             wf::plus, wf::no_init, wf::contiguous_output<float>>;

using range_sums = wf::segmented_reduction<wf::contiguous_view<float>, wf::range_of_many, wf::plus,
                                           wf::no_init, wf::contiguous_output<float>>;

}  // namespace

// Derived, because the name of a body is long.
#define KERNEL(name, ...)       \
  struct name : __VA_ARGS__ {}; \
  template __global__ void wf::runtime::run<name>(const __grid_constant__ name)

KERNEL(sum_float, pass<array<float>, wf::plus>);
KERNEL(sum_double, pass<array<double>, wf::plus>);
KERNEL(sum_int, pass<array<int>, wf::plus>);
KERNEL(minimum_float, pass<array<float>, wf::minimum>);
KERNEL(maximum_int, pass<array<int>, wf::maximum>);
KERNEL(arg_float, pass<array<float>, wf::arg_op<wf::minimum>>);
KERNEL(moments_float, pass<array<float>, wf::moments_op>);
KERNEL(wide_sum_float, pass<wf::wide_view<const float>, wf::plus>);
KERNEL(copied_sum_float, copies<array<float>, wf::plus>);
KERNEL(exact_sum_float, tables<array<float>, wf::exact_plus<void>>);
KERNEL(exact_sum_double, tables<array<double>, wf::exact_plus<void>>);
KERNEL(transform_float, wf::kernel::elementwise<>::body<doubling>);
KERNEL(rows_float, wf::kernel::axis_rows::body<axis_sum, 4, true>);
KERNEL(columns_float, wf::kernel::axis_columns::body<axis_sum, true>);
KERNEL(segments_float,
       wf::kernel::segments::body<segment_sums, wf::kernel::segments::folder::warp>);
KERNEL(ranges_float,
       wf::kernel::many_ranges::body<range_sums, reduction<wf::contiguous_view<float>, wf::plus>,
                                     wf::kernel::many_ranges::most>);
