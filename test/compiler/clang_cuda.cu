// Calls of all kinds, compiled by Clang as the CUDA compiler. Prints their results, or the message
// of a machine without a GPU. With ONLY_RANGES, whole ranges and segments only.
#include <cstdio>
#include <span>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/drop_in/cub.hpp>
#include <warpfold/drop_in/thrust.hpp>
#include <warpfold/policy/cub.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/warpfold.hpp>

namespace wf = warpfold;

namespace {

template <class Policy>
double calls(const Policy& policy, std::span<const float> v, std::span<const int> ints,
             std::span<float> out) {
  const auto halved = wf::project(v, [] WARPFOLD_HD(float x) { return x / 2; });
  wf::reduce_segments(policy, v, ints, wf::plus{}, out.first(1));
#if !defined(ONLY_RANGES)
  const cuda::std::mdspan matrix(v.data(), 10, 100);
  wf::transform_segments(policy, v, ints, wf::softmax_op{}, out.first(1000));
  wf::reduce_by_key(policy, ints, v.first(2), wf::maximum{}, out.first(2), out.subspan(2, 2));
  wf::reduce_by_class(policy, ints, v.first(2), 1001, wf::plus{}, out);
  wf::reduce_axis<1>(policy, matrix, wf::plus{}, out.first(10));
  wf::transform_axis<1>(policy, matrix, wf::layer_norm_op{}, out.first(1000));
  wf::transform(policy, v, out.first(1000), [] WARPFOLD_HD(float x) { return x + 1; });
  if (wf::sum(policy, v, wf::plus{}.exact()) != 1502.5f || wf::argmax(policy, v).index != 7) {
    return -1;
  }
#endif
  return wf::sum(policy, halved) + wf::variance(policy, v);
}

}  // namespace

int main() {
  std::vector<float> v(1000, 1.5f), out(1001);
  std::vector<int> ints{0, 1000};
  v[7] = 4;
  const double expected = calls(wf::seq, v, ints, out);
  std::printf("seq %a\n", expected);
  try {
    const wf::device_buffer<float> there(v);
    wf::device_buffer<float> results(out.size());
    const wf::device_buffer<int> bounds(ints);
    const double found = calls(wf::device, {there.data(), v.size()}, {bounds.data(), 2},
                               {results.data(), out.size()});
    std::printf("device %a\n", found);
    return found == expected ? 0 : 1;
  } catch (const wf::no_device& e) {
    std::printf("%s\n", e.what());
  }
}
