// The frames of ranks: what tells calls and inits apart.
#include <warpfold/policy/host_frame.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace detail = warpfold::detail;

namespace {

template <class... Types>
std::uint64_t hash(std::size_t state_bytes = 4, std::uint64_t places = 0) {
  return detail::call_hash(detail::call_text<Types...>(), state_bytes, places);
}

struct padded {
  char c;
  int i;
};

}  // namespace

TEST_CASE("the hash of a call tells views, ops, states and starting_at apart") {
  CHECK(hash<int, int, int, int>() == hash<int, int, int, int>());
  CHECK(hash<int, int, int, int>() != hash<long, int, int, int>());
  CHECK(hash<int, int, int, int>() != hash<int, int, int, float>());
  CHECK(hash<int, int, int, int>() != hash<int, int, int, int>(8));
  CHECK(hash<int, int, int, int>() != hash<int, int, int, int>(4, 1));
  CHECK(hash<int, int, int, int>(4, 1) != hash<int, int, int, int>(4, 2));
  const auto one = [] {};
  const auto other = [] {};
  CHECK(hash<decltype(one), int, int, int>() != hash<decltype(other), int, int, int>());
}

TEST_CASE("the hash of an init, where equal values have equal bytes") {
  CHECK(detail::init_hash(3) == detail::init_hash(3));
  CHECK(detail::init_hash(3) != detail::init_hash(4));
  CHECK(detail::init_hash(1.5) != detail::init_hash(-1.5));
  CHECK(detail::init_hash(padded{'a', 1}) == 0);
}

TEST_CASE("frames of few ranks and of many") {
  for (const std::size_t ranks : {std::size_t{1}, std::size_t{64}, std::size_t{65}}) {
    detail::gathered_frames all(ranks);
    REQUIRE(all.size() == ranks);
    for (std::size_t i = 0; i < ranks; ++i) all[i].count = i;
    std::size_t sum = 0;
    for (const detail::host_frame& f : all) sum += f.count;
    CHECK(sum == ranks * (ranks - 1) / 2);
    CHECK(all.data() == &all[0]);
  }
}
