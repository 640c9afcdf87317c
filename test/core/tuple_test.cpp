// tuple: its elements by number, comparison, and conversion to the tuples of other libraries.
// needs: cccl
#include <warpfold/core/tuple.hpp>

#include <doctest/doctest.h>

#include <cuda/std/tuple>
#include <string>
#include <tuple>
#include <vector>

namespace wf = warpfold;

TEST_CASE("tuples are equal if every element is") {
  using three = wf::tuple<int, double, char>;
  const three t{1, {2.5, {'a'}}};
  CHECK(t == three{1, {2.5, {'a'}}});
  CHECK_FALSE(t == three{2, {2.5, {'a'}}});
  CHECK_FALSE(t == three{1, {3.5, {'a'}}});
  CHECK_FALSE(t == three{1, {2.5, {'b'}}});
}

TEST_CASE("elements of a tuple are got by their number, as they are stored") {
  wf::tuple<int, double, std::vector<int>> t{1, {2.5, {{7, 8}}}};
  wf::get<0>(t) = 5;
  CHECK(wf::get<0>(std::as_const(t)) == 5);
  CHECK(&wf::get<2>(t) == &t.tail.tail.head);
  const std::vector<int> moved = wf::get<2>(std::move(t));
  CHECK(moved == std::vector<int>{7, 8});
  CHECK(wf::get<2>(t).empty());
  static_assert(std::tuple_size_v<decltype(t)> == 3);
  static_assert(std::is_same_v<std::tuple_element_t<1, decltype(t)>, double>);
}

TEST_CASE("a function of another library's tuple takes a tuple") {
  const wf::tuple<int, double> t{1, {2.5}};
  const auto of_std = [](const std::tuple<long, double>& x) {
    return std::get<0>(x) + std::get<1>(x);
  };
  const auto of_cuda = [](cuda::std::tuple<int, float> x) {
    return cuda::std::get<0>(x) + cuda::std::get<1>(x);
  };
  CHECK(of_std(t) == 3.5);
  CHECK(of_cuda(t) == 3.5f);
  CHECK([](std::pair<int, double> x) { return x.second; }(t) == 2.5);
}

// Only a tuple of as many elements, each of which converts.
template <class To, class... Ts>
inline constexpr bool converts = std::is_convertible_v<wf::tuple<Ts...>, To>;
static_assert(converts<std::tuple<int, std::string>, int, const char*>);
static_assert(!converts<std::tuple<int, std::string>, int, int>);
static_assert(!converts<std::tuple<int, int, int>, int, int>);
static_assert(!converts<std::vector<int>, int, int>);
static_assert(!converts<wf::tuple<long, long>, int, int>);
