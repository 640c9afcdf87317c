// wf::emulated_devices: shards on several emulated GPUs, whose kernels exchange their states, give
// what the whole range gives; late and missing GPUs.
// needs: boost_context tbb
// slow: runs for seconds
#include <warpfold/policy/emulated_devices.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/view/counting.hpp>

#include "contract/order_certificate.hpp"
#include "contract/ranks.hpp"

namespace wf = warpfold;

namespace {

/// A range in parts, some of them empty.
template <class T>
struct parted {
  std::vector<T> values;
  std::vector<std::span<const T>> parts;

  parted(std::vector<T> v, int ranks, std::mt19937& random) : values(std::move(v)) {
    const auto bounds = test::dealt(values.size(), ranks, random);
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      parts.push_back(std::span<const T>(values).subspan(bounds[i], bounds[i + 1] - bounds[i]));
    }
  }
  auto shards() const { return wf::shards_of(parts); }
};

std::vector<float> some_floats(std::size_t n, std::mt19937& random) {
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8;
  return v;
}

// The sum of i * x: its accumulator cannot be moved to other indices.
struct weighted {
  long long lift(const float& x, std::size_t i) const {
    return static_cast<long long>(i) * static_cast<long long>(x * 8);
  }
  long long operator()(long long a, long long b) const { return a + b; }
  long long identity() const { return 0; }
};

// A state of 400 bytes.
struct histogram {
  struct state {
    long long count[50];
    bool operator==(const state&) const = default;
  };
  template <class>
  using accumulator = state;
  state lift(const float& x) const {
    state s{};
    ++s.count[static_cast<int>(std::fabs(x)) % 50];
    return s;
  }
  state operator()(state a, const state& b) const {
    for (int i = 0; i < 50; ++i) a.count[i] += b.count[i];
    return a;
  }
};

}  // namespace

TEST_CASE("any parts give the result of the whole range") {
  std::mt19937 random(7);
  for (int i = 0; i < 12; ++i) {
    const int ranks = 1 + static_cast<int>(random() % 4);
    const std::size_t n = i < 3 ? i : random() % (i % 4 == 0 ? 60000 : 900);
    const parted<float> p(some_floats(n, random), ranks, random);
    CAPTURE(ranks);
    CAPTURE(n);
    const auto gpus = wf::across(wf::emulated_devices(ranks));
    const auto agrees = [&](const auto& op) {
      return wf::reduce(gpus, p.shards(), op) == wf::reduce(wf::seq, p.values, op);
    };
    CHECK(agrees(wf::arg(wf::minimum{})));
    CHECK(agrees(weighted{}));
    CHECK(wf::reduce(gpus, p.shards(), 5.0f, wf::plus{}) ==
          wf::reduce(wf::seq, p.values, 5.0f, wf::plus{}));
    CHECK(wf::count_if(gpus, p.shards(), [](float x) { return x > 3; }) ==
          wf::count_if(wf::seq, p.values, [](float x) { return x > 3; }));
    if (n == 0) continue;
    CHECK(agrees(histogram{}));
    CHECK(agrees(wf::all(wf::arg(wf::minimum{}), wf::maximum{})));
    CHECK(agrees(wf::plus{}.exact()));
    CHECK(wf::min(gpus, p.shards()) == wf::min(wf::seq, p.values));
    CHECK(wf::mean(gpus, p.shards()) == wf::mean(wf::seq, p.values));
    CHECK(wf::norm_2(gpus, p.shards()) == wf::norm_2(wf::seq, p.values));
    CHECK(wf::dot(gpus, p.shards(), p.shards()) == wf::dot(wf::par, p.values, p.values));
    float out = 0;
    wf::sum_async(gpus, p.shards(), &out);
    CHECK(out == wf::sum(wf::seq, p.values));
  }
}

