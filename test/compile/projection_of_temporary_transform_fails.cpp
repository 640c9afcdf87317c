// The iterators of std::views::transform refer to the view, which is gone when project returns.
// expect: project would refer to a temporary
#include <ranges>
#include <vector>

#include <warpfold/reduce.hpp>

int call(const std::vector<int>& v) {
  const auto half = [](int x) { return x / 2; };
  const auto all = warpfold::project(std::views::transform(v, half), half);
  return static_cast<int>(warpfold::reduce(warpfold::seq, all));
}
