// drop_in/thrust.hpp on the GPU: sums and counts have the values and types of Thrust's, for all
// sizes, misaligned and fancy iterators, policies and inits.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/universal_vector.h>

#include "contract/device_memory.hpp"
#include "drop_in/both.hpp"

namespace {

constexpr int sizes[] = {0, 1, 2, 3, 31, 1000, 4099, 70001, 1000003};

template <class T>
const thrust::device_vector<T>& data() {
  static const thrust::device_vector<T> values = [] {
    std::vector<T> v(1000010);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>((i * 7919) % 7);
    return thrust::device_vector<T>(v.begin(), v.end());
  }();
  return values;
}

/// Calls `check(first, last)` for each size and misalignment.
template <class T, class Check>
void for_each_range(const Check& check) {
  for (const int n : sizes) {
    for (const int from : {0, 1, 3}) {
      INFO("size ", n, " from element ", from);
      check(data<T>().begin() + from, data<T>().begin() + from + n);
    }
  }
}

// Not const, as in older code for Thrust.
struct twice {
  WARPFOLD_HD double operator()(float x) { return 2.0 * static_cast<double>(x); }
};
struct is_three {
  WARPFOLD_HD bool operator()(int x) const { return x == 3; }
};
struct sum_of_pair {
  WARPFOLD_HD float operator()(thrust::tuple<int, float> p) const {
    return static_cast<float>(thrust::get<0>(p)) * 3.0f + thrust::get<1>(p);
  }
};
struct larger {
  WARPFOLD_HD int operator()(int a, int b) { return a < b ? b : a; }
};

}  // namespace

TEST_CASE("reduce: by default, from inits of other types, and with ops") {
  for_each_range<int>([](auto first, auto last) {
    CHECK_BOTH(reduce(first, last));
    CHECK_BOTH(reduce(first, last, 5ll));
    CHECK_BOTH(reduce(first, last, 0.5));
    CHECK_BOTH(reduce(first, last, -1, larger{}));
    CHECK_BOTH(reduce(thrust::device, first, last, -1, t::maximum<int>()));
    CHECK_BOTH(reduce(thrust::cuda::par, first, last, 100, t::minimum<int>()));
  });
  for_each_range<float>([](auto first, auto last) {
    CHECK_BOTH(reduce(first, last));
    CHECK_BOTH(reduce(first, last, 7));
    CHECK_BOTH(reduce(first, last, 7, t::plus<>()));
  });
  for_each_range<unsigned char>([](auto first, auto last) {
    CHECK_BOTH(reduce(first, last));  // modulo 256
    CHECK_BOTH(reduce(first, last, 1));
  });
}

TEST_CASE("reduce: the accumulator has the init's type") {
  const std::vector<float> values{1.5f, 2.5f, 3.5f, 4.5f};
  const thrust::device_vector<float> v(values.begin(), values.end());
  CHECK_BOTH(reduce(v.begin(), v.end(), 0));
  CHECK_BOTH(reduce(v.begin(), v.end(), 0, t::plus<float>()));
  CHECK_BOTH(reduce(v.begin(), v.end(), 1, t::multiplies<float>()));
  CHECK(wf::drop_in::thrust::reduce(v.begin(), v.end(), 0) == 10);
}

TEST_CASE("reduce: on streams, and in the order of a stream") {
  const test::own_stream stream;
  for_each_range<int>([&](auto first, auto last) {
    CHECK_BOTH(reduce(thrust::cuda::par.on(stream.get()), first, last, 1));
    CHECK_BOTH(reduce(thrust::cuda::par_nosync.on(stream.get()), first, last, 1));
  });
}

TEST_CASE("reduce: fancy iterators") {
  const auto& ints = data<int>();
  const auto& floats = data<float>();
  const thrust::counting_iterator<int> one(1);
  const thrust::constant_iterator<int> three(3);
  const auto permuted = thrust::make_permutation_iterator(floats.begin(), ints.begin());
  const auto doubled = thrust::make_transform_iterator(floats.begin() + 1, twice{});
  const auto zipped = thrust::make_zip_iterator(ints.begin() + 3, floats.begin() + 1);
  const auto sums = thrust::make_transform_iterator(zipped, sum_of_pair{});
  for (const int n : sizes) {
    INFO("size ", n);
    CHECK_BOTH(reduce(one, one + n, 0ll));
    CHECK_BOTH(reduce(three, three + n));
    CHECK_BOTH(reduce(permuted, permuted + n));
    CHECK_BOTH(reduce(doubled, doubled + n));
    CHECK_BOTH(reduce(sums, sums + n));
    CHECK_BOTH(transform_reduce(zipped, zipped + n, sum_of_pair{}, 0.0f, t::plus<float>()));
  }
}

TEST_CASE("transform_reduce, inner_product, count, count_if") {
  for_each_range<float>([](auto first, auto last) {
    CHECK_BOTH(transform_reduce(first, last, twice{}, 1.0, t::plus<double>()));
    CHECK_BOTH(transform_reduce(first, last, twice{}, 1, t::plus<int>()));
    CHECK_BOTH(inner_product(first, last, data<float>().begin() + 2, 1.0f));
    CHECK_BOTH(inner_product(first, last, data<int>().begin(), 1.0));
    CHECK_BOTH(
        inner_product(first, last, data<int>().begin(), 0, t::maximum<int>(), t::minus<float>()));
  });
  for_each_range<int>([](auto first, auto last) {
    CHECK_BOTH(count(first, last, 3));
    CHECK_BOTH(count(first, last, 3.0));
    CHECK_BOTH(count_if(thrust::device, first, last, is_three{}));
  });
}

TEST_CASE("inner_product takes a __device__-only lambda, whose result becomes an init") {
  const auto product = []
      __device__(float a, float b) { return a * b + 1; };  // so that sums are exact
  for_each_range<float>([&](auto first, auto last) {
    CHECK_BOTH(inner_product(first, last, first, 0.25f, t::plus<float>(), product));
    CHECK_BOTH(inner_product(first, last, first, 7, t::plus<int>(), product));
  });
}

TEST_CASE("reduce_into writes what reduce returns, and can be captured") {
  const test::own_stream stream;
  thrust::device_vector<double> out(3);
  for_each_range<unsigned char>([&](auto first, auto last) {
    namespace t = wf::drop_in::thrust;
    t::reduce_into(first, last, out.begin());
    t::reduce_into(thrust::cuda::par.on(stream.get()), first, last, out.begin() + 1, 7);
    t::reduce_into(thrust::device, first, last, out.data() + 2, 1, larger{});
    CHECK(out[0] == static_cast<double>(thrust::reduce(first, last)));
    CHECK(out[1] == static_cast<double>(thrust::reduce(first, last, 7)));
    CHECK(out[2] == static_cast<double>(thrust::reduce(first, last, 1, larger{})));
  });
  const auto policy = thrust::cuda::par_nosync.on(stream.get());
  cudaGraph_t graph{};
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  wf::drop_in::thrust::reduce_into(policy, data<int>().begin(), data<int>().end(), out.begin());
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  CHECK(graph != nullptr);
  (void)cudaGraphDestroy(graph);
}
