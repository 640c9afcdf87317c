/// @file
/// The test suite for policies that fold runs of equal keys. The fixtures are those of
/// transform_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <warpfold/reduce_by_key.hpp>

#include "contract/order_certificate.hpp"
#include "contract/transform_contract.hpp"

namespace test {

/// Keys in runs of random lengths from 1 on; neighbors differ, and keys come back later.
inline std::vector<int> keys_in_runs(std::size_t n, unsigned longest) {
  random_bits random;
  std::vector<int> keys;
  for (int key = 0; keys.size() < n; key = (key + 1 + static_cast<int>(random() % 3)) % 7) {
    std::size_t length = 1 + random() % longest;
    if (length > n - keys.size()) length = n - keys.size();
    keys.insert(keys.end(), length, key);
  }
  return keys;
}

/// A key, the first element of its run, and the one after its last.
struct run {
  int key;
  std::size_t first, last;
};
inline std::vector<run> runs_of(const std::vector<int>& keys) {
  std::vector<run> runs;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (runs.empty() || runs.back().key != keys[i]) runs.push_back({keys[i], i, i});
    runs.back().last = i + 1;
  }
  return runs;
}

/// Keys without a default constructor that cannot be assigned.
struct fixed_key {
  int of;
  explicit WARPFOLD_HD fixed_key(int key) : of(key) {}
  fixed_key(const fixed_key&) = default;
  fixed_key& operator=(const fixed_key&) = delete;
  WARPFOLD_HD friend bool operator==(const fixed_key& a, const fixed_key& b) {
    return a.of == b.of;
  }
};
struct wide_key {
  unsigned of[5];
  WARPFOLD_HD friend bool operator==(const wide_key& a, const wide_key& b) {
    for (int k = 0; k < 5; ++k) {
      if (a.of[k] != b.of[k]) return false;
    }
    return true;
  }
};

struct two_floats {
  float x, y;
};
struct add_both {
  WARPFOLD_HD two_floats operator()(const two_floats& a, const two_floats& b) const {
    return {a.x + b.x, a.y + b.y};
  }
};

