// wf::sharded on emulated GPUs: elements go to the shards and come back in order, contiguous and
// in blocks; reductions of the whole array; errors.
// needs: boost_context
#include <warpfold/sharded.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/emulated_devices.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

namespace {

template <class T>
std::vector<T> counted_from_1(std::size_t n) {
  std::vector<T> v(n);
  std::iota(v.begin(), v.end(), T{1});
  return v;
}

constexpr std::size_t sizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 100, 1000, 4097};

// The message of an exception of type E, or what happened instead.
template <class E, class F>
std::string thrown_by(const F& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace

static_assert(!std::is_copy_constructible_v<wf::sharded<int>>);
static_assert(!std::is_copy_assignable_v<wf::sharded<int>>);
static_assert(std::is_nothrow_move_constructible_v<wf::sharded<int>>);
static_assert(wf::reducible_range<wf::sharded<int>>);
static_assert(std::is_constructible_v<wf::sharded<int>, const wf::emulated_devices&, std::size_t>);
static_assert(!std::is_constructible_v<wf::sharded<int>, const wf::emulated_devices&,
                                       const std::vector<float>&>);

TEST_CASE("contiguous parts: equal but for 32 elements, in order, on words of 32 elements") {
  for (const int gpus : {1, 2, 3, 4, 7, 16}) {
    for (const std::size_t n : sizes) {
      CAPTURE(gpus);
      CAPTURE(n);
      const auto v = counted_from_1<int>(n);
      const wf::sharded<int> x(wf::emulated_devices(gpus), v);
      REQUIRE(x.shard_count() == gpus);
      CHECK(x.size() == n);
      CHECK(x.block() == 0);
      std::size_t at = 0, least = n, most = 0;
      for (int r = 0; r < gpus; ++r) {
        const auto part = x.shard(r);
        CHECK(at == wf::shard_begin(n, r, gpus));
        if (!part.empty()) CHECK(at % 32 == 0);
        bool equal = true;
        for (const int e : part) equal = equal && e == v[at++];
        CHECK(equal);
        least = std::min(least, part.size());
        most = std::max(most, part.size());
      }
      CHECK(at == n);
      CHECK(most - least <= 32);
      CHECK(x.to_host() == v);
    }
  }
}

TEST_CASE("blocks in turn: in order, and back") {
  for (const int gpus : {1, 2, 3, 5}) {
    for (const std::size_t block : {1, 3, 32, 100}) {
      for (const std::size_t n : sizes) {
        CAPTURE(gpus);
        CAPTURE(block);
        CAPTURE(n);
        const auto v = counted_from_1<short>(n);
        const wf::sharded<short> x(wf::emulated_devices(gpus), v, wf::block_cyclic(block));
        CHECK(x.block() == block);
        std::vector<std::size_t> at(static_cast<std::size_t>(gpus));
        bool equal = true;
        for (std::size_t i = 0; i < n; ++i) {
          const std::size_t r = i / block % static_cast<std::size_t>(gpus);
          equal = equal && x.shard(static_cast<int>(r))[at[r]++] == v[i];
        }
        CHECK(equal);
        for (int r = 0; r < gpus; ++r) {
          CHECK(x.shard(r).size() == at[static_cast<std::size_t>(r)]);
        }
        CHECK(x.to_host() == v);
      }
    }
  }
}

TEST_CASE("reductions give what the host's range gives") {
  const wf::emulated_devices gpus(3);
  const auto policy = wf::across(gpus);
  auto v = counted_from_1<float>(1000);
  v[700] = 5000;
  const wf::sharded<float> parts(gpus, v);
  const wf::sharded<float> blocks(gpus, std::span<const float>(v), wf::block_cyclic(64));
  CHECK(wf::sum(policy, parts) == wf::sum(wf::seq, v));
  CHECK(wf::reduce(policy, blocks) == wf::sum(wf::seq, v));
  CHECK(wf::max(policy, blocks) == 5000);
  CHECK(wf::reduce(policy, blocks, wf::plus{}.exact()) ==
        wf::reduce(wf::seq, v, wf::plus{}.exact()));
  CHECK(wf::argmax(policy, parts).index == 700);
  CHECK(wf::mean(policy, blocks) == wf::mean(wf::seq, v));
  CHECK(wf::explain(policy, parts).elements == 1000);

  // Arrays of one size are divided equally for all types.
  const wf::sharded<double> y(gpus, std::vector<double>(1000, 2));
  CHECK(wf::dot(policy, parts, y) == 2 * wf::sum(wf::seq, v));
  const wf::sharded<double> y_blocks(gpus, std::vector<double>(1000, 2), wf::block_cyclic(64));
  CHECK(wf::dot(policy, blocks, y_blocks) == 2 * wf::sum(wf::seq, v));
  CHECK_THROWS_AS((void)wf::dot(policy, blocks, y), wf::invalid_range);
  // The same sizes, but other elements.
  const wf::emulated_devices two(2);
  const wf::sharded<float> a(two, std::vector<float>(128, 1));
  const wf::sharded<float> b(two, std::vector<float>(128, 1), wf::block_cyclic(32));
  CHECK(a.shard(0).size() == b.shard(0).size());
  CHECK_THROWS_AS((void)wf::zip(a, b), wf::invalid_range);
}

TEST_CASE("blocks have no indices") {
  const wf::emulated_devices gpus(2);
  const auto policy = wf::across(gpus);
  const auto v = counted_from_1<float>(100);
  const wf::sharded<float> x(gpus, v, wf::block_cyclic(8));
  const auto message = thrown_by<wf::invalid_range>([&] { (void)wf::argmin(policy, x); });
  CHECK(message.find("blocks of 8 elements in turn") != std::string::npos);
  CHECK(message.find("without block_cyclic") != std::string::npos);
  const auto twice = wf::project(x, [](float e) { return 2 * e; });
  CHECK_THROWS_AS((void)wf::argmax(policy, twice), wf::invalid_range);
  CHECK_THROWS_AS((void)wf::reduce(policy, x, wf::all(wf::plus{}, wf::arg(wf::minimum{}))),
                  wf::invalid_range);
  CHECK(wf::sum(policy, twice) == 10100);
}

TEST_CASE("elements can be written, copied again and moved") {
  const wf::emulated_devices gpus(2);
  wf::sharded<int> x(gpus, 70);
  for (int r = 0; r < 2; ++r) {
    for (int& e : x.shard(r)) e = r + 1;
  }
  CHECK(wf::sum(wf::across(gpus), x) == 32 + 2 * 38);
  x.copy_from(counted_from_1<int>(70));
  const int* const memory = x.shard(1).data();
  wf::sharded<int> y = std::move(x);
  CHECK(y.shard(1).data() == memory);
  CHECK(y.to_host() == counted_from_1<int>(70));
  CHECK(x.size() == 0);
  CHECK(x.to_host().empty());
  CHECK_THROWS_AS((void)x.view(), wf::invalid_range);
  wf::sharded<int> z;
  z = std::move(y);
  CHECK(wf::sum(wf::across(gpus), z) == 70 * 71 / 2);
}

TEST_CASE("wrong arguments are named") {
  const wf::emulated_devices gpus(2);
  wf::sharded<int> x(gpus, 10);
  std::vector<int> few(9);
  CHECK(thrown_by<wf::invalid_range>([&] { x.copy_to(few); }) ==
        "warpfold: a copy to the host has 9 elements, but the sharded array has 10; pass a span of "
        "10");
  CHECK_THROWS_AS(x.copy_from(few), wf::invalid_range);
  CHECK_THROWS_AS((void)x.shard(2), wf::invalid_argument);
  CHECK_THROWS_AS((void)x.shard(-1), wf::invalid_argument);
  CHECK_THROWS_AS(wf::block_cyclic(0), wf::invalid_argument);
  CHECK_THROWS_AS(wf::sharded<int>(gpus, static_cast<std::size_t>(-1)), wf::out_of_memory);
  CHECK_THROWS_AS((void)wf::sum(wf::across(wf::emulated_devices(3)), x), wf::invalid_range);
}
