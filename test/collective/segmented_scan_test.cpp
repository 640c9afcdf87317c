// segmented_scan: the fold that each thread continues, for every place of segment ends, with an op
// that is not commutative.
// needs: boost_context
#include <warpfold/collective/segmented_scan.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/op/fold.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

/// The integers from `first` to `last`. Only neighbors combine, and only in their order.
struct stretch {
  int first, last;
};
struct join {
  stretch operator()(const stretch& a, const stretch& b) const {
    return a.last + 1 == b.first ? stretch{a.first, b.last} : stretch{-9, -9};
  }
};
using folding = wf::fold<join, stretch>;

/// Thread t has the elements 10 t to 10 t + 9. If `ends(t)`, a segment ends at element 10 t + 4.
template <class Ends>
void check(unsigned threads, bool carries, const Ends& ends) {
  std::vector<stretch> before(threads, {-1, -1});
  std::vector<stretch> carried(threads, {-1, -1});
  test::emulated_launch on;
  const auto to = on.array(before);
  const auto next = on.array(carried);
  const auto& counts = on.run({1, threads}, [=] {
    WARPFOLD_SHARED shared_array<folding::state, max_warps> states;
    WARPFOLD_SHARED shared_array<unsigned, max_warps> marks;
    const folding fold{};
    const int t = static_cast<int>(threadIdx.x);
    auto carry = carries ? fold.state_of({-4, -1}) : fold.start();
    const auto found =
        segmented_scan(fold, fold.state_of({10 * t + (ends(threadIdx.x) ? 5 : 0), 10 * t + 9}),
                       ends(threadIdx.x), carry, states, marks);
    to.store(threadIdx.x, found.engaged() ? found.value : stretch{-2, -2});
    next.store(threadIdx.x, carry.value);
  });
  CHECK(counts.barriers == threads / 32);
  int open = carries ? -4 : 0;  // the first element of the open segment
  std::size_t wrong = 0;
  for (unsigned t = 0; t < threads; ++t) {
    const int own = static_cast<int>(10 * t);
    const stretch want = open == own ? stretch{-2, -2} : stretch{open, own - 1};
    wrong += before[t].first != want.first || before[t].last != want.last;
    if (ends(t)) open = own + 5;
  }
  for (const stretch& s : carried) {
    wrong += s.first != open || s.last != static_cast<int>(10 * threads) - 1;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("segments that end in no thread, in one, in all, and in some") {
  for (const unsigned threads : {32u, 64u, 256u}) {
    for (const bool carries : {false, true}) {
      INFO(threads, " threads");
      check(threads, carries, [](unsigned) { return false; });
      check(threads, carries, [](unsigned) { return true; });
      for (const unsigned at : {0u, 1u, 31u, 33u, 63u, 64u, 100u, 255u}) {
        check(threads, carries, [=](unsigned t) { return t == at; });
        check(threads, carries, [=](unsigned t) { return t == at || t == 40; });
      }
      for (const unsigned every : {2u, 3u, 7u, 32u, 45u}) {
        check(threads, carries, [=](unsigned t) { return t % every == 1; });
      }
    }
  }
}
