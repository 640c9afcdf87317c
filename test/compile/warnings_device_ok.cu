// No warnings of nvcc's host compiler in calls on a GPU.
// expect: ok
// warnings: none
#include <span>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/policy/cub.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

float call(const wf::device_buffer<float>& v, std::span<short> shorts) {
  wf::copy(wf::device, v, shorts);
  wf::reduce_async(wf::device, shorts, wf::plus{}, shorts.data());
  wf::explain(wf::device, v, wf::maximum{});
  return wf::sum(wf::device, v) + static_cast<float>(wf::count(wf::device, shorts, 1u)) +
         wf::reduce(wf::baseline::cub, v, wf::maximum{});
}
