// drop_in/thrust.hpp on the host: with policies of this library its calls run here and give
// Thrust's results on the GPU; with policies and iterators of the host they are Thrust's own. The
// GPU's are in the other thrust_*_test.cu.
// needs: cccl tbb
#include <array>
#include <limits>
#include <string>
#include <vector>

#include <thrust/host_vector.h>

#include <warpfold/drop_in/std.hpp>
#include <warpfold/policy/par.hpp>

#include "drop_in/both.hpp"

namespace {

namespace ours = wf::drop_in::thrust;

std::vector<int> numbers(int n) {
  std::vector<int> v;
  for (int i = 0; i < n; ++i) v.push_back(i * 7919 % 1009);
  return v;
}

struct by_last_digit {
  bool operator()(int a, int b) { return a % 10 < b % 10; }
};
struct is_small {
  bool operator()(int x) { return x < 500; }
};
struct twice {
  double operator()(int x) { return 2.0 * x; }
};

// Compares a call on the threads of this library with Thrust's own call. The ops also run in the
// kernels in places_test.cpp and their_types_test.cpp.
#define CHECK_HERE(function, ...) \
  test::check_same(ours::function(wf::par, __VA_ARGS__), ::thrust::function(__VA_ARGS__))

}  // namespace

TEST_CASE("reductions: values and types of Thrust's") {
  for (const int n : {0, 1, 31, 3001}) {
    const auto v = numbers(n);
    const std::vector<short> w(v.rbegin(), v.rend());
    const auto first = v.begin(), last = v.end();
    CHECK_HERE(reduce, first, last);
    CHECK_HERE(reduce, first, last, 0.5);
    CHECK_HERE(reduce, first, last, short{3});
    CHECK_HERE(reduce, first, last, 5000, thrust::maximum<int>());
    CHECK_HERE(reduce, first, last, 1, thrust::minimum<int>());
    CHECK_HERE(transform_reduce, first, last, twice{}, 1ll, thrust::plus<long long>());
    CHECK_HERE(inner_product, first, last, w.begin(), 1ll);
    CHECK_HERE(inner_product, first, last, w.begin(), 0, thrust::maximum<int>(),
               thrust::minus<int>());
    CHECK_HERE(count, first, last, 4);
    CHECK_HERE(count_if, first, last, is_small{});
  }
}

TEST_CASE("reduce: the accumulator is Thrust's on the GPU") {
  const std::vector<float> v{1.5f, 2.5f, 3.5f, 4.5f};
  const auto sum = [&](auto init, auto... op) {
    return ours::reduce(wf::par, v.begin(), v.end(), init, op...);
  };
  CHECK(sum(0) == 10);                         // thrust::plus<int> takes and returns int
  CHECK(sum(0, thrust::plus<float>()) == 12);  // that of float adds floats
  CHECK(sum(0, thrust::plus<>()) == 12);
  CHECK(sum(1, thrust::multiplies<int>()) == 24);
  CHECK(ours::reduce(thrust::host, v.begin(), v.end(), 0) == 10);
  CHECK(ours::reduce(v.begin(), v.end(), 0) == 10);
  const std::vector<unsigned char> bytes(300, 1);
  CHECK(ours::reduce(wf::par, bytes.begin(), bytes.end()) == 44);  // modulo 256, as in Thrust
}

TEST_CASE("reduce_into converts from the accumulator, whatever the width of the output") {
  const std::vector<unsigned char> bytes(300, 1);
  std::array<int, 2> out{};
  ours::reduce_into(wf::par, bytes.begin(), bytes.end(), out.begin());
  ours::reduce_into(bytes.begin(), bytes.end(), out.begin() + 1);
  CHECK(out == std::array{44, 44});
  std::array<float, 1> sum{};
  ours::reduce_into(wf::seq, bytes.begin(), bytes.end(), sum.data(), 0.5f);
  CHECK(sum[0] == 300.5f);
  // The sum wraps in the type of the init, and an output of the same size shows it.
  const std::vector<long long> large(2, 1ll << 31);
  ours::reduce_into(wf::seq, large.begin(), large.end(), sum.data(), 5);
  CHECK(sum[0] == 5);
}

TEST_CASE("places: the first of equivalent elements, and the first difference") {
  for (const int n : {0, 1, 2, 31, 3001}) {
    const auto v = numbers(n);
    const auto first = v.begin(), last = v.end();
    CHECK_HERE(min_element, first, last);
    CHECK_HERE(max_element, first, last);
    CHECK_HERE(minmax_element, first, last);
    CHECK_HERE(max_element, first, last, thrust::greater<int>());
    CHECK_HERE(min_element, first, last, by_last_digit{});
    CHECK_HERE(max_element, first, last, by_last_digit{});
    CHECK_HERE(minmax_element, first, last, by_last_digit{});
    CHECK_HERE(all_of, first, last, is_small{});
    CHECK_HERE(any_of, first, last, is_small{});
    CHECK_HERE(none_of, first, last, is_small{});
    CHECK_HERE(is_sorted, first, last);
    CHECK_HERE(is_sorted, first, last, by_last_digit{});
    CHECK_HERE(is_partitioned, first, last, is_small{});
    auto other = v;
    CHECK_HERE(equal, first, last, other.begin());
    CHECK_HERE(mismatch, first, last, other.begin());
    if (n > 2) other[static_cast<std::size_t>(n / 2)] = -1;
    CHECK_HERE(equal, first, last, other.begin());
    CHECK_HERE(mismatch, first, last, other.begin(), thrust::equal_to<int>());
  }
}

