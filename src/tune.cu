// The GPU part of `warpfold tune`: three reductions, launched with tables of one row.
#include <algorithm>

#include <warpfold/policy/device.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/contiguous.hpp>

#include "gpu_clock.hpp"
#include "tune.hpp"

namespace warpfold::program {
namespace {

/// The number of back-to-back calls that are timed as one. The resolution of events is too low for
/// a single call of a few microseconds.
constexpr int calls_again = 20;

/// `most`, or less if the free memory is smaller.
std::size_t bytes_that_fit(std::size_t most) {
  std::size_t free = 0, all = 0;
  runtime::check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  const std::size_t room =
      free > 2 * gpu_clock::flush_bytes ? (free - 2 * gpu_clock::flush_bytes) / 10 * 9 : 0;
  return std::min(most, std::max(room, least_tuned_bytes));
}

tuning table_of(const tuning::row& launch) {
  const device_info& gpu = runtime::current_device_info();
  tuning t{gpu.compute_capability, gpu.multiprocessors, gpu.l2_bytes, 1, {launch}};
  t.rows[0].from_bytes = 0;
  return t;
}

}  // namespace

device_info tuned_device() { return runtime::current_device_info(); }

struct tune_gpu::state {
  gpu_clock clock;
  device_buffer<double> out{8};  // a result of any type
  device_buffer<unsigned char> data;

  explicit state(std::size_t most) : data(bytes_that_fit(most)) {
    // Bytes of 1 are small numbers in every type. Zeros would take less power than other data.
    runtime::check(cudaMemsetAsync(data.data(), 1, data.size(), clock.stream()), "cudaMemsetAsync");
  }

  template <class T, class Op>
  double seconds(Op op, std::size_t bytes, const tuning::row& launch, bool cold) {
    const contiguous_view<T> view(reinterpret_cast<const T*>(data.data()), bytes / sizeof(T));
    const auto policy = device.on(clock.stream()).with(table_of(launch));
    using result_type = typename reduction<contiguous_view<T>, Op>::result_type;
    auto* const result = reinterpret_cast<result_type*>(out.data());
    const auto call = [&] { reduce_async(policy, view, op, result); };

    // The flush takes longer than enqueueing all the calls, so the GPU does not wait between them.
    clock.flush();
    if (!cold) call();
    const int calls = cold ? 1 : calls_again;
    return clock.seconds([&] {
      for (int i = 0; i < calls; ++i) call();
    }) / calls;
  }
};

tune_gpu::tune_gpu(std::size_t most) : state_(new state(most)) {}
tune_gpu::~tune_gpu() { delete state_; }

std::size_t tune_gpu::bytes() const { return state_->data.size(); }

double tune_gpu::seconds(tuned_call what, std::size_t bytes, const tuning::row& launch, bool cold) {
  switch (what) {
    case tuned_call::minimum_of_doubles:
      return state_->seconds<double>(minimum{}, bytes, launch, cold);
    case tuned_call::product_of_ints:
      return state_->seconds<int>(multiplies{}, bytes, launch, cold);
    case tuned_call::sum_of_floats:
      break;
  }
  return state_->seconds<float>(plus{}, bytes, launch, cold);
}

}  // namespace warpfold::program
