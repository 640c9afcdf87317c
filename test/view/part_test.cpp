// Parts of views: their elements, and that parts of views that are folded in vectors stay so.
#include <warpfold/view/part.hpp>

#include <deque>

#include <warpfold/view/packed.hpp>
#include <warpfold/view/strided.hpp>

#include "contract/view_contract.hpp"

namespace {

template <class View>
void check_part(const View& view) {
  for (const std::size_t first : {0, 1, 5}) {
    for (const std::size_t size : {0, 1, 9, 14}) {
      const auto some = wf::part_of(view, first, size);
      REQUIRE(some.size() == size);
      for (std::size_t i = 0; i < size; ++i) CHECK((some[i] == view[first + i]));
      test::check_chunks(some);
    }
  }
}

const std::vector<float> floats{1, 5, 2, 4, 3, 9, 7, 8, 6, 0, 11, 15, 12, 14, 13, 19, 17, 18, 16};
const std::vector<short> shorts{4, 3, 7, 2, 1, 9, 8, 5, 6, 0, 10, 13, 12, 11, 15, 14, 18, 17, 16};
const auto doubled = [](float x) { return 2 * x; };

}  // namespace

TEST_CASE("arrays, projections, zips, numbers, and other views") {
  const auto array = wf::as_view(floats);
  check_part(array);
  check_part(wf::project(floats, doubled));
  check_part(wf::zip(floats, wf::project(floats, doubled), wf::counting(4, 19)));
  check_part(wf::packed(shorts));
  check_part(wf::strided(wf::counting(7, 57), 3));
  std::deque<int> hidden(shorts.begin(), shorts.end());
  check_part(wf::as_view(hidden));

  using array_part = decltype(wf::part_of(array, 0, 1));
  static_assert(std::is_same_v<array_part, wf::contiguous_view<float>>);
  using projected = decltype(wf::project(floats, doubled));
  static_assert(std::is_same_v<decltype(wf::part_of(std::declval<projected>(), 0, 1).base()),
                               const wf::contiguous_view<float>&>);
}

TEST_CASE("floats that count are rounded from the begin of the view") {
  const auto numbers = wf::counting(0.0f, std::size_t{1} << 25);
  const auto some = wf::part_of(numbers, 16'777'217, 100);
  for (std::size_t i = 0; i < 100; ++i) CHECK(some[i] == numbers[16'777'217 + i]);
}
