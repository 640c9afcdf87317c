// drop_in/their_types.hpp: folds with the types of another library, on host threads and in kernels.
// needs: tbb boost_context
#include <warpfold/drop_in/their_types.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

namespace {

struct add {
  template <class A, class B>
  auto operator()(const A& a, const B& b) const {
    return a + b;
  }
};
/// Not const, and it counts its calls in itself.
struct subtract {
  int calls = 0;
  double operator()(double a, double b) {
    ++calls;
    return a - b;
  }
};

template <class A, class T, class Init>
Init sum(const std::vector<T>& v, Init init) {
  const Init one = wf::detail::reduce_in<A>(wf::seq, wf::as_view(v), init, add{});
  CHECK(wf::detail::reduce_in<A>(wf::par, wf::as_view(v), init, add{}) == one);
  CHECK(wf::detail::reduce_in<A>(wf::emulated, wf::as_view(v), init, add{}) == one);
  return one;
}

}  // namespace

template <>
struct wf::detail::own_op<add, long long> : wf::detail::stateless_op<wf::plus> {};

TEST_CASE("the accumulator converts each element, and the init's type is the result's") {
  const std::vector<float> v{1.5f, 2.5f, 3.5f, 4.5f};
  CHECK(sum<int>(v, 0) == 10);
  CHECK(sum<float>(v, 0) == 12);
  CHECK(sum<double>(v, 0.25f) == 12.25f);
  CHECK(sum<unsigned char>(std::vector<int>(1000, 1), 7) == (1007 & 255));
  static_assert(std::is_same_v<decltype(sum<float>(v, 0)), int>);
}

TEST_CASE("an empty range gives the init unchanged") {
  // A float cannot hold it.
  CHECK(sum<float>(std::vector<float>{}, 16777217) == 16777217);
}

TEST_CASE("an op of this library may stand for theirs, and integers keep their type") {
  using kept = decltype(wf::detail::elements_in<wf::plus, long long>(
      wf::as_view(std::declval<const std::vector<std::int8_t>&>())));
  static_assert(std::is_same_v<kept, wf::contiguous_view<const std::int8_t>>);
  using converted = decltype(wf::detail::elements_in<wf::plus, int>(
      wf::as_view(std::declval<const std::vector<float>&>())));
  static_assert(std::is_same_v<converted::value_type, int>);
  CHECK(sum<long long>(std::vector<std::int8_t>(100'000, -128), 5) == 5 - 12'800'000);
}

TEST_CASE("pairs: as many elements of the second range as the first one has") {
  const std::vector<int> a{5, 6, 7};
  const std::vector<double> b{0.5, 1.5, 2.5, 100};
  const wf::detail::pairwise<subtract, float> difference{};
  const auto pairs = wf::detail::pairs_of(a.begin(), a.end(), b.begin());
  CHECK(wf::sum(wf::seq, wf::project(pairs, difference)) == 13.5f);
  const auto indexed = wf::detail::indexed_pairs_of(a.begin() + 1, a.end(), b.begin());
  REQUIRE(indexed.size() == 2);
  CHECK(indexed[1] == wf::tuple<int, double, std::size_t>{7, {1.5, {1}}});
  CHECK(wf::detail::iterator_at(a.begin(), 2) == a.begin() + 2);
}
