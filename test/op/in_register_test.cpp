// Tests which elements the library guards against dropped negations, and that the guard changes no
// value.
#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <span>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/field.hpp>
#include <warpfold/view/soa_view.hpp>
#include <warpfold/view/zip.hpp>

namespace wf = warpfold;

namespace {

struct negate {
  template <class T>
  constexpr T operator()(const T& x) const {
    return static_cast<T>(-x);
  }
};
struct to_long {
  long operator()(int x) const { return x; }
};
struct pair {
  int first, second;
};

// Whether `lifted` wraps what `op` folds of such a view.
template <class Op, class View>
constexpr bool is_guarded =
    !std::is_same_v<decltype(wf::lifted(std::declval<const View&>(), std::declval<const Op&>())),
                    View>;

template <class T>
using span_view = wf::contiguous_view<const T>;
template <class T, class F = negate>
using computed = wf::transform_view<span_view<T>, F>;

// Affected: 16- and 32-bit signed integers that a function made, before an op that may compare
// them.
static_assert(is_guarded<wf::maximum, computed<int>>);
static_assert(is_guarded<wf::minimum, computed<short>>);
static_assert(is_guarded<wf::maximum, wf::zip_view<computed<int>, span_view<int>>>);
static_assert(is_guarded<decltype([](int a, int b) { return a < b ? b : a; }), computed<int>>);
// Not affected: other types, memory, and ops that only add.
static_assert(!is_guarded<wf::maximum, computed<float>>);
static_assert(!is_guarded<wf::maximum, computed<long>>);
static_assert(!is_guarded<wf::maximum, computed<signed char>>);
static_assert(!is_guarded<wf::maximum, computed<unsigned>>);
static_assert(!is_guarded<wf::maximum, computed<int, to_long>>);
static_assert(!is_guarded<wf::plus, computed<int>>);
static_assert(!is_guarded<wf::multiplies, computed<short>>);
static_assert(!is_guarded<wf::maximum, span_view<int>>);
static_assert(!is_guarded<wf::maximum, wf::zip_view<span_view<int>, span_view<int>>>);
static_assert(!is_guarded<wf::maximum, wf::counting_view<int>>);
static_assert(!is_guarded<wf::maximum, wf::iterator_view<std::deque<int>::const_iterator>>);
static_assert(!is_guarded<wf::maximum, decltype(wf::field<&pair::first>(
                                           std::declval<std::span<const pair>&>()))>);
static_assert(
    !is_guarded<wf::maximum,
                wf::transform_view<wf::soa_view<pair, &pair::first, &pair::second>, int pair::*>>);
static_assert(wf::never_compares<wf::all_op<wf::plus, wf::moments_op>>);
static_assert(!wf::never_compares<wf::all_op<wf::plus, wf::maximum>>);
static_assert(wf::never_compares<decltype(wf::with_identity(wf::plus{}, 0))>);
// A guarded view is not guarded again.
static_assert(!is_guarded<wf::maximum, wf::transform_view<computed<int>, wf::in_register>>);

TEST_CASE("in_register returns what it is given") {
  constexpr wf::in_register keep{};
  for (const int x : {0, -1, 7, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
    CHECK(keep(x) == x);
    CHECK(keep(static_cast<short>(x)) == static_cast<short>(x));
    const auto both = keep(wf::tuple<int, float>{x, {2.5f}});
    CHECK(wf::get<0>(both) == x);
    CHECK(wf::get<1>(both) == 2.5f);
  }
}

TEST_CASE("extrema of computed integers on the host") {
  const std::vector<int> v{5, -3, 8, 0, -9, 8};
  CHECK(wf::reduce(wf::seq, wf::project(v, negate{}), wf::maximum{}) == 9);
  CHECK(wf::reduce(wf::seq, wf::project(v, negate{}), wf::arg(wf::minimum{})) ==
        wf::indexed<int>{-8, 2});
  const auto both =
      wf::reduce(wf::seq, v, wf::all(wf::projected(wf::maximum{}, negate{}), wf::plus{}));
  CHECK(wf::get<0>(both) == 9);
  CHECK(wf::get<1>(both) == 9);
}

}  // namespace
