// kernel::key_runs in the emulation: the declared order of every run, whoever folds it, and what a
// call costs. What the calls promise: calls/reduce_by_key_emulated_test.cpp.
// needs: boost_context
#include <warpfold/kernel/key_runs.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_key.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace {

constexpr std::size_t tile = wf::kernel::key_runs::tile_keys;

struct pair_of_hashes {
  std::uint64_t a, b;
};
struct hash_pairs {
  WARPFOLD_HD pair_of_hashes operator()(const pair_of_hashes& x, const pair_of_hashes& y) const {
    return {test::ordered_hash{}(x.a, y.a), test::ordered_hash{}(y.b, x.b)};
  }
};
// The index in its run of the last value.
struct last_index {
  template <class T>
  WARPFOLD_HD std::size_t lift(const T&, std::size_t i) const {
    return i;
  }
  WARPFOLD_HD std::size_t operator()(std::size_t a, std::size_t b) const { return a < b ? b : a; }
};

// Hashes runs of these lengths; each must have the tree of its values.
wf::emulation::report check_lengths(const std::vector<std::size_t>& lengths) {
  std::vector<int> keys;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    keys.insert(keys.end(), lengths[r], static_cast<int>(r % 2));
  }
  const std::vector<std::uint64_t> values = test::ordered_elements(keys.size());
  std::vector<int> keys_out(keys.size(), -1);
  std::vector<std::uint64_t> out(keys.size(), 5);
  CHECK(wf::reduce_by_key(wf::emulated.counting(), keys, values, test::ordered_hash{}, keys_out,
                          out) == lengths.size());
  const wf::emulation::report report = wf::emulated.report();
  std::size_t wrong = 0, begin = 0;
  for (std::size_t r = 0; r < out.size(); ++r) {
    if (r >= lengths.size()) {
      wrong += out[r] != 5 || keys_out[r] != -1;
      continue;
    }
    const std::uint64_t want = test::recursive_fold<std::uint64_t>(
        test::ordered_hash{}, [&](std::size_t i) { return values[i]; }, begin, begin + lengths[r]);
    wrong += out[r] != want || keys_out[r] != static_cast<int>(r % 2);
    begin += lengths[r];
  }
  CHECK(wrong == 0);
  return report;
}

}  // namespace

TEST_CASE("runs for lanes, warps, blocks and all blocks, at borders of tiles") {
  const std::size_t lane = wf::collective::longest_of_lane,
                    warp = wf::kernel::key_runs::longest_of_warp;
  for (const std::size_t before : {std::size_t{1}, tile - 1, tile, tile + 1}) {
    for (const std::size_t length :
         {std::size_t{1}, lane, lane + 1, warp, warp + 1, tile, tile + 1, 5 * tile, 30 * tile}) {
      INFO(before, " keys before a run of ", length);
      check_lengths({before, length, 1, 2});
    }
  }
}

TEST_CASE("runs of one mean length, for each number of lanes") {
  for (const std::size_t mean : {1, 2, 8, 9, 16, 17, 32, 33, 64, 65}) {
    std::vector<std::size_t> lengths;
    for (std::size_t r = 0, keys = 0; keys < 2 * tile; keys += lengths.back(), ++r) {
      lengths.push_back(r % 50 == 49 ? 40 * mean : 1 + (r * 7919) % (2 * mean));
    }
    INFO("runs of about ", mean);
    check_lengths(lengths);
  }
}

TEST_CASE("the longest run of lanes, and a longer one, among short runs") {
  for (std::size_t log2 = 0; log2 < 4; ++log2) {
    const std::size_t longest = std::size_t{wf::collective::longest_of_lane} << log2;
    std::vector<std::size_t> lengths(200, std::size_t{4} << log2);
    lengths[50] = longest;
    lengths[90] = longest + 1;
    INFO((1 << log2), " lanes");
    check_lengths(lengths);
  }
}

TEST_CASE("runs that begin just before a tile, which its block has seen") {
  for (const std::size_t before : {1, 2, 30, 31, 32, 33, 40}) {
    for (const std::size_t length : {std::size_t{2}, std::size_t{33}, std::size_t{64}, tile - 1}) {
      INFO("a run of ", length, " that begins ", before, " keys before a tile");
      check_lengths({tile - before, length, 1, 70, 3});
      check_lengths({tile - before, length});
    }
  }
}

