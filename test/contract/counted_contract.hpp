/// @file
/// The test suite for ranges whose size lies in memory. The fixture is that of policy_contract.hpp;
/// for transformations it also has a `target`, as in transform_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform_reduce.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/staged.hpp>
#include <warpfold/view/where.hpp>

#include "contract/policy_contract.hpp"
#include "contract/transform_contract.hpp"

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

namespace test {

/// Checks that `write(out)` writes `expected(i)` to the first `n` elements of `out`, and leaves
/// those behind unchanged. `out` has two more elements than `limit`.
template <class Fixture, class To, class Write, class Expected>
void check_written(std::size_t n, std::size_t limit, std::size_t offset, const Write& write,
                   const Expected& expected) {
  const To blank = element_from<To>(91);
  const std::size_t aligned = offset / alignof(To) * alignof(To);
  typename Fixture::template target<To> out(std::vector<To>(limit + 2, blank), aligned);
  write(std::span<To>(out.data(), limit + 2));
  const auto got = out.values();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    wrong += !equal(got[i], i < n ? static_cast<To>(expected(i)) : blank);
  }
  INFO(n, " of ", limit, " elements, ", offset, " bytes from alignment");
  CHECK(wrong == 0);
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("transformations of as many elements as memory says", Fixture,
                          counted_transforms) {
  const auto policy = Fixture::policy();
  for (const unsigned limit : {3u, 4096u, 5003u}) {
    const auto ints = test::some_ints(limit);
    const auto bytes = test::whole_data<wf::plus, unsigned char>(limit);
    std::vector<test::three_floats> floats;
    for (unsigned i = 0; i < limit; ++i) {
      floats.push_back(test::element_from<test::three_floats>(i));
    }
    for (const std::size_t in_offset : {0, 4, 8}) {
      const typename Fixture::template array<int> i_placed(ints, in_offset);
      const typename Fixture::template array<unsigned char> b_placed(bytes, in_offset + 3);
      const typename Fixture::template array<test::three_floats> f_placed(floats, in_offset);
      const auto i_range = test::range_of<Fixture, int>(i_placed, limit);
      const auto b_range = test::range_of<Fixture, unsigned char>(b_placed, limit);
      const auto f_range = test::range_of<Fixture, test::three_floats>(f_placed, limit);
      for (const std::size_t out_offset : {0, 4, 12}) {
        for (const unsigned n : {0u, 1u, 2u, 31u, limit / 5 * 2, limit - 1, limit}) {
          if (n > limit) continue;
          const typename Fixture::template array<unsigned> count(std::vector<unsigned>{n}, 4);
          const auto some = wf::counted(i_range, count.data());
          const auto is_written = [&]<class To>(To, const auto& in, const auto& f,
                                                const auto& expected) {
            test::check_written<Fixture, To>(
                n, limit, out_offset, [&](auto out) { wf::transform(policy, in, out, f); },
                expected);
          };
          is_written(int{}, some, test::plus_one{}, [&](std::size_t i) { return ints[i] + 1; });
          is_written(int{}, wf::project(some, test::plus_one{}), test::plus_one{},
                     [&](std::size_t i) { return ints[i] + 2; });
          is_written(int{}, wf::zip(b_range, some), test::sum_of_pair{},
                     [&](std::size_t i) { return bytes[i] + ints[i]; });
          is_written(0.0, wf::counted(b_range, count.data()), test::plus_one{},
                     [&](std::size_t i) { return static_cast<unsigned char>(bytes[i] + 1); });
          // Where chunks of a reversed range begin depends on its size.
          is_written(int{}, wf::reverse(some), test::plus_one{},
                     [&](std::size_t i) { return ints[n - 1 - i] + 1; });
          is_written(test::three_floats{}, wf::counted(wf::staged(f_range), count.data()),
                     test::changed<test::three_floats>{},
                     [&](std::size_t i) { return test::changed<test::three_floats>{}(floats[i]); });
          test::check_written<Fixture, double>(
              n, limit, out_offset, [&](auto out) { wf::copy_async(policy, some, out); },
              [&](std::size_t i) { return ints[i]; });
          test::check_written<Fixture, float>(
              n, limit, out_offset,
              [&](auto out) {
                wf::transform(policy, i_range, some, b_range, out, test::weighted_sum{});
              },
              [&](std::size_t i) { return 2 * ints[i] + bytes[i]; });
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("as many elements in place as memory says", Fixture, counted_in_place) {
  const auto policy = Fixture::policy();
  constexpr unsigned limit = 5003;
  const auto values = test::some_ints(limit);
  const typename Fixture::template array<unsigned char> ones(std::vector<unsigned char>(limit, 1),
                                                             1);
  const auto one_range = test::range_of<Fixture, unsigned char>(ones, limit);
  for (const unsigned n : {0u, 3u, 1025u, limit}) {
    const typename Fixture::template array<unsigned> count(std::vector<unsigned>{n}, 4);
    for (const std::size_t offset : {0, 4, 12}) {
      const auto check = [&](const auto& transform, int more) {
        typename Fixture::template target<int> placed(values, offset);
        transform(std::span<int>(placed.data(), limit));
        const auto got = placed.values();
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < limit; ++i) wrong += got[i] != values[i] + (i < n ? more : 0);
        CHECK(wrong == 0);
      };
      const auto* const number = count.data();
      check([&](auto v) { wf::transform(policy, wf::counted(v, number), v, test::plus_one{}); }, 1);
      check(
          [&](auto v) {
            wf::transform(policy,
                          wf::zip(wf::project(wf::counted(v, number), test::plus_one{}), one_range),
                          v, test::sum_of_pair{});
          },
          2);
    }
  }
}
