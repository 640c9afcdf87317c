// thread_fold: every element of a range is folded by exactly one thread, for each partition and
// launch shape; which elements a block reads; and what a reduction's types say about its loop.
// The functions of this header ask for no other thread, so the test calls them in a loop.
#include <warpfold/collective/thread_fold.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/as_view.hpp>

#include "contract/add_only.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold::collective;

struct three_floats {
  float x, y, z;
};
struct thirty_two_bytes {
  double x[4];
};

template <class T, class Op, class Init = wf::no_init>
using reduction_of = wf::reduction<wf::contiguous_view<const T>, Op, Init>;

template <class T, class Op>
auto reduction_over(std::span<const T> values, const Op& op) {
  return reduction_of<T, Op>{wf::as_view(values), op, {}};
}

/// The states of all threads of a launch, thread after thread.
template <int Unroll, class Reduction>
std::vector<typename Reduction::state> states_of(const Reduction& r, unsigned blocks,
                                                 unsigned threads) {
  const shares own = shares_of<Unroll>(wf::partition_of(r.view), std::size_t{blocks} * threads);
  std::vector<typename Reduction::state> states;
  for (unsigned b = 0; b < blocks; ++b) {
    for (unsigned t = 0; t < threads; ++t) {
      states.push_back(thread_fold<Unroll>(r, own, wf::global_loads(wf::caching::keep),
                                           {b, blocks, t, threads}));
    }
  }
  return states;
}

template <class Reduction>
auto combined(const Reduction& r, const std::vector<typename Reduction::state>& states) {
  const auto fold = r.fold();
  auto state = fold.start();
  for (const auto& s : states) state = fold.combine(state, s);
  return state;
}

/// Numbers of which no two sums of different parts are alike, for the lengths here.
template <class T>
std::vector<T> telling_numbers(std::size_t n) {
  std::vector<T> v(n);
  std::uint64_t x = 1;
  for (T& y : v) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    y = static_cast<T>(x >> 44);
  }
  return v;
}

