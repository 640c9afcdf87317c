// Exact sums on the GPU: the same bits as on the host, by tables of threads, and along an axis by
// kernels that post or write their states.
#include <warpfold/op/exact.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/dot.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/strided.hpp>

#include "contract/device_memory.hpp"
#include "op/exact_kinds.hpp"

namespace wf = warpfold;

namespace {

/// Numbers of both signs whose exponents differ by up to `binades`.
template <class T>
std::vector<T> scattered(std::size_t n, int binades) {
  std::vector<T> v(n);
  std::uint64_t bits = 88172645463325252ull;
  for (T& x : v) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    const T fraction = static_cast<T>(bits >> 40) / static_cast<T>(1 << 24) + T{1};
    const T size = std::ldexp(fraction, static_cast<int>(bits % static_cast<unsigned>(binades)));
    x = (bits >> 32 & 1) != 0 ? size : -size;
  }
  return v;
}

}  // namespace

TEST_CASE_TEMPLATE("exact sums have the bits of the host", T, float, double) {
  for (const std::size_t n : {0, 1, 33, 5000, 1'000'003}) {
    for (const int binades : {1, 20, 100}) {
      CAPTURE(n);
      CAPTURE(binades);
      const std::vector<T> host = scattered<T>(n, binades);
      const wf::device_buffer<T> v(host);
      const T want = wf::reduce(wf::seq, host, wf::plus{}.exact());
      CHECK(wf::reduce(wf::device, v, wf::plus{}.exact()) == want);
    }
  }
}

TEST_CASE_TEMPLATE("special values, and numbers of all exponents", T, float, double) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr int all = std::numeric_limits<T>::max_exponent - 3;
  for (const std::size_t n : {3, 20'000, 400'001}) {
    std::vector<T> host = scattered<T>(n, 2 * all);
    for (T& x : host) x = std::ldexp(x, -all);
    for (std::size_t i = 0; i < n; i += 5) host[i] = i % 2 == 0 ? T(-0.0) : T(0);
    for (std::size_t i = 1; i < n; i += 9) host[i] = std::numeric_limits<T>::denorm_min();
    const auto check = [&] {
      const wf::device_buffer<T> v(host);
      const T want = wf::reduce(wf::seq, host, wf::plus{}.exact());
      const T got = wf::reduce(wf::device, v, wf::plus{}.exact());
      CHECK(((std::isnan(got) && std::isnan(want)) ||
             (got == want && std::signbit(got) == std::signbit(want))));
    };
    check();
    host[n / 2] = infinity;
    check();
    host[n / 3] = -infinity;
    check();
    host.assign(n, T(-0.0));
    check();
  }
}

