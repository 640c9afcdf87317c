/// @file
/// The test suite for reductions of ranges whose size lies in memory. The fixture is that of
/// policy_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform_reduce.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/where.hpp>

#include "contract/policy_contract.hpp"

namespace test {

struct is_negative {
  WARPFOLD_HD bool operator()(short x) const { return x < 0; }
};
struct twice {
  WARPFOLD_HD int operator()(short x) const { return 2 * x; }
};
struct product_of_shorts {
  WARPFOLD_HD long long operator()(short a, short b) const { return a * 1000ll * b; }
};

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("ranges whose size lies in memory", Fixture, counted_ranges) {
  const auto policy = Fixture::policy();
  // One warp, one block, and many blocks.
  for (const unsigned limit : {3u, 250u, 3001u, 100003u}) {
    const auto values = test::whole_data<wf::plus, short>(limit);
    const auto bits = test::whole_data<wf::plus, unsigned char>(limit / 8 + 1);
    const typename Fixture::template array<unsigned char> mask(bits, 1);
    for (const std::size_t offset : {std::size_t{0}, std::size_t{2}, std::size_t{14}}) {
      const typename Fixture::template array<short> placed(values, offset);
      const auto range = test::range_of<Fixture, short>(placed, limit);
      for (const unsigned n :
           {0u, 1u, 5u, 31u, 32u, limit / 100, limit / 5 * 2, limit - 1, limit}) {
        if (n > limit) continue;
        const typename Fixture::template array<unsigned> count(std::vector<unsigned>{n}, 4);
        const auto some = wf::counted(range, count.data());
        long long sum = 0, squares = 5, sum_where = 0;
        std::size_t negative = 0;
        short least = 0;
        for (std::size_t i = 0; i < n; ++i) {
          sum += values[i];
          squares += values[i] * 1000ll * values[i];
          sum_where += (bits[i / 8] >> i % 8 & 1) != 0 ? values[i] : 0;
          negative += values[i] < 0;
          least = values[i] < least ? values[i] : least;
        }
        CHECK(wf::sum(policy, some) == sum);
        CHECK(wf::count_if(policy, some, test::is_negative{}) == negative);
        CHECK(wf::reduce(policy, some, short{0}, wf::minimum{}) == least);
        typename Fixture::template slot<long long> slot;
        wf::reduce_async(policy, wf::project(wf::zip(range, some), test::product_of_shorts{}), 5ll,
                         wf::plus{}, slot.pointer());
        CHECK(slot.value() == squares);
        CHECK(wf::sum(policy, wf::reverse(some)) == sum);
        const auto last = wf::reduce(policy, wf::reverse(some), wf::arg(wf::maximum{}));
        CHECK((n == 0 || values[n - 1 - last.index] == last.value));
        CHECK(wf::sum(policy, wf::where(some, test::range_of<Fixture, unsigned char>(
                                                  mask, limit / 8 + 1))) == sum_where);
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("a size in memory for blocks with several rounds", Fixture,
                          counted_rounds) {
  constexpr unsigned limit = 30011;
  const auto values = test::whole_data<wf::plus, short>(limit);
  const typename Fixture::template array<short> placed(values, 2);
  const auto range = test::range_of<Fixture, short>(placed, limit);
  for (const auto& kernel : {wf::kernel::single_pass<>{.block = 64, .grid = 3},
                             wf::kernel::single_pass<>{.block = 64, .grid = 40},
                             wf::kernel::single_pass<>{.block = 64, .grid = 200}}) {
    for (const unsigned n : {0u, 7u, 8u, 1000u, 15001u, limit}) {
      INFO(n, " elements, at most ", kernel.grid, " blocks");
      const typename Fixture::template array<unsigned> count(std::vector<unsigned>{n}, 4);
      long long sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += 2ll * values[i];
      const auto twice = wf::project(wf::counted(range, count.data()), test::twice{});
      CHECK(wf::sum(Fixture::policy().with_kernel(kernel), twice) == sum);
    }
  }
}
