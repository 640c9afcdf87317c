// drop_in/places.hpp: the places that the ops find do not depend on the order, and ties go to the
// first element.
// needs: tbb boost_context
#include <warpfold/drop_in/places.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <warpfold/drop_in/their_types.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

namespace wf = warpfold;

namespace {

struct by_last_digit {
  bool operator()(int a, int b) { return a % 10 < b % 10; }
};
struct is_small {
  bool operator()(int x) const { return x < 50; }
};
struct same {
  bool operator()(int a, int b) const { return a == b; }
};

/// The same result of wf::seq, threads and kernels.
template <class View, class Op>
auto folded(const View& view, const Op& op) {
  const auto one = wf::reduce(wf::seq, view, op);
  const auto threads = wf::reduce(wf::par, view, op);
  const auto kernel = wf::reduce(wf::emulated, view, op);
  CHECK(one == threads);
  CHECK(one == kernel);
  return one;
}

template <bool IsGreatest>
std::size_t extremum(const std::vector<int>& v) {
  return folded(wf::as_view(v), wf::detail::extremum_by<IsGreatest>(by_last_digit{})).index;
}

}  // namespace

TEST_CASE("extremum_by: the first of equivalent elements") {
  std::vector<int> v(5000, 15);
  CHECK(extremum<false>(v) == 0);
  CHECK(extremum<true>(v) == 0);
  v[1200] = v[3100] = 41;
  v[1300] = v[4100] = 8;
  CHECK(extremum<false>(v) == 1200);
  CHECK(extremum<true>(v) == 1300);
  CHECK(extremum<true>({7}) == 0);
}

TEST_CASE("compared_elements: zeros of both signs are one, in the order of numbers only") {
  const std::vector<double> v{-0.0, 0.0, -1};
  const auto view = wf::as_view(v);
  const auto one_zero = wf::detail::compared_elements<wf::arg_op<wf::maximum>>(view);
  CHECK(folded(one_zero, wf::arg(wf::maximum{})).index == 0);
  CHECK(folded(view, wf::arg(wf::maximum{})).index == 1);
  using own = decltype(wf::arg_by(by_last_digit{}));
  static_assert(std::is_same_v<decltype(wf::detail::compared_elements<own>(view)),
                               wf::contiguous_view<const double>>);
}

TEST_CASE("place_if_refused: the minimum is the first difference") {
  std::vector<int> a(5000, 3), b = a;
  const auto place = [&] {
    const auto pairs = wf::detail::indexed_pairs_of(a.begin(), a.end(), b.begin());
    return folded(wf::project(pairs, wf::detail::place_if_refused<same>{}), wf::minimum{});
  };
  CHECK(place() == ~std::size_t{0});
  b[4999] = 0;
  CHECK(place() == 4999);
  b[77] = 0;
  CHECK(place() == 77);
  b[0] = 0;
  CHECK(place() == 0);
}

TEST_CASE("is_partition: no accepted element after a refused one") {
  const auto answer = [](const std::vector<int>& v) {
    return folded(wf::project(v, is_small{}), wf::detail::is_partition{});
  };
  CHECK(answer({}));
  CHECK(answer({1}));
  CHECK(answer({90}));
  CHECK(answer({1, 90}));
  CHECK_FALSE(answer({90, 1}));
  std::vector<int> v(5000, 1);
  CHECK(answer(v));
  for (std::size_t i = 2500; i < 5000; ++i) v[i] = 90;
  CHECK(answer(v));
  v[4999] = 1;
  CHECK_FALSE(answer(v));
  v[4999] = v[0] = 90;
  CHECK_FALSE(answer(v));
}
