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
    T elements[wf::detail::packed_count<T>];
    for (T& e : elements) e = static_cast<T>(random());
    std::uint32_t in_memory = 0;
    std::memcpy(&in_memory, elements, sizeof in_memory);
    const std::uint32_t packed = wf::detail::pack(elements);
    REQUIRE(packed == in_memory);  // on this machine, which is little-endian as GPUs are
    for (int k = 0; k < wf::detail::packed_count<T>; ++k) {
      REQUIRE(wf::detail::unpack<T>(packed, k) == elements[k]);
    }
  }
}

}  // namespace

static_assert(wf::detail::packed_count<char> == 4);
static_assert(wf::detail::packed_count<short> == 2);

static_assert(wf::detail::packable<char> && wf::detail::packable<unsigned short>);
static_assert(wf::detail::packable<__half> && wf::detail::packable<__nv_bfloat16>);
static_assert(!wf::detail::packable<bool>);  // only two of its 256 values are valid
static_assert(!wf::detail::packable<int> && !wf::detail::packable<float>);
static_assert(wf::detail::small_integer<short> && !wf::detail::small_integer<__half>);

TEST_CASE("pack and unpack keep bytes, their order and their sign") {
  check_round_trip<signed char>();
  check_round_trip<unsigned char>();
  check_round_trip<short>();
  check_round_trip<unsigned short>();
  const signed char signs[] = {-128, -1, 0, 127};
  CHECK(wf::detail::pack(signs) == 0x7f00ff80u);
  CHECK(wf::detail::unpack<signed char>(0x7f00ff80u, 1) == -1);
  CHECK(wf::detail::unpack<unsigned char>(0x7f00ff80u, 1) == 255);
}
