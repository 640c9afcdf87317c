// Lists of ranges that the policy reads: their ranges, and what is refused.
#include <warpfold/view/ranges_at.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <vector>

#include <warpfold/view/range_list.hpp>

namespace wf = warpfold;

TEST_CASE("each range has its pointer and its size") {
  const std::vector<short> v{1, 2, 3, 4, 5};
  const std::array<const short*, 3> pointers{v.data() + 1, nullptr, v.data()};
  const std::vector<unsigned char> sizes{4, 0, 1};
  const auto list = wf::ranges_at(pointers, sizes);
  static_assert(wf::view<std::remove_const_t<decltype(list)>>);
  static_assert(std::is_same_v<decltype(list)::value_type, wf::contiguous_view<short>>);
  static_assert(wf::detail::check_range_list<std::remove_const_t<decltype(list)>>());
  CHECK(list.size() == 3);
  CHECK(list[0].data() == v.data() + 1);
  CHECK(list[0].size() == 4);
  CHECK(list[1].size() == 0);
  CHECK(list[2].data() == v.data());

  const wf::range_list<std::remove_const_t<decltype(list)>> ranges(wf::as_view(list));
  static_assert(decltype(ranges)::is_read_by_policy);
  CHECK(ranges[0].size() == 4);
  static_assert(!wf::range_list<wf::contiguous_view<std::span<short>>>::is_read_by_policy);
}

TEST_CASE("the elements of pointers to constants and to others are the same") {
  std::vector<int> v{7};
  const std::vector<int*> pointers{v.data()};
  const std::vector<long long> sizes{1};
  const auto list = wf::ranges_at(pointers, sizes);
  static_assert(std::is_same_v<decltype(list)::value_type, wf::contiguous_view<int>>);
  CHECK(list[0][0] == 7);
}

TEST_CASE("the memory that is read is that of the pointers and of the sizes") {
  const std::vector<const float*> pointers(5);
  const std::vector<int> sizes(5);
  std::vector<std::size_t> bytes;
  wf::ranges_at(pointers, sizes).visit_memory([&](const void*, std::size_t n, std::size_t) {
    bytes.push_back(n);
  });
  CHECK(bytes == std::vector<std::size_t>{40, 20});
}

TEST_CASE("as many sizes as pointers") {
  const std::vector<const float*> pointers(5);
  const std::vector<int> sizes(6);
  CHECK_THROWS_WITH_AS(
      (void)wf::ranges_at(pointers, sizes),
      "warpfold: ranges_at got 5 pointers, but 6 sizes; pass a size for each pointer",
      wf::invalid_range);
}
