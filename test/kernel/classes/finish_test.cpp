// kernel::detail::class_finish in the emulation: the second launch folds the tables of all blocks.
// needs: boost_context
// flags: -O1
#include <warpfold/kernel/classes/finish.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/work/class_reduction.hpp>

namespace wf = warpfold;

namespace {

struct larger {
  WARPFOLD_HD int operator()(int a, int b) const { return b > a ? b : a; }
};

using ints = wf::contiguous_view<const int>;
template <class Op>
using work = wf::class_reduction<ints, ints, Op, wf::contiguous_output<int>>;

/// The results of tables of `classes` entries each.
template <class Op, class Entry>
std::vector<int> finished(std::vector<Entry> tables, std::size_t classes) {
  std::vector<int> out(classes, 9);
  const work<Op> w{ints(nullptr, 0),
                   ints(nullptr, 0),
                   {},
                   classes,
                   wf::contiguous_output<int>(out.data(), classes)};
  wf::emulation::launcher launcher(wf::emulation::default_gpu, nullptr);
  launcher.allow(tables.data(), tables.size() * sizeof(Entry), true);
  launcher.allow(out.data(), classes * sizeof(int), true);
  wf::kernel::detail::finish_classes(
      "finish", w, wf::collective::global_array<Entry>{tables.data(), tables.size()},
      tables.size() / classes, launcher);
  return out;
}

}  // namespace

TEST_CASE("tables of states are added, by a warp or by a thread for each class") {
  for (const std::size_t classes : {3, 9000}) {
    std::vector<long long> tables(40 * classes);
    std::vector<int> want(classes);
    for (std::size_t i = 0; i < tables.size(); ++i) {
      tables[i] = static_cast<long long>(i % 101);
      want[i % classes] += static_cast<int>(i % 101);
    }
    CHECK(finished<wf::plus>(tables, classes) == want);
  }
}

TEST_CASE("tables of numbers are added in the accumulator's type") {
  CHECK(finished<wf::plus>(std::vector<unsigned>{1, 2, 3, 4}, 2) == std::vector<int>{4, 6});
}

TEST_CASE("a class without values keeps its element if the op has no identity") {
  using state = work<larger>::state;
  CHECK(finished<larger>(std::vector<state>{state{}, state{5}, state{}, state{7}}, 2) ==
        std::vector<int>{9, 7});
}
