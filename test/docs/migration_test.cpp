// The tables of docs/migration.md: each call of the other library and its replacement give the same
// result, for real and for complex elements. `row:` names a row by its first cell.
// needs: cccl
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <fstream>
#include <numeric>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/drop_in/thrust_policies.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/log_sum_exp.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/bitwise.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/normalization.hpp>
#include <warpfold/op/with_finish.hpp>
#include <warpfold/policy/left_to_right.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/transform_reduce.hpp>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

namespace wf = warpfold;

namespace {

using complex = std::complex<double>;

// All sums and products of these are exact.
template <class T>
std::vector<T> first_operand();
template <>
std::vector<double> first_operand() {
  return {3, -1, 2, 8, 5, -4};
}
template <>
std::vector<complex> first_operand() {
  return {{1, 2}, {3, -1}, {-2, 4}, {0, 1}, {5, 0}, {2, 2}};
}
template <class T>
std::vector<T> second_operand();
template <>
std::vector<double> second_operand() {
  return {1, 4, -2, 0.5, 2, 3};
}
template <>
std::vector<complex> second_operand() {
  return {{2, -1}, {0.5, 1}, {1, 1}, {-3, 2}, {0, 4}, {1, -2}};
}

/// The elements of both, and functions of them.
template <class T>
struct operands {
  std::vector<T> a = first_operand<T>(), b = second_operand<T>();
  std::size_t n = a.size();
  T init = b[1];
};
const auto square = [](const auto& x) { return x * x; };
const auto times = [](const auto& x, const auto& y) { return x * y; };
const auto minus = [](const auto& x, const auto& y) { return x - y; };
const auto is_large = [](const auto& x) { return std::abs(x) > 2.5; };
const auto are_equal = [](const auto& x, const auto& y) { return x == y; };
const auto magnitude_less = [](const auto& x, const auto& y) { return std::abs(x) < std::abs(y); };

/// The sum of x * y.
template <class T>
T sum_of_products(const operands<T>& o) {
  T sum{};
  for (std::size_t i = 0; i < o.n; ++i) sum += o.a[i] * o.b[i];
  return sum;
}

const std::vector<int> labels{0, 0, 1, 1, 1, 2};
const std::vector<int> offsets{0, 2, 5, 6};

/// The sums of the elements with equal labels.
template <class T>
std::vector<T> sums_by_label(const std::vector<T>& v, T init = {}) {
  std::vector<T> sums(3, init);
  for (std::size_t i = 0; i < v.size(); ++i) sums[static_cast<std::size_t>(labels[i])] += v[i];
  return sums;
}

/// Halves the state before it adds an element: the order matters. `lift` makes an element a state.
struct halve_and_add {
  static double lift(int x) { return x; }
  double operator()(double state, double x) const { return state / 2 + x; }
};

template <class T>
using matrix_of = cuda::std::mdspan<T, cuda::std::dextents<std::size_t, 2>>;

}  // namespace

