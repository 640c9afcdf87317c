// shards: parts of a range, projections and zips of them.
#include <warpfold/view/shards.hpp>

#include <doctest/doctest.h>

#include <span>
#include <vector>

namespace wf = warpfold;

static_assert(wf::view<decltype(wf::shards(std::vector<float>{}))>);
static_assert(wf::sharded_view<decltype(wf::shards(std::vector<float>{}))>);
static_assert(!wf::sharded_view<wf::contiguous_view<const float>>);

TEST_CASE("parts keep their order and sizes") {
  const std::vector<int> a{1, 2, 3}, b, c{4};
  const auto all = wf::shards(a, b, c);
  CHECK(all.size() == 4);
  CHECK(all.parts().size() == 3);
  CHECK(all.parts()[1].size() == 0);
  CHECK(all.parts()[2].data() == c.data());
  const auto same = wf::shards_of(std::vector<std::span<const int>>{a, b, c});
  CHECK(same.size() == 4);
  CHECK_THROWS_AS((void)wf::shards_of(std::vector<std::span<const int>>{}), wf::invalid_range);
  std::size_t visited = 0;
  all.visit_memory([&](const void*, std::size_t bytes, std::size_t) { visited += bytes; });
  CHECK(visited == 16);
}

TEST_CASE("contiguous shards begin at multiples of 32 elements") {
  CHECK(wf::shard_begin(100, 0, 2) == 0);
  CHECK(wf::shard_begin(100, 1, 2) == 64);
  CHECK(wf::shard_begin(100, 2, 2) == 100);
  CHECK(wf::shard_begin(10, 1, 4) == 0);
  CHECK(wf::shard_begin(10, 3, 4) == 0);
  CHECK(wf::shard_begin(10, 4, 4) == 10);
  const std::size_t most = static_cast<std::size_t>(-1);
  CHECK(wf::shard_begin(most, 4096, 4096) == most);
  CHECK(wf::shard_begin(most, 4095, 4096) == (most / 4096 + 1) * 4095);
}

TEST_CASE("projections and zips are made part by part") {
  const std::vector<int> a{1, 2, 3}, b{4};
  const auto doubled = wf::project(wf::shards(a, b), [](int x) { return 2 * x; });
  CHECK(doubled.parts()[0][2] == 6);
  CHECK(doubled.parts()[1][0] == 8);
  const auto pairs = wf::zip(wf::shards(a, b), doubled);
  CHECK(wf::get<1>(pairs.parts()[1][0]) == 8);
  CHECK(pairs.size() == 4);
  CHECK_THROWS_AS((void)wf::zip(wf::shards(a, b), wf::shards(b, a)), wf::invalid_range);
  CHECK_THROWS_AS((void)wf::zip(wf::shards(a, b), wf::shards(a)), wf::invalid_range);
}
