// drop_in/thrust.hpp on the GPU: extrema, predicates and comparisons of ranges give the iterators
// and answers of Thrust, for all sizes, misaligned iterators and comparisons.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/sequence.h>

#include "drop_in/both.hpp"

namespace {

namespace ours = wf::drop_in::thrust;

constexpr int sizes[] = {0, 1, 2, 3, 33, 1000, 4099, 70001};

const thrust::device_vector<int>& data() {
  static const thrust::device_vector<int> values = [] {
    std::vector<int> v(70010);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>((i * 7919) % 1009);
    return thrust::device_vector<int>(v.begin(), v.end());
  }();
  return values;
}

template <class Check>
void for_each_range(const Check& check) {
  for (const int n : sizes) {
    for (const int from : {0, 1, 3}) {
      INFO("size ", n, " from element ", from);
      check(data().begin() + from, data().begin() + from + n);
    }
  }
}

struct by_last_digit {  // many elements are equivalent
  WARPFOLD_HD bool operator()(int a, int b) { return a % 10 < b % 10; }
};
struct is_small {
  WARPFOLD_HD bool operator()(int x) const { return x < 500; }
};
struct is_natural {
  WARPFOLD_HD bool operator()(int x) const { return x >= 0; }
};
struct same_parity {
  WARPFOLD_HD bool operator()(int a, int b) const { return a % 2 == b % 2; }
};

}  // namespace

// Each of Thrust's calls takes two seconds to compile, so that one gives several expected values.
TEST_CASE("min_element, max_element, minmax_element: the first of equivalent elements") {
  for_each_range([](auto first, auto last) {
    const auto by_value = thrust::minmax_element(first, last);
    CHECK(ours::min_element(first, last) == by_value.first);
    CHECK(ours::max_element(first, last) == by_value.second);
    CHECK(ours::max_element(thrust::device, first, last, thrust::greater<int>()) == by_value.first);
    test::check_same(ours::minmax_element(first, last), by_value);

    const auto by_digit = thrust::minmax_element(first, last, by_last_digit{});
    CHECK(ours::min_element(first, last, by_last_digit{}) == by_digit.first);
    CHECK(ours::max_element(first, last, by_last_digit{}) == by_digit.second);
    test::check_same(ours::minmax_element(thrust::cuda::par, first, last, by_last_digit{}),
                     by_digit);
  });
}

TEST_CASE("min_element, max_element: zeros of both signs are equivalent") {
  const std::vector<float> zeros{0.0f, -0.0f, 0.0f};
  const thrust::device_vector<float> v(zeros.begin(), zeros.end());
  CHECK_BOTH(min_element(v.begin(), v.end()));
  CHECK_BOTH(max_element(v.begin() + 1, v.end()));
}

TEST_CASE("all_of, any_of, none_of") {
  for_each_range([](auto first, auto last) {
    CHECK_BOTH(all_of(first, last, is_small{}));
    CHECK_BOTH(all_of(first, last, is_natural{}));
    const bool any = thrust::any_of(first, last, is_small{});
    test::check_same(ours::any_of(first, last, is_small{}), any);
    test::check_same(ours::none_of(thrust::device, first, last, is_small{}), !any);
  });
}

TEST_CASE("equal and mismatch: at every place") {
  for_each_range([](auto first, auto last) {
    thrust::device_vector<int> other(first, last);
    CHECK_BOTH(equal(first, last, other.begin()));
    CHECK_BOTH(mismatch(first, last, other.begin()));
    const auto by_parity = thrust::mismatch(first, last, data().begin(), same_parity{});
    CHECK(ours::equal(first, last, data().begin(), same_parity{}) == (by_parity.first == last));
    CHECK(ours::mismatch(thrust::device, first, last, data().begin(), same_parity{}) == by_parity);
    for (const std::size_t at : {std::size_t{0}, other.size() / 2, other.size() - 1}) {
      if (at >= other.size()) continue;
      other[at] = -1;
      CHECK_BOTH(equal(first, last, other.begin()));
      CHECK_BOTH(mismatch(first, last, other.begin()));
    }
  });
}

TEST_CASE("is_sorted and is_partitioned") {
  for (const int n : sizes) {
    thrust::device_vector<int> v(static_cast<std::size_t>(n));
    thrust::sequence(v.begin(), v.end(), 500 - n / 2);
    const auto check = [&] {
      CHECK_BOTH(is_sorted(v.begin(), v.end()));
      CHECK_BOTH(is_sorted(thrust::device, v.begin(), v.end(), t::greater<int>()));
      CHECK_BOTH(is_partitioned(v.begin(), v.end(), is_small{}));
    };
    check();
    for (const std::size_t at : {v.size() - 1, v.size() / 2, std::size_t{0}}) {
      if (at >= v.size()) continue;
      v[at] = at == 0 ? 100000 : -100000;
      check();
    }
  }
}