TEST_CASE_TEMPLATE("Thrust", T, double, complex) {
  const operands<T> o;
  const auto policy = wf::seq;
  const auto host = thrust::seq;
  const auto first = o.a.begin(), last = o.a.end();
  // row: `thrust::reduce(first, last)`
  CHECK(wf::reduce(policy, first, last) == thrust::reduce(host, first, last));
  CHECK(wf::sum(policy, o.a) == thrust::reduce(host, first, last));
  // row: `thrust::reduce(first, last, init)`
  CHECK(wf::reduce(policy, first, last, o.init) == thrust::reduce(host, first, last, o.init));
  // row: `thrust::reduce(first, last, init, op)`
  CHECK(wf::reduce(policy, first, last, o.init, times) ==
        thrust::reduce(host, first, last, o.init, times));
  // row: `thrust::reduce_into(first, last, out)`
  T out{};
  wf::reduce_async(policy, o.a, wf::plus{}, &out);
  CHECK(out == thrust::reduce(host, first, last));
  // row: `thrust::transform_reduce(first, last, f, init, op)`
  CHECK(wf::transform_reduce(policy, first, last, o.init, wf::plus{}, square) ==
        thrust::transform_reduce(host, first, last, square, o.init, thrust::plus<>{}));
  // row: `thrust::inner_product(a, a_end, b, init)`
  CHECK(wf::inner_product(policy, first, last, o.b.begin(), o.init) ==
        thrust::inner_product(host, first, last, o.b.begin(), o.init));
  // row: `thrust::inner_product(a, a_end, b, init, op, f)`
  CHECK(wf::inner_product(policy, first, last, o.b.begin(), o.init, wf::plus{}, minus) ==
        thrust::inner_product(host, first, last, o.b.begin(), o.init, thrust::plus<>{}, minus));
  // row: `thrust::count`, `count_if`
  CHECK(wf::count(policy, o.a, o.a[1]) == 1);
  CHECK(thrust::count(host, first, last, o.a[1]) == 1);
  CHECK(wf::count_if(policy, o.a, is_large) ==
        static_cast<std::size_t>(thrust::count_if(host, first, last, is_large)));
  // row: `thrust::min_element`, `max_element`, with and without a comparison
  const auto least = thrust::min_element(host, first, last, magnitude_less) - first;
  const auto greatest = thrust::max_element(host, first, last, magnitude_less) - first;
  CHECK(wf::argmin(policy, o.a, magnitude_less).index == static_cast<std::size_t>(least));
  CHECK(wf::argmax(policy, o.a, magnitude_less).index == static_cast<std::size_t>(greatest));
  // row: `thrust::minmax_element`
  if constexpr (!std::is_same_v<T, complex>) {
    const auto [low, high] = wf::argminmax(policy, o.a);
    const auto both = thrust::minmax_element(host, first, last);
    CHECK(low.index == static_cast<std::size_t>(both.first - first));
    CHECK(high.index == static_cast<std::size_t>(both.second - first));
  }
  // row: `thrust::all_of`, `any_of`, `none_of`
  CHECK(wf::all_of(policy, o.a, is_large) == thrust::all_of(host, first, last, is_large));
  CHECK(wf::any_of(policy, o.a, is_large) == thrust::any_of(host, first, last, is_large));
  CHECK(wf::none_of(policy, o.a, is_large) == thrust::none_of(host, first, last, is_large));
  // row: `thrust::equal(a, a_end, b)`
  CHECK(wf::all_of(policy, wf::zip(o.a, o.b), are_equal) ==
        thrust::equal(host, first, last, o.b.begin()));
  CHECK(wf::all_of(policy, wf::zip(o.a, o.a), are_equal));
  // row: `thrust::mismatch`, `find_if`
  std::vector<T> changed = o.a;
  changed[3] = o.b[0];
  const std::size_t n = o.n;
  CHECK(
      wf::reduce(policy,
                 wf::project(wf::zip(o.a, changed, wf::counting(std::size_t{0}, n)),
                             [n](const T& x, const T& y, std::size_t i) { return x == y ? n : i; }),
                 wf::minimum{}) == 3);
  CHECK(thrust::mismatch(host, first, last, changed.begin()).first == first + 3);
  CHECK(wf::reduce(policy,
                   wf::project(wf::zip(o.a, wf::counting(std::size_t{0}, n)),
                               [n](const T& x, std::size_t i) { return is_large(x) ? i : n; }),
                   wf::minimum{}) ==
        static_cast<std::size_t>(thrust::find_if(host, first, last, is_large) - first));
  // row: `thrust::is_sorted(first, last)`
  CHECK(wf::all_of(policy, wf::zip(std::span(o.a).first(n - 1), std::span(o.a).last(n - 1)),
                   [](const T& x, const T& y) { return !magnitude_less(y, x); }) ==
        thrust::is_sorted(host, first, last, magnitude_less));
  // row: `thrust::reduce_by_key(keys, keys_end, values, keys_out, values_out, same, op)`
  std::vector<int> keys(6), their_keys(6);
  std::vector<T> values(6), their_values(6);
  CHECK(wf::reduce_by_key(policy, labels, o.a, wf::plus{}, std::equal_to<>{}, keys, values) == 3);
  thrust::reduce_by_key(host, labels.begin(), labels.end(), first, their_keys.begin(),
                        their_values.begin(), thrust::equal_to<int>{}, thrust::plus<T>{});
  CHECK(std::equal(values.begin(), values.begin() + 3, their_values.begin()));
  // row: `thrust::transform`, `thrust::copy`
  wf::transform(policy, o.a, values, square);
  thrust::transform(host, first, last, their_values.begin(), square);
  CHECK(values == their_values);
  wf::copy(policy, o.a, values);
  CHECK(values == o.a);
  // row: `thrust::counting_iterator`
  const thrust::counting_iterator<int> one(1);
  CHECK(wf::reduce(policy, wf::counting(1, 6)) == thrust::reduce(host, one, one + 6));
  // row: `thrust::transform_iterator`
  const auto squares = thrust::make_transform_iterator(first, square);
  CHECK(wf::sum(policy, wf::project(o.a, square)) ==
        thrust::reduce(host, squares, squares + 6, T{}));
  // row: `thrust::zip_iterator`
  CHECK(wf::sum(policy, wf::project(wf::zip(o.a, o.b), times)) ==
        thrust::inner_product(host, first, last, o.b.begin(), T{}));
  // On a GPU: test/calls/drop_in_test.cu, test/drop_in/thrust_policies_host_test.cu
  // row: `thrust::device_vector<T>`
  // row: `thrust::device`, `thrust::cuda::par.on(s)`
}

