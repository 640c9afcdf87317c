// kernel::thread_tables: exact sums in the emulation against seq, for elements, ops, views, sizes
// and special values; its launches; counted ranges; GPUs with little shared memory.
// needs: boost_context
#include <warpfold/kernel/thread_tables.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/strided.hpp>
#include <warpfold/view/where.hpp>

#include "kernel/launches.hpp"
#include "op/table_columns.hpp"

namespace {

constexpr auto exact = wf::plus{}.exact();

template <class T>
bool are_same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
  } else {
    return are_same(a.real(), b.real()) && are_same(a.imag(), b.imag());
  }
}

/// Adds the numbers without their signs.
struct sizes_only : wf::exact_plus<void> {
  WARPFOLD_HD auto lift(float x) const { return wf::exact_sum<float>(x < 0 ? -x : x); }
};

/// Calls `call(policy)` with both policies.
template <class Call>
void check_both(const Call& call) {
  CHECK(are_same(call(wf::emulated), call(wf::seq)));
}

/// Numbers with some zeros, infinities and subnormal numbers.
template <class T>
std::vector<T> with_special_values(std::vector<T> numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % 7 == 3) numbers[i] = i % 2 == 0 ? T(0) : T(-0.0);
    if (i % 11 == 5) numbers[i] = std::numeric_limits<T>::denorm_min() * static_cast<T>(i % 100);
    if (i % 1001 == 1000) numbers[i] = -std::numeric_limits<T>::infinity();
  }
  return numbers;
}

/// The launch of an exact sum of `n` elements.
template <class T>
wf::launch_shape shape_of(std::size_t n, const wf::device_info& gpu) {
  const auto view = wf::lifted(test::elements<T>(n), exact);
  const wf::reduction<std::remove_const_t<decltype(view)>, wf::exact_plus<void>> r{view, exact, {}};
  test::launch_recorder on{gpu, {}, {}};
  wf::kernel::thread_tables{}.enqueue(
      r, wf::collective::result_sink<typename decltype(r)::result_type>{}, on);
  REQUIRE(on.launches.size() == 1);
  CHECK(on.launches[0].kernel == "thread_tables");
  CHECK(on.scratches.empty());
  return on.launches[0].shape;
}

}  // namespace

