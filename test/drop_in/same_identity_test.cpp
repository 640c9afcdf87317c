// The identity of another library's function object: theirs runs, in their type, and only the
// identity is ours.
#include <warpfold/drop_in/same_identity.hpp>

#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

/// Functions of another library, which saturate instead of wrapping around.
struct their_plus {
  int operator()(int a, int b) const {
    const long long sum = static_cast<long long>(a) + b;
    return sum > std::numeric_limits<int>::max() ? std::numeric_limits<int>::max()
                                                 : static_cast<int>(sum);
  }
};
struct their_multiplies {
  float operator()(float a, float b) const { return a * b; }
};
struct point {
  int x, y;
};
struct add_points {
  point operator()(const point& a, const point& b) const { return {a.x + b.x, a.y + b.y}; }
};

template <class Theirs, class Ours, class T>
using traits = wf::detail::same_identity<Theirs, Ours, T>;
static_assert(std::is_same_v<traits<their_plus, wf::plus, int>::accumulator, int>);
static_assert(std::is_same_v<traits<their_plus, wf::plus, signed char>::accumulator, int>);
static_assert(traits<their_plus, wf::plus, int>::has_identity);
static_assert(traits<their_plus, wf::plus, int>::identity({}) == 0);
static_assert(traits<their_multiplies, wf::multiplies, float>::identity({}) == 1);
static_assert(!traits<add_points, wf::plus, point>::has_identity);

}  // namespace

template <class T>
struct warpfold::op_traits<their_plus, T> : detail::same_identity<their_plus, plus, T> {};
template <class T>
struct warpfold::op_traits<their_multiplies, T>
    : detail::same_identity<their_multiplies, multiplies, T> {};

TEST_CASE("their function folds, in their type") {
  const std::vector<int> v(4, 1 << 30);
  static_assert(std::is_same_v<decltype(wf::reduce(wf::seq, v, their_plus{})), int>);
  CHECK(wf::reduce(wf::seq, v, their_plus{}) == std::numeric_limits<int>::max());
}

TEST_CASE("an empty range gives our identity") {
  CHECK(wf::reduce(wf::seq, std::vector<int>{}, their_plus{}) == 0);
  CHECK(wf::reduce(wf::seq, std::vector<float>{}, their_multiplies{}) == 1);
}