TEST_CASE_TEMPLATE("CUB", T, double, complex) {
  const operands<T> o;
  const auto policy = wf::seq;
  const T sum = std::accumulate(o.a.begin(), o.a.end(), T{});
  T out{};
  // row: `DeviceReduce::Sum(in, out, n)`
  wf::sum_async(policy, o.a.data(), o.n, &out);
  CHECK(out == sum);
  if constexpr (!std::is_same_v<T, complex>) {
    // row: `DeviceReduce::Min`, `Max`
    wf::min_async(policy, o.a, &out);
    CHECK(out == -4);
    wf::max_async(policy, o.a, &out);
    CHECK(out == 8);
    // row: `DeviceReduce::ArgMin`, `ArgMax`
    wf::indexed<T> place{};
    wf::argmin_async(policy, o.a, &place);
    CHECK(place.index == 5);
    wf::argmax_async(policy, o.a, &place);
    CHECK(place.index == 3);
  }
  // row: `DeviceReduce::Reduce(..., op, init)`
  wf::reduce_async(policy, o.a, o.init, times, &out);
  CHECK(out == std::accumulate(o.a.begin(), o.a.end(), o.init, times));
  // row: `DeviceReduce::TransformReduce`
  wf::transform_reduce_async(policy, o.a, o.init, wf::plus{}, square, &out);
  CHECK(out == std::transform_reduce(o.a.begin(), o.a.end(), o.init, std::plus<>{}, square));
  // row: `DeviceTransform::Transform`
  std::vector<T> results(o.n), expected(o.n);
  wf::transform_async(policy, o.a, results, square);
  std::transform(o.a.begin(), o.a.end(), expected.begin(), square);
  CHECK(results == expected);
  wf::transform_async(policy, o.a, o.b, results, times);
  std::transform(o.a.begin(), o.a.end(), o.b.begin(), expected.begin(), times);
  CHECK(results == expected);
  // row: two calls, the first for the size of the temporary storage
  // On a GPU: test/runtime/workspace_test.cu
  // row: `DeviceSegmentedReduce` with segments of one length
  std::vector<T> sums(3);
  wf::reduce_segments(policy, o.a, wf::segments_of_size(2), wf::plus{}, o.init, sums);
  CHECK(sums == std::vector<T>{o.init + o.a[0] + o.a[1], o.init + o.a[2] + o.a[3],
                               o.init + o.a[4] + o.a[5]});
  // row: `DeviceSegmentedReduce` with offsets
  wf::reduce_segments(policy, o.a, offsets, wf::plus{}, o.init, sums);
  CHECK(sums == sums_by_label(o.a, o.init));
  const std::vector<int> begins{0, 2, 5}, ends{2, 5, 6};
  wf::reduce_segments(policy, o.a, wf::segments_between(begins, ends), wf::plus{}, o.init, sums);
  CHECK(sums == sums_by_label(o.a, o.init));
  // row: a loop of `DeviceReduce` over many ranges
  const std::span<const T> all(o.a);
  wf::reduce_many(policy, {all.first(2), all.subspan(2, 3), all.last(1)}, wf::plus{}, o.init, sums);
  CHECK(sums == sums_by_label(o.a, o.init));
  const std::vector<const T*> pointers{&o.a[0], &o.a[2], &o.a[5]};
  const std::vector<int> sizes{2, 3, 1};
  sums.assign(3, T{});
  wf::reduce_many(policy, wf::ranges_at(pointers, sizes), wf::plus{}, o.init, sums);
  CHECK(sums == sums_by_label(o.a, o.init));
  // row: `DeviceHistogram::HistogramEven` of small integers
  std::vector<int> counts(3);
  wf::count_by_class(policy, labels, 3, counts);
  CHECK(counts == std::vector<int>{2, 3, 1});
  // In an emulation: test/calls/collectives_test.cpp; on a GPU: test/calls/collectives_test.cu
  // row: `cub::BlockReduce<T, threads>(storage).Sum(x)`, `Reduce(x, op)`
  // row: `cub::WarpReduce<T>(storage).Sum(x)`, `Reduce(x, op)`
  // row: `DeviceReduce::ReduceByKey`, `DeviceRunLengthEncode::Encode`
  std::vector<int> keys(6);
  std::vector<T> values(6);
  int runs = 0;
  wf::reduce_by_key_async(policy, labels, o.a, wf::plus{}, keys, values, &runs);
  CHECK(runs == 3);
  values.resize(3);
  CHECK(values == sums_by_label(o.a));
  std::vector<int> lengths(6);
  wf::run_lengths_async(policy, labels, keys, lengths, &runs);
  CHECK(runs == 3);
  CHECK(std::vector(lengths.begin(), lengths.begin() + 3) == counts);
}

