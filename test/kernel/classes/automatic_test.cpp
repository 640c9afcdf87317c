// kernel::automatic_classes: which kernel runs counts and which runs other folds.
// needs: boost_context
// flags: -O1
#include <warpfold/kernel/classes/automatic.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_class.hpp>

namespace wf = warpfold;

TEST_CASE("counts and sums have kernels of their own") {
  const std::vector<int> labels{1, 0, 1}, values{4, 5, 6};
  std::vector<int> out(2);
  const auto kernel = [] {
    return std::string_view(wf::emulation::last_report().launches.at(0).launch.kernel);
  };
  wf::count_by_class(wf::emulated.counting(), labels, 2, out);
  CHECK(kernel() == "class_counts");
  CHECK(out == std::vector<int>{1, 2});
  wf::reduce_by_class(wf::emulated.counting(), labels, values, 2, wf::plus{}, out);
  CHECK(kernel() == "class_tables");
  CHECK(out == std::vector<int>{5, 10});
}
