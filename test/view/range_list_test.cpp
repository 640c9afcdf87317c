// Lists of ranges: which ones are lists, and the views of their ranges.
#include <warpfold/view/range_list.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <vector>

namespace wf = warpfold;

TEST_CASE("the ranges of a list are views of contiguous elements of one type") {
  const std::vector<std::vector<short>> lists{{1, 2}, {}, {3, 4, 5}};
  const auto view = wf::as_view(lists);
  const wf::range_list<std::remove_const_t<decltype(view)>> list(view);
  static_assert(std::is_same_v<decltype(list[0]), wf::contiguous_view<short>>);
  CHECK(list.size() == 3);
  CHECK(list[0].data() == lists[0].data());
  CHECK(list[2].size() == 3);
  CHECK(list.begin(2) == 0);
  CHECK(list.end(2) == 3);
  CHECK(list.end(1) == 0);
  static_assert(wf::detail::check_range_list<std::vector<std::vector<short>>>());
  static_assert(wf::detail::check_range_list<std::array<std::span<const float, 4>, 3>>());
  static_assert(wf::detail::check_braced_ranges<std::span<int>>());
}

TEST_CASE("a range larger than the address space is refused") {
  const float x = 0;
  const std::vector<std::span<const float>> spans{{&x, std::size_t{1} << 62}};
  const auto view = wf::as_view(spans);
  const wf::range_list<std::remove_const_t<decltype(view)>> list(view);
  CHECK_THROWS_AS((void)list[0], wf::invalid_range);
}