TEST_CASE_TEMPLATE("the standard library", T, double, complex) {
  const operands<T> o;
  const auto policy = wf::seq;
  const auto first = o.a.begin(), last = o.a.end();
  // row: `std::reduce(std::execution::par_unseq, first, last)`
  CHECK(wf::reduce(policy, first, last) == std::reduce(first, last));
  // row: `std::reduce(policy, first, last, init, op)`
  CHECK(wf::reduce(policy, first, last, o.init, times) == std::reduce(first, last, o.init, times));
  // row: `std::accumulate(first, last, init, op)`
  CHECK(wf::reduce(wf::seq, o.a, o.init, times) == std::accumulate(first, last, o.init, times));
  CHECK(wf::reduce(wf::baseline::left_to_right, o.a, o.init, minus) ==
        std::accumulate(first, last, o.init, minus));
  // row: `std::transform_reduce(first, last, init, op, f)`
  CHECK(wf::transform_reduce(policy, first, last, o.init, wf::plus{}, square) ==
        std::transform_reduce(first, last, o.init, std::plus<>{}, square));
  // row: `std::transform_reduce(a, a_end, b, init)`, `std::inner_product`
  CHECK(wf::transform_reduce(policy, first, last, o.b.begin(), o.init) ==
        std::transform_reduce(first, last, o.b.begin(), o.init));
  CHECK(wf::inner_product(policy, first, last, o.b.begin(), o.init) ==
        std::inner_product(first, last, o.b.begin(), o.init));
  if constexpr (!std::is_same_v<T, complex>) {
    // row: `std::ranges::min`, `max`, `minmax`
    const auto [low, high] = wf::minmax(policy, o.a);
    CHECK(wf::min(policy, o.a) == std::ranges::min(o.a));
    CHECK(wf::max(policy, o.a) == std::ranges::max(o.a));
    CHECK(low == std::ranges::minmax(o.a).min);
    CHECK(high == std::ranges::minmax(o.a).max);
    // row: `std::minmax_element`
    const auto places = wf::argminmax(policy, o.a);
    const auto both = std::minmax_element(first, last);
    CHECK(places.min.index == static_cast<std::size_t>(both.first - first));
    CHECK(places.max.index == static_cast<std::size_t>(both.second - first));
  }
  // row: `std::min_element`, `max_element`, with and without a comparison
  CHECK(wf::argmin(policy, o.a, magnitude_less).index ==
        static_cast<std::size_t>(std::min_element(first, last, magnitude_less) - first));
  CHECK(wf::argmax(policy, o.a, magnitude_less).index ==
        static_cast<std::size_t>(std::max_element(first, last, magnitude_less) - first));
  // row: `std::count`, `count_if`, `all_of`, `any_of`, `none_of`
  CHECK(wf::count(policy, o.a, o.a[2]) == 1);
  CHECK(wf::count_if(policy, o.a, is_large) ==
        static_cast<std::size_t>(std::count_if(first, last, is_large)));
  CHECK(wf::all_of(policy, o.a, is_large) == std::all_of(first, last, is_large));
  CHECK(wf::any_of(policy, o.a, is_large) == std::any_of(first, last, is_large));
  CHECK(wf::none_of(policy, o.a, is_large) == std::none_of(first, last, is_large));
  // As for Thrust.
  // row: `std::equal`, `mismatch`, `is_sorted`
  // row: `std::find`, `find_if`
  const int n = static_cast<int>(o.n);
  for (const T& searched : {o.a[4], T{77}}) {
    const auto is_searched = [=](const T& x, int i) { return x == searched ? i : n; };
    CHECK(wf::reduce(policy, wf::project(wf::zip(o.a, wf::counting(0, n)), is_searched), n,
                     wf::minimum{}) == std::find(first, last, searched) - first);
  }
  const auto large_at = [=](const T& x, int i) { return is_large(x) ? i : n; };
  CHECK(wf::reduce(policy, wf::project(wf::zip(o.a, wf::counting(0, n)), large_at), n,
                   wf::minimum{}) == std::find_if(first, last, is_large) - first);
  // row: `std::is_sorted_until`
  std::vector<T> rising = o.a;
  std::sort(rising.begin(), rising.end(), magnitude_less);
  for (const std::vector<T>& v : {o.a, rising, std::vector<T>{T{1}}}) {
    const std::span<const T> all(v);
    const int size = static_cast<int>(v.size());
    const auto decreases = [=](const T& a, const T& b, int i) {
      return magnitude_less(b, a) ? i : size;
    };
    const auto neighbors =
        wf::zip(all.first(all.size() - 1), all.last(all.size() - 1), wf::counting(1, size - 1));
    CHECK(wf::reduce(policy, wf::project(neighbors, decreases), size, wf::minimum{}) ==
          std::is_sorted_until(v.begin(), v.end(), magnitude_less) - v.begin());
  }
  // row: `std::ranges::fold_left(v, init, op)`
  const auto half_and = [](const T& state, const T& x) { return state / T{2} + x; };
  T folded = o.init;
  for (const T& x : o.a) folded = half_and(folded, x);
  CHECK(wf::reduce(wf::baseline::left_to_right, o.a, o.init, half_and) == folded);
  double lifted = 100;
  for (const int x : labels) lifted = lifted / 2 + x;
  CHECK(wf::reduce(wf::baseline::left_to_right, labels, 100.0, halve_and_add{}) == lifted);
  // row: `std::transform`, `std::copy`
  std::vector<T> results(o.n), expected(o.n);
  wf::transform(policy, o.a, results, square);
  std::transform(first, last, expected.begin(), square);
  CHECK(results == expected);
  wf::copy(policy, o.a, results);
  CHECK(results == o.a);
  // row: `std::plus`, `std::multiplies`
  CHECK(wf::reduce(policy, o.a, T{}, std::plus<>{}) == wf::reduce(policy, o.a, wf::plus{}));
  CHECK(wf::reduce(policy, o.a, T{1}, std::multiplies<>{}) ==
        wf::reduce(policy, o.a, wf::multiplies{}));
  // In test/drop_in/std_policies_test.cpp:
  // row: `std::execution::par` as the policy
}

