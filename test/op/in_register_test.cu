// Extrema of computed integers on the GPU, where some compilers drop negations
// (op/in_register.hpp), and related bugs: packed 16-bit additions, and shuffled accumulators with a
// 16-bit member.
#include <doctest/doctest.h>

#include <cuda/std/mdspan>

#include <algorithm>
#include <span>
#include <vector>

#include <warpfold/extrema.hpp>
#include <warpfold/kernel/bulk_copy.hpp>
#include <warpfold/kernel/ladder/grid_stride.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/transform.hpp>

#include "contract/device_memory.hpp"
#include "contract/oracle.hpp"

namespace {

struct negate {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(-x);
  }
};
struct from_zero {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(0 - x);
  }
};
struct times_minus_one {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(x * -1);
  }
};
struct negate_xor {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(-(x ^ 1));
  }
};
struct negate_shifted {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(-(x << 1));
  }
};
struct from_seven {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(7 - x);
  }
};
struct complement {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(~x);
  }
};
struct absolute {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(x < 0 ? -x : x);
  }
};
struct minus_absolute {
  template <class T>
  __host__ __device__ T operator()(T x) const {
    return static_cast<T>(x < 0 ? x : -x);
  }
};

struct plus_one {
  __host__ __device__ short operator()(short x) const { return static_cast<short>(x + 1); }
};

// What a user would write.
struct larger {
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
// Lifts to what it compares.
struct most_negative {
  template <class T>
  using accumulator = T;
  template <class T>
  __host__ __device__ T lift(T x) const {
    return static_cast<T>(-x);
  }
  template <class T>
  __host__ __device__ T identity() const {
    return static_cast<T>(sizeof(T) == 2 ? -32768 : -2147483647 - 1);
  }
  template <class T>
  __host__ __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct largest_of_three {
  __host__ __device__ int operator()(const wf::tuple<int, int, int>& t) const {
    const int a = wf::get<0>(t), b = wf::get<1>(t), c = wf::get<2>(t);
    const int m = a < b ? b : a;
    return m < c ? c : m;
  }
};

template <class T>
std::vector<T> numbers(std::size_t n) {
  test::random_bits bits;
  std::vector<T> v(n);
  for (T& x : v) x = static_cast<T>(static_cast<int>(bits() % 8001) - 4000);
  return v;
}

const std::vector<std::size_t> sizes{1, 2, 3, 4, 5, 7, 8, 31, 100, 129, 1000, 4099, 70001, 1000003};

// The elements from `data` on, which are those of `host`, and what `F` makes of them.
template <class T, class F>
struct sample {
  std::span<const T> there, here;
  std::vector<T> computed;
  T least, greatest;