TEST_CASE("the bits of wf::seq of the whole, however it is divided") {
  std::mt19937 random(6);
  for (const std::size_t n : {1u, 2u, 7u, 64u, 1000u, 4097u, 70'001u}) {
    std::vector<float> floats(n);
    std::vector<test::wide_hash> wide(n % 3000 + 1);
    for (std::size_t i = 0; i < n; ++i) floats[i] = static_cast<float>(random()) / 3;
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i].of[i % 13] = i + 1;
    for (const int ranks : {1, 2, 3, 4, 8}) {
      INFO(n, " elements on ", ranks, " GPUs");
      const auto gpus = wf::across(wf::emulated_devices(ranks));
      const auto check = [&](const auto& v, const auto&... args) {
        using T = typename std::remove_cvref_t<decltype(v)>::value_type;
        const parted<T> p(v, ranks, random);
        CHECK(wf::reduce(gpus, p.shards(), args...) == wf::reduce(wf::seq, v, args...));
      };
      check(test::ordered_elements(n), test::ordered_hash{});
      check(test::ordered_elements(n), std::uint64_t{5}, test::ordered_hash{});
      check(floats, wf::plus{});
      check(wide, test::hash_each{});
      if (n > 5000) continue;
      check(test::ordered_elements(n), test::hash_with_index{});
      check(test::ordered_elements(n), test::hash_and_last{});
      check(test::ordered_elements(n), wf::all(wf::arg(wf::maximum{}), test::ordered_hash{}));
    }
  }
  const auto numbers = [](std::uint64_t first) {
    return wf::project(wf::counting(first, 4096), test::ordered_element{});
  };
  CHECK(wf::reduce(wf::across(wf::emulated_devices(2)), wf::shards(numbers(1), numbers(4097)),
                   test::ordered_hash{}) == test::ordered_fold(test::ordered_elements(8192)));
  // Equal shards: with 2 GPUs a node each, combined in rank order; with 4 in the tree.
  for (const int ranks : {2, 4, 8}) {
    const std::vector<std::uint64_t> v = test::ordered_elements(std::size_t{512} << ranks / 2);
    std::vector<std::span<const std::uint64_t>> parts;
    const std::size_t each = v.size() / static_cast<std::size_t>(ranks);
    for (std::size_t i = 0; i < v.size(); i += each) {
      parts.push_back(std::span(v).subspan(i, each));
    }
    CHECK(wf::reduce(wf::across(wf::emulated_devices(ranks)), wf::shards_of(parts),
                     test::ordered_hash{}) == test::ordered_fold(v));
  }
}

TEST_CASE("masked and counted shards") {
  std::mt19937 random(8);
  const auto v = some_floats(1000, random);
  std::vector<unsigned> bits(32);
  for (auto& b : bits) b = static_cast<unsigned>(random());
  const std::span<const float> all(v);
  const std::span<const unsigned> mask(bits);
  const auto gpus = wf::across(wf::emulated_devices(2));
  const auto masked = wf::shards(wf::where(all.first(512), mask.first(16)),
                                 wf::where(all.last(488), mask.last(16)));
  const auto whole = wf::where(all, mask);
  CHECK(wf::reduce(gpus, masked, wf::plus{}) == wf::reduce(wf::seq, whole, wf::plus{}));
  CHECK(wf::argmax(gpus, masked).index == wf::argmax(wf::seq, whole).index);
  CHECK(wf::min(gpus, masked) == wf::min(wf::seq, whole));

  const int counts[] = {300, 100};
  const auto counted =
      wf::shards(wf::counted(all.first(512), &counts[0]), wf::counted(all.last(488), &counts[1]));
  std::vector<float> there(v.begin(), v.begin() + 300);
  there.insert(there.end(), v.begin() + 512, v.begin() + 612);
  CHECK(wf::sum(gpus, counted) == wf::sum(wf::seq, there));
  CHECK(wf::argmin(gpus, counted).index == wf::argmin(wf::seq, there).index);
}

