// Every named reduction over shards on emulated GPUs gives what wf::seq gives for the whole range:
// the same bits for integers, for exact() and for what rounds nothing, otherwise nearly the same.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/policy/emulated_devices.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/bitwise.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/logical.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform_reduce.hpp>

namespace wf = warpfold;

namespace {

constexpr bool same = true, near = false;

struct is_positive {
  bool operator()(int x) const { return x > 0; }
  bool operator()(float x) const { return x > 0; }
};
struct is_small {
  template <class T>
  bool operator()(T x) const {
    return x >= -1000 && x <= 1000;
  }
};
// Few are not 1, so that a product does not overflow.
struct factor {
  template <class T>
  T operator()(T x) const {
    return x > 990 ? T{3} : x < -990 ? T{-1} : T{1};
  }
};
struct absolute {
  template <class T>
  T operator()(T x) const {
    return x < 0 ? -x : x;
  }
};

template <class T>
bool agrees(bool is_same, const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(b)) return std::isnan(a);
    return is_same ? a == b : std::abs(a - b) <= 1e-5 * (1 + std::abs(b));
  } else if constexpr (requires { a.min == b.min; }) {
    return a.min == b.min && a.max == b.max;
  } else {
    return a == b;
  }
}

// A range, and parts of it.
template <class T>
struct parted {
  std::vector<T> values;
  std::vector<std::size_t> cuts;

  auto shards() const {
    std::vector<std::span<const T>> parts;
    std::size_t from = 0;
    for (const std::size_t to : cuts) {
      parts.push_back(std::span(values).subspan(from, to - from));
      from = to;
    }
    return wf::shards_of(parts);
  }
};

template <class T>
std::vector<parted<T>> some_parts() {
  std::mt19937 random(11);
  std::vector<T> v(1500);
  for (auto& x : v) {
    x = static_cast<T>(static_cast<int>(random() % 2001) - 1000);
    if constexpr (std::is_floating_point_v<T>) x /= 3;
  }
  return {{v, {700, 700, 1500}}, {v, {0, 1500}}, {v, {1, 1499, 1500}}, {{v[0]}, {0, 1, 1}}};
}

// Checks a call `f(policy, range)`, which may write to memory instead of returning.
template <class T, class F>
void check(const char* name, bool is_same, const F& f) {
  static const auto all = some_parts<T>();
  for (const auto& p : all) {
    const wf::emulated_devices gpus(static_cast<int>(p.cuts.size()));
    const auto found = f(wf::across(gpus), p.shards());
    const auto expected = f(wf::seq, p.values);
    static_assert(std::is_same_v<decltype(found), decltype(expected)>);
    INFO(std::string(name), " of ", p.values.size(), " elements in ", p.cuts.size(),
         " shards, the first of ", p.cuts[0]);
    CHECK(agrees(is_same, found, expected));
  }
}

}  // namespace

#define CALL(...) [](const auto& p, const auto& r) { return __VA_ARGS__; }
#define WRITTEN(type, ...)           \
  [](const auto& p, const auto& r) { \
    type out{};                      \
    __VA_ARGS__;                     \
    return out;                      \
  }

TEST_CASE_TEMPLATE("sums and products", T, int, float) {
  constexpr bool is_exact = std::is_integral_v<T>;
  check<T>("sum", is_exact, CALL(wf::sum(p, r)));
  check<T>("sum of a projection", is_exact, CALL(wf::sum(p, r, absolute{})));
  check<T>("sum_async", is_exact, WRITTEN(long long, wf::sum_async(p, r, &out)));
  if constexpr (!is_exact) {
    check<T>("exact sum", true, CALL(wf::reduce(p, r, wf::plus{}.exact())));
    check<T>("exact sum, written", true,
             WRITTEN(T, wf::reduce_async(p, r, wf::plus{}.exact(), &out)));
  }
  check<T>("product", same, CALL(wf::product(p, r, factor{})));
  check<T>("reduce with init", is_exact, CALL(wf::reduce(p, r, T{7}, wf::plus{})));
  check<T>("transform_reduce", is_exact,
           CALL(wf::transform_reduce(p, r, T{7}, wf::plus{}, absolute{})));
  check<T>("dot", is_exact, CALL(wf::dot(p, r, r)));
  check<T>("inner_product", is_exact,
           CALL(wf::inner_product(p, r, r, T{1}, wf::plus{}, wf::maximum{})));
  check<T>("norm_1", is_exact, CALL(wf::norm_1(p, r)));
  check<T>("norm_2", near, CALL(wf::norm_2(p, r)));
  check<T>("norm_infinity", same, CALL(wf::norm_infinity(p, r)));
  check<T>("norm_p", near, CALL(wf::norm_p(p, r, 3.0)));
}

