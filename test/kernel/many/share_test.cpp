// The fold of a share of a range in the emulation: whole ranges by a warp and by a block, and
// parts.
// needs: boost_context
#include <warpfold/kernel/many/share.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

using view = wf::contiguous_view<std::uint64_t>;
template <class Op>
using hash_fold = wf::reduction<view, Op>;
template <class Op>
using shares = wf::kernel::share_fold<hash_fold<Op>, 1>;  // of two warps
using hashes = std::vector<std::uint64_t>;

/// The folds of the parts of a range by blocks of two warps, of the whole by the last block, and by
/// each warp alone.
template <class Op>
hashes folded(const hashes& v, unsigned parts, unsigned shift) {
  hashes results(parts + 3, 1);
  test::emulated_launch on;
  const auto out = on.array(results);
  const std::uint64_t* const in = on.read_only(v);
  const std::size_t size = v.size();
  on.run({parts + 2, 64}, [=] {
    WARPFOLD_SHARED typename shares<Op>::values_type values;
    const hash_fold<Op> r{view(in, size), {}, {}};
    const auto at = [&](unsigned k) { return [&out, k](std::uint64_t a) { out.store(k, a); }; };
    if (blockIdx.x < parts) {
      shares<Op>::fold(r, {parts, blockIdx.x, 2}, shift, wf::caching::keep, values, at(blockIdx.x));
    } else if (blockIdx.x == parts) {
      shares<Op>::fold(r, {1, 0, 2}, 0, wf::caching::keep, values, at(parts));
    } else {
      shares<Op>::fold(r, {1, 0, 1}, 0, wf::caching::keep, values,
                       at(parts + 1 + threadIdx.x / 32));
    }
  });
  return results;
}

}  // namespace

TEST_CASE("parts are nodes of the declared order, and a whole range is its fold") {
  static_assert(shares<test::ordered_hash>::is_ordered);
  constexpr unsigned tile = shares<test::ordered_hash>::tile;  // chunks of two elements
  for (const unsigned more : {0u, 1u}) {
    unsigned shift = 0;
    while (1u << shift < 2 * tile << more) ++shift;
    const std::size_t part = std::size_t{2} << shift;
    for (const std::size_t n : {2 * part + 1, 3 * part - 1, 3 * part}) {
      const hashes v = test::ordered_elements(n);
      const hashes got = folded<test::ordered_hash>(v, 3, shift);
      const auto want = [&](std::size_t from, std::size_t to) {
        return test::recursive_fold<std::uint64_t>(
            test::ordered_hash{}, [&](std::size_t i) { return v[i]; }, from, to);
      };
      INFO(n, " elements in parts of ", part);
      CHECK(got == hashes{want(0, part), want(part, 2 * part), want(2 * part, n), want(0, n),
                          want(0, n), want(0, n)});
    }
  }
}

TEST_CASE("in any order the parts together have each element once") {
  static_assert(!shares<wf::plus>::is_ordered);
  for (const std::size_t n : {5000, 4097, 100}) {
    hashes v(n);
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < n; ++i) all += v[i] = i * i + 1;
    const hashes got = folded<wf::plus>(v, 3, 0);
    CHECK(got[0] + got[1] + got[2] == all);
    CHECK(got[3] == all);
    CHECK(got[4] == all);
    CHECK(got[5] == all);
  }
}

TEST_CASE("wider states get more registers") {
  static_assert(wf::kernel::share_fold<wf::reduction<wf::contiguous_view<float>, wf::plus>,
                                       3>::min_blocks_per_multiprocessor == 4);
  static_assert(wf::kernel::share_fold<wf::reduction<wf::contiguous_view<double>, wf::plus>,
                                       3>::min_blocks_per_multiprocessor == 3);
  static_assert(
      wf::kernel::share_fold<hash_fold<test::ordered_hash>, 3>::min_blocks_per_multiprocessor == 2);
}