TEST_CASE_TEMPLATE("NumPy and PyTorch", T, double, complex) {
  const operands<T> o;
  const auto policy = wf::seq;
  const auto conjugated_products = [&] {
    T sum{};
    for (std::size_t i = 0; i < o.n; ++i) {
      if constexpr (std::is_same_v<T, complex>) {
        sum += std::conj(o.a[i]) * o.b[i];
      } else {
        sum += o.a[i] * o.b[i];
      }
    }
    return sum;
  };
  const auto sum_of_powers = [&](double p) {
    double sum = 0;
    for (const T& x : o.a) sum += std::pow(std::abs(x), p);
    return std::pow(sum, 1 / p);
  };
  // row: `a.sum()`, `a.prod()`
  CHECK(wf::sum(policy, o.a) == std::accumulate(o.a.begin(), o.a.end(), T{}));
  CHECK(wf::product(policy, o.a) == std::accumulate(o.a.begin(), o.a.end(), T{1}, times));
  // row: `np.dot(a, b)`
  CHECK(wf::inner_product(policy, o.a, o.b, T{}) == sum_of_products(o));
  // row: `np.vdot(a, b)`
  CHECK(wf::dot(policy, o.a, o.b) == conjugated_products());
  // row: `np.linalg.norm(a)`
  CHECK(wf::norm_2(policy, o.a) == doctest::Approx(sum_of_powers(2)));
  // row: `np.linalg.norm(a, 1)`
  CHECK(wf::norm_1(policy, o.a) == doctest::Approx(sum_of_powers(1)));
  // row: `np.linalg.norm(a, np.inf)`
  CHECK(wf::norm_infinity(policy, o.a) ==
        std::abs(*std::max_element(o.a.begin(), o.a.end(), magnitude_less)));
  // row: `np.linalg.norm(a, p)`
  CHECK(wf::norm_p(policy, o.a, 3) == doctest::Approx(sum_of_powers(3)));

  const matrix_of<const T> m(o.a.data(), 2, 3);
  // row: `a.sum(axis=1)`
  std::vector<T> rows(2);
  wf::reduce_axis<1>(policy, m, wf::plus{}, rows);
  CHECK(rows == std::vector<T>{o.a[0] + o.a[1] + o.a[2], o.a[3] + o.a[4] + o.a[5]});
  // row: `a.sum(axis=(0, 2))`
  const cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 3>> cube(o.a.data(), 1, 2, 3);
  std::vector<T> planes(2);
  wf::reduce_axes<0, 2>(policy, cube, wf::plus{}, planes);
  CHECK(planes == rows);
  // row: `np.add.reduceat(a, begins)`
  std::vector<T> sums(3);
  wf::reduce_segments(policy, o.a, offsets, wf::plus{}, sums);
  CHECK(sums == sums_by_label(o.a));
  // row: `[a.sum() for a in arrays]`
  const std::vector<std::vector<T>> arrays{o.a, o.b};
  wf::reduce_many(policy, arrays, wf::plus{}, planes);
  CHECK(planes == std::vector<T>{wf::sum(policy, o.a), wf::sum(policy, o.b)});
  // row: `np.bincount(labels, minlength=k)`
  std::vector<long long> counts(3);
  wf::count_by_class(policy, labels, 3, counts);
  CHECK(counts == std::vector<long long>{2, 3, 1});
  // row: `np.bincount(labels, weights=a)`
  wf::reduce_by_class(policy, labels, o.a, 3, wf::plus{}, sums);
  CHECK(sums == sums_by_label(o.a));
  // row: `torch.unique_consecutive(a, return_counts=True)`
  const std::vector<T> runs{o.a[0], o.a[0], o.a[1]};
  std::vector<T> values(3);
  CHECK(wf::run_lengths(policy, runs, values, counts) == 2);
  CHECK(values[1] == o.a[1]);
  CHECK(counts[0] == 2);
  // row: `a @ x`
  const cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 1>> x(o.b.data(), 3);
  wf::reduce_axis<1>(policy, wf::project(wf::zip(m, wf::broadcast<1>(x)), times), wf::plus{}, rows);
  CHECK(rows[0] == o.a[0] * o.b[0] + o.a[1] * o.b[1] + o.a[2] * o.b[2]);
  CHECK(rows[1] == o.a[3] * o.b[0] + o.a[4] * o.b[1] + o.a[5] * o.b[2]);
  // row: `a - m[:, None]`
  const cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 1>> means(o.b.data(), 2);
  std::vector<T> centered(o.n);
  wf::transform(policy, wf::zip(m, wf::broadcast<0>(means)), matrix_of<T>(centered.data(), 2, 3),
                minus);
  CHECK(centered[2] == o.a[2] - o.b[0]);
  CHECK(centered[3] == o.a[3] - o.b[1]);
  // row: `np.count_nonzero(a > 3)`
  CHECK(wf::count_if(policy, o.a, is_large) ==
        static_cast<std::size_t>(std::count_if(o.a.begin(), o.a.end(), is_large)));
  // row: `a.all()`, `a.any()`
  const auto is_set = [](const T& y) { return y != T{}; };
  CHECK(wf::all_of(policy, o.a, is_set));
  CHECK(wf::any_of(policy, o.a, is_set));
}

