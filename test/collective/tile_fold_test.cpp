// fold_tile and fold_tiles in the emulation: a part of a range, whole or cut, aligned or not, in
// the declared order.
// needs: boost_context
#include <warpfold/collective/tile_fold.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/view/contiguous.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

using elements_view = wf::contiguous_view<std::uint64_t>;
using hashes = std::vector<std::uint64_t>;
using summed = wf::reduction<elements_view, test::ordered_hash>;

/// What `fold(r, chunks, loads)` returns in lane 0, for `n` elements from element `offset` of an
/// aligned array on.
template <class Fold>
std::uint64_t folded(const hashes& v, std::size_t offset, std::size_t n, const Fold& fold) {
  hashes result(1);
  test::emulated_launch on;
  const auto out = on.array(result);
  const std::uint64_t* const in = on.read_only(v);
  const summed r{elements_view(in + offset, n), {}, {}};
  on.run({1, 32}, [=] {
    const auto chunks = wf::collective::chunks_of<unsigned>(r.view);
    const auto a = fold(r, chunks, wf::global_loads(wf::caching::keep));
    if (threadIdx.x == 0) out.store(0, a);
  });
  return result[0];
}
hashes part(const hashes& v, std::size_t first, std::size_t last) {
  return {v.begin() + static_cast<long>(first), v.begin() + static_cast<long>(last)};
}
/// Elements whose first one is aligned, and one more.
hashes aligned_elements(std::size_t n) { return test::ordered_elements(n + 1); }

}  // namespace

TEST_CASE("chunks count from the first element") {
  const hashes v = aligned_elements(9);
  const elements_view aligned(v.data(), 9), other(v.data() + 1, 8);
  const auto nine = wf::collective::chunks_of<unsigned>(aligned);
  CHECK(nine.count == 5);
  CHECK(nine.last == 1);
  CHECK(nine.whole() == 4);
  const auto eight = wf::collective::chunks_of<unsigned>(other);
  CHECK(eight.count == 4);
  CHECK(eight.last == 0);
  CHECK(eight.whole() == 4);
  CHECK(nine.are_aligned != eight.are_aligned);
}

TEST_CASE("one tile of few rows, cut anywhere") {
  const hashes v = aligned_elements(256);
  for (std::size_t n = 1; n <= 256; ++n) {
    for (const std::size_t offset : {0u, 1u}) {
      INFO(n, " elements from element ", offset);
      const std::uint64_t expected = test::ordered_fold(part(v, offset, offset + n));
      CHECK(folded(v, offset, n, [](const auto& r, const auto& chunks, const auto& loads) {
              return wf::collective::fold_tile<4>(r, chunks, 0u, chunks.count, loads);
            }) == expected);
      const unsigned step = n <= 64 ? 32 : n <= 128 ? 64 : 128;
      CHECK(folded(v, offset, n, [=](const auto& r, const auto& chunks, const auto& loads) {
              return wf::collective::fold_tile_of<4>(r, chunks, 0u, chunks.count, step, loads);
            }) == expected);
    }
  }
}

TEST_CASE("many tiles, and a part of a range") {
  const hashes v = aligned_elements(70 * 128);
  for (const std::size_t n : {128u, 129u, 1000u, 32u * 128, 33u * 128, 65u * 128 + 3}) {
    for (const std::size_t offset : {0u, 1u}) {
      INFO(n, " elements from element ", offset);
      CHECK(folded(v, offset, n, [](const auto& r, const auto& chunks, const auto& loads) {
              return wf::collective::fold_tiles<2>(r, chunks, 0u, chunks.count, loads);
            }) == test::ordered_fold(part(v, offset, offset + n)));
      CHECK(folded(v, offset, n, [](const auto& r, const auto& chunks, const auto& loads) {
              return wf::collective::fold_tiles<1>(r, chunks, 32u, 64u, loads);
            }) == test::ordered_fold(part(v, offset + 64, offset + 128)));
    }
  }
}
