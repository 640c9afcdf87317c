// Views of iterators, and iterators over views.
#include <warpfold/view/iterator.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <iterator>

#include "contract/view_contract.hpp"

TEST_CASE("view_iterator: a view for algorithms that want iterators") {
  const std::vector<int> v = {3, 1, 4, 1, 5};
  const auto doubled = wf::project(v, [](int x) { return 2 * x; });
  const auto first = wf::begin_of(doubled);
  const auto last = first + 5;
  CHECK(last - first == 5);
  CHECK(last - (first + 2) == 3);
  CHECK(*first == 6);
  CHECK(first[2] == 8);
  CHECK(*(last - 1) == 10);
  CHECK(first < last);
  CHECK(std::vector<int>(first, last) == std::vector<int>{6, 2, 8, 2, 10});
  auto i = first;
  CHECK(*i++ == 6);
  CHECK(*++i == 8);
  CHECK(*i-- == 8);
  CHECK(*--i == 6);
  CHECK(i == first);
}

TEST_CASE("it is an iterator to the standard library") {
  using iterator = wf::view_iterator<wf::counting_view<int>>;
  static_assert(std::random_access_iterator<wf::view_iterator<wf::contiguous_view<int>>>);
  const auto first = wf::begin_of(wf::counting(10, 100));
  static_assert(std::is_same_v<decltype(first), const iterator>);
  CHECK(*std::lower_bound(first, first + 100, 57) == 57);
  CHECK(*(2 + first) == 12);
  CHECK((first <=> first + 1) < 0);
  auto i = first + 5;
  i -= 3;
  CHECK(i - first == 2);
  // A view without a default constructor has iterators without one.
  static_assert(!std::default_initializable<iterator>);
}

TEST_CASE("the cheapest iterator: the pointer of contiguous elements, the one behind a view") {
  const std::vector<int> v = {1, 2, 3};
  CHECK(wf::begin_of(wf::as_view(v)) == v.data());
  const std::deque<int> d = {4, 5};
  const wf::iterator_view<std::deque<int>::const_iterator> view(d.begin(), d.size());
  CHECK(wf::begin_of(view) == d.begin());
}

TEST_CASE("the elements behind an iterator are loaded one at a time") {
  const std::deque<int> d = {3, 1, 4, 1, 5};
  const wf::iterator_view<std::deque<int>::const_iterator> view(d.begin(), d.size());
  test::check_chunks(view);
  CHECK(view.size() == 5);
  CHECK(view[2] == 4);
  CHECK(wf::bytes_of(view) == 0);  // where they are is not known
  // A reference is loaded, a value is computed.
  static_assert(!wf::detail::computes_elements<decltype(view)>());
  static_assert(wf::detail::computes_elements<
                wf::iterator_view<wf::view_iterator<wf::counting_view<int>>>>());
}