template <class T, int Unroll>
void check_shapes() {
  alignas(64) static T memory[3000];
  const auto values = telling_numbers<T>(3000);
  std::copy(values.begin(), values.end(), memory);
  const std::size_t sizes[] = {1,   2,   3,   4,   5,   7,   31,  32,  33,   127,
                               128, 129, 255, 256, 257, 511, 512, 513, 1100, 2900};
  for (const std::size_t n : sizes) {
    for (const std::size_t offset : {0u, 1u, 3u}) {
      for (const unsigned blocks : {1u, 3u}) {
        for (const unsigned threads : {32u, 96u}) {
          INFO(n, " elements from ", offset, ", ", blocks, " blocks of ", threads);
          const std::span<const T> part(memory + offset, n);
          typename reduction_of<T, wf::plus>::accumulator expected = 0;
          for (const T x : part) expected += x;
          const auto sums = reduction_over(part, wf::plus{});
          CHECK(combined(sums, states_of<Unroll>(sums, blocks, threads)) == expected);
          // Without an identity: a thread without elements has the state without elements.
          const auto by_hand = reduction_over(part, test::add_only{});
          T plain = 0;
          for (const T x : part) plain += x;
          const auto own = combined(by_hand, states_of<Unroll>(by_hand, blocks, threads));
          CHECK(own.engaged());
          CHECK(own.value == plain);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("every element is folded once") {
  SUBCASE("two to a chunk") { check_shapes<double, 4>(); }
  SUBCASE("four to a chunk") { check_shapes<unsigned, 1>(); }
  SUBCASE("four to a chunk, eight chunks at once") { check_shapes<unsigned, 8>(); }
  SUBCASE("sixteen to a chunk") { check_shapes<unsigned char, 4>(); }
}

TEST_CASE("threads without elements hold the state without elements") {
  alignas(16) static const int values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const auto r = reduction_over(std::span<const int>(values), test::add_only{});
  const auto states = states_of<4>(r, 1, 32);
  CHECK(states[0].value == 10);
  CHECK(states[1].value == 26);
  for (std::size_t t = 2; t < 32; ++t) CHECK(!states[t].engaged());
  const auto nothing = reduction_over(std::span<const int>(values, 0), wf::plus{});
  CHECK(combined(nothing, states_of<4>(nothing, 2, 32)) == 0);
}

TEST_CASE("the first threads take one element each of those before and after whole chunks") {
  // Elements 1 to 13 of an aligned array of ints: 1 to 3, two chunks, and 12 to 13.
  alignas(16) static const int values[16] = {0,   1,   2,   4,    8,    16,   32, 64,
                                             128, 256, 512, 1024, 2048, 4096, 0,  0};
  const auto r = reduction_over(std::span<const int>(values + 1, 13), wf::plus{});
  const auto parts = wf::partition_of(r.view);
  REQUIRE(parts.head == 3);
  REQUIRE(parts.chunks == 2);
  REQUIRE(parts.tail == 2);
  const wf::global_loads loads(wf::caching::keep);
  const int alone[] = {1 + 2048, 2 + 4096, 4, 0, 0};
  for (unsigned t = 0; t < 5; ++t) {
    CHECK(edges<decltype(r)>(r, parts, t, loads).add_to(10000, r, t) == 10000 + alone[t]);
  }
  const auto states = states_of<1>(r, 1, 32);
  CHECK(states[0] == 1 + 2048 + 8 + 16 + 32 + 64);
  CHECK(states[1] == 2 + 4096 + 128 + 256 + 512 + 1024);
  CHECK(states[2] == 4);
}

TEST_CASE("each block reads one contiguous part; the rest is spread over all threads") {
  alignas(16) static int values[4 * 3 * 32 * 2 * 5 + 4 * 40];
  for (std::size_t i = 0; i < std::size(values); ++i) values[i] = static_cast<int>(i);
  constexpr int tile = 4 * 32 * 2;  // elements of a block's round
  const auto extent = [&](std::size_t n, auto op) {
    const auto r = reduction_over(std::span<const int>(values, n), op);
    return states_of<2>(r, 3, 32);
  };
  const auto of_block = [](const auto& states, unsigned b) {
    return std::vector<int>(states.begin() + 32 * b, states.begin() + 32 * (b + 1));
  };
  // Five rounds a block.
  const std::size_t n = std::size_t{tile} * 3 * 5;
  const auto least = extent(n, wf::minimum{}), most = extent(n, wf::maximum{});
  for (unsigned b = 0; b < 3; ++b) {
    const auto from = of_block(least, b), to = of_block(most, b);
    const int first = static_cast<int>(b) * 5 * tile;
    CHECK(*std::min_element(from.begin(), from.end()) == first);
    CHECK(*std::max_element(to.begin(), to.end()) == first + 5 * tile - 1);
  }
  // 40 chunks more: all of the first block's threads have one, and eight of the second's.
  const auto more = extent(n + 4 * 40, wf::maximum{});
  for (unsigned t = 0; t < 40; ++t) CHECK(more[t] == static_cast<int>(n + 4 * t + 3));
  CHECK(more[40] < static_cast<int>(n));
}

TEST_CASE("shares: as many whole rounds as all threads can take") {
  const wf::partition parts{1, 1000, 2};
  CHECK(shares_of<4>(parts, 96).rounds == 2);
  CHECK(shares_of<1>(parts, 1000).rounds == 1);
  CHECK(shares_of<1>(parts, 1001).rounds == 0);
  CHECK(shares_of<8>(parts, 0).rounds == 0);  // the launch is refused later
  CHECK(shares_of<4>(parts, 96).parts.chunks == 1000);
}

TEST_CASE("a round folds its chunks only, with what was seen or without") {
  alignas(16) static const float values[32] = {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4,
                                               5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8};
  const wf::global_loads loads(wf::caching::keep);
  const auto r = reduction_over(std::span<const float>(values), wf::plus{});
  // Chunks 1 and 4, of 1 to 5 from element 4 on.
  CHECK(fold_round<4>(r, 100.0f, std::size_t{4}, 5, 0, 3, loads) == 100 + 8 + 20);
  CHECK(fold_round<4, true>(r, 100.0f, 4u, 5, 0, 3, loads) == 8 + 20);
  CHECK(fold_round<4>(r, 100.0f, std::size_t{4}, 5, 5, 3, loads) == 100);  // none of them
  const auto by_hand = reduction_over(std::span<const float>(values), test::add_only{});
  using state = decltype(by_hand)::state;
  CHECK(fold_round<4>(by_hand, state(100.0f), 4u, 5, 0, 3, loads).value == 128);
  CHECK(fold_round<4>(by_hand, state(), 4u, 5, 1, 3, loads).value == 12 + 24);
  CHECK(!fold_round<4>(by_hand, state(), 4u, 5, 5, 3, loads).engaged());
}

TEST_CASE("chunks in flight: as many as have so many bytes, one to eight, four of chars") {
  static_assert(loads_in_flight<reduction_of<float, wf::plus>>(128) == 8);
  static_assert(loads_in_flight<reduction_of<float, wf::plus>>(64) == 4);
  static_assert(loads_in_flight<reduction_of<float, wf::plus>>(15) == 1);
  static_assert(loads_in_flight<reduction_of<float, wf::plus>>(10000) == 8);
  static_assert(loads_in_flight<reduction_of<char, wf::plus>>(128) == 4);
  static_assert(loads_in_flight<reduction_of<three_floats, test::add_only>>(128) == 2);
  static_assert(loads_in_flight<reduction_of<thirty_two_bytes, test::add_only>>(128) == 4);
}

TEST_CASE("chars and shorts are folded as packed words, unless an init changes their order") {
  static_assert(folds_chunks_packed<reduction_of<signed char, wf::plus>>);
  static_assert(folds_chunks_packed<reduction_of<signed char, wf::maximum>>);
  static_assert(!folds_chunks_packed<reduction_of<float, wf::plus>>);
  static_assert(!folds_chunks_packed<reduction_of<signed char, test::add_only>>);
  static_assert(!folds_chunks_packed<reduction_of<signed char, wf::maximum, unsigned>>);
  static_assert(chunks_are_long<reduction_of<signed char, wf::plus>>);
  static_assert(!chunks_are_long<reduction_of<short, wf::plus>>);
  static_assert(folds_one_by_one<reduction_of<signed char, test::add_only>>);
  static_assert(!folds_one_by_one<reduction_of<signed char, wf::plus>>);
}

TEST_CASE("groups: the largest power of two up to the op's number and the chunk's") {
  static_assert(detail::group_length(1, 16) == 1);
  static_assert(detail::group_length(3, 16) == 2);
  static_assert(detail::group_length(4, 16) == 4);
  static_assert(detail::group_length(8, 2) == 2);
  static_assert(detail::group_length(16, 1) == 1);
}

TEST_CASE("ops with lift fold the loaded chunks in batches, each element at its place") {
  alignas(16) static float values[2900];
  for (std::size_t i = 0; i < std::size(values); ++i) values[i] = static_cast<float>(i % 100);
  const auto over = [&](std::size_t n, const auto& op) {
    const auto view = wf::lifted(wf::as_view(std::span<const float>(values, n)), op);
    using view_type = std::remove_const_t<decltype(view)>;
    using op_type = std::remove_cvref_t<decltype(op)>;
    const wf::reduction<view_type, op_type> r{view, op, {}};
    // Eight chunks of 16 bytes: two batches.
    return combined(r, states_of<8>(r, 2, 32));
  };
  for (const std::size_t n : {100u, 1000u, 1100u, 2300u, 2900u}) {
    INFO(n, " elements");
    const auto m = over(n, wf::moments_op{});
    CHECK(m.count == static_cast<double>(n));
    CHECK(m.mean == doctest::Approx(49.5));
    CHECK(m.m2 == doctest::Approx(833.25 * static_cast<double>(n)));
  }
  for (std::size_t at = 0; at < std::size(values); at += 71) {
    values[at] += 1000;
    CHECK(over(std::size(values), wf::arg(wf::maximum{})).index == at);
    values[at] -= 1000;
  }
}

TEST_CASE("ops with lift: elements before and after whole chunks keep their place") {
  alignas(16) static const int values[16] = {0, 5, 4, 9, 8, 7, 6, 3, 2, 1, 0, -1, -2, -3, 0, 0};
  const auto over = [](const auto& op) {
    const auto view = wf::lifted(wf::as_view(std::span<const int>(values + 1, 13)), op);
    return wf::reduction<std::remove_const_t<decltype(view)>, std::remove_cvref_t<decltype(op)>>{
        view, op, {}};
  };
  const wf::global_loads loads(wf::caching::keep);
  const auto best_of_edges = [&](const auto& r, unsigned t) {
    const edges<std::remove_cvref_t<decltype(r)>> own(r, wf::partition_of(r.view), t, loads);
    return own.add_to(r.fold().start(), r, t);
  };
  const auto least = over(wf::arg(wf::minimum{}));
  REQUIRE(wf::partition_of(least.view).head == 3);
  REQUIRE(wf::partition_of(least.view).tail == 2);
  CHECK(best_of_edges(least, 0) == wf::indexed<int>{-2, 11});
  CHECK(best_of_edges(least, 1) == wf::indexed<int>{-3, 12});
  CHECK(best_of_edges(least, 2) == wf::indexed<int>{9, 2});
  CHECK(best_of_edges(over(wf::arg(wf::maximum{})), 1) == wf::indexed<int>{4, 1});
  CHECK(best_of_edges(over(wf::moments_op{}), 0).count == 2);
  CHECK(best_of_edges(over(wf::moments_op{}), 0).mean == 1.5);
}

TEST_CASE("batches folded into large states leave registers for half the threads") {
  const auto threads = []<class View, class Op>(const View& view, const Op& op) {
    using type = wf::reduction<decltype(wf::lifted(view, op)), Op>;
    return std::pair(max_threads<type>, folds_much<type>);
  };
  const std::vector<float> values(4);
  const auto view = wf::as_view(values);
  CHECK(threads(view, wf::moments_op{}) == std::pair(512, false));
  CHECK(threads(view, wf::all(wf::moments_op{}, wf::arg(wf::minimum{}))) == std::pair(512, true));
  CHECK(threads(view, wf::arg(wf::minimum{})) == std::pair(1024, false));
  CHECK(threads(view, wf::plus{}) == std::pair(1024, false));
}
