// The sums of the tables of one warp, and of all, in the emulation.
// needs: boost_context
#include <warpfold/collective/table_sums.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include <warpfold/op/exact_float_table.hpp>
#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/exact_table.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

constexpr unsigned warps = 4, lanes = wf::collective::warp_size;

float number_of(unsigned thread) {
  return std::ldexp(1.0f + static_cast<float>(thread), static_cast<int>(thread % 40) - 20);
}

/// The sums of the first two warps, each by itself, and of warps 2 and 3 together, or of all.
template <class Table, bool Together>
std::vector<float> sums() {
  using word = std::int64_t;
  std::vector<float> found(warps, -1.0f);
  test::emulated_launch on;
  const auto out = on.array(found);
  constexpr unsigned words = Table::words;
  constexpr unsigned each = 2 * words + Table::totals;
  const std::size_t bytes = (lanes * warps * words + warps * each) * sizeof(word);
  on.run({1, warps * lanes, bytes}, [=] {
    const unsigned warp = threadIdx.x / lanes, lane = threadIdx.x % lanes;
    const auto all = wf::collective::dynamic_shared<word>(warps * (lanes * words + each));
    const unsigned first = Together ? 0 : warp, count = Together ? warps : 1;
    word* const from = all.data() + lanes * warps * words + first * each;
    const wf::collective::shared_span<word> low(from, words), high(from + words, words);
    const wf::collective::shared_span<word> state(from + 2 * words, Table::totals);
    const unsigned thread = Together ? threadIdx.x : lane;
    for (unsigned i = thread; i < words; i += count * lanes) {
      low.store(i, 0);
      high.store(i, 0);
    }
    Table own(wf::collective::table_column(
        wf::collective::shared_part<word>(all, warp * lanes * words + lane)));
    typename Table::template group<1, true> group(own);
    group.template slot<0>(true).add(number_of(threadIdx.x));
    group.finish();
    own.finish();
    const auto barrier = [] {
      if constexpr (Together) {
        __syncthreads();
      } else {
        __syncwarp();
      }
    };
    barrier();
    typename Table::marks_type marks[Table::tables];
    wf::collective::add_up_tables(own, all, first, count, low, high, marks, barrier);
    barrier();
    for (unsigned t = thread; t < Table::totals; t += count * lanes) {
      state.store(t, Table::total(
                         t, [&](unsigned i) { return low.load(i); },
                         [&](unsigned i) { return high.load(i); }, marks));
    }
    barrier();
    if (thread == 0) {
      Table::settle(state.data(), count * lanes);
      out.store(first, reinterpret_cast<const wf::exact_sum<float>*>(state.data())->rounded());
    }
  });
  return found;
}

float want(unsigned first, unsigned count) {
  wf::exact_sum<float> sum;
  for (unsigned t = first * lanes; t < (first + count) * lanes; ++t) sum.add(number_of(t));
  return sum.rounded();
}

using column = wf::collective::table_column;
using digits = wf::detail::digit_table<wf::exact_sum<float>, column>;
using floats = wf::detail::float_table<column>;

}  // namespace

TEST_CASE_TEMPLATE("the sums of the tables of a warp, and of a block", Table, digits, floats) {
  CHECK(sums<Table, true>()[0] == want(0, warps));
  const std::vector<float> each = sums<Table, false>();
  for (unsigned w = 0; w < warps; ++w) CHECK(each[w] == want(w, 1));
}
