// fold_segment_by_block: every alignment of the first and last element, one chunk to many, with and
// without an index.
// needs: boost_context
#include <warpfold/collective/block_segment.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/segmented_reduction.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

template <class Op, class Out>
Out folded(const std::vector<float>& values, std::size_t from, std::size_t to, unsigned threads) {
  std::vector<Out> result(1);
  test::emulated_launch on;
  const float* const data = on.read_only(values);
  const auto out = on.array(result);
  using view = wf::contiguous_view<const float>;
  using output = wf::contiguous_output<Out>;
  const wf::segmented_reduction<view, wf::segments_by_size, Op, wf::no_init, output> work{
      view(data + 1, values.size() - 1), {1, 1}, {}, {}, {output(nullptr, 0)}};
  using state = typename decltype(work)::state;
  on.run({1, threads}, [=] {
    WARPFOLD_SHARED shared_array<state, max_warps> states;
    const state s =
        fold_segment_by_block(work, from, to, 50, states, wf::global_loads(wf::caching::keep));
    if (threadIdx.x == 0) out.store(0, static_cast<Out>(work.result(s)));
  });
  return result[0];
}

}  // namespace

TEST_CASE("segments of every alignment and number of chunks") {
  std::vector<float> values(9001);
  std::uint32_t bits = 1;
  for (float& x : values) x = static_cast<float>((bits = bits * 1664525 + 1013904223) >> 30);
  for (const unsigned threads : {32u, 256u}) {
    for (std::size_t from = 0; from < 5; ++from) {
      for (const std::size_t n : {0, 1, 2, 3, 4, 5, 8, 127, 128, 1023, 4100, 8900}) {
        float sum = 0, least = 1e9f;
        std::size_t place = 0;
        for (std::size_t i = from; i < from + n; ++i) {
          const float x = values[1 + i];
          sum += x;
          // Many elements are equal: the first one counts.
          if (x < least) least = x, place = i - from;
        }
        INFO(n, " elements from ", from, ", ", threads, " threads");
        CHECK(folded<wf::plus, float>(values, from, from + n, threads) == sum);
        if (n == 0) continue;
        const auto found =
            folded<wf::arg_op<wf::minimum>, wf::indexed<float>>(values, from, from + n, threads);
        CHECK(found.value == least);
        CHECK(found.index == 50 + place);
      }
    }
  }
}
