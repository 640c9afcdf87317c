// Parts of views for kernels: the same elements, of arrays, projections, zips and other views.
#include <warpfold/view/part.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/view/counting.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/view/reverse.hpp>

namespace wf = warpfold;

namespace {

const std::vector<int> numbers{5, 3, 8, 1, 9, 2, 7};

template <class View>
void check(const View& v) {
  const wf::global_loads loads(wf::caching::keep);
  for (std::size_t first = 0; first < v.size(); ++first) {
    const auto part = wf::detail::part_in_kernel(v, first, v.size() - first);
    for (std::size_t i = first; i < v.size(); ++i) {
      CHECK(part.at(i - first, loads) == v.at(i, loads));
    }
  }
}

}  // namespace

TEST_CASE("a part has the view's elements from the first one on") {
  const auto array = wf::as_view(numbers);
  const auto twice = [](int x) { return 2 * x; };
  const auto sum = [](int x, int y) { return x + y; };
  check(array);
  check(wf::project(array, twice));
  check(wf::project(wf::zip(array, wf::project(array, twice)), sum));
  check(wf::reverse(array));
  const int count = 4;
  check(wf::counted(array, &count));
  check(wf::project(wf::counted(array, &count), twice));
  check(wf::counting(3, 9));
  check(wf::project(wf::zip(array, wf::counting(3, 7)), sum));
  check(wf::project(wf::reverse(array), twice));
}

TEST_CASE("parts of arrays, projections and zips are such views again") {
  const auto array = wf::as_view(numbers);
  const auto twice = [](int x) { return 2 * x; };
  static_assert(wf::view<decltype(wf::detail::part_in_kernel(array, 1, 2))>);
  const auto zipped = wf::zip(array, wf::project(array, twice));
  static_assert(wf::view<decltype(wf::detail::part_in_kernel(zipped, 1, 2))>);
  const int count = 4;
  static_assert(
      std::is_same_v<decltype(wf::detail::part_in_kernel(wf::counted(array, &count), 1, 2)),
                     wf::contiguous_view<int>>);
}