TEST_CASE_TEMPLATE("exact sums of 16-bit floats", T, __half, __nv_bfloat16) {
  for (const std::size_t n : {1, 77, 30'000, 3'000'001}) {
    std::vector<float> numbers = scattered<float>(n, 20);
    std::vector<T> host;
    for (const float x : numbers) host.push_back(static_cast<T>(x * 0x1p-12f));
    const wf::device_buffer<T> v(host);
    CHECK(wf::reduce(wf::device, v, wf::plus{}.exact()) ==
          wf::reduce(wf::seq, host, wf::plus{}.exact()));
  }
}

TEST_CASE_TEMPLATE("exact dot products, norms and moments, with states of up to 2 KB", T, float,
                   double) {
  for (const std::size_t n : {1, 500, 100'003}) {
    const std::vector<T> a = scattered<T>(n, 60), b = scattered<T>(n, 9);
    std::vector<std::complex<T>> y(n), z(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = {a[i], b[i]}, z[i] = {b[n - 1 - i], a[i]};
    const wf::device_buffer<T> on_a(a), on_b(b);
    const wf::device_buffer<std::complex<T>> on_y(y), on_z(z);
    const auto exact = wf::plus{}.exact();
    CHECK(wf::dot(wf::device, on_a, on_b, exact) == wf::dot(wf::seq, a, b, exact));
    CHECK(wf::dot(wf::device, on_y, on_z, exact) == wf::dot(wf::seq, y, z, exact));
    CHECK(wf::reduce(wf::device, on_y, exact) == wf::reduce(wf::seq, y, exact));
    CHECK(wf::norm_2(wf::device, on_a, exact) == wf::norm_2(wf::seq, a, exact));
    CHECK(wf::norm_2(wf::device, on_z, exact) == wf::norm_2(wf::seq, z, exact));
    CHECK(wf::mean(wf::device, on_a, exact) == wf::mean(wf::seq, a, exact));
    CHECK(wf::variance(wf::device, on_a, exact) == wf::variance(wf::seq, a, exact));
  }
}

TEST_CASE("the same bits by another kernel, in steps, and into a state") {
  const std::vector<double> host = scattered<double>(300'000, 900);
  const wf::device_buffer<double> v(host);
  const double want = wf::reduce(wf::seq, host, wf::plus{}.exact());
  CHECK(wf::reduce(wf::device.with_kernel(wf::kernel::single_pass<>{}), v, wf::plus{}.exact()) ==
        want);
  const auto odd = wf::strided(std::span<const double>(v.data(), v.size()), 2, 1);
  CHECK(wf::reduce(wf::device, odd, wf::plus{}.exact()) ==
        wf::reduce(wf::seq, wf::strided(host, 2, 1), wf::plus{}.exact()));
  wf::device_buffer<wf::exact_sum<double>> state(1);
  wf::reduce_async(wf::device, v, wf::plus{}.exact(), state.data());
  CHECK(state.to_host()[0].rounded() == want);
}

TEST_CASE("the words of many threads do not overflow") {
  // The largest numbers of a bin, and the largest half.
  constexpr std::size_t n = std::size_t{1} << 26;
  const std::vector<float> host(n, 131071.0f);
  const wf::device_buffer<float> v(host);
  CHECK(wf::reduce(wf::device, v, wf::plus{}.exact<double>()) == 131071.0 * 0x1p26);
  const wf::device_buffer<__half> halves(std::vector<__half>(n, static_cast<__half>(65504.0f)));
  CHECK(wf::reduce(wf::device, halves, wf::plus{}.exact<double>()) == 65504.0 * 0x1p26);
  const wf::device_buffer<__nv_bfloat16> others(
      std::vector<__nv_bfloat16>(n, static_cast<__nv_bfloat16>(130560.0f)));
  CHECK(wf::reduce(wf::device, others, wf::plus{}.exact<double>()) == 130560.0 * 0x1p26);
}

TEST_CASE_TEMPLATE("[large] more than 2^31 equal numbers", T, float, double) {
  const std::size_t n = (std::size_t{1} << 31) + 5;
  const T x = std::nextafter(T{1}, T{2});
  // The sum of n numbers 1 + 2^-d is n + n 2^-d.
  const wf::device_buffer<T> v = [&] {
    wf::device_buffer<T> all(n);
    const std::vector<T> some(std::size_t{1} << 24, x);
    for (std::size_t i = 0; i < n; i += some.size()) {
      const std::size_t count = n - i < some.size() ? n - i : some.size();
      REQUIRE(cudaMemcpy(all.data() + i, some.data(), count * sizeof(T), cudaMemcpyDefault) ==
              cudaSuccess);
    }
    return all;
  }();
  const auto whole = static_cast<double>(n);
  const double more = whole * static_cast<double>(std::numeric_limits<T>::epsilon());
  CHECK(wf::reduce(wf::device, v, wf::plus{}.exact<double>()) == whole + more);
}

TEST_CASE("exact column sums have the bits of the host") {
  constexpr std::size_t rows = 3000, columns = 5;
  using matrix = cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>>;
  const std::vector<float> host = scattered<float>(rows * columns, 60);
  const wf::device_buffer<float> v(host);
  std::vector<float> want(columns);
  wf::device_buffer<float> sums(columns);
  wf::reduce_axis<0>(wf::seq, matrix(host.data(), rows, columns), wf::plus{}.exact(), want);
  wf::reduce_axis<0>(wf::device, matrix(v.data(), rows, columns), wf::plus{}.exact(), sums);
  CHECK(sums.to_host() == want);
}

namespace {

template <class R>
void check_same(const std::vector<R>& got, const std::vector<R>& want) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    wrong += test::is_same_sum(static_cast<double>(got[i]), static_cast<double>(want[i])) ? 0 : 1;
  }
  CHECK(wrong == 0);
}

/// An array in host memory, and a copy in device memory.
template <class T>
struct two_copies {
  explicit two_copies(const std::vector<T>& v) : host(v), device(v) {}
  std::span<const T> of(const wf::seq_policy&) const { return host; }
  template <class Policy>
  std::span<const T> of(const Policy&) const {
    return {device.data(), device.size()};
  }

  std::vector<T> host;
  wf::device_buffer<T> device;
};

/// Calls `call(policy, data, results)` on the host and on the GPU, and compares the results.
template <class R, class T>
void check_groups(const std::vector<T>& host, std::size_t results, const auto& call) {
  const two_copies<T> v(host);
  std::vector<R> want(results);
  wf::device_buffer<R> got(results);
  call(wf::seq, v.of(wf::seq), std::span<R>(want));
  call(wf::device, v.of(wf::device), std::span<R>(got.data(), results));
  check_same(got.to_host(), want);
}

}  // namespace

TEST_CASE_TEMPLATE("exact sums of rows and columns", T, float, double) {
  constexpr std::size_t shapes[][2] = {{20'000, 7},  {3000, 100}, {64, 4096},   {3, 200'001},
                                       {1, 500'000}, {5000, 3},   {300'000, 1}, {100'000, 4}};
  for (const test::exact_kind kind : test::all_exact_kinds) {
    for (const auto& [rows, columns] : shapes) {
      CAPTURE(static_cast<int>(kind));
      CAPTURE(rows);
      CAPTURE(columns);
      const std::size_t height = rows, width = columns;
      const auto v = test::numbers_of_kind<T>(kind, rows * columns, rows * columns);
      using matrix = cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>>;
      check_groups<T>(v, rows, [&](const auto& policy, auto data, auto out) {
        wf::reduce_axis<1>(policy, matrix(data.data(), height, width), wf::plus{}.exact(), out);
      });
      check_groups<T>(v, columns, [&](const auto& policy, auto data, auto out) {
        wf::reduce_axis<0>(policy, matrix(data.data(), height, width), wf::plus{}.exact(), out);
      });
    }
  }
}

TEST_CASE_TEMPLATE("exact sums and norms of segments", T, float, double) {
  std::vector<int> offsets{0};
  std::mt19937_64 random(7);
  while (offsets.back() < 600'000) {
    const auto any = static_cast<int>(random() % 1000);
    const int length = any % 100 == 99 ? 40'000 + any : any < 800 ? any % 40 : any;
    offsets.push_back(offsets.back() + length);
  }
  const auto n = static_cast<std::size_t>(offsets.back());
  const two_copies<int> bounds(offsets);
  const std::size_t count = offsets.size() - 1;
  for (const test::exact_kind kind : test::all_exact_kinds) {
    CAPTURE(static_cast<int>(kind));
    const auto v = test::numbers_of_kind<T>(kind, n, n);
    check_groups<T>(v, count, [&](const auto& policy, auto data, auto out) {
      wf::reduce_segments(policy, data, bounds.of(policy), wf::plus{}.exact(), out);
    });
    // Norms have states of 1112 bytes for doubles. Few kernels, which take long to compile.
    if constexpr (std::is_same_v<T, float>) {
      check_groups<T>(v, count, [&](const auto& policy, auto data, auto out) {
        wf::reduce_segments(policy, data, bounds.of(policy), wf::plus{}.exact(), T{3}, out);
      });
    } else {
      check_groups<double>(v, count, [&](const auto& policy, auto data, auto out) {
        wf::reduce_segments(policy, data, bounds.of(policy), wf::exact_squares_op<double>{}, out);
      });
    }
  }
}

TEST_CASE("exact sums of classes and lists") {
  constexpr std::size_t n = 300'000, classes = 500;
  std::vector<int> labels;
  std::mt19937_64 random(8);
  for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<int>(random() % classes));
  const two_copies<int> label(labels);
  for (const test::exact_kind kind : test::all_exact_kinds) {
    CAPTURE(static_cast<int>(kind));
    const auto v = test::numbers_of_kind<float>(kind, n, 9);
    check_groups<float>(v, classes, [&](const auto& policy, auto data, auto out) {
      wf::reduce_by_class(policy, label.of(policy), data, classes, wf::plus{}.exact(), out);
    });
    check_groups<float>(v, 100, [&](const auto& policy, auto data, auto out) {
      std::vector<std::span<const float>> list;
      for (std::size_t r = 0; r < 100; ++r) list.push_back(data.subspan(r * r, r % 9 * r * 300));
      wf::reduce_many(policy, list, wf::plus{}.exact(), out);
    });
  }
}

TEST_CASE("products of a projection are rounded before they are added") {
  // A product fused with an addition would not be.
  const auto square = [] __host__ __device__(double x) { return x * x; };
  constexpr std::size_t n = 40'000;
  const auto v = test::numbers_of_kind<double>(test::exact_kind::similar, n, n);
  std::vector<int> offsets;
  for (std::size_t i = 0; i <= n; i += 40) offsets.push_back(static_cast<int>(i));
  const wf::device_buffer<double> data(v);
  const wf::device_buffer<int> bounds(offsets);
  const std::size_t count = offsets.size() - 1;
  std::vector<double> want(count), squares(n);
  for (std::size_t i = 0; i < n; ++i) {
    volatile double rounded = v[i] * v[i];
    squares[i] = rounded;
  }
  wf::device_buffer<double> got(count);
  wf::reduce_segments(wf::seq, squares, offsets, wf::plus{}.exact(), want);
  wf::reduce_segments(wf::device, wf::project(data, square), bounds, wf::plus{}.exact(), got);
  check_same(got.to_host(), want);
  CHECK(wf::reduce(wf::device, wf::project(data, square), wf::plus{}.exact()) ==
        wf::reduce(wf::seq, squares, wf::plus{}.exact()));
}

TEST_CASE("exact sums in a graph") {
  const std::vector<double> host = scattered<double>(200'000, 500);
  const wf::device_buffer<double> v(host);
  wf::device_buffer<double> sum(1);
  const test::own_stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::reduce_async(wf::device.on(stream.get()), v, wf::plus{}.exact(), sum.data());
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(cudaGraphLaunch(replay, stream.get()) == cudaSuccess);
    stream.wait();
    CHECK(sum.to_host()[0] == wf::reduce(wf::seq, host, wf::plus{}.exact()));
  }
  (void)cudaGraphExecDestroy(replay);
  (void)cudaGraphDestroy(graph);
}
