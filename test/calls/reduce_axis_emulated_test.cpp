// Folds along an axis with wf::emulated.
// needs: boost_context cccl
// flags: -O1
#include <warpfold/policy/emulated.hpp>

#include <cmath>
#include <cstring>

#include <cuda/std/mdspan>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/seq.hpp>

#include "contract/axis_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

// A small GPU, which few rows occupy fully.
struct small_fixture : fixture {
  static constexpr std::size_t many_rows = 18;
  static auto policy() {
    auto gpu = wf::emulation::default_gpu;
    gpu.multiprocessors = 1;
    return wf::emulated.emulating(gpu);
  }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(axis_matrices, test::axis_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(axis_long, test::axis_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(axis_many_rows, test::axis_folds<small_fixture>);
TEST_CASE_TEMPLATE_INVOKE(axis_ranks, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_empty, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_repeats, fixture);

TEST_CASE("rows in batches: the first of equal elements, NaN, and exact sums, of every kernel") {
  auto gpu = wf::emulation::default_gpu;
  gpu.multiprocessors = 1;
  for (const int width : {1, 3, 4, 33, 64, 100, 1023, 1024, 1028, 2048, 4096, 4099, 9000}) {
    for (const int height : {1, 3, 40}) {
      INFO(height, " x ", width);
      const auto n = static_cast<std::size_t>(width * height);
      std::vector<float> v(n);
      for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 7919 % 13) - 6;
      if (height > 1) v[n / 2] = NAN;
      const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(v.data(), height, width);
      const auto check = [&](const auto& op, auto none) {
        std::vector<decltype(none)> expected(static_cast<std::size_t>(height), none),
            out = expected;
        wf::reduce_axis<1>(wf::seq, m, op, expected);
        wf::reduce_axis<1>(wf::emulated.emulating(gpu), m, op, out);
        CHECK(std::memcmp(out.data(), expected.data(), out.size() * sizeof none) == 0);
      };
      check(wf::arg(wf::maximum{}), -1);
      check(wf::arg(wf::minimum{}.ignoring_nan()), -1L);
      check(wf::plus{}.exact(), -1.0);
    }
  }
}
