// fold_lane_segments: segments of every length in each lane, few segments, long ones, and those
// that are left out.
// needs: boost_context
#include <warpfold/collective/lane_segments.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

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

/// Adds elements and their index in the segment.
struct add_with_index {
  template <class A>
  WARPFOLD_HD A identity() const {
    return 0;
  }
  WARPFOLD_HD long long operator()(long long a, long long b) const { return a + b; }
  WARPFOLD_HD long long lift(int x, std::size_t i) const {
    return 1000LL * x + static_cast<long long>(i);
  }
};

/// `lengths`: one for each of the first lanes; segments begin 3 elements apart and overlap.
template <class Op>
void check(const std::vector<unsigned>& lengths, unsigned segments_log2, unsigned most) {
  std::vector<int> values(20000);
  std::uint32_t bits = 1;
  for (int& x : values) x = static_cast<int>((bits = bits * 1664525 + 1013904223) >> 20);
  std::vector<long long> folds(32, -1);
  test::emulated_launch on;
  const int* const data = on.read_only(values);
  const auto to = on.array(folds);
  const wf::contiguous_view<const int> view(data, values.size());
  using output = wf::contiguous_output<long long>;
  const wf::segmented_reduction<wf::contiguous_view<const int>, wf::segments_by_size, Op,
                                wf::no_init, output>
      work{view, {1, 1}, {}, {}, {output(nullptr, 0)}};
  const unsigned* const length = on.read_only(lengths);
  const auto count = static_cast<unsigned>(lengths.size());
  on.run({1, 32}, [=] {
    const unsigned lane = threadIdx.x;
    const lane_segment<unsigned> own{3 * lane, lane < count ? length[lane] : 0};
    to.store(lane, fold_lane_segments(work, 7, own, lane, segments_log2, most,
                                      wf::global_loads(wf::caching::keep)));
  });
  for (unsigned lane = 0; lane < 32; ++lane) {
    long long want = 0;
    if (lane < count && lengths[lane] <= most) {
      for (unsigned i = 0; i < lengths[lane]; ++i) {
        const int x = values[7 + 3 * lane + i];
        if constexpr (requires { Op{}.lift(x, std::size_t{i}); }) {
          want += Op{}.lift(x, std::size_t{lane} + i);
        } else {
          want += x;
        }
      }
    }
    INFO("lane ", lane, " of ", count, " segments");
    CHECK(folds[lane] == want);
  }
}

void check_both(const std::vector<unsigned>& lengths, unsigned segments_log2, unsigned most = ~0u) {
  check<wf::plus>(lengths, segments_log2, most);
  check<add_with_index>(lengths, segments_log2, most);
}

}  // namespace

TEST_CASE("32 segments of one length") {
  for (const unsigned length :
       {0u, 1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 64u, 100u, 257u, 600u}) {
    check_both(std::vector<unsigned>(32, length), 5);
  }
}

TEST_CASE("fewer segments than lanes") {
  for (unsigned log2 = 0; log2 <= 5; ++log2) {
    for (const unsigned length : {0u, 1u, 8u, 33u, 700u, 5000u}) {
      for (const unsigned missing : {0u, 1u, 5u}) {
        if ((1u << log2) <= missing) continue;
        check_both(std::vector<unsigned>((1u << log2) - missing, length), log2);
      }
    }
  }
}

TEST_CASE("a few segments are much longer than the others, and some are left out") {
  std::vector<unsigned> lengths;
  for (unsigned lane = 0; lane < 32; ++lane) lengths.push_back(lane % 5);
  check_both(lengths, 5);
  for (const unsigned lane : {0u, 13u, 31u}) lengths[lane] = 3000 + lane;
  check_both(lengths, 5);
  check_both(lengths, 5, 3000);  // only that of lane 0 is folded
  check_both(lengths, 5, 100);
  lengths[20] = 19000;
  check_both(lengths, 5);
}
