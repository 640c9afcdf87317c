// Launches that do nothing unless a group is marked, in the emulation.
// needs: boost_context
#include <warpfold/kernel/launches_if_marked.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/emulation/execution_model.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

struct store_5 {
  static constexpr int max_block = 64;
  static constexpr bool calls_user_functions = false;
  wf::collective::global_array<int> out;

  void operator()() const { out.store(threadIdx.x, 5); }
};

/// A kernel with scratch, as those that may call `scratch` once.
struct two_launches {
  void enqueue(const wf::collective::global_array<int>& out, auto& launcher) const {
    (void)launcher.template scratch<int>(10);
    launcher.launch("first", store_5{out}, {wf::grid_of(1), 64});
    launcher.launch("second", store_5{{out.data + 64, 64}}, {wf::grid_of(1), 64});
  }
};

}  // namespace

TEST_CASE("launches run if a group is marked, and not after the list is empty again") {
  test::emulated_launch on;
  std::vector<int> values(128);
  const auto out = on.array(values);
  const auto grid = on.launcher().grid();
  const auto run_if_marked = [&] {
    values.assign(128, 0);
    (void)on.launcher().start_next_kernel();
    (void)on.launcher().scratch<int>(10);  // that of the kernel before
    wf::kernel::launcher_if_marked again(on.launcher());
    two_launches{}.enqueue(out, again);
    wf::kernel::clear_marks{}.enqueue(on.launcher());
    return values;
  };
  CHECK(run_if_marked() == std::vector<int>(128, 0));
  on.run({1, 32}, [=] {
    if (threadIdx.x == 3) wf::collective::marked_groups<std::size_t>(grid).enter(7);
  });
  CHECK(run_if_marked() == std::vector<int>(128, 5));
  CHECK(run_if_marked() == std::vector<int>(128, 0));
  on.launcher().finish();
}