TEST_CASE("shards without elements") {
  const std::vector<float> none;
  const auto empty = wf::shards(none, none);
  const auto gpus = wf::across(wf::emulated_devices(2));
  CHECK(wf::sum(gpus, empty) == 0);
  CHECK_THROWS_AS((void)wf::min(gpus, empty), wf::empty_range);
}

TEST_CASE("late GPUs are awaited, missing ones are named") {
  std::mt19937 random(9);
  const auto v = some_floats(500, random);
  const std::span<const float> all(v);
  const auto three = wf::shards(all.first(100), all.subspan(100, 300), all.last(100));
  const wf::emulated_devices gpus(3, 0.3);
  CHECK(wf::sum(wf::across(gpus.starting_late({0, 80, 30})), three) == wf::sum(wf::seq, v));
  try {
    (void)wf::sum(wf::across(gpus.starting_late({0, -1, 0})), three);
    FAIL("nothing was thrown");
  } catch (const wf::communication_error& e) {
    CHECK(std::string(e.what()).find("GPU 1 of 3 did not send its state to GPU 0 within 300 ms") !=
          std::string::npos);
  }
  float out = 17;
  CHECK_THROWS_AS(wf::sum_async(wf::across(gpus.starting_late({0, 0, -1})), three, &out),
                  wf::communication_error);
  CHECK(out == 17);
}

TEST_CASE("bad arguments are named") {
  const std::vector<float> a(3), b(4);
  const auto gpus = wf::across(wf::emulated_devices(2));
  CHECK_THROWS_AS((void)wf::sum(gpus, wf::shards(a)), wf::invalid_range);
  CHECK_THROWS_AS((void)wf::dot(gpus, wf::shards(a, b), wf::shards(b, a)), wf::invalid_range);
  CHECK_THROWS_AS(wf::emulated_devices(0), wf::invalid_argument);
  CHECK_THROWS_AS(wf::emulated_devices(17), wf::invalid_argument);
  CHECK_THROWS_AS((void)wf::shards_of(std::vector<std::span<const float>>{}), wf::invalid_range);
  // A null pointer on one GPU ends the wait of the other.
  const float* null = nullptr;
  const auto broken = wf::shards(std::span<const float>(a), std::span<const float>(null, 3));
  CHECK_THROWS_AS((void)wf::sum(gpus, broken), wf::invalid_range);
}

TEST_CASE("explain tells what the GPUs run and what travels") {
  const std::vector<float> a(4096), b(2048), none;
  const auto gpus = wf::across(wf::emulated_devices(3));
  const auto p = wf::explain(gpus, wf::shards(a, b, none));
  CHECK(p.ranks == 3);
  CHECK(p.local == "emulated");
  CHECK(p.elements == 6144);
  CHECK(p.bytes == 24576);
  CHECK(p.shard_bytes == 16384);
  CHECK(p.bytes_sent == 2 * 24);
  CHECK(p.exchange == "mailboxes");
  CHECK(p.launches == 1);
  const auto largest = wf::explain(wf::emulated, a);
  CHECK(p.kernel == largest.kernel);
  CHECK(p.grid == largest.grid);
  std::ostringstream text;
  text << p;
  CHECK(text.str().find("3, each folds its range with emulated") != std::string::npos);
  CHECK(text.str().find("48 B from each rank, by mailboxes") != std::string::npos);
  CHECK(text.str().find("largest shard             16") != std::string::npos);

  CHECK(wf::explain(gpus, wf::shards(a, b, none), histogram{}).bytes_sent == 2 * 2 * 416);
  const auto nodes = wf::explain(gpus, wf::shards(b, a, none));
  CHECK(nodes.kernel == "exchanged_nodes");
  CHECK(nodes.bytes_sent == 2 * 2 * 96);
  CHECK(wf::explain(wf::across(wf::emulated_devices(1)), wf::shards(a)).bytes_sent == 0);
  const int count = 3;
  const auto counted = wf::counted(b, &count);
  CHECK(wf::explain(wf::across(wf::emulated_devices(2)), wf::shards(counted, counted)).launches ==
        1);
}