TEST_CASE_TEMPLATE("extrema", T, int, float) {
  check<T>("min", same, CALL(wf::min(p, r)));
  check<T>("max of a projection", same, CALL(wf::max(p, r, absolute{})));
  check<T>("max_async", same, WRITTEN(T, wf::max_async(p, r, &out)));
  check<T>("minmax", same, CALL(wf::minmax(p, r)));
  check<T>("argmin", same, CALL(wf::argmin(p, r)));
  check<T>("argmax", same, CALL(wf::argmax(p, r)));
  check<T>("argmax of a projection", same, CALL(wf::argmax(p, r, {}, absolute{})));
  check<T>("argminmax", same, CALL(wf::argminmax(p, r)));
  check<T>("all", same, CALL(wf::reduce(p, r, wf::all(wf::minimum{}, wf::arg(wf::maximum{})))));
}

TEST_CASE_TEMPLATE("counts", T, int, float) {
  check<T>("count", same, CALL(wf::count(p, r, T{4})));
  check<T>("count_if", same, CALL(wf::count_if(p, r, is_positive{})));
  check<T>("all_of", same, CALL(wf::all_of(p, r, is_positive{})));
  check<T>("all_of, true", same, CALL(wf::all_of(p, r, is_small{})));
  check<T>("any_of", same, CALL(wf::any_of(p, r, is_positive{})));
  check<T>("none_of", same, CALL(wf::none_of(p, r, is_positive{})));
  check<T>("none_of, false", same, CALL(wf::none_of(p, r, is_small{})));
  check<T>("any_of_async", same, WRITTEN(bool, wf::any_of_async(p, r, is_small{}, &out)));
}

TEST_CASE_TEMPLATE("statistics", T, int, float) {
  check<T>("mean", near, CALL(wf::mean(p, r)));
  check<T>("mean_async", near, WRITTEN(double, wf::mean_async(p, r, &out)));
  check<T>("variance", near, CALL(wf::variance(p, r)));
  check<T>("stddev", near, CALL(wf::stddev(p, r)));
  check<T>("skewness", near, CALL(wf::skewness(p, r)));
  check<T>("kurtosis", near, CALL(wf::kurtosis(p, r)));
}

TEST_CASE("bits") {
  check<int>("bit_and", same, CALL(wf::reduce(p, r, wf::bit_and{})));
  check<int>("bit_or", same, CALL(wf::reduce(p, r, wf::bit_or{})));
  check<int>("bit_xor", same, CALL(wf::reduce(p, r, wf::bit_xor{})));
  check<int>("logical_and", same, CALL(wf::reduce(p, r, wf::logical_and{})));
  check<int>("logical_or", same, CALL(wf::reduce(p, r, wf::logical_or{})));
}

TEST_CASE("exact and compensated results") {
  check<float>("sum", same, CALL(wf::reduce(p, r, wf::plus{}.exact())));
  check<double>("sum of doubles", same, CALL(wf::reduce(p, r, wf::plus{}.exact())));
  check<float>("dot", same, CALL(wf::dot(p, r, r, wf::plus{}.exact())));
  check<float>("norm_2", same, CALL(wf::norm_2(p, r, wf::plus{}.exact())));
  check<float>("mean", same, CALL(wf::mean(p, r, wf::plus{}.exact())));
  check<double>("mean of doubles", same, CALL(wf::mean(p, r, wf::plus{}.exact())));
  check<float>("variance", same, CALL(wf::variance(p, r, wf::plus{}.exact())));
  check<float>("stddev", same, CALL(wf::stddev(p, r, wf::plus{}.exact())));
  check<float>("compensated sum", near, CALL(wf::reduce(p, r, wf::plus{}.compensated())));
  check<float>("compensated dot", near, CALL(wf::dot(p, r, r, wf::plus{}.compensated())));
}
