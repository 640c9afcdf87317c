// The kernels of segments compile for the GPU with every kind of view, op and output.
// expect: ok
#include <warpfold/kernel/segments.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/runtime/launch.hpp>

namespace wf = warpfold;

namespace {

template <class T>
using array = wf::contiguous_view<const T>;
template <class T>
using offsets = wf::segments_by_offsets<array<T>>;
template <class T>
using bounds = wf::segments_by_bounds<array<T>, array<T>>;

struct product {
  __host__ __device__ float operator()(float x, float y) const { return x * y; }
};
using products = wf::transform_view<wf::zip_view<array<float>, array<float>>, product>;
struct greater {  // no identity
  __host__ __device__ float operator()(float x, float y) const { return x < y ? y : x; }
};
struct large {
  long long parts[32];
};
struct add_large {
  __host__ __device__ large operator()(large a, const large& b) const {
    for (int i = 0; i < 32; ++i) a.parts[i] += b.parts[i];
    return a;
  }
};
using several = decltype(wf::all(wf::plus{}, wf::arg(wf::minimum{})));

template <class View, class Segments, class Op, class Init, class... Outs>
using work = wf::segmented_reduction<View, Segments, Op, Init, wf::contiguous_output<Outs>...>;
template <class View, class Segments, class Op, class... Outs>
using onto =
    wf::accumulating_segmented_reduction<View, Segments, Op, wf::contiguous_output<Outs>...>;
using none = wf::no_init;

}  // namespace

template <class... Work>
void launch(wf::runtime::launcher& on, const Work*... works) {
  (wf::kernel::segments{}.enqueue(*works, on), ...);
}

template <class S>
void launch_with(wf::runtime::launcher& on) {
  launch<work<array<float>, S, wf::plus, none, float>,
         work<array<float>, S, several, none, float, wf::indexed<float>>>(on, nullptr, nullptr);
}

void call(wf::runtime::launcher& on) {
  using ends = offsets<int>;
  launch<work<array<float>, ends, greater, float, float>,
         work<array<float>, ends, greater, wf::stored_value<float>, float>,
         onto<array<float>, ends, wf::plus, float>,
         work<array<signed char>, ends, wf::plus, none, long long>,
         work<array<float>, ends, wf::moments_op, none, wf::moments>,
         work<products, ends, wf::plus, none, float>,
         work<array<large>, ends, add_large, none, large>>(on, nullptr, nullptr, nullptr, nullptr,
                                                           nullptr, nullptr, nullptr);
  launch_with<ends>(on);
  launch_with<offsets<std::size_t>>(on);
  launch_with<bounds<int>>(on);
}
