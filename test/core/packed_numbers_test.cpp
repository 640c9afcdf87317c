// Numbers of one and two bytes in 32-bit registers: as they are in memory, and back.
#include <warpfold/core/packed_numbers.hpp>

#include <doctest/doctest.h>

#include <cstring>

#include "contract/oracle.hpp"

namespace {

template <class T>
void check_round_trip() {
  test::random_bits random;
  for (int i = 0; i < 1000; ++i) {
    T elements[wf::packed_count<T>];
    for (T& e : elements) e = static_cast<T>(random());
    std::uint32_t in_memory = 0;
    std::memcpy(&in_memory, elements, sizeof in_memory);
    const std::uint32_t packed = wf::pack(elements);
    REQUIRE(packed == in_memory);  // on this machine, which is little-endian as GPUs are
    for (int k = 0; k < wf::packed_count<T>; ++k) {
      REQUIRE(wf::unpack<T>(packed, k) == elements[k]);
    }
  }
}

}  // namespace

static_assert(wf::packed_count<char> == 4);
static_assert(wf::packed_count<short> == 2);

static_assert(wf::packable<char> && wf::packable<unsigned short>);
static_assert(wf::packable<__half> && wf::packable<__nv_bfloat16>);
static_assert(!wf::packable<bool>);  // only two of its 256 values are valid
static_assert(!wf::packable<int> && !wf::packable<float>);
static_assert(wf::small_integer<short> && !wf::small_integer<__half>);

TEST_CASE("pack and unpack keep bytes, their order and their sign") {
  check_round_trip<signed char>();
  check_round_trip<unsigned char>();
  check_round_trip<short>();
  check_round_trip<unsigned short>();
  const signed char signs[] = {-128, -1, 0, 127};
  CHECK(wf::pack(signs) == 0x7f00ff80u);
  CHECK(wf::unpack<signed char>(0x7f00ff80u, 1) == -1);
  CHECK(wf::unpack<unsigned char>(0x7f00ff80u, 1) == 255);
}
