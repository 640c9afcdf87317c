// drop_in/thrust.hpp on the GPU: transform and copy write what Thrust's write and return the same
// iterators. Calls that Thrust runs itself compile and give its results: elements that are not
// trivially copyable, outputs that are not contiguous, other systems, and device code.
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>

#include "contract/device_memory.hpp"
#include "drop_in/both.hpp"

namespace {

namespace ours = wf::drop_in::thrust;

constexpr int sizes[] = {0, 1, 3, 31, 4099, 70001};

struct twice {
  WARPFOLD_HD double operator()(int x) { return 2.0 * x; }
};
struct subtract {
  WARPFOLD_HD int operator()(int a, float b) { return a * 3 - static_cast<int>(b); }
};

/// Not trivially copyable.
struct counted {
  int n = 0;
  counted() = default;
  WARPFOLD_HD counted(int value) : n(value) {}
  WARPFOLD_HD counted(const counted& other) : n(other.n) {}
  WARPFOLD_HD counted& operator=(const counted& other) {
    n = other.n;
    return *this;
  }
  friend WARPFOLD_HD counted operator+(const counted& a, const counted& b) { return a.n + b.n; }
  friend WARPFOLD_HD bool operator<(const counted& a, const counted& b) { return a.n < b.n; }
};

thrust::device_vector<int> numbers(int n) {
  std::vector<int> v(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) v[static_cast<std::size_t>(i)] = i * 7 % 101;
  return {v.begin(), v.end()};
}

__global__ void sum_in_kernel(const int* first, const int* last, int* out) {
  *out = ours::reduce(thrust::seq, first, last, 100);
}

}  // namespace

TEST_CASE("transform of one range and of two") {
  const test::own_stream stream;
  for (const int n : sizes) {
    for (const int from : {0, 1}) {
      INFO("size ", n, " from element ", from);
      const auto in = numbers(n + from);
      const thrust::device_vector<float> other(in.begin(), in.end());
      thrust::device_vector<double> doubles(in.size(), -1), expected(in.size(), -1);
      const auto first = in.begin() + from;
      CHECK(ours::transform(first, in.end(), doubles.begin(), twice{}) - doubles.begin() == n);
      thrust::transform(first, in.end(), expected.begin(), twice{});
      CHECK(doubles == expected);

      auto whole = in, also = in;
      CHECK(ours::transform(first, in.end(), other.begin(), whole.begin(), subtract{}) ==
            whole.begin() + n);
      thrust::transform(first, in.end(), other.begin(), also.begin(), subtract{});
      CHECK(whole == also);

      // In place, and without waiting.
      const auto policy = thrust::cuda::par_nosync.on(stream.get());
      ours::transform(policy, whole.begin(), whole.end(), whole.begin(), thrust::negate<int>());
      stream.wait();
      thrust::transform(also.begin(), also.end(), also.begin(), thrust::negate<int>());
      CHECK(whole == also);
    }
  }
}

TEST_CASE("copy: computed elements, arrays, and between the host and the GPU") {
  for (const int n : sizes) {
    const auto in = numbers(n);
    const auto doubled = thrust::make_transform_iterator(in.begin(), twice{});
    thrust::device_vector<float> out(in.size()), expected(in.size());
    CHECK(ours::copy(doubled, doubled + n, out.begin()) == out.end());
    thrust::copy(doubled, doubled + n, expected.begin());
    CHECK(out == expected);
    ours::copy(thrust::device, in.begin(), in.end(), out.begin());
    CHECK(thrust::equal(in.begin(), in.end(), out.begin()));
    thrust::host_vector<int> here(in.size());
    CHECK(ours::copy(in.begin(), in.end(), here.begin()) == here.end());
    CHECK(here == thrust::host_vector<int>(in));
  }
}

TEST_CASE("what Thrust runs itself") {
  const thrust::device_vector<counted> v(1000, counted(3));
  CHECK(ours::reduce(v.begin(), v.end()).n == 3000);
  CHECK(ours::reduce(v.begin(), v.end(), counted(1), thrust::plus<counted>()).n == 3001);
  CHECK(ours::min_element(v.begin(), v.end()) == v.begin());

  const auto in = numbers(1000);
  CHECK(ours::transform(in.begin(), in.end(), thrust::make_discard_iterator(), twice{}) ==
        thrust::make_discard_iterator(1000));
  auto out = in;
  ours::transform(in.begin(), in.end(), thrust::make_reverse_iterator(out.end()),
                  thrust::negate<int>());
  CHECK(out[999] == -in[0]);

  const thrust::host_vector<int> here(in);
  CHECK(ours::reduce(here.begin(), here.end()) == thrust::reduce(in.begin(), in.end()));

  thrust::device_vector<int> sum(1);
  sum_in_kernel<<<1, 1>>>(thrust::raw_pointer_cast(in.data()),
                          thrust::raw_pointer_cast(in.data()) + 1000,
                          thrust::raw_pointer_cast(sum.data()));
  CHECK(sum[0] == thrust::reduce(in.begin(), in.end(), 100));
}

TEST_CASE("the wrong memory and overlaps throw") {
  std::vector<int> here(100);
  if (!wf::runtime::current_device_info().reads_pageable_memory) {
    CHECK_THROWS_AS((void)ours::reduce(thrust::device, here.data(), here.data() + 100),
                    wf::invalid_range);
  }
  auto v = numbers(100);
  CHECK_THROWS_AS((void)ours::reduce(v.end(), v.begin()), wf::invalid_range);
  CHECK_THROWS_AS(ours::transform(v.begin() + 1, v.end(), v.begin(), thrust::negate<int>()),
                  wf::invalid_range);
}
