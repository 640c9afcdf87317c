// drop_in/std.hpp: calls in its namespace have the results and types of std's; the parallel ones
// run on the threads of this library, and all others are std's own.
// needs: tbb
#include <warpfold/drop_in/std.hpp>

#include <limits>
#include <list>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#if defined(CCCL_VERSION) || defined(THRUST_VERSION)
#error "drop_in/std.hpp includes CCCL"
#endif

namespace {

template <class Ours, class Theirs>
void check_same(const Ours& ours, const Theirs& theirs) {
  static_assert(std::is_same_v<Ours, Theirs>);
  CHECK(ours == theirs);
}

// The same call in both namespaces; `s` is the namespace.
#define CHECK_BOTH(...)                       \
  check_same(                                 \
      [&] {                                   \
        namespace s = warpfold::drop_in::std; \
        return s::__VA_ARGS__;                \
      }(),                                    \
      [&] {                                   \
        namespace s = ::std;                  \
        return s::__VA_ARGS__;                \
      }())

std::vector<int> numbers(std::size_t n) {
  std::vector<int> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<int>(i * 7919 % 1009);
  return v;
}

struct by_last_digit {
  bool operator()(int a, int b) const { return a % 10 < b % 10; }
};
struct is_small {
  bool operator()(int x) const { return x < 500; }
};
struct halved {
  double operator()(int x) const { return x * 0.5; }
};

constexpr auto par = std::execution::par;

}  // namespace

TEST_CASE("reduce and transform_reduce: values and types of std's") {
  for (const std::size_t n : {0u, 1u, 31u, 100'003u}) {
    const auto v = numbers(n);
    std::vector<short> w(v.rbegin(), v.rend());
    for (short& x : w) x %= 10;  // GNU's library adds some products in int
    const auto first = v.begin(), last = v.end();
    CHECK_BOTH(reduce(par, first, last));
    CHECK_BOTH(reduce(std::execution::par_unseq, first, last, 7ll));
    CHECK_BOTH(reduce(par, first, last, 0.5, s::plus<double>()));
    CHECK_BOTH(reduce(par, first, last, 0.25, s::plus<int>()));
    CHECK_BOTH(reduce(par, first, last, 0, s::plus<unsigned char>()));
    CHECK_BOTH(reduce(par, first, last, -1, [](int a, int b) { return a < b ? b : a; }));
    CHECK_BOTH(transform_reduce(par, first, last, 0.0, s::plus<>(), halved{}));
    CHECK_BOTH(transform_reduce(par, first, last, w.begin(), 1ll));
    CHECK_BOTH(transform_reduce(par, first, last, w.begin(), 5, s::plus<>(), s::minus<>()));
  }
}

TEST_CASE("reduce: the accumulator is the type of the init") {
  const std::vector<float> v{1.5f, 2.5f, 3.5f, 4.5f};
  const int sum = warpfold::drop_in::std::reduce(par, v.begin(), v.end(), 0);
  CHECK(sum == 10);
}

TEST_CASE("extrema: a NaN is the result, and zeros of both signs are equivalent") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> w{1, nan, -7, nan, 9};
  CHECK(warpfold::drop_in::std::min_element(par, w.begin(), w.end()) == w.begin() + 1);
  CHECK(warpfold::drop_in::std::minmax_element(par, w.begin(), w.end()) ==
        std::pair(w.begin() + 1, w.begin() + 3));
  const std::vector<float> v{0.0f, -0.0f, 0.0f};
  CHECK_BOTH(min_element(par, v.begin(), v.end()));
  CHECK_BOTH(max_element(par, v.begin() + 1, v.end()));
  CHECK_BOTH(minmax_element(par, v.begin(), v.end()));
}

TEST_CASE("counts and extrema: the same places among equivalent elements") {
  for (const std::size_t n : {0u, 1u, 31u, 100'003u}) {
    const auto v = numbers(n);
    const auto first = v.begin(), last = v.end();
    CHECK_BOTH(count(par, first, last, 4));
    CHECK_BOTH(count_if(par, first, last, is_small{}));
    CHECK_BOTH(min_element(par, first, last));
    CHECK_BOTH(max_element(par, first, last));
    CHECK_BOTH(minmax_element(par, first, last));
    CHECK_BOTH(min_element(par, first, last, by_last_digit{}));
    CHECK_BOTH(max_element(par, first, last, by_last_digit{}));
    CHECK_BOTH(minmax_element(par, first, last, by_last_digit{}));
  }
}

TEST_CASE(
    "what std runs itself: other policies, iterators and elements, and constant expressions") {
  const auto v = numbers(1000);
  CHECK_BOTH(reduce(v.begin(), v.end()));
  CHECK_BOTH(reduce(std::execution::seq, v.begin(), v.end(), 3ll));
  CHECK_BOTH(min_element(std::execution::unseq, v.begin(), v.end()));
  CHECK_BOTH(minmax_element(v.begin(), v.end(), by_last_digit{}));
  const std::list<int> linked(v.begin(), v.end());
  CHECK_BOTH(reduce(par, linked.begin(), linked.end()));
  CHECK_BOTH(count(par, linked.begin(), linked.end(), 4));
  const std::vector<std::string> words{"b", "a", "c"};
  CHECK_BOTH(max_element(par, words.begin(), words.end()));
  CHECK_BOTH(transform_reduce(par, words.begin(), words.end(), std::size_t{0}, s::plus<>(),
                              [](const std::string& w) { return w.size(); }));
  CHECK_BOTH(reduce(par, v.begin(), v.begin() + 2, std::string("x"),
                    [](const auto&, const auto&) { return std::string("y"); }));
  static constexpr char letters[] = {'a', 'b', 'a'};
  static_assert(warpfold::drop_in::std::count(letters, letters + 3, 'a') == 2);
  static_assert(std::is_same_v<warpfold::drop_in::std::vector<int>, std::vector<int>>);
}

TEST_CASE("the parallel calls run here: exceptions reach the caller, and sums repeat") {
  const auto v = numbers(200'000);
  const auto thrower = [](int x) -> int {
    if (x == 1008) throw std::runtime_error("found");
    return x;
  };
  CHECK_THROWS_AS((void)warpfold::drop_in::std::transform_reduce(par, v.begin(), v.end(), 0,
                                                                 std::plus<>(), thrower),
                  std::runtime_error);
  std::vector<float> f(v.begin(), v.end());
  for (float& x : f) x = 1 / (x + 1);
  CHECK(warpfold::drop_in::std::reduce(par, f.begin(), f.end()) ==
        warpfold::reduce(warpfold::par, f, warpfold::plus{}));
  CHECK(warpfold::drop_in::std::reduce(warpfold::par, f.begin(), f.end()) ==
        warpfold::reduce(warpfold::par, f, warpfold::plus{}));
}
