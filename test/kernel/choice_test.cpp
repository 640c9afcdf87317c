// The table of the kernels.
#include <warpfold/kernel/choice.hpp>

#include <doctest/doctest.h>

#include <type_traits>

namespace wf = warpfold;

namespace {

struct axis {
  using kind = wf::kinds::axis_reduction;
};
struct other : wf::kinds::any_kind {};
struct work_of_other {
  using kind = other;
};

}  // namespace

TEST_CASE("each kind of work has its own kernel, or none") {
  CHECK(std::is_same_v<wf::kernel::chosen<axis>, wf::kernel::automatic_axis>);
  CHECK(wf::has_kernel<axis>);
  CHECK(!wf::has_kernel<work_of_other>);
  CHECK(!wf::has_kernel<int>);
}
