// The list of long groups in the emulation: every part is folded once, in the declared order, and
// the counters are zero again.
// needs: boost_context
#include <warpfold/collective/grid_list.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <warpfold/op/fold.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

using hashes = std::vector<std::uint64_t>;
using list = wf::collective::grid_list<std::uint64_t>;

struct outcome {
  hashes results;               // 5 for groups that have not entered
  std::vector<unsigned> parts;  // of each launch
};

/// Groups of `lengths` elements, which two blocks enter, in about `useful` parts of at least four;
/// three launches use the same memory. Parts are folded by one thread.
outcome folded(const hashes& v, const std::vector<std::size_t>& lengths, unsigned helpers,
               unsigned useful) {
  outcome o{hashes(lengths.size(), 5), std::vector<unsigned>(3)};
  test::emulated_launch on;
  const auto out = on.array(o.results);
  const auto parts_of = on.array(o.parts);
  const std::uint64_t* const in = on.read_only(v);
  const std::size_t* const length_of = on.read_only(lengths);
  const auto count = static_cast<unsigned>(lengths.size());
  const auto grid = on.launcher().grid();
  constexpr unsigned lookers = 2;
  for (unsigned launch = 0; launch < 3; ++launch) {
    on.run({lookers + helpers, 64}, [=] {
      WARPFOLD_SHARED wf::collective::shared_array<std::uint64_t, 2> storage;
      WARPFOLD_SHARED list::part_storage firsts;
      WARPFOLD_SHARED list::number_storage numbers;
      const list groups(grid);
      if (blockIdx.x < lookers) {
        bool has_entered = false;
        for (unsigned g = blockIdx.x * 64 + threadIdx.x; g < count; g += lookers * 64) {
          if (length_of[g] != 0 && groups.enter(g, length_of[g])) has_entered = true;
        }
        return groups.end_of_looks(has_entered);
      }
      const wf::fold<test::ordered_hash, std::uint64_t> fold{{}};
      const auto divided = groups.divide(lookers, 2, useful, firsts, numbers);
      if (blockIdx.x == lookers && threadIdx.x == 0) parts_of.store(launch, divided.parts);
      for (unsigned p = blockIdx.x - lookers; p < divided.parts; p += helpers) {
        const auto own = groups.part_of(p, divided, firsts);
        const std::size_t first = std::size_t{own.number} << divided.part_log2;
        const std::size_t end = first + (std::size_t{1} << divided.part_log2);
        if (threadIdx.x == 0) {
          groups.store(own,
                       test::recursive_fold<std::uint64_t>(
                           test::ordered_hash{}, [&](std::size_t i) { return in[own.group + i]; },
                           first, end < own.length ? end : own.length));
        }
        groups.complete(fold, own, storage, [&](std::uint64_t a) { out.store(own.group, a); });
        __syncthreads();
      }
      groups.end_of_help(helpers);
    });
    on.launcher().finish();  // throws if the counters are not zero again
  }
  return o;
}

std::uint64_t fold_of(const hashes& v, std::size_t first, std::size_t length) {
  return test::recursive_fold<std::uint64_t>(
      test::ordered_hash{}, [&](std::size_t i) { return v[i]; }, first, first + length);
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
      for (const unsigned useful : {1u, 20u, 5000u}) {
        INFO(helpers, " helpers, ", lengths.size(), " groups, ", useful, " parts");
        const outcome got = folded(v, lengths, helpers, useful);
        for (std::size_t g = 0; g < lengths.size(); ++g) {
          CHECK(got.results[g] == (lengths[g] == 0 ? 5 : fold_of(v, g, lengths[g])));
        }
      }
    }
  }
}

TEST_CASE("the parts are the smallest of which there are not too many") {
  const hashes v = test::ordered_elements(4000);
  const auto parts = [&](const std::vector<std::size_t>& lengths, unsigned useful) {
    return folded(v, lengths, 2, useful).parts;
  };
  CHECK(parts({1024}, 5000) == std::vector<unsigned>(3, 256));
  CHECK(parts({1024}, 256) == std::vector<unsigned>(3, 256));
  CHECK(parts({1024}, 255) == std::vector<unsigned>(3, 128));
  // Each group has a part at least.
  CHECK(parts({1024, 3, 3}, 16) == std::vector<unsigned>(3, 16 + 2));
}

TEST_CASE("the list has room for as many groups as it says, and refuses others") {
  static_assert(list::most_groups == 1024);
  static_assert(list::most_parts == 6144);
  static_assert(wf::collective::grid_list<char[1024]>::most_groups == 24);
  const hashes v = test::ordered_elements(40000);
  const std::vector<std::size_t> all(1100, 100);
  const outcome got = folded(v, all, 3, 100000);
  std::size_t missing = 0, wrong = 0;
  for (std::size_t g = 0; g < all.size(); ++g) {
    // Other groups may be refused in each launch.
    if (got.results[g] == 5) {
      ++missing;
    } else {
      wrong += got.results[g] == fold_of(v, g, 100) ? 0 : 1;
    }
  }
  CHECK(wrong == 0);
  CHECK(missing <= 1100 - 1024);
}
