// held_row_plan: rows in words if each has whole words and starts at one.
// needs: cccl
#include <warpfold/kernel/axis/held_row_plan.hpp>

#include <vector>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/op/plus.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/transform_axis.hpp>

namespace wf = warpfold;

namespace {

struct share {
  float operator()(float x, float sum) const { return x / sum; }
};
struct found {
  bool words, stores_words;
  std::size_t chunks;
};

// The plan for rows of `n` floats, which begin `in` and `out` floats after a word.
found plan_of(std::size_t n, std::size_t in, std::size_t out) {
  std::vector<wf::word> memory(2 * n + 4);
  float* const first = reinterpret_cast<float*>(memory.data());
  using extents = cuda::std::dextents<std::size_t, 2>;
  const cuda::std::mdspan<const float, extents> from(first + in, 2, n);
  const cuda::std::mdspan<float, extents> to(first + 4 * n + 4 + out, 2, n);
  found f{};
  wf::detail::with_axis_transformation<1>(
      wf::seq, from, wf::plus{}, to, share{}, [&](const auto&, const auto& t) {
        const wf::kernel::held_row_plan<std::remove_cvref_t<decltype(t)>> p(t, wf::device_info{});
        f = {p.words, p.stores_words, p.chunks};
      });
  return f;
}

}  // namespace

TEST_CASE("words where all rows are aligned") {
  const found words = plan_of(64, 0, 0);
  CHECK(words.words);
  CHECK(words.stores_words);
  CHECK(words.chunks == 16);
  CHECK_FALSE(plan_of(64, 0, 1).stores_words);
  CHECK(plan_of(64, 0, 1).words);
  CHECK_FALSE(plan_of(64, 1, 0).words);
  CHECK_FALSE(plan_of(63, 0, 0).words);
  CHECK(plan_of(63, 0, 0).chunks == 63);
}