  sample(const T* data, const std::vector<T>& host, std::size_t n)
      : there(data, n), here(host.data(), n), computed(n) {
    std::transform(here.begin(), here.end(), computed.begin(), F{});
    least = *std::min_element(computed.begin(), computed.end());
    greatest = *std::max_element(computed.begin(), computed.end());
  }
  auto projected() const { return wf::project(there, F{}); }
  wf::indexed<T> first(T value) const {
    return {value, static_cast<std::size_t>(std::find(computed.begin(), computed.end(), value) -
                                            computed.begin())};
  }
};

template <class T, class F>
void check_maximum(const sample<T, F>& s) {
  CHECK(wf::reduce(wf::device, s.projected(), wf::maximum{}) == s.greatest);
}

template <class Policy, class T, class F>
void check_all_ops(const Policy& policy, const sample<T, F>& s) {
  CHECK(wf::reduce(policy, s.projected(), wf::minimum{}) == s.least);
  CHECK(wf::reduce(policy, s.projected(), wf::maximum{}) == s.greatest);
  CHECK(wf::reduce(policy, s.projected(), larger{}) == s.greatest);
  CHECK(wf::reduce(policy, s.projected(), wf::arg(wf::minimum{})) == s.first(s.least));
  CHECK(wf::reduce(policy, s.projected(), wf::arg(wf::maximum{})) == s.first(s.greatest));
  const auto both =
      wf::reduce(policy, s.there,
                 wf::all(wf::projected(wf::minimum{}, F{}), wf::projected(wf::maximum{}, F{})));
  CHECK(wf::get<0>(both) == s.least);
  CHECK(wf::get<1>(both) == s.greatest);
}

template <class T, class F, class Check>
void at_all_sizes(const char* name, const Check& check) {
  CAPTURE(name);
  const std::vector<T> host = numbers<T>(sizes.back());
  for (const std::size_t offset : {std::size_t{0}, sizeof(T)}) {
    CAPTURE(offset);
    const test::device_memory::array<T> there(host, offset);
    for (const std::size_t n : sizes) {
      CAPTURE(n);
      check(sample<T, F>(there.data(), host, n));
    }
  }
}
template <class T, class F>
void check_all_ops(const char* name) {
  at_all_sizes<T, F>(name, [](const auto& s) { check_all_ops(wf::device, s); });
}
template <class T, class F>
void check_maximum(const char* name) {
  at_all_sizes<T, F>(name, [](const auto& s) { check_maximum(s); });
}

template <class T>
void check_all_projections() {
  check_all_ops<T, negate>("negate");
  check_maximum<T, from_zero>("from_zero");
  check_maximum<T, times_minus_one>("times_minus_one");
  check_maximum<T, negate_xor>("negate_xor");
  check_maximum<T, negate_shifted>("negate_shifted");
  check_maximum<T, from_seven>("from_seven");
  check_maximum<T, complement>("complement");
  check_maximum<T, absolute>("absolute");
  check_maximum<T, minus_absolute>("minus_absolute");
}

}  // namespace

TEST_CASE("extrema of computed ints") { check_all_projections<int>(); }
TEST_CASE("extrema of computed shorts") { check_all_projections<short>(); }
TEST_CASE("extrema of computed chars and longs") {
  check_maximum<signed char, negate>("negate");
  check_maximum<long, negate>("negate");
}

TEST_CASE("extrema of negated ints by other kernels") {
  const std::vector<int> host = numbers<int>(300007);
  const test::device_memory::array<int> there(host, 0);
  for (const std::size_t n : {std::size_t{5}, std::size_t{4099}, host.size()}) {
    CAPTURE(n);
    const sample<int, negate> s(there.data(), host, n);
    check_all_ops(wf::device.with_kernel(wf::kernel::grid_stride<>{}), s);
    check_all_ops(wf::device.with_kernel(wf::kernel::bulk_copy{}), s);
  }
}

TEST_CASE("an op that negates as it lifts") {
  const std::vector<int> host = numbers<int>(24 * 1000);
  const test::device_memory::array<int> there(host, 0);
  const std::span<const int> all(there.data(), host.size());
  CHECK(wf::reduce(wf::device, all, most_negative{}) == wf::reduce(wf::seq, host, most_negative{}));
  CHECK(wf::reduce(wf::device, all, wf::all(most_negative{}, wf::plus{})) ==
        wf::reduce(wf::seq, host, wf::all(most_negative{}, wf::plus{})));
  for (const std::size_t columns : {std::size_t{24}, std::size_t{1000}, std::size_t{7}}) {
    CAPTURE(columns);
    const std::size_t rows = host.size() / columns;
    wf::device_buffer<int> of_rows(rows), of_columns(columns);
    std::vector<int> expected_rows(rows), expected_columns(columns);
    using extents = cuda::std::dextents<std::size_t, 2>;
    const cuda::std::mdspan<const int, extents> matrix(there.data(), rows, columns),
        same(host.data(), rows, columns);
    wf::reduce_axis<1>(wf::device, matrix, most_negative{}, of_rows);
    wf::reduce_axis<1>(wf::seq, same, most_negative{}, expected_rows);
    CHECK(test::device_memory::values(of_rows.data(), rows) == expected_rows);
    wf::reduce_axis<0>(wf::device, matrix, most_negative{}, of_columns);
    wf::reduce_axis<0>(wf::seq, same, most_negative{}, expected_columns);
    CHECK(test::device_memory::values(of_columns.data(), columns) == expected_columns);
  }
}

TEST_CASE("a transformation that compares negated columns") {
  const std::vector<int> host = numbers<int>(3001);
  const test::device_memory::array<int> there(host, 0);
  const std::span<const int> a(there.data(), 1000), b(there.data() + 1000, 1000),
      c(there.data() + 2000, 1000);
  wf::device_buffer<int> out(1000);
  wf::transform(
      wf::device,
      wf::zip(wf::project(a, negate{}), wf::project(b, negate{}), wf::project(c, negate{})), out,
      largest_of_three{});
  const std::vector<int> written = test::device_memory::values(out.data(), 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    const int expected = std::max({-host[i], -host[1000 + i], -host[2000 + i]});
    if (written[i] != expected) {
      CAPTURE(i);
      CHECK(written[i] == expected);
      break;
    }
  }
}

// NVIDIA/cccl issue 10958: accumulators with a 16-bit member lose ties at -32768 on their way
// through shuffles.
TEST_CASE("places of shorts, with ties at the least short") {
  test::random_bits bits;
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    std::vector<short> host(n);
    for (short& x : host) {
      constexpr short few[] = {-32768, 32767, -32767, 0};
      x = few[bits() % 4];
    }
    const test::device_memory::array<short> there(host, 0);
    const std::span<const short> all(there.data(), n);
    const auto least = std::min_element(host.begin(), host.end());
    const auto greatest = std::max_element(host.begin(), host.end());
    CHECK(wf::argmin(wf::device, all) ==
          wf::indexed<short>{*least, static_cast<std::size_t>(least - host.begin())});
    CHECK(wf::argmax(wf::device, all) ==
          wf::indexed<short>{*greatest, static_cast<std::size_t>(greatest - host.begin())});
    CHECK(wf::reduce(wf::device, wf::project(all, absolute{}), wf::arg(wf::maximum{})) ==
          wf::reduce(wf::seq, wf::project(host, absolute{}), wf::arg(wf::maximum{})));
  }
}

// triton-lang/triton issue 11581: of two packed 16-bit additions of one constant, the second loses
// it.
TEST_CASE("shorts plus a constant, folded by every packed op") {
  for (const std::size_t n : sizes) {
    CAPTURE(n);
    const std::vector<short> host = numbers<short>(n);
    const test::device_memory::array<short> there(host, 0);
    const auto here = wf::project(host, plus_one{});
    const std::span<const short> all(there.data(), n);
    const auto on_gpu = wf::project(all, plus_one{});
    CHECK(wf::reduce(wf::device, on_gpu, wf::plus{}) == wf::reduce(wf::seq, here, wf::plus{}));
    CHECK(wf::reduce(wf::device, on_gpu, wf::minimum{}) ==
          wf::reduce(wf::seq, here, wf::minimum{}));
    CHECK(wf::reduce(wf::device, on_gpu, wf::bit_xor{}) ==
          wf::reduce(wf::seq, here, wf::bit_xor{}));
    CHECK(wf::reduce(wf::device, on_gpu, wf::multiplies{}) ==
          wf::reduce(wf::seq, here, wf::multiplies{}));
  }
}
