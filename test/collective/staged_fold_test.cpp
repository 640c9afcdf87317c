// staged_fold in the emulation: the runs of lanes, what may be copied, and a block that folds a
// part of a range, whole or cut, at any address, in the declared order.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/collective/staged_fold.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <span>
#include <vector>

#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

template <std::size_t Bytes>
using tile_of = collective::run_tile<Bytes>;

template <std::size_t Bytes>
bool has_odd_runs() {
  constexpr std::size_t run = tile_of<Bytes>::run * Bytes;
  for (const std::size_t word : {std::size_t{16}, std::size_t{8}, std::size_t{4}}) {
    if (run % word == 0) return run / word % 2 == 1;
  }
  return false;
}

using element = test::byte_hash<50, std::uint16_t>;
constexpr unsigned tile = tile_of<50>::size;

template <class T = element>
std::vector<T> elements(std::size_t n) {
  std::mt19937 random(7);
  std::vector<T> v(n);
  for (T& x : v) {
    for (auto& u : x.of) u = static_cast<std::remove_cvref_t<decltype(u)>>(random());
  }
  return v;
}

struct alignas(128) line {
  unsigned char bytes[128];
};
/// What `Stages` copies of each of `warps` warps fold of the tiles `first` to `end - 1` of the
/// elements of `v` from element `from` on. Also the counts of the launch.
template <int Stages, class T>
std::pair<T, emulation::launch_counts> folded(const std::vector<T>& v, std::size_t from,
                                              unsigned warps, std::size_t first, std::size_t end) {
  using view = contiguous_view<T>;
  using summed = reduction<view, test::hash_bytes>;
  using folding = collective::staged_fold<Stages, tile_of<sizeof(T)>, summed>;
  // At a multiple of 128 bytes.
  std::vector<line> lines(v.size() * sizeof(T) / sizeof(line) + 1);
  std::memcpy(static_cast<void*>(lines.data()), v.data(), v.size() * sizeof(T));
  std::vector<T> result(1);
  test::emulated_launch on;
  const auto out = on.array(result);
  const auto* const in = reinterpret_cast<const T*>(lines.data());
  on.array(const_cast<T*>(in), v.size());
  const summed r{view(in + from, v.size() - from), {}, {}};
  const auto source =
      collective::staged_source::of(in + from, v.size() - from, tile_of<sizeof(T)>{});
  // One part, of the last block.
  unsigned shift = 0;
  while (1u << shift < warps || std::size_t{1} << shift < end - first) ++shift;
  const auto last = static_cast<unsigned>(first >> shift);
  const collective::tile_parts parts{end, shift, last + 1, last + 1};
  const auto counts = on.run({last + 1, warps * 32, folding::shared_bytes_of(warps)}, [=] {
    WARPFOLD_SHARED typename folding::template storage<4> storage;
    const folding fold(r, source, caching::keep);
    fold.fold(parts, storage, [&](unsigned k, const auto& node) {
      if (k == last) out.store(0, collective::value_in<T>(node));
    });
  });
  return {result[0], counts};
}
template <class T>
T expected(const std::vector<T>& v, std::size_t first, std::size_t last) {
  return wf::reduce(wf::seq, std::span(v).subspan(first, last - first), test::hash_bytes{});
}

}  // namespace

TEST_CASE("runs are whole words, and an odd number of them") {
  CHECK(tile_of<20>::run == 4);
  CHECK(tile_of<28>::run == 2);
  CHECK(tile_of<36>::run == 2);
  CHECK(tile_of<50>::run == 4);
  CHECK(tile_of<100>::run == 2);
  CHECK(tile_of<200>::run == 1);
  CHECK(tile_of<7>::run == 8);
  CHECK(has_odd_runs<20>());
  CHECK(has_odd_runs<28>());
  CHECK(has_odd_runs<36>());
  CHECK(has_odd_runs<50>());
  CHECK(has_odd_runs<100>());
  CHECK(has_odd_runs<7>());
  CHECK(has_odd_runs<25>());
  CHECK(has_odd_runs<250>());
}

