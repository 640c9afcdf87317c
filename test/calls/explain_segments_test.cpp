// The plans of folds of segments.
// needs: tbb boost_context cccl
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <oneapi/tbb/task_arena.h>

#include <warpfold/explain_segments.hpp>
#include <warpfold/view/counting.hpp>

#include "contract/emulated_plan.hpp"

namespace wf = warpfold;

namespace {

/// Elements that cannot be read: a plan that reads one ends the test.
template <class T>
std::span<const T> unreadable(std::size_t n) {
  return {reinterpret_cast<const T*>(std::uintptr_t{1} << 40), n};
}

struct large {
  long long parts[128];
};
struct add_large {
  WARPFOLD_HD large operator()(const large& a, const large&) const { return a; }
};

}  // namespace

TEST_CASE("the plans of the emulated kernels: shapes, loads and bytes") {
  const auto offsets = unreadable<int>(1001);
  const auto p =
      wf::explain_segments(wf::emulated, unreadable<float>(1 << 20), offsets, wf::plus{});
  // Segments of 1048 elements on average: a block for each, two blocks that look for longer ones,
  // and one helper for each multiprocessor.
  test::check_plan(p, {"segments", 1000 + 2 + 132, 256, 1, 1, 4});
  CHECK(p.bytes == (1 << 22) + 4004);
  CHECK(p.bytes_written == 4000);
  CHECK(p.elements == 1 << 20);
  CHECK(p.threads >= 1);
  CHECK_FALSE(p.on_gpu);
  // Larger ranges have two helpers.
  test::check_plan(
      wf::explain_segments(wf::emulated, unreadable<float>(1 << 26), offsets, wf::plus{}),
      {"segments", 1000 + 4 + 264, 256, 1, 1, 4});
  // Short ones: a warp takes 32, and 8 warps a block. There is no list for accumulators of 1 KB.
  test::check_plan(
      wf::explain_segments(wf::emulated, unreadable<large>(1 << 10), offsets, add_large{}),
      {"segments", 4, 256, 1, 1, 16});
  // Segments that may overlap: four blocks look at each.
  test::check_plan(wf::explain_segments(wf::emulated, unreadable<float>(1 << 20),
                                        wf::segments_between(offsets, offsets), wf::plus{}),
                   {"segments", 1001 + 4 + 132, 256, 1, 1, 4});
  test::check_plan(wf::explain_segments(wf::emulated, unreadable<float>(1 << 20),
                                        wf::segments_of_size(8), wf::plus{}),
                   {"ordered_rows", 128, 256, 1, 4, 16});
  test::check_plan(
      wf::explain_segments(wf::emulated, unreadable<float>(0), unreadable<int>(1), wf::plus{}),
      {"none", 0, 0, 0, 0, 0});
}

TEST_CASE("the plans of host policies") {
  const auto offsets = unreadable<int>(11);
  const auto by_seq = wf::explain_segments(wf::seq, unreadable<float>(100), offsets, wf::plus{});
  CHECK(by_seq.policy == "seq");
  CHECK(by_seq.kernel == "segments");
  CHECK(by_seq.threads == 1);
  CHECK(by_seq.bytes == 444);
  CHECK(by_seq.bytes_written == 40);
  CHECK(by_seq.expected_time > 0);
  const auto few = wf::explain_segments(wf::par, unreadable<float>(100), offsets, wf::plus{});
  CHECK(few.kernel == "segments");
  CHECK(few.threads == 1);
  const auto many = wf::explain_segments(wf::par, unreadable<float>(1 << 24),
                                         wf::segments_of_size(2), wf::plus{});
  CHECK(many.kernel == "segments on threads");
  CHECK(many.threads == oneapi::tbb::this_task_arena::max_concurrency());
}
