// kernel::in_order for elements that it copies to shared memory: which ones, and the launch shapes.
// kernel/in_order_test.cpp has the results.
#include <warpfold/kernel/in_order_copies.hpp>

#include <warpfold/kernel/in_order.hpp>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/view/reverse.hpp>

#include "contract/in_order_contract.hpp"
#include "kernel/launches.hpp"

namespace {

template <std::size_t Bytes>
struct bytes {
  unsigned char b[Bytes];
  constexpr bytes operator+(const bytes& other) const { return other; }
};
template <int N>
struct words {
  float x[N];
  constexpr words operator+(const words& other) const { return other; }
};

template <class T>
constexpr bool copies = wf::kernel::detail::has_gaps_between_lanes<wf::contiguous_view<T>>;

template <class T>
wf::launch_shape shape_of(std::size_t n, unsigned block = 0, unsigned grid = 0,
                          std::size_t shared_bytes = 232448) {
  return test::launch_of(wf::kernel::in_order<>{block, grid}, test::elements<T>(n),
                         test::some_gpu(132, shared_bytes))
      .shape;
}

}  // namespace

TEST_CASE("elements are copied that fill no words of a lane, or more than five") {
  CHECK(copies<words<5>>);
  CHECK(copies<words<9>>);
  CHECK(copies<bytes<7>>);
  CHECK(copies<bytes<50>>);
  CHECK(copies<bytes<63>>);
  CHECK(copies<bytes<126>>);
  CHECK(copies<words<24>>);
  CHECK(copies<words<64>>);
  CHECK_FALSE(copies<float>);
  CHECK_FALSE(copies<words<3>>);  // four are three words
  CHECK_FALSE(copies<words<4>>);
  CHECK_FALSE(copies<bytes<48>>);
  CHECK_FALSE(copies<words<20>>);
  CHECK_FALSE(copies<bytes<65>>);  // four are 260 bytes
  CHECK_FALSE(copies<bytes<250>>);
  CHECK_FALSE(copies<bytes<260>>);
  CHECK_FALSE(
      wf::kernel::detail::has_gaps_between_lanes<wf::reverse_view<wf::contiguous_view<bytes<50>>>>);
}

TEST_CASE("large elements: one block of 256 threads per multiprocessor") {
  constexpr std::size_t tile = 128;  // elements of 50 bytes
  CHECK(shape_of<bytes<50>>(2000).block.x == 256);
  CHECK(shape_of<bytes<50>>(8 * tile * 3 - 5).grid.x == 3);
  CHECK(shape_of<bytes<50>>(8 * tile * 132).grid.x == 132);
  CHECK(shape_of<bytes<50>>(8 * tile * 133).grid.x == 67);  // two rounds
  CHECK(shape_of<bytes<50>>(60'000'000).grid.x <= 132);
  CHECK(shape_of<bytes<50>>(60'000'000).shared_bytes == 8 * 2 * (tile * 50 + 128));
  CHECK(shape_of<bytes<50>>(60'000'000, 64).shared_bytes == 2 * 2 * (tile * 50 + 128));
  CHECK(shape_of<bytes<50>>(60'000'000, 512).block.x == 256);
  CHECK(shape_of<bytes<50>>(60'000'000, 64, 10).grid.x == 10);
  CHECK(shape_of<bytes<50>>(0, 64, 10).grid.x == 1);
}

TEST_CASE("equal shares: a block folds several parts of a size between powers of two") {
  // 96 bytes, tiles of 32 elements. One part for each block would be 512 or 1024 tiles.
  CHECK(shape_of<words<24>>(32 * 512 * 132).grid.x == 132);
  CHECK(shape_of<words<24>>(32 * 512 * 133).grid.x == 132);
  CHECK(shape_of<words<24>>(2'184'533).grid.x == 132);
  using element = test::byte_hash<84, std::uint32_t>;
  std::vector<element> v(80'001);
  std::uint32_t next = 1;
  for (element& x : v) {
    for (std::uint32_t& u : x.of) u = next = next * 1664525u + 1013904223u;
  }
  for (const unsigned blocks : {1u, 2u, 3u, 5u, 7u}) {
    const auto policy = wf::emulated.with_kernel(wf::kernel::in_order<>{64, blocks});
    // Tiles are 64 elements, and blocks have two warps.
    for (const std::size_t n : {v.size(), v.size() - 1, std::size_t{64} * 1025,
                                std::size_t{64} * 769, std::size_t{64} * 769 - 63}) {
      INFO(n, " elements, ", blocks, " blocks");
      const auto elements = std::span(v).first(n);
      CHECK(wf::reduce(policy, elements, test::hash_bytes{}) ==
            wf::reduce(wf::seq, elements, test::hash_bytes{}));
    }
  }
}

TEST_CASE("small elements: four or five blocks of 128 threads, from 4 MB on") {
  CHECK(shape_of<words<5>>(200'000).block.x == 256);  // direct loads
  CHECK(shape_of<words<5>>(200'000).shared_bytes == 0);
  CHECK(shape_of<words<5>>(220'000).block.x == 128);
  CHECK(shape_of<words<5>>(3'000'000).grid.x <= 4 * 132);
  CHECK(shape_of<words<5>>(50'000, 0, 8).block.x == 128);
  CHECK(shape_of<words<5>>(3'000'000).grid.x > 2 * 132);
  CHECK(shape_of<words<5>>(10'500'000).grid.x <= 5 * 132);
  CHECK(shape_of<words<5>>(10'500'000).grid.x > 4 * 132);
}

TEST_CASE("fewer warps where there is little shared memory") {
  const auto threads = [](std::size_t bytes_of_gpu) {
    return shape_of<bytes<50>>(60'000'000, 0, 0, bytes_of_gpu).block.x;
  };
  CHECK(threads(99 * 1024) == 128);
  CHECK(threads(48 * 1024) == 64);
  CHECK(shape_of<words<64>>(60'000'000, 0, 0, 48 * 1024).block.x == 32);
  CHECK(shape_of<words<64>>(60'000'000, 0, 0, 48 * 1024).shared_bytes <= 20 * 1024);
}
