// posted_state: a state of any size passes through posts whole and alone, also an empty one; and
// posts that are cleared are zero.
// needs: boost_context
#include <warpfold/collective/posted_state.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

template <std::size_t N>
struct bytes {
  unsigned char x[N];
  bool operator==(const bytes&) const = default;
};

/// What a state of bytes becomes behind its posts, which are cleared then.
template <class State>
State passed(const State& from, const State& any) {
  using posted = posted_state<State>;
  std::vector<State> to(1, any);
  test::emulated_launch on;
  const grid_storage grid = on.launcher().grid();
  const auto out = on.array(to);
  on.run({1, 32}, [=] {
    if (threadIdx.x != 0) return;
    posted::store(grid.posts, from);
    out.store(0, posted::await(grid.posts));
  });
  // A mark in each post, and the post behind them is as it was.
  for (int i = 0; i < posted::posts; ++i) CHECK((grid.posts[i].high >> 63) == 1);
  CHECK(grid.posts[posted::posts].low == 0);
  CHECK(grid.posts[posted::posts].high == 0);
  on.run({1, 32}, [=] {
    if (threadIdx.x == 0) posted::clear(grid.posts);
  });
  on.launcher().finish();  // throws if a post is not zero
  return to[0];
}

template <std::size_t N>
void check_bytes() {
  INFO(N, " bytes");
  bytes<N> all_set{}, zero{}, counted{};
  for (std::size_t i = 0; i < N; ++i) {
    all_set.x[i] = 0xff;
    counted.x[i] = static_cast<unsigned char>(i + 1);
  }
  CHECK(passed(all_set, zero) == all_set);
  CHECK(passed(zero, all_set) == zero);
  CHECK(passed(counted, all_set) == counted);
}

}  // namespace

TEST_CASE("twelve bytes a post") {
  static_assert(posted_state<bytes<1>>::posts == 1);
  static_assert(posted_state<bytes<12>>::posts == 1);
  static_assert(posted_state<bytes<13>>::posts == 2);
  static_assert(posted_state<bytes<96>>::posts == 8);
  static_assert(posted_state<warpfold::detail::maybe<bytes<12>>>::posts ==
                1);  // the mark takes no byte
  static_assert(posted_state<warpfold::detail::maybe<double>>::posts == 1);
}

TEST_CASE("states of 1 to 97 bytes, all bits set and all bits clear") {
  [&]<std::size_t... N>(std::index_sequence<N...>) {
    (check_bytes<N + 1>(), ...);
  }(std::make_index_sequence<30>{});
  check_bytes<95>();
  check_bytes<96>();
  check_bytes<97>();
}

TEST_CASE("an optional value stays engaged or empty") {
  const warpfold::detail::maybe<double> none, five(5.0);
  CHECK(!passed(none, five).engaged());
  const warpfold::detail::maybe<double> got = passed(five, none);
  CHECK(got.engaged());
  CHECK(got.value == 5);
  const bytes<12> ones{{255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}};
  CHECK(passed(warpfold::detail::maybe<bytes<12>>(ones), warpfold::detail::maybe<bytes<12>>())
            .value == ones);
  CHECK(!passed(warpfold::detail::maybe<bytes<12>>(), warpfold::detail::maybe<bytes<12>>(ones))
             .engaged());
}

namespace {

struct seven_words {
  unsigned x[7];
};
/// A state, and what lies behind it.
struct guarded {
  seven_words state;
  unsigned behind[4];
};

struct posts_to_itself {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  wf::collective::post* posts;
  const guarded* from;
  guarded* to;

  void operator()() const {
    if (wf::threadIdx.x != 0) return;
    using posted = wf::collective::posted_state<seven_words>;
    posted::store(posts, from->state);
    ::new (&to->state) seven_words(posted::await(posts));
    posted::clear(posts);
  }
};

}  // namespace

TEST_CASE("posts hold a state and no bytes after it") {
  const guarded from{{{1, 2, 3, 4, 5, 6, 7}}, {8, 8, 8, 8}};
  guarded to{{}, {9, 9, 9, 9}};
  wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
  on.launch("posts_to_itself", posts_to_itself{on.grid().posts, &from, &to}, {1, 32});
  on.finish();
  for (unsigned i = 0; i < 7; ++i) CHECK(to.state.x[i] == i + 1);
  for (const unsigned word : to.behind) CHECK(word == 9);
}
