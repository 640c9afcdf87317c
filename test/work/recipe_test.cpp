// What follows from an op and the type of the elements.
#include <warpfold/work/recipe.hpp>

#include <doctest/doctest.h>

#include <type_traits>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

namespace {

using wf::detail::accumulator_t;
using wf::detail::folded_t;
using wf::detail::lifted_t;

static_assert(std::is_same_v<lifted_t<wf::plus, short>, short>);
static_assert(std::is_same_v<lifted_t<wf::arg_op<wf::maximum>, short>, wf::indexed<short>>);
static_assert(std::is_same_v<folded_t<wf::plus, short>, long long>);

// Adds `short` in `int`, and `int` in `double`.
struct widening {
  template <class T>
  using accumulator = std::conditional_t<std::is_same_v<T, short>, int, double>;
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
static_assert(std::is_same_v<folded_t<widening, short>, int>);
static_assert(std::is_same_v<accumulator_t<widening, short>, double>);

struct axis {
  bool has_identity;
  struct {
    std::size_t length;
  } layout;
};

}  // namespace

TEST_CASE("only ops with an identity fold an axis without elements") {
  using wf::detail::require_elements;
  CHECK_NOTHROW(require_elements(axis{true, {0}}));
  CHECK_NOTHROW(require_elements(axis{false, {1}}));
  CHECK_THROWS_AS(require_elements(axis{false, {0}}), wf::empty_range);
}

TEST_CASE("on the host, guarded elements are the elements") {
  const int x = -3;
  CHECK(wf::detail::guarded_for<true, wf::maximum>({}, x) == -3);
  CHECK(&wf::detail::guarded_for<false, wf::maximum>({}, x) == &x);
  CHECK(&wf::detail::guarded_for<true, wf::plus>({}, x) == &x);
}