TEST_CASE_TEMPLATE("sums of numbers of any exponents", T, float, double) {
  constexpr int least = std::numeric_limits<T>::min_exponent,
                most = std::numeric_limits<T>::max_exponent;
  for (const std::size_t n : {0, 1, 2, 3, 31, 33, 1000, 5003, 60'007}) {
    for (const int binades : {1, 20, 40, most - least - 20}) {
      CAPTURE(n);
      CAPTURE(binades);
      const auto v = test::numbers_of<T>(n, binades > 100 ? least : -5, binades);
      check_both([&](const auto& policy) { return wf::reduce(policy, v, exact); });
    }
    const auto v = with_special_values(test::numbers_of<T>(n, -30, 60));
    check_both([&](const auto& policy) { return wf::reduce(policy, v, exact); });
    check_both([&](const auto& policy) { return wf::reduce(policy, v, T(3), exact); });
    check_both(
        [&](const auto& policy) { return wf::reduce(policy, v, wf::plus{}.exact<double>()); });
  }
}

TEST_CASE_TEMPLATE("only zeros", T, float, double) {
  for (const std::size_t n : {1, 5, 3000}) {
    std::vector<T> v(n, T(-0.0));
    check_both([&](const auto& policy) { return wf::reduce(policy, v, exact); });
    v.back() = T(0);
    check_both([&](const auto& policy) { return wf::reduce(policy, v, exact); });
  }
}

TEST_CASE_TEMPLATE("dot products, norms, means and variances, also of complex numbers", T, float,
                   double) {
  for (const std::size_t n : {1, 33, 3001}) {
    const auto v = test::numbers_of<T>(n, -40, 80), w = test::numbers_of<T>(n + 3, -3, 5);
    std::vector<std::complex<T>> y(n), z(n);
    for (std::size_t i = 0; i < n; ++i) y[i] = {v[i], w[i]}, z[i] = {w[i + 2], v[n - 1 - i]};
    const std::span<const T> of_w(w.data(), n);
    check_both([&](const auto& policy) { return wf::dot(policy, v, of_w, exact); });
    check_both([&](const auto& policy) { return wf::dot(policy, y, z, exact); });
    check_both([&](const auto& policy) { return wf::norm_2(policy, v, exact); });
    check_both([&](const auto& policy) { return wf::norm_2(policy, z, exact); });
    check_both([&](const auto& policy) { return wf::mean(policy, v, exact); });
    check_both([&](const auto& policy) { return wf::variance(policy, v, exact); });
    check_both([&](const auto& policy) { return wf::reduce(policy, y, exact); });
  }
}

TEST_CASE_TEMPLATE("sums that are large in any bin", T, float, double) {
  // Of the largest numbers of 16 exponents, more than a word of 63 digits holds.
  for (int exponent = 1; exponent < 120; exponent += 8) {
    std::vector<T> v(300'000, std::ldexp(T{2} - std::numeric_limits<T>::epsilon(), exponent));
    v.push_back(T{1});
    check_both(
        [&](const auto& policy) { return wf::reduce(policy, v, wf::plus{}.exact<double>()); });
  }
}

TEST_CASE("numbers behind a mask, and an op that derives from an exact one") {
  const auto v = test::numbers_of<float>(3000, -30, 60);
  std::vector<std::uint8_t> bits((v.size() + 7) / 8);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint8_t>(37 * i);
  const auto some = wf::where(v, bits);
  check_both([&](const auto& policy) { return wf::reduce(policy, some, exact); });
  check_both([&](const auto& policy) { return wf::mean(policy, some, exact); });
  check_both([&](const auto& policy) { return wf::reduce(policy, v, sizes_only{}); });
}

TEST_CASE("views that start anywhere, and in steps") {
  const auto v = test::numbers_of<float>(5000, -149, 250);
  for (const std::size_t first : {1, 2, 3}) {
    const std::span<const float> part(v.data() + first, 4990);
    check_both([&](const auto& policy) { return wf::reduce(policy, part, exact); });
  }
  const auto every_third = wf::strided(std::span<const float>(v), 3);
  check_both([&](const auto& policy) { return wf::reduce(policy, every_third, exact); });
}

TEST_CASE("a size in memory") {
  const auto v = test::numbers_of<double>(4000, -1000, 2000);
  for (const int n : {0, 1, 777, 4000}) {
    const auto counted = wf::counted(std::span<const double>(v), &n);
    check_both([&](const auto& policy) { return wf::reduce(policy, counted, exact); });
  }
}

TEST_CASE("a state as the result") {
  const auto v = test::numbers_of<double>(3001, -1000, 2000);
  wf::exact_sum<double> sum;
  wf::reduce_async(wf::emulated, v, exact, &sum);
  CHECK(sum.rounded() == wf::reduce(wf::seq, v, exact));
  sum.add(sum);
  CHECK(sum.rounded() == 2 * wf::reduce(wf::seq, v, exact));
}

TEST_CASE("threads and blocks for a size") {
  const wf::device_info gpu = wf::emulation::default_gpu;
  const auto multiprocessors = static_cast<unsigned>(gpu.multiprocessors);
  // Up to 512 chunks, one block.
  CHECK(shape_of<float>(0, gpu).threads() == 32);
  CHECK(shape_of<float>(4 * 33, gpu).block.x == 64);
  CHECK(shape_of<float>(4 * 512, gpu).grid.x == 1);
  CHECK(shape_of<float>(4 * 512, gpu).block.x == 512);
  // Then all multiprocessors, and at most two blocks of 512 for each.
  CHECK(shape_of<float>(4 * 513, gpu).block.x == 128);
  CHECK(shape_of<float>(std::size_t{1} << 30, gpu).grid.x == 2 * multiprocessors);
  CHECK(shape_of<float>(std::size_t{1} << 30, gpu).block.x == 512);
  // The tables of doubles leave room for one block of fewer threads.
  const wf::launch_shape of_doubles = shape_of<double>(std::size_t{1} << 30, gpu);
  CHECK(of_doubles.grid.x == multiprocessors);
  CHECK(of_doubles.block.x == 384);
  CHECK(of_doubles.shared_bytes <= gpu.shared_bytes_per_block);
}

TEST_CASE("a GPU with less shared memory has fewer threads, and with too little none") {
  wf::device_info gpu = wf::emulation::default_gpu;
  gpu.shared_bytes_per_block = 64 * 1024;
  CHECK(shape_of<double>(std::size_t{1} << 30, gpu).block.x == 96);
  gpu.shared_bytes_per_block = 4096;
  std::string what;
  try {
    (void)shape_of<double>(100, gpu);
  } catch (const wf::unsupported_kernel& e) {
    what = e.what();
  }
  CHECK(what.find("thread_tables needs") != std::string::npos);
  CHECK(what.find("4096") != std::string::npos);
}