TEST_CASE("runs whose distances are multiples of 8, for each number of lanes") {
  for (const std::size_t length : {8, 16, 24, 32, 64, 128, 256}) {
    INFO("runs of ", length);
    check_lengths(std::vector<std::size_t>(3 * tile / length, length));
    std::vector<std::size_t> lengths(2 * tile / length, length);
    lengths.front() = 3;
    check_lengths(lengths);
  }
}

TEST_CASE("the longest runs, for helpers, if there are enough keys") {
  // Parts are tiles, and a block folds runs of up to two.
  const auto report = check_lengths({tile - 7, 70 * tile, 5, 2 * tile, 2 * tile + 1, 60 * tile});
  CHECK(report.launches[1].launch.shape.grid.x > 135);  // tiles
}

TEST_CASE("values of more than 8 bytes, which are not copied, and ops with an index") {
  const std::size_t n = 3 * tile + 77;
  std::vector<int> keys(n), keys_out(n);
  for (const std::size_t mean : {1, 3, 9, 30, 200, 3000}) {
    INFO("runs of about ", mean);
    std::vector<std::size_t> begins;
    for (std::size_t i = 0, left = 0; i < n; ++i, --left) {
      if (left == 0) {
        begins.push_back(i);
        left = 1 + i * 7919 % (2 * mean);
      }
      keys[i] = static_cast<int>(begins.size() % 2);
    }
    std::vector<pair_of_hashes> values(n), out(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = {i * 0x9e3779b97f4a7c15, i};
    CHECK(wf::reduce_by_key(wf::emulated, keys, values, hash_pairs{}, keys_out, out) ==
          begins.size());
    std::vector<std::size_t> places(n), places_of_keys(n);
    CHECK(wf::reduce_by_key(wf::emulated, keys, values, last_index{}, keys_out, places) ==
          begins.size());
    CHECK(wf::reduce_by_key(wf::emulated, keys, keys, last_index{}, keys_out, places_of_keys) ==
          begins.size());
    CHECK(places == places_of_keys);
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < begins.size(); ++r) {
      const std::size_t end = r + 1 < begins.size() ? begins[r + 1] : n;
      const auto want = test::recursive_fold<pair_of_hashes>(
          hash_pairs{}, [&](std::size_t i) { return values[i]; }, begins[r], end);
      wrong += out[r].a != want.a || out[r].b != want.b || places[r] != end - begins[r] - 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("one tile takes one launch, several take two") {
  const auto one = check_lengths({tile - 5, 5});
  CHECK(one.launches.size() == 1);
  const auto two = check_lengths({tile - 5, 6});
  REQUIRE(two.launches.size() == 2);
  CHECK(two.launches[0].launch.kernel == std::string("clear"));
  CHECK(two.launches[1].launch.kernel == std::string("key_runs"));
}

TEST_CASE("the number of runs alone, in more than a section of tiles") {
  // The outputs are too short, so the call counts first.
  const std::vector<char> keys(1025 * tile + 1, 'a');
  std::vector<char> keys_out(8);
  std::vector<int> lengths(8);
  CHECK(wf::run_lengths(wf::emulated, keys, keys_out, lengths) == 1);
  CHECK(lengths[0] == static_cast<int>(keys.size()));
}

TEST_CASE("each key and each result is written once") {
  for (const std::size_t length : {1, 7, 100, 5000}) {
    std::vector<std::size_t> lengths(5 * tile / length, length);
    lengths.front() += 3;
    const auto stores =
        check_lengths(lengths).launches.back().total(wf::emulation::traffic::global_store);
    const std::size_t tiles = (5 * tile / length * length + 3 - 1) / tile + 1;
    // And a post for each tile, and the number of runs.
    CHECK(stores.bytes_used == lengths.size() * 12 + tiles * 16 + sizeof(std::size_t));
  }
}

TEST_CASE("a call that has room for all runs reads the keys once") {
  const std::size_t n = 4 * tile;
  std::vector<int> keys(n), keys_out(n), lengths(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<int>(i / 64);
  CHECK(wf::run_lengths(wf::emulated.counting(), keys, keys_out, lengths) == n / 64);
  const auto loads =
      wf::emulated.report().launches.back().total(wf::emulation::traffic::global_load);
  CHECK(loads.bytes_used >= 4 * n);
  CHECK(loads.bytes_used <= 4 * n + n / 8);  // the keys of the runs again, and posts
}
