// The list of long groups in the emulation: every part is folded once, in the declared order, and
// the memory is as before.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/collective/grid_groups.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/fold.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

using hashes = std::vector<std::uint64_t>;
using list = wf::collective::grid_groups<std::uint64_t>;

/// Groups of `lengths` elements, which two blocks enter, in parts of four; three launches use the
/// same memory. Parts are folded by one thread.
hashes folded(const hashes& v, const std::vector<std::size_t>& lengths, unsigned helpers) {
  hashes result(lengths.size(), 5);
  test::emulated_launch on;
  const auto out = on.array(result);
  const std::uint64_t* const in = on.read_only(v);
  const std::size_t* const length_of = on.read_only(lengths);
  const auto count = static_cast<unsigned>(lengths.size());
  const auto grid = on.launcher().grid();
  constexpr unsigned lookers = 2, part_log2 = 2;
  for (int launch = 0; launch < 3; ++launch) {
    on.run({lookers + helpers, 64}, [=] {
      WARPFOLD_SHARED wf::collective::shared_array<std::uint64_t, 2> storage;
      WARPFOLD_SHARED list::helper_storage found;
      const list groups(grid);
      if (blockIdx.x < lookers) {
        bool has_entered = false;
        for (unsigned g = blockIdx.x * 64 + threadIdx.x; g < count; g += lookers * 64) {
          if (length_of[g] == 0) continue;
          groups.enter(g, g, length_of[g], part_log2);
          has_entered = true;
        }
        return groups.end_of_looks(has_entered);
      }
      const wf::fold<test::ordered_hash, std::uint64_t> fold{{}};
      const unsigned parts = groups.await_parts(lookers, found);
      unsigned turn = 0;
      for (unsigned p = blockIdx.x - lookers; p < parts; p += helpers, turn ^= 1) {
        const auto g = groups.group_of(p, turn, found);
        const std::size_t first = std::size_t{p - g.first_part} << part_log2;
        const std::size_t last = first + 4 < g.length ? first + 4 : g.length;
        if (threadIdx.x == 0) {
          groups.store(p, test::recursive_fold<std::uint64_t>(
                              test::ordered_hash{}, [&](std::size_t i) { return in[g.begin + i]; },
                              first, last));
        }
      }
      __syncthreads();
      groups.finish(fold, helpers, storage, found,
                    [&](std::size_t g, std::uint64_t a) { out.store(g, a); });
    });
    on.launcher().finish();  // throws if the counters are not zero again
  }
  return result;
}

}  // namespace

TEST_CASE("no group, one, a few, and more than warps") {
  const hashes v = test::ordered_elements(4000);
  for (const unsigned helpers : {1u, 3u, 7u}) {
    for (const auto& lengths : std::vector<std::vector<std::size_t>>{
             {},
             {0, 0, 0},
             {1},
             {0, 3000},
             {5, 0, 17},
             std::vector<std::size_t>(100, 9),
             {1, 2, 3, 4, 5, 129, 130, 131, 1000, 257, 0, 0, 1023}}) {
      INFO(helpers, " helpers, ", lengths.size(), " groups");
      const hashes got = folded(v, lengths, helpers);
      for (std::size_t g = 0; g < lengths.size(); ++g) {
        const std::uint64_t want =
            lengths[g] == 0
                ? 5
                : test::recursive_fold<std::uint64_t>(
                      test::ordered_hash{}, [&](std::size_t i) { return v[i]; }, g, g + lengths[g]);
        CHECK(got[g] == want);
      }
    }
  }
}

TEST_CASE("the list has room for the parts that its limits allow, and drops others") {
  static_assert(list::most_groups == 1024);
  static_assert(list::most_parts == 4096);
  const hashes v = test::ordered_elements(40000);
  const std::vector<std::size_t> all(1024, 16);
  const hashes got = folded(v, all, 3);
  for (std::size_t g = 0; g < all.size(); ++g) {
    CHECK(got[g] == test::recursive_fold<std::uint64_t>(
                        test::ordered_hash{}, [&](std::size_t i) { return v[i]; }, g, g + 16));
  }
  CHECK(folded(v, {4 * 4096 + 1}, 3)[0] == 5);
}
