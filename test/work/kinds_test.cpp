// Kinds of work: the concepts by which a policy's overloads are chosen.
#include <warpfold/work/kinds.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

struct folds_axis {
  using kind = wf::kinds::axis_reduction;
};
struct accumulates_axis : folds_axis {};
struct nothing {};
struct another {
  using kind = int;
};

}  // namespace

TEST_CASE("work is of the kind that it names, or that its base names") {
  CHECK(wf::axis_reduction_work<folds_axis>);
  CHECK(wf::axis_reduction_work<accumulates_axis>);
  CHECK(!wf::transformation_work<folds_axis>);
  CHECK(!wf::axis_reduction_work<nothing>);
  CHECK(!wf::axis_reduction_work<another>);
  CHECK(!wf::axis_reduction_work<int>);
}
