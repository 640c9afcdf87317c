// kernel::detail::block_tables in the emulation: tables of threads and of warps, and the fold of
// tables in global memory.
// needs: boost_context
// flags: -O1
#include <warpfold/kernel/classes/block_tables.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/fold.hpp>
#include <warpfold/op/plus.hpp>

#include "contract/emulated_launch.hpp"

namespace {

using wf_fold = warpfold::fold<warpfold::plus, int>;
namespace detail = warpfold::kernel::detail;

/// Value `i` is `i` and has label `i % 7`; there are `rows` rows.
struct numbers {
  using label_type = int;
  unsigned rows;

  int label(std::size_t i) const { return static_cast<int>(i % 7); }
  unsigned row(int label) const {
    const auto l = static_cast<unsigned>(label);
    return l < rows ? l : rows;
  }
  int state(std::size_t i) const { return static_cast<int>(i); }
};

/// Folds values 5 to `end` - 1 with `rows` rows, and then three copies of the result.
template <bool PerThread>
void check(unsigned threads, unsigned rows, std::size_t end) {
  INFO(threads, " threads, ", rows, " rows, values up to ", end);
  std::vector<int> sums(rows, -1), all(rows, -1), copies(3 * rows, -1), want(rows);
  for (std::size_t i = 5; i < end; ++i) {
    if (i % 7 < rows) want[i % 7] += static_cast<int>(i);
  }
  test::emulated_launch on;
  const auto to = on.array(sums), to_all = on.array(all), tables = on.array(copies);
  unsigned bits = 1;
  while (rows >> bits != 0) ++bits;
  on.run({1, threads, detail::states_of_block<PerThread>(threads, rows) * sizeof(int)}, [=] {
    const wf_fold fold{};
    const detail::block_tables<wf_fold, PerThread> own(fold, rows, bits);
    own.clear();
    warpfold::__syncthreads();
    own.template fold_values<4>(numbers{rows}, 5, end);
    own.finish([&](unsigned c, int sum) {
      to.store(c, sum);
      for (unsigned k = 0; k < 3; ++k) tables.store(k * rows + c, sum);
    });
    warpfold::__syncthreads();
    own.finish_all(tables, 3, [&](unsigned c, int sum) { to_all.store(c, sum); });
  });
  CHECK(sums == want);
  for (int& w : want) w *= 3;
  CHECK(all == want);
}

}  // namespace

TEST_CASE("sums by label, of any number of values, rows and threads") {
  for (const unsigned threads : {32u, 64u, 128u}) {
    for (const unsigned rows : {1u, 3u, 7u, 9u, 64u, 200u}) {
      for (const std::size_t end : {5, 6, 36, 37, 133, 1000}) {
        check<true>(threads, rows, end);
        check<false>(threads, rows, end);
      }
    }
  }
}
