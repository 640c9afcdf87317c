// No warning in the kernels, as the emulation runs them.
// expect: ok
// warnings: none
// needs: boost_context
#include <warpfold/kernel/ladder/atomic.hpp>
#include <warpfold/kernel/ladder/block_tree.hpp>
#include <warpfold/kernel/ladder/completely_unrolled.hpp>
#include <warpfold/kernel/ladder/first_add_during_load.hpp>
#include <warpfold/kernel/ladder/grid_2d.hpp>
#include <warpfold/kernel/ladder/grid_stride.hpp>
#include <warpfold/kernel/ladder/interleaved_addressing.hpp>
#include <warpfold/kernel/ladder/interleaved_contiguous.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/ladder/serial_tail.hpp>
#include <warpfold/kernel/ladder/thread_unrolled.hpp>
#include <warpfold/kernel/ladder/two_pass.hpp>
#include <warpfold/kernel/ladder/unroll_last_warp.hpp>
#include <warpfold/kernel/ladder/warp_shuffle.hpp>
#include <warpfold/policy/emulated.hpp>

#include "compile/warnings_calls.hpp"

namespace warnings {

template <class T, class... Kernels>
void kernels(std::span<const T> v, Kernels... all) {
  (wf::sum(wf::emulated.with_kernel(all), v), ...);
}

void all() {
  const std::span<const short> shorts;
  wf::minmax(wf::emulated, shorts);
  wf::argmin(wf::emulated, shorts);
  wf::count(wf::emulated, shorts, 1);
  wf::variance(wf::emulated, shorts);
  wf::reduce(wf::emulated, wf::packed(shorts), wf::plus{});
  const std::span<const double> doubles;
  wf::dot(wf::emulated, doubles, doubles);
  wf::norm_2(wf::emulated, doubles);
  wf::reduce(wf::emulated, doubles, wf::plus{}.compensated());
  wf::transform(wf::emulated, doubles, std::span<float>(), to_short{});
  every_layout(wf::emulated, {}, {});
  every_form(wf::emulated, nullptr, 0, nullptr);
  namespace k = wf::kernel;
  kernels(std::span<const int>(), k::atomic{}, k::block_tree<>{}, k::completely_unrolled<128>{},
          k::first_add_during_load<128>{}, k::grid_2d<>{}, k::grid_stride<>{},
          k::interleaved_addressing<128>{}, k::interleaved_contiguous<128>{},
          k::sequential_addressing<128>{}, k::serial_tail<>{}, k::thread_unrolled<8>{},
          k::two_pass<>{}, k::unroll_last_warp<128>{}, k::warp_shuffle<>{});
}

}  // namespace warnings
