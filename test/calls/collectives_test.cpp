// warp_reduce, block_reduce and their forms for all threads, in the emulation: any op, and blocks
// of any shape.
// needs: boost_context
#include <warpfold/collectives.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using warpfold::__syncthreads, warpfold::blockDim, warpfold::threadIdx;

namespace {

/// No identity; the call operator is not const.
struct greater {
  int calls = 0;
  float operator()(float a, float b) { return ++calls == 1 && a > b ? a : b; }
};

const wf::launch_shape shapes[] = {{1, 1},           {1, 31},       {1, 32},   {1, 33},
                                   {1, 100},         {1, 256},      {1, 1023}, {1, 1024},
                                   {1, {16, 16, 1}}, {1, {8, 3, 5}}};

unsigned threads_of(const wf::launch_shape& s) { return static_cast<unsigned>(s.block.count()); }
unsigned this_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

/// Runs `f(value of this thread)` in a block; returns what each thread got.
template <class R, class T, class F>
std::vector<R> results(const wf::launch_shape& shape, const std::vector<T>& values, const F& f) {
  std::vector<R> got(threads_of(shape));
  R* const to = got.data();
  const T* const from = values.data();
  const auto body = [=] { to[this_thread()] = f(from[this_thread()]); };
  // Not a launch: the library's own kernels only have whole warps.
  wf::emulation::launch_state launch;
  launch.launch = {"tested", shape};
  wf::emulation::block(launch).run(
      wf::emulation::any_body::of(test::lambda_body<decltype(body)>{body}), 0);
  return got;
}

template <class T>
std::vector<T> values_of(unsigned n) {
  std::vector<T> v;
  for (unsigned i = 0; i < n; ++i) v.push_back(static_cast<T>((i * 7919 + 13) % 1009) - T{500});
  return v;
}

}  // namespace

TEST_CASE("block_reduce gives thread 0 the fold, block_all_reduce gives it to every thread") {
  for (const wf::launch_shape& shape : shapes) {
    INFO("a block of ", threads_of(shape), " threads");
    const auto ints = values_of<int>(threads_of(shape));
    const auto floats = values_of<float>(threads_of(shape));
    long long sum = 0;
    float most = floats[0];
    for (const int x : ints) sum += 1000000000ll * x;
    for (const float x : floats) most = x > most ? x : most;
    const auto billions = [](int x) { return 1000000000ll * x; };
    CHECK(results<long long>(shape, ints,
                             [=](int x) { return wf::block_reduce(billions(x)); })[0] == sum);
    CHECK(results<float>(shape, floats,
                         [](float x) { return wf::block_reduce(x, greater{}); })[0] == most);
    const auto everywhere = results<float>(
        shape, floats, [](float x) { return wf::block_all_reduce(x, wf::maximum{}); });
    CHECK(everywhere == std::vector<float>(threads_of(shape), most));
  }
}

TEST_CASE("sums of integers have 64 bits") {
  const std::vector<int> values(64, 2000000000);
  CHECK(results<long long>({1, 64}, values, [](int x) { return wf::block_reduce(x); })[0] ==
        128000000000ll);
  static_assert(std::is_same_v<decltype(wf::block_reduce(1)), long long>);
  static_assert(std::is_same_v<decltype(wf::warp_reduce(1.0f)), float>);
}

TEST_CASE("two calls in a row, and storage of the caller's between barriers") {
  const auto values = values_of<int>(96);
  long long sum = 0;
  for (const int x : values) sum += x;
  const auto twice = results<long long>({1, 96}, values, [](int x) {
    long long total = 0;
    for (int i = 0; i < 3; ++i) total += wf::block_all_reduce(x + i);
    return total;
  });
  CHECK(twice == std::vector<long long>(96, 3 * sum + 3 * 96));
  const auto stored = results<long long>({1, 96}, values, [](int x) {
    WARPFOLD_SHARED wf::block_storage<int> storage;
    const long long first = wf::block_all_reduce(x, wf::plus{}, storage);
    __syncthreads();
    return first - wf::block_reduce(x, wf::plus{}, storage);
  });
  CHECK(stored[0] == 0);
}

TEST_CASE("the emulation reports two uses of one storage without a barrier between them") {
  test::emulated_launch on;
  const auto error = on.error_of({1, 96}, [] {
    WARPFOLD_SHARED wf::block_storage<int> storage;
    (void)wf::block_all_reduce(1, wf::plus{}, storage);
    (void)wf::block_all_reduce(2, wf::plus{}, storage);
  });
  CHECK_ERROR(error, "shared array");
}

TEST_CASE("warps fold alone") {
  const auto values = values_of<float>(64);
  const auto got = results<float>({1, 64}, values,
                                  [](float x) { return wf::warp_all_reduce(x, wf::minimum{}); });
  for (unsigned w = 0; w < 2; ++w) {
    float least = values[w * 32];
    for (unsigned i = 0; i < 32; ++i) least = std::min(least, values[w * 32 + i]);
    for (unsigned i = 0; i < 32; ++i) CHECK(got[w * 32 + i] == least);
  }
  const auto first =
      results<float>({1, 64}, values, [](float x) { return wf::warp_reduce(x, greater{}); });
  CHECK(first[32] == *std::max_element(values.begin() + 32, values.end()));
  const auto sums = results<float>({1, 64}, values, [](float x) { return wf::warp_reduce(x); });
  for (unsigned w = 0; w < 2; ++w) {
    float sum = 0;  // exact: the values are small integers
    for (unsigned i = 0; i < 32; ++i) sum += values[w * 32 + i];
    CHECK(sums[w * 32] == sum);
  }
}

TEST_CASE("ops that lift and finish, several ops at once, and an index beside each value") {
  const auto values = values_of<float>(100);
  const wf::launch_shape shape{1, 100};
  const auto both = results<wf::tuple<float, float>>(shape, values, [](float x) {
    return wf::block_all_reduce(x, wf::all(wf::minimum{}, wf::maximum{}));
  });
  CHECK(wf::get<0>(both[99]) == *std::min_element(values.begin(), values.end()));
  CHECK(wf::get<1>(both[0]) == *std::max_element(values.begin(), values.end()));
  const auto means = results<double>(shape, values, [](float x) {
    return static_cast<double>(wf::block_reduce(x, wf::moments_op{}).mean);
  });
  double sum = 0;
  for (const float x : values) sum += double{x};
  CHECK(means[0] == doctest::Approx(sum / 100));
  const auto sums = results<float>(
      shape, values, [](float x) { return wf::block_reduce(x, wf::plus{}.compensated()); });
  CHECK(sums[0] == static_cast<float>(sum));
  const auto where = results<std::size_t>(shape, values, [](float x) {
    return wf::block_reduce(wf::indexed<float>{x, this_thread()}, wf::arg(wf::minimum{})).index;
  });
  CHECK(where[0] ==
        static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin()));
}