TEST_CASE("only words of the array are copied") {
  alignas(16) static unsigned char memory[64];
  const auto of = [](std::size_t offset, std::size_t n) {
    return collective::staged_source::of(memory + offset, n, tile_of<50>{});
  };
  CHECK(of(0, 5 * tile).first == 0);
  CHECK(of(0, 5 * tile).end == 5);
  CHECK(of(0, 5 * tile - 1).end == 4);
  CHECK(of(2, 5 * tile).first == 1);
  CHECK(of(2, 5 * tile).end == 4);
  CHECK(of(2, 5 * tile + 1).end == 5);  // 50 bytes; the last word has 14 of them
  CHECK(of(1, 5 * tile).end == 0);      // no element starts at a multiple of 2
  CHECK(of(0, 0).end == 0);
  CHECK(of(2, 0).end == 0);
  // The last word of a tile has 15, 2 or 8 bytes of the elements behind it.
  const auto end_of = [](std::size_t offset, std::size_t n) {
    return collective::staged_source::of(memory + offset, n, tile_of<7>{}).end;
  };
  constexpr unsigned sevens = tile_of<7>::size;
  CHECK(end_of(1, 1) == 0);
  CHECK(end_of(1, sevens) == 0);
  CHECK(end_of(1, 5 * sevens + 2) == 4);
  CHECK(end_of(1, 5 * sevens + 3) == 5);
  CHECK(end_of(14, 5 * sevens) == 4);
  CHECK(end_of(14, 5 * sevens + 1) == 5);
  CHECK(end_of(8, 5 * sevens + 1) == 4);
  CHECK(end_of(8, 5 * sevens + 2) == 5);
}

TEST_CASE("tiles of a block, the last one cut anywhere") {
  const auto v = elements(7 * tile + 40);
  for (const std::size_t from : {0u, 1u, 3u, 8u}) {
    const std::size_t n = v.size() - from;
    INFO("from element ", from);
    CHECK(folded<2>(v, from, 4, 0, 8).first == expected(v, from, v.size()));
    CHECK(folded<3>(v, from, 1, 0, 8).first == expected(v, from, v.size()));
    CHECK(folded<2>(v, from, 2, 4, 6).first == expected(v, from + 4 * tile, from + 6 * tile));
    CHECK(folded<2>(v, from, 4, 4, 8).first == expected(v, from + 4 * tile, v.size()));
    for (const std::size_t cut : {1u, 31u, 32u, 33u, tile - 1, tile, tile + 1}) {
      const std::vector<element> part(v.begin(), v.begin() + static_cast<long>(from + cut));
      INFO(cut, " elements of ", n);
      CHECK(folded<2>(part, from, 2, 0, (cut - 1) / tile + 1).first ==
            expected(part, from, part.size()));
    }
  }
}

TEST_CASE("several groups of rounds") {
  // Two warps, so 64 tiles a group.
  for (const std::size_t tiles : {64u, 65u, 128u, 129u, 64u * 5 + 3}) {
    const auto v = elements(tiles * tile - 9);
    INFO(tiles, " tiles");
    CHECK(folded<2>(v, 0, 2, 0, tiles).first == expected(v, 0, v.size()));
  }
}

TEST_CASE_TEMPLATE("whole words are read without bank conflicts, and every byte once", T, element,
                   test::byte_hash<20, std::uint32_t>, test::byte_hash<80, std::uint32_t>,
                   test::byte_hash<96, std::uint32_t>, test::byte_hash<128, std::uint64_t>) {
  const auto v = elements<T>(8 * tile_of<sizeof(T)>::size);
  const auto [result, counts] = folded<2>(v, 0, 4, 0, 8);
  CHECK(result == expected(v, 0, v.size()));
  const auto loads = counts.total(emulation::traffic::global_load);
  CHECK(loads.bytes_used == v.size() * sizeof(T));
  CHECK(loads.sectors == loads.ideal_sectors);
  // The values of the eight tiles, which a warp reads at the end, may conflict where the elements
  // would.
  CHECK(counts.total(emulation::traffic::shared_load).bank_conflicts <=
        (tile_of<sizeof(T)>::is_permuted ? 8 * 16 : 0));
}