TEST_CASE("a NaN is the first of the least and of the greatest elements") {
  std::vector<float> v(1000, 1.0f);
  v[400] = v[700] = std::numeric_limits<float>::quiet_NaN();
  v[10] = -5;
  CHECK(ours::min_element(wf::par, v.begin(), v.end()) == v.begin() + 400);
  CHECK(ours::max_element(wf::seq, v.begin(), v.end()) == v.begin() + 400);
  const float greatest = ours::reduce(wf::par, v.begin(), v.end(), 0.0f, thrust::maximum<float>());
  CHECK(greatest != greatest);
}

TEST_CASE("zeros of both signs are equivalent, as in Thrust") {
  const std::vector<double> v{1, 0.0, -0.0, -1, -1};
  CHECK_HERE(min_element, v.begin(), v.begin() + 3);
  CHECK_HERE(max_element, v.begin() + 1, v.end());
  const std::vector<double> w{-0.0, 0.0};
  CHECK_HERE(max_element, w.begin(), w.end());
  CHECK_HERE(minmax_element, w.begin(), w.end());
  CHECK_HERE(min_element, w.begin(), w.end(), thrust::greater<double>());
}

TEST_CASE("transform and copy return the end of the output") {
  const auto v = numbers(1003);
  std::vector<double> out(v.size()), expected(v.size());
  CHECK(ours::transform(wf::par, v.begin(), v.end(), out.begin(), twice{}) == out.end());
  thrust::transform(v.begin(), v.end(), expected.begin(), twice{});
  CHECK(out == expected);
  CHECK(ours::transform(wf::seq, v.begin(), v.end(), out.begin(), out.begin(),
                        thrust::minus<double>()) == out.end());
  for (std::size_t i = 0; i < v.size(); ++i) expected[i] = v[i] - expected[i];
  CHECK(out == expected);
  CHECK(ours::copy(wf::par, v.begin(), v.end(), out.begin()) == out.end());
  CHECK(thrust::equal(v.begin(), v.end(), out.begin()));
}

TEST_CASE("elements that are tuples") {
  const auto v = numbers(2000);
  const std::vector<float> w(v.begin(), v.end());
  const auto zipped = thrust::make_zip_iterator(v.begin(), w.begin());
  using pair = thrust::tuple<int, float>;
  const auto larger = [](const pair& a, const pair& b) { return a < b ? b : a; };
  CHECK_HERE(reduce, zipped, zipped + 2000, pair(0, 0.0f), larger);
  const auto before = [](const pair& a, const pair& b) {
    return thrust::get<1>(a) < thrust::get<1>(b);
  };
  CHECK_HERE(max_element, zipped, zipped + 2000, before);
}

TEST_CASE("Thrust's own: its host policies, host iterators, and elements with constructors") {
  const thrust::host_vector<int> v(1000, 3);
  CHECK_BOTH(reduce(thrust::host, v.begin(), v.end(), 1ll));
  CHECK_BOTH(reduce(v.begin(), v.end()));
  CHECK_BOTH(min_element(thrust::seq, v.begin(), v.end()));
  CHECK_BOTH(equal(v.begin(), v.end(), v.begin()));
  CHECK_BOTH(count(v.begin(), v.end(), 3));
  std::vector<std::string> words{"b", "a", "c"}, upper(3);
  CHECK(ours::max_element(words.begin(), words.end()) == words.begin() + 2);
  CHECK(ours::copy(words.begin(), words.end(), upper.begin()) == upper.end());
  CHECK(upper == words);
  // Names that this library does not have are Thrust's.
  ours::host_vector<int> keys(1000);
  ours::host_vector<int> sums(1000);
  const auto ends = ours::reduce_by_key(v.begin(), v.end(), v.begin(), keys.begin(), sums.begin());
  CHECK(ends.second - sums.begin() == 1);
  CHECK(sums[0] == 3000);
}

TEST_CASE("both namespaces in one file") {
  const std::vector<float> v{1, 2, 3, 4};
  CHECK(ours::reduce(wf::par, v.begin(), v.end()) == 10);
  CHECK(wf::drop_in::std::reduce(std::execution::par, v.begin(), v.end()) == 10);
}

TEST_CASE("misuse throws") {
  const auto v = numbers(10);
  CHECK_THROWS_AS((void)ours::reduce(wf::par, v.end(), v.begin()), wf::invalid_range);
  const int* const nothing = nullptr;
  CHECK_THROWS_AS((void)ours::reduce(wf::par, nothing, nothing + 10), wf::invalid_range);
}
