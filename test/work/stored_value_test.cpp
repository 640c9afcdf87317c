// Inits in memory and accumulating outputs: what they refer to, and which types take part.
#include <warpfold/work/stored_value.hpp>

#include <doctest/doctest.h>

#include <list>
#include <span>
#include <type_traits>
#include <vector>

namespace wf = warpfold;

namespace {

using wf::detail::accumulates;
using wf::detail::init_value_t;
using wf::detail::is_stored;
using wf::detail::result_target;

static_assert(is_stored<wf::stored_value<int>> && !is_stored<int> && !is_stored<const int*>);
static_assert(std::is_same_v<init_value_t<wf::stored_value<short>>, short>);
static_assert(std::is_same_v<init_value_t<double>, double>);

// A name is referred to, a pointer or a span is copied.
static_assert(std::is_same_v<decltype(wf::accumulate(std::declval<std::vector<int>&>())),
                             wf::accumulating<std::vector<int>&>>);
static_assert(std::is_same_v<decltype(wf::accumulate(std::declval<std::span<int>>())),
                             wf::accumulating<std::span<int>>>);
static_assert(accumulates<wf::accumulating<int*>> && !accumulates<int*>);

static_assert(result_target<int*> && result_target<std::vector<int>&>);
static_assert(result_target<std::span<int>> && result_target<std::vector<int>::iterator>);
static_assert(result_target<wf::accumulating<int*>> && result_target<wf::accumulating<int*>&>);
static_assert(!result_target<int&> && !result_target<std::list<int>::iterator>);
static_assert(!result_target<void*> && !result_target<std::list<int>&>);

}  // namespace

TEST_CASE("value_at refers to the element, and has its type without const") {
  std::vector<int> v = {3, 4};
  const auto of_pointer = wf::value_at(v.data() + 1);
  const auto of_iterator = wf::value_at(v.cbegin());
  static_assert(std::is_same_v<decltype(of_pointer), const wf::stored_value<int>>);
  static_assert(std::is_same_v<decltype(of_iterator), const wf::stored_value<int>>);
  CHECK(of_pointer.from == &v[1]);
  v[0] = 7;
  CHECK(*of_iterator.from == 7);
}

TEST_CASE("accumulate refers to the output") {
  std::vector<int> v = {3, 4};
  CHECK(&wf::accumulate(v).out == &v);
  CHECK(wf::accumulate(std::span(v).last(1)).out.data() == &v[1]);
}
