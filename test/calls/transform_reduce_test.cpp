// transform_reduce and transform_reduce_async by wf::seq: which function is called how often, and
// in which type its results are folded. The contract of transformations runs them by every policy.
#include <warpfold/transform_reduce.hpp>

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/op/arg.hpp>

namespace wf = warpfold;

namespace {

struct particle {
  float mass;
  int id;
};

}  // namespace

TEST_CASE("the function is called once for each element, and its results are folded") {
  const std::vector<std::string> words = {"a", "four", "letters"};
  const std::vector<int> at = {0, 1, 2};  // elements are trivially copyable
  int calls = 0;
  const auto length = [&](int i) {
    ++calls;
    return words[static_cast<std::size_t>(i)].size();
  };
  CHECK(wf::transform_reduce(wf::seq, at, wf::plus{}, length) == 12);
  CHECK(calls == 3);
  CHECK(wf::transform_reduce(wf::seq, at, wf::maximum{}, length) == 7);
}

TEST_CASE("results are folded in the op's accumulator for the function's type") {
  const std::vector<int> v = {200, 100, 300};
  const auto narrow = [](int x) { return static_cast<unsigned char>(x); };  // 200, 100, 44
  const auto sum = wf::transform_reduce(wf::seq, v, wf::plus{}, narrow);
  static_assert(std::is_same_v<decltype(sum), const unsigned long long>);
  CHECK(sum == 344);
  const auto as_float = wf::transform_reduce(wf::seq, v, 0.5f, wf::plus{}, narrow);
  static_assert(std::is_same_v<decltype(as_float), const float>);
  CHECK(as_float == 344.5f);
}

TEST_CASE("members as functions, and ops that know the index") {
  const std::vector<particle> ps = {{1, 5}, {8, 6}, {2, 7}};
  CHECK(wf::transform_reduce(wf::seq, ps, wf::plus{}, &particle::mass) == 11);
  const auto heaviest = wf::transform_reduce(wf::seq, ps, wf::arg(wf::maximum{}), &particle::mass);
  CHECK(heaviest.value == 8);
  CHECK(heaviest.index == 1);
}

TEST_CASE("the init, the identity, or empty_range") {
  const std::vector<int> nothing;
  const auto half = [](int x) { return x * 0.5; };
  const auto less = [](double a, double b) { return a < b ? a : b; };
  CHECK(wf::transform_reduce(wf::seq, nothing, wf::multiplies{}, half) == 1);
  CHECK(wf::transform_reduce(wf::seq, nothing, 3.0, less, half) == 3);
  CHECK(wf::transform_reduce(wf::seq, std::vector<int>{9, 4}, 3.0, less, half) == 2);
  CHECK_THROWS_AS(wf::transform_reduce(wf::seq, nothing, less, half), wf::empty_range);
}

TEST_CASE("the result is written in the type that it is written to") {
  const std::vector<int> v = {3, 4};
  float out = -1;
  wf::transform_reduce_async(wf::seq, v, wf::plus{}, [](int x) { return x * 0.25; }, &out);
  CHECK(out == 1.75f);
  CHECK_THROWS_AS(
      wf::transform_reduce_async(
          wf::seq, v, wf::plus{}, [](int x) { return x * 0.25; }, static_cast<float*>(nullptr)),
      wf::invalid_range);
}

TEST_CASE("values are combined in the accumulator, and the result is converted to the init once") {
  const std::vector<int> large(8, 1 << 30);
  const auto same = [](int x) { return x; };
  CHECK(wf::transform_reduce(wf::seq, large.begin(), large.end(), 0ll, std::plus<>{}, same) ==
        1ll << 33);
  // The maximum is 256 + 2. It would be 5 if the values were converted to 8 bits first.
  const std::vector<int> two = {256 + 2, 5};
  CHECK(wf::transform_reduce(wf::seq, two.begin(), two.end(), static_cast<signed char>(0),
                             wf::maximum{}, same) == 2);
}
