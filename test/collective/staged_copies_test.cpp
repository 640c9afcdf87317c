// start_copies: a warp's words of a tile, of one array whose elements are known or of several,
// arrive at their places in the copy, and nothing else is read or written.
// needs: boost_context
#include <warpfold/collective/staged_copies.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "contract/emulated_launch.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;

constexpr unsigned char untouched = 0xee;

std::vector<unsigned char> numbers(std::size_t n, unsigned first) {
  std::vector<unsigned char> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<unsigned char>((first + i * 3) % 233);
  return v;
}

/// The shared memory behind the copies of tile `t` to byte `to`: `size` bytes, untouched elsewhere.
template <std::size_t ElementBytes, unsigned Tile, int Count>
std::vector<unsigned char> copied(test::emulated_launch& on, const staged_arrays<Count>& arrays,
                                  std::size_t t, unsigned to, unsigned size) {
  std::vector<unsigned char> memory(size);
  const auto out = on.array(memory);
  on.run({1, 32, size}, [=] {
    const auto bytes = dynamic_shared_bytes(size);
    for (unsigned i = threadIdx.x; i < size; i += 32) {
      bytes.store(0, i, untouched, call_site::here());
    }
    __syncthreads();
    const async_copies copies(bytes, caching::stream);
    start_copies<ElementBytes, Tile>(copies, arrays, to, t, threadIdx.x);
    copies.commit();
    copies.template wait<0>();
    __syncthreads();
    for (unsigned i = threadIdx.x; i < size; i += 32) {
      out.store(i, bytes.load<unsigned char>(0, i, call_site::here()));
    }
  });
  return memory;
}

/// Tiles of one array: each byte is where place_in_copy says.
template <std::size_t ElementBytes, unsigned Tile>
void check_one_array() {
  constexpr unsigned bytes = Tile * ElementBytes;
  INFO(Tile, " elements of ", ElementBytes, " bytes");
  const auto data = numbers(3 * bytes, 5);
  test::emulated_launch on;
  staged_arrays<1> arrays;
  arrays.add(0, on.read_only(data), bytes);
  CHECK(arrays.bytes == bytes);
  for (const std::size_t t : {0u, 2u}) {
    const auto memory = copied<ElementBytes, Tile>(on, arrays, t, 128, bytes + 256);
    std::vector<unsigned char> expected(bytes + 256, untouched);
    for (unsigned i = 0; i < bytes; ++i) {
      expected[128 + place_in_copy<ElementBytes>(i)] = data[t * bytes + i];
    }
    CHECK(memory == expected);
  }
}

}  // namespace

TEST_CASE("the copies of several arrays follow each other") {
  const unsigned char a[16] = {}, b[16] = {};
  staged_arrays<3> arrays;
  arrays.add(0, a, 512);
  arrays.add(1, b, 1024);
  arrays.add(2, a, 16);
  CHECK(arrays.bytes == 1552);
  CHECK(arrays.arrays[0].data == a);
  CHECK(arrays.arrays[0].at == 0);
  CHECK(arrays.arrays[1].data == b);
  CHECK(arrays.arrays[1].at == 512);
  CHECK(arrays.arrays[1].tile_bytes == 1024);
  CHECK(arrays.arrays[2].at == 1536);
}

TEST_CASE("a tile of one array, permuted where its elements are multiples of 32 bytes") {
  check_one_array<4, 32>();  // eight lanes have a word
  check_one_array<4, 512>();
  check_one_array<12, 64>();
  check_one_array<50, 32>();  // 100 words: not all lanes have a fourth one
  check_one_array<32, 32>();
  check_one_array<64, 32>();
  check_one_array<96, 64>();
}

TEST_CASE("tiles of several arrays, also an absent one") {
  const auto chars = numbers(3 * 64, 1), doubles = numbers(3 * 512, 7);
  test::emulated_launch on;
  staged_arrays<3> arrays;
  arrays.add(0, on.read_only(chars), 64);
  arrays.add(2, on.read_only(doubles), 512);  // no array 1
  const auto memory = copied<0, 64>(on, arrays, 2, 64, 768);
  std::vector<unsigned char> expected(768, untouched);
  for (unsigned i = 0; i < 64; ++i) expected[64 + i] = chars[2 * 64 + i];
  for (unsigned i = 0; i < 512; ++i) expected[128 + i] = doubles[2 * 512 + i];
  CHECK(memory == expected);
}

TEST_CASE("no array: nothing is copied") {
  test::emulated_launch on;
  const auto memory = copied<16, 32>(on, staged_arrays<1>{}, 5, 0, 512);
  CHECK(memory == std::vector<unsigned char>(512, untouched));
}