TEST_CASE("NumPy and PyTorch: what takes real numbers only") {
  const operands<double> o;
  const auto policy = wf::seq;
  const double n = static_cast<double>(o.n);
  const double mean = std::accumulate(o.a.begin(), o.a.end(), 0.0) / n;
  double squares = 0;
  for (const double x : o.a) squares += (x - mean) * (x - mean);
  // row: `a.min()`, `a.max()`
  CHECK(wf::min(policy, o.a) == -4);
  CHECK(wf::max(policy, o.a) == 8);
  // row: `math.fsum(a)`
  CHECK(wf::sum(policy, o.a, wf::plus{}.exact()) == wf::sum(policy, o.a));
  // row: `torch.aminmax(a)`
  CHECK(wf::minmax(policy, o.a).min == -4);
  CHECK(wf::minmax(policy, o.a).max == 8);
  // row: `a.argmin()`, `a.argmax()`
  CHECK(wf::argmin(policy, o.a).index == 5);
  CHECK(wf::argmax(policy, o.a).index == 3);
  // row: `np.ptp(a)`
  const auto [least, most] = wf::minmax(policy, o.a);
  CHECK(most - least == 12);
  // row: `np.average(a, weights=w)`
  double weighted = 0, weights = 0;
  for (std::size_t i = 0; i < o.n; ++i) {
    weighted += o.a[i] * o.b[i];
    weights += o.b[i];
  }
  const auto weight = [](double, double w) { return w; };
  const auto [weighted_sum, sum_of_weights] =
      wf::reduce(policy, wf::zip(o.a, o.b),
                 wf::all(wf::projected(wf::plus{}, times), wf::projected(wf::plus{}, weight)));
  CHECK(weighted_sum / sum_of_weights == doctest::Approx(weighted / weights));
  // row: `np.allclose(a, b)`
  const auto close = [](double x, double y) {
    return x == y || (std::isfinite(y) && std::abs(x - y) <= 1e-8 + 1e-5 * std::abs(y));
  };
  const auto all_close = [&](const std::vector<double>& x, const std::vector<double>& y) {
    return wf::all_of(policy, wf::zip(x, y), close);
  };
  CHECK(all_close({1e10, 1e-9, INFINITY, -INFINITY}, {1.00001e10, 0, INFINITY, -INFINITY}));
  CHECK(!all_close({1, 1e-7}, {1, 0}));
  CHECK(!all_close({1}, {1.0001}));
  CHECK(!all_close({1}, {INFINITY}));
  CHECK(!all_close({INFINITY}, {1}));
  CHECK(!all_close({INFINITY}, {-INFINITY}));
  CHECK(!all_close({NAN}, {NAN}));
  // row: `scipy.special.logsumexp(a)`
  double exponentials = 0;
  for (const double x : o.a) exponentials += std::exp(x);
  CHECK(wf::log_sum_exp(policy, o.a) == doctest::Approx(std::log(exponentials)));
  const auto log_sum_exp_of = [&](const std::vector<double>& v) {
    return wf::log_sum_exp(policy, v);
  };
  CHECK(log_sum_exp_of({1000, 1000}) == doctest::Approx(1000 + std::log(2.0)));
  CHECK(log_sum_exp_of({-INFINITY, -INFINITY}) == -INFINITY);
  CHECK(log_sum_exp_of({INFINITY, 1, INFINITY}) == INFINITY);
  CHECK(log_sum_exp_of({-INFINITY, 3}) == 3);
  CHECK(std::isnan(log_sum_exp_of({1, NAN, 2})));
  // row: `np.nansum(a)`
  std::vector<double> with_nan = o.a;
  with_nan[1] = NAN;
  double sum_of_numbers = 0, numbers = 0;
  for (const double x : with_nan) {
    if (std::isnan(x)) continue;
    sum_of_numbers += x;
    ++numbers;
  }
  const auto number = [](double x) { return x == x ? x : 0; };
  CHECK(wf::sum(policy, wf::project(with_nan, number)) == sum_of_numbers);
  // row: `np.nanmean(a)`
  const auto is_number = [](double x) { return x == x ? 1 : 0; };
  const auto sum_and_count =
      wf::all(wf::projected(wf::plus{}, number), wf::projected(wf::plus{}, is_number));
  const auto [sum, count] = wf::reduce(policy, with_nan, sum_and_count);
  CHECK(sum / static_cast<double>(count) == sum_of_numbers / numbers);
  // row: `np.nanmin(a)`, `np.nanmax(a)`
  CHECK(wf::reduce(policy, with_nan, wf::minimum{}.ignoring_nan()) == -4);
  CHECK(wf::reduce(policy, with_nan, wf::maximum{}.ignoring_nan()) == 8);
  // row: `a.mean()`, `a.var()`, `a.std()`
  CHECK(wf::mean(policy, o.a) == doctest::Approx(mean));
  CHECK(wf::variance(policy, o.a) == doctest::Approx(squares / n));
  CHECK(wf::stddev(policy, o.a) == doctest::Approx(std::sqrt(squares / n)));
  // row: `a.var(ddof=1)`, `a.std(ddof=1)`
  CHECK(wf::variance(policy, o.a, wf::variance_of::sample) == doctest::Approx(squares / (n - 1)));
  CHECK(wf::stddev(policy, o.a, wf::variance_of::sample) ==
        doctest::Approx(std::sqrt(squares / (n - 1))));
  // row: `torch.var_mean(a)`
  const auto of_both = wf::reduce(policy, o.a, wf::moments_op{});
  CHECK(of_both.sample_variance() == doctest::Approx(squares / (n - 1)));
  CHECK(of_both.mean == doctest::Approx(mean));
  // row: `scipy.stats.skew(a)`, `kurtosis(a)`
  double cubes = 0, fourth_powers = 0;
  for (const double x : o.a) {
    cubes += std::pow(x - mean, 3);
    fourth_powers += std::pow(x - mean, 4);
  }
  CHECK(wf::skewness(policy, o.a) == doctest::Approx(cubes / n / std::pow(squares / n, 1.5)));
  CHECK(wf::kurtosis(policy, o.a) ==
        doctest::Approx(fourth_powers / n / std::pow(squares / n, 2) - 3));
  // row: `a.argmax(axis=0)`
  const matrix_of<const double> m(o.a.data(), 2, 3);
  std::vector<int> greatest(3);
  wf::reduce_axis<0>(policy, m, wf::arg(wf::maximum{}), greatest);
  CHECK(greatest == std::vector<int>{1, 1, 0});
  std::vector<wf::indexed<double>> both(3);
  wf::reduce_axis<0>(policy, m, wf::arg(wf::maximum{}), both);
  CHECK(both[0].index == 1);
  CHECK(both[0].value == 8);
  // row: `torch.segment_reduce(a, "mean", lengths=lengths)`
  std::vector<double> means(3);
  const auto mean_of = [](const wf::moments& both) { return both.mean; };
  wf::reduce_segments(policy, o.a, offsets, wf::with_finish(wf::moments_op{}, mean_of), means);
  CHECK(means[0] == 1);
  CHECK(means[1] == 5);
  // row: `(a - a.mean(axis=1, keepdims=True)) / a.std(axis=1, keepdims=True)`
  std::vector<double> normalized(6);
  wf::transform_axis<1>(policy, m, wf::layer_norm_op{0}, normalized);
  CHECK(normalized[0] + normalized[1] + normalized[2] == doctest::Approx(0).scale(1));
  CHECK(normalized[3] == doctest::Approx(5 / std::sqrt((25 + 4 + 49) / 3.0)));
  // row: `np.linalg.norm(a, axis=1)`
  std::vector<double> norms(2), of_arrays(2);
  wf::reduce_axis<1>(policy, m, wf::norm_2_op{}, norms);
  CHECK(norms[1] == doctest::Approx(wf::norm_2(policy, std::span(o.a).subspan(3, 3))));
  const std::vector<std::span<const double>> arrays{std::span<const double>(o.a).subspan(0, 3),
                                                    std::span<const double>(o.a).subspan(3, 3)};
  wf::reduce_many(policy, arrays, wf::norm_2_op{}, of_arrays);
  CHECK(of_arrays == norms);
  // In test/examples/softmax.cpp:
  // row: `scipy.special.softmax(a, axis=1)`
}

