// wf::thread_ranks: the order of what is gathered, sums of integers, and ranks that never call.
#include <warpfold/policy/thread_ranks.hpp>

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <thread>

#include "contract/ranks.hpp"

namespace wf = warpfold;
using test::on_ranks;

TEST_CASE("bytes are gathered in rank order, for each number of ranks") {
  for (int size = 1; size <= 8; ++size) {
    wf::thread_ranks group(size, 20);
    CHECK(group.size() == size);
    std::vector<int> expected(static_cast<std::size_t>(size) * 3);
    std::iota(expected.begin(), expected.end(), 0);
    for (int i = 0; i < 20; ++i) {
      const auto all = on_ranks(group, [&](auto rank) {
        std::array<int, 3> mine{3 * rank.rank(), 3 * rank.rank() + 1, 3 * rank.rank() + 2};
        std::vector<int> gathered(expected.size());
        rank.all_gather(mine.data(), sizeof mine, gathered.data());
        mine.fill(-1);  // nobody reads it now
        return gathered;
      });
      CHECK(all.all_are(expected));
    }
  }
}

TEST_CASE("a rank may be one exchange ahead of the others") {
  const auto all = on_ranks(3, [](auto rank) {
    for (int i = 0; i < 2000; ++i) {
      const int mine = 3 * i + rank.rank();
      std::array<int, 3> gathered{};
      rank.all_gather(&mine, sizeof mine, gathered.data());
      if (gathered != std::array<int, 3>{3 * i, 3 * i + 1, 3 * i + 2}) return i;
    }
    return -1;
  });
  CHECK(all.all_are(-1));
}

TEST_CASE("integers are added modulo 2^64") {
  const auto all = on_ranks(3, [](auto rank) {
    std::array<std::int64_t, 3> values{rank.rank(), std::numeric_limits<std::int64_t>::max(), -1};
    rank.all_reduce(values.data(), 3);
    return values;
  });
  CHECK(all.all_are({3, std::numeric_limits<std::int64_t>::max() - 2, -3}));
}

TEST_CASE("a missing rank is an error after the time limit, and the group stays unusable") {
  wf::thread_ranks group(4, 0.03);
  const auto call = [](auto rank) {
    char gathered[4];
    rank.all_gather("x", 1, gathered);
    return 0;
  };
  const std::string expected =
      "warpfold: rank 1 of 4 did not call within 30 ms; make the same calls on every rank, or "
      "raise "
      "the time limit of thread_ranks. This group cannot be used again";
  const auto all = on_ranks(group, [&](auto rank) { return rank.rank() == 1 ? 0 : call(rank); });
  for (const std::size_t r : {0, 2, 3})
    CHECK(all.thrown_by<wf::communication_error>(r) == expected);
  CHECK(all.errors[1] == nullptr);
  CHECK_THROWS_WITH_AS(call(group[1]), expected.c_str(), wf::communication_error);  // too late
}

TEST_CASE("wrong use is an error") {
  CHECK_THROWS_WITH_AS(wf::thread_ranks(0), "warpfold: a group of 0 ranks; pass 1 or more",
                       wf::invalid_argument);
  wf::thread_ranks group(2, 0.2);
  CHECK_THROWS_WITH_AS(group[2], "warpfold: there is no rank 2 in a group of 2 ranks; pass 0 to 1",
                       wf::invalid_argument);
  CHECK_THROWS_AS(group[-1], wf::invalid_argument);
  const auto other_size = on_ranks(group, [](auto rank) {
    char gathered[4];
    rank.all_gather("xy", rank.rank() == 0 ? 1 : 2, gathered);
    return 0;
  });
  // The rank that comes second finds out. The other one does not wait for the time limit.
  const std::size_t second =
      other_size.errors[0] != nullptr && other_size.thrown_by<wf::communication_error>(0).find(
                                             "but another rank") != std::string::npos
          ? 0
          : 1;
  CHECK(other_size.thrown_by<wf::communication_error>(second).find("but another rank") !=
        std::string::npos);
  CHECK(other_size.thrown_by<wf::communication_error>(1 - second)
            .find("exchanged another number of bytes than the others") != std::string::npos);
  for (const double limit : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_WITH_AS(wf::thread_ranks(2, limit), doctest::Contains("pass 0 s or more"),
                         wf::invalid_argument);
  }
  wf::thread_ranks twice(2, 0.2);
  std::atomic<int> complaints{0};
  const auto call = [&] {
    char gathered[2];
    try {
      twice[0].all_gather("x", 1, gathered);
    } catch (const wf::communication_error& e) {
      complaints += std::string(e.what()).starts_with("warpfold: two threads call as rank 0 of 2");
    }
  };
  std::thread other(call);
  call();
  other.join();
  CHECK(complaints == 1);
}

TEST_CASE("an infinite time limit is none") {
  wf::thread_ranks group(2, std::numeric_limits<double>::infinity());
  const auto all = on_ranks(group, [](auto rank) {
    if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::int64_t one = 1;
    rank.all_reduce(&one, 1);
    return one;
  });
  CHECK(all.all_are(2));
}
