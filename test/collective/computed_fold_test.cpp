// The tree of elements that a warp computes: in rows of one per lane, or in runs of 8 to 256.
// needs: boost_context
#include <warpfold/collective/computed_fold.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

/// What lane 0 returns for elements `first` to `end - 1` of a node of `step` elements.
template <class View, class Op>
auto folded(const View& view, const Op&, std::size_t first, std::size_t end, std::size_t step) {
  using summed = wf::reduction<View, Op>;
  std::vector<typename summed::accumulator> result(1);
  test::emulated_launch on;
  const auto out = on.array(result);
  const summed r{view, {}, {}};
  on.run({1, 32}, [=] {
    const auto a =
        wf::collective::fold_computed(r, first, end, static_cast<unsigned>(std::countr_zero(step)),
                                      wf::global_loads(wf::caching::keep));
    if (threadIdx.x == 0) out.store(0, a);
  });
  return result[0];
}

}  // namespace

TEST_CASE("nodes of one to many tiles, whole and cut") {
  const std::size_t n = 100000;
  const auto all = test::ordered_elements(n);
  const auto view = wf::project(wf::counting(std::uint64_t{1}, n), test::ordered_element{});
  for (const std::size_t step : {32u, 64u, 128u, 256u, 512u, 1024u, 2048u, 8192u, 32768u}) {
    for (const std::size_t here : {std::size_t{1}, std::size_t{2}, std::size_t{31}, step / 2,
                                   step / 2 + 1, step - 1, step}) {
      if (here > step) continue;
      INFO(here, " elements of ", step);
      const std::size_t first = 2 * step;
      const std::vector<std::uint64_t> part(all.begin() + static_cast<long>(first),
                                            all.begin() + static_cast<long>(first + here));
      CHECK(folded(view, test::ordered_hash{}, first, first + here, step) ==
            test::ordered_fold(part));
    }
  }
}

TEST_CASE("states of more than 64 bytes") {
  for (const std::size_t n : {30u, 32u, 60u, 1000u}) {
    const auto view = wf::project(wf::counting(std::uint64_t{1}, n), test::wide_element{});
    const auto expected = test::recursive_fold<test::wide_hash>(
        test::hash_each{}, [&](std::size_t i) { return view[i]; }, 0, n);
    CHECK(folded(view, test::hash_each{}, 0, n, std::bit_ceil(n)) == expected);
  }
}

TEST_CASE("the function is called once for each element, and for lanes beyond the end") {
  static unsigned calls;
  static std::uint64_t greatest;
  const auto count = [](std::uint64_t i) {
    ++calls;
    greatest = i > greatest ? i : greatest;
    return i;
  };
  const auto calls_for = [&](std::size_t n, std::size_t step) {
    calls = 0;
    greatest = 0;
    (void)folded(wf::project(wf::counting(std::uint64_t{0}, n), count), wf::plus{}, 0, n, step);
    CHECK(greatest == n - 1);
    return calls;
  };
  CHECK(calls_for(1024, 1024) == 1024);
  CHECK(calls_for(32, 1024) == 32 + 31);  // a run of 32, and 31 lanes without elements
  CHECK(calls_for(20, 64) == 32);
}