TEST_CASE("each row of the tables is above, with the calls of its replacement") {
  const std::string own = __FILE__;
  const auto text_of = [](const std::string& path) {
    std::ifstream in(path);
    REQUIRE(in);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  };
  const auto cells_of = [](std::string line) {
    std::vector<std::string> cells;
    line.erase(0, 2);
    for (std::size_t end = 0; (end = line.find("| ")) != std::string::npos;
         line.erase(0, end + 2)) {
      cells.push_back(line.substr(0, end == 0 ? 0 : end - 1));
    }
    cells.push_back(line.substr(0, line.rfind(" |")));
    return cells;
  };
  const std::string tests = text_of(own);
  std::istringstream page(
      text_of(own.substr(0, own.find_last_of('/')) + "/../../docs/migration.md"));
  std::size_t ours = 0;  // the column of this library; 0 in other tables
  int rows = 0;
  for (std::string before, line; std::getline(page, line); before = line) {
    if (line.starts_with("|---")) {
      const auto head = cells_of(before);
      ours =
          static_cast<std::size_t>(std::find(head.begin(), head.end(), "warpfold") - head.begin());
      if (ours == head.size()) ours = 0;
    } else if (!line.starts_with("| ")) {
      ours = 0;
    } else if (ours != 0) {
      const auto cells = cells_of(line);
      const std::string& theirs = cells[0].empty() ? cells[1] : cells[0];
      INFO(theirs);
      const auto begin = tests.find("// row: " + theirs + "\n");
      REQUIRE(begin != std::string::npos);
      ++rows;
      const std::string test = tests.substr(begin, tests.find("// row:", begin + 1) - begin);
      if (test.find("wf::") == std::string::npos) continue;  // tested in another file
      static const std::regex name("wf::[a-z_0-9]+");
      for (std::sregex_iterator call(cells[ours].begin(), cells[ours].end(), name), none;
           call != none; ++call) {
        if (call->str() == "wf::par" || call->str() == "wf::device") continue;
        INFO(call->str());
        CHECK(test.find(call->str()) != std::string::npos);
      }
    }
  }
  CHECK(rows > 60);
}