/// The message of the `invalid_range` that a call throws; empty if it throws none.
template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const wf::invalid_range& e) {
    return e.what();
  }
  return "";
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("runs of every length, with sums, extrema and lengths", Fixture,
                          key_runs) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : {1, 2, 100, 16384, 16385, 60000}) {
    for (const unsigned longest : {1U, 2U, 9U, 700U, 50000U, 1000000U}) {
      INFO(n, " keys in runs of up to ", longest);
      const auto keys = test::keys_in_runs(n, longest);
      const auto runs = test::runs_of(keys);
      std::vector<int> values(n);
      for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i * 7919 % 10007);
      const typename Fixture::template array<int> k(keys, 4), v(values, 8);
      const std::span key_range(k.data(), n), value_range(v.data(), n);
      // Room for exactly the runs, and more room.
      for (const std::size_t room : {runs.size(), n + 5}) {
        typename Fixture::template target<int> keys_out(std::vector<int>(room, -1), 0);
        typename Fixture::template target<long long> sums(std::vector<long long>(room, -1), 0);
        typename Fixture::template target<unsigned> lengths(std::vector<unsigned>(room, 99), 0);
        const std::span to(keys_out.data(), room);
        std::vector<int> first(room, -1);
        std::vector<long long> sum(room, -1);
        std::vector<unsigned> length(room, 99);
        for (std::size_t r = 0; r < runs.size(); ++r) {
          first[r] = runs[r].key;
          length[r] = static_cast<unsigned>(runs[r].last - runs[r].first);
          sum[r] = 0;
          for (std::size_t i = runs[r].first; i < runs[r].last; ++i) sum[r] += values[i];
        }
        CHECK(wf::reduce_by_key(policy, key_range, value_range, wf::plus{}, to,
                                std::span(sums.data(), room)) == runs.size());
        CHECK((keys_out.values() == first));
        CHECK((sums.values() == sum));
        CHECK(wf::run_lengths(policy, key_range, to, std::span(lengths.data(), room)) ==
              runs.size());
        CHECK((keys_out.values() == first));
        CHECK((lengths.values() == length));
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("an equality of one's own, an index in the run, and pointers", Fixture,
                          key_ops) {
  const auto policy = Fixture::policy();
  const std::vector<float> keys{1, 1.5f, 2, 2.5f, 2.25f, 1}, values{4, 7, 5, 9, 9, -1};
  const typename Fixture::template array<float> k(keys, 0), v(values, 0);
  const std::span key_range(k.data(), 6), value_range(v.data(), 6);
  typename Fixture::template target<float> keys_out(std::vector<float>(6, -5), 0);
  typename Fixture::template target<wf::indexed<float>> most(std::vector<wf::indexed<float>>(6), 0);
  const auto same_whole = []
      WARPFOLD_HD(float a, float b) { return static_cast<int>(a) == static_cast<int>(b); };
  CHECK(wf::reduce_by_key(policy, key_range, value_range, wf::arg(wf::maximum{}), same_whole,
                          keys_out.data(), most.data()) == 3);
  CHECK(keys_out.values() == std::vector<float>{1, 2, 1, -5, -5, -5});
  const auto found = most.values();
  CHECK(found[0].value == 7);
  CHECK(found[0].index == 1);
  CHECK(found[1].value == 9);
  CHECK(found[1].index == 1);
  CHECK(found[2].index == 0);
  // An op without an identity, and views of keys and values.
  typename Fixture::template target<int> whole(std::vector<int>(3, -5), 0);
  const auto lesser = [] WARPFOLD_HD(float a, float b) { return b < a ? b : a; };
  typename Fixture::template target<float> least(std::vector<float>(3, -5), 0);
  CHECK(wf::reduce_by_key(
            policy, wf::project(key_range, [] WARPFOLD_HD(float x) { return static_cast<int>(x); }),
            wf::project(value_range, [] WARPFOLD_HD(float x) { return -x; }), lesser,
            std::span(whole.data(), 3), std::span(least.data(), 3)) == 3);
  CHECK(whole.values() == std::vector<int>{1, 2, 1});
  CHECK(least.values() == std::vector<float>{-7, -9, 1});
}

TEST_CASE_TEMPLATE_DEFINE("no keys, and wrong sizes and outputs", Fixture, key_errors) {
  const auto policy = Fixture::policy();
  const std::vector<int> three{1, 2, 2};
  typename Fixture::template target<int> own({1, 2, 2, 0, 0, 0}, 0);
  typename Fixture::template target<int> out({8, 8, 8}, 0);
  const std::span keys(own.data(), 3), to(out.data(), 3);
  const auto fold = [&](std::span<int> k, std::span<int> v, std::span<int> keys_to,
                        std::span<int> values_to) {
    return test::message_of(
        [&] { wf::reduce_by_key(policy, k, v, wf::plus{}, keys_to, values_to); });
  };
  const auto has = [](const std::string& text, const char* part) {
    const bool found = text.find(part) != std::string::npos;
    if (!found) MESSAGE(text);
    return found;
  };
  CHECK(wf::reduce_by_key(policy, keys.first(0), keys.first(0), wf::plus{}, to.first(0),
                          to.first(0)) == 0);
  CHECK(wf::run_lengths(policy, std::span<int>(), to.first(0), to.first(0)) == 0);
  CHECK(has(fold(keys, keys.first(2), to.first(1), to.subspan(1)),
            "needs one value for each key, but there are 3 keys and 2 values"));
  CHECK(has(fold(keys, keys, to.first(1), to.subspan(1)),
            "the output of the keys has 1 elements, but there are 2 runs"));
  CHECK(has(fold(keys, keys, to.first(2), to.subspan(2)),
            "the output of the results has 1 elements, but there are 2 runs"));
  CHECK(has(fold(keys, keys, std::span(own.data() + 2, 2), to), "overlaps the input"));
  CHECK(has(fold(keys, keys, to, std::span(own.data() + 2, 2)), "overlaps the input"));
  CHECK(has(fold(keys, keys, to.first(2), to.subspan(1)), "overlap; pass outputs"));
  CHECK(has(test::message_of([&] {
              wf::run_lengths(policy, keys, to.first(2), std::span(static_cast<int*>(nullptr), 4));
            }),
            "the output is a null pointer"));
  CHECK(out.values() == std::vector<int>{8, 8, 8});
}

TEST_CASE_TEMPLATE_DEFINE("a run has the tree of its values, wherever it is", Fixture, key_order) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : {1000, 20000, 150000}) {
    for (const unsigned longest : {3U, 40U, 300U, 6000U, 200000U}) {
      INFO(n, " keys in runs of up to ", longest);
      const auto keys = test::keys_in_runs(n, longest);
      const auto runs = test::runs_of(keys);
      const auto values = test::ordered_elements(n);
      std::vector<test::wide_hash> wide(n < 20000 ? n : 0);
      for (std::size_t i = 0; i < wide.size(); ++i) wide[i].of[i % 13] = i + 1;
      const typename Fixture::template array<int> k(keys, 0);
      typename Fixture::template target<int> keys_out(std::vector<int>(n), 0);
      const auto check = [&](const auto& v, const auto& op) {
        using T = typename std::remove_cvref_t<decltype(v)>::value_type;
        const typename Fixture::template array<T> in(v, 0);
        typename Fixture::template target<T> out(std::vector<T>(n), 0);
        CHECK(wf::reduce_by_key(policy, std::span(k.data(), n), std::span(in.data(), n), op,
                                keys_out.data(), out.data()) == runs.size());
        const std::vector<T> found = out.values();
        std::size_t right = 0;
        for (std::size_t r = 0; r < runs.size(); ++r) {
          const std::span<const T> own(v.data() + runs[r].first, v.data() + runs[r].last);
          right += found[r] == wf::reduce(wf::seq, own, op) ? 1 : 0;
        }
        CHECK(right == runs.size());
      };
      check(values, test::ordered_hash{});
      check(values, test::hash_with_index{});
      if (!wide.empty()) check(wide, test::hash_each{});
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("the number of runs goes to memory, and outputs may be short", Fixture,
                          key_async) {
  const auto policy = Fixture::policy();
  for (const std::size_t n : {0, 1, 5000, 30000}) {
    const auto keys = test::keys_in_runs(n, 7);
    const auto runs = test::runs_of(keys);
    const typename Fixture::template array<int> k(keys, 0);
    typename Fixture::template target<int> keys_out(std::vector<int>(n, -1), 0);
    typename Fixture::template target<short> lengths(std::vector<short>(n, -1), 0);
    typename Fixture::template target<int> count({-1}, 0);
    wf::run_lengths_async(policy, std::span(k.data(), n), keys_out.data(),
                          std::span(lengths.data(), n), count.data());
    CHECK(count.values()[0] == static_cast<int>(runs.size()));
    std::vector<int> first(n, -1);
    std::vector<short> length(n, -1);
    for (std::size_t r = 0; r < runs.size(); ++r) {
      first[r] = runs[r].key;
      length[r] = static_cast<short>(runs[r].last - runs[r].first);
    }
    CHECK((keys_out.values() == first));
    CHECK((lengths.values() == length));
  }
}

TEST_CASE_TEMPLATE_DEFINE("keys of every size, anywhere in memory", Fixture, key_types) {
  const auto policy = Fixture::policy();
  const auto check = [&]<class Key>(const auto& key_of, Key) {
    for (const std::size_t n : {1, 511, 4096, 4097, 9000}) {
      const auto keys = test::keys_in_runs(n, 6);
      const auto runs = test::runs_of(keys);
      std::vector<Key> own;
      for (const int key : keys) own.push_back(key_of(key));
      for (const std::size_t offset : {std::size_t{0}, sizeof(Key)}) {
        INFO(n, " keys of ", sizeof(Key), " bytes, ", offset, " bytes from an aligned address");
        const typename Fixture::template array<Key> k(own, offset);
        typename Fixture::template target<Key> keys_out(std::vector<Key>(n, key_of(99)), 0);
        typename Fixture::template target<int> lengths(std::vector<int>(n), 0);
        CHECK(wf::run_lengths(policy, std::span(k.data(), n), keys_out.data(), lengths.data()) ==
              runs.size());
        const std::vector<int> found = lengths.values();
        std::size_t right = 0;
        for (std::size_t r = 0; r < runs.size(); ++r) {
          right += found[r] == static_cast<int>(runs[r].last - runs[r].first) ? 1 : 0;
        }
        CHECK(right == runs.size());
      }
    }
  };
  const auto number = []<class Key>(Key) { return [](int key) { return static_cast<Key>(key); }; };
  check(number(char{}), char{});
  check(number(short{}), short{});
  check(number(0ll), 0ll);
  check([](int key) { return test::wide_key{{1, 2, 3, static_cast<unsigned>(key), 5}}; },
        test::wide_key{});
  // Values of 8 bytes that are aligned to 4 bytes only.
  const std::vector<int> keys{1, 1, 2, 2, 2};
  const std::vector<test::two_floats> values{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 1}};
  const typename Fixture::template array<int> k(keys, 0);
  const typename Fixture::template array<test::two_floats> v(values, 4);
  typename Fixture::template target<int> keys_out(std::vector<int>(5), 0);
  typename Fixture::template target<test::two_floats> sums(std::vector<test::two_floats>(5), 0);
  CHECK(wf::reduce_by_key(policy, std::span(k.data(), 5), std::span(v.data(), 5), test::add_both{},
                          keys_out.data(), sums.data()) == 2);
  const auto found = sums.values();
  CHECK(found[0].x == 4);
  CHECK(found[0].y == 6);
  CHECK(found[1].x == 21);
  CHECK(found[1].y == 15);
}
