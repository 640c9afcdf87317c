// The checks behind the errors about ranges: what is taken for a range or an iterator. The errors
// themselves: test/compile/.
#include <warpfold/view/range_check.hpp>

#include <doctest/doctest.h>

#include <list>
#include <memory>
#include <span>
#include <vector>

namespace {

namespace detail = warpfold::detail;

struct point {
  int x;
};

}  // namespace

// Ranges and what a caller may mistake for one, which gets an error of its own.
static_assert(detail::range_or_iterator<std::vector<int>>);
static_assert(detail::range_or_iterator<std::list<int>>);  // not reducible, but a range
static_assert(detail::range_or_iterator<int*>);
static_assert(detail::range_or_iterator<std::vector<int>::iterator>);
static_assert(detail::range_or_iterator<int[2][3]>);
static_assert(detail::range_or_iterator<detail::braces>);
static_assert(!detail::range_or_iterator<int>);
static_assert(!detail::range_or_iterator<point>);

static_assert(detail::some_iterator<std::list<int>::iterator>);
static_assert(detail::some_iterator<const void*>);
static_assert(!detail::some_iterator<std::vector<int>>);
static_assert(!detail::some_iterator<std::unique_ptr<int>>);

// Elements with their qualifiers, from the iterator that a constant range has.
static_assert(std::is_same_v<detail::element_t<std::vector<int>>, const int>);
static_assert(std::is_same_v<detail::element_t<std::span<volatile int>>, volatile int>);
static_assert(std::is_same_v<detail::element_t<int*>, int>);
static_assert(std::is_same_v<detail::element_t<const int[2][3]>, const int[3]>);
static_assert(std::is_void_v<detail::element_t<point>>);

static_assert(detail::check_range<std::vector<int>>());
static_assert(detail::check_ranges<std::vector<int>, std::span<const float>, int[3]>());
// What was refused before is refused again, without a second error.
static_assert(!detail::check_range<detail::refused>());
static_assert(!detail::check_ranges<std::vector<int>, detail::refused, std::vector<int>>());
static_assert(detail::check_copyable<std::shared_ptr<int>>());

// The result of a refused call fits wherever a result would, so that no further errors follow.
static_assert(std::is_convertible_v<detail::refused, double>);
static_assert(std::is_convertible_v<detail::refused, std::vector<int>>);
static_assert(std::is_same_v<decltype(detail::refused{} + 1.5), detail::refused>);
static_assert(std::is_same_v<decltype(2 * detail::refused{}), detail::refused>);
static_assert(std::is_same_v<decltype(get<0>(detail::refused{})), detail::refused>);
static_assert(
    std::is_same_v<decltype(detail::refused::min - detail::refused::max), detail::refused>);

TEST_CASE("anything converts to the default of a missing argument") {
  const auto takes = [](const detail::braces&) { return true; };
  CHECK(takes({}));
  CHECK(takes({1, 2, 3}));
  CHECK(takes({1, "two", 3.0}));
}
