// Small integers in 32-bit registers: packed as memory has them, and folded there.
#include <doctest/doctest.h>

#include <cstring>

#include <warpfold/reduce.hpp>

#include "contract/oracle.hpp"

namespace {

namespace wf = warpfold;

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

template <class T, class Op>
void check_fold(Op op) {
  static_assert(wf::folds_packed<Op, T>);
  constexpr int n = 16 / sizeof(T);
  test::random_bits random;
  for (int i = 0; i < 1000; ++i) {
    T elements[n];
    for (T& e : elements) e = static_cast<T>(random());
    std::uint32_t registers[4];
    std::memcpy(registers, elements, sizeof registers);
    const std::span<const T> all(elements, n);
    REQUIRE(static_cast<long long>(op.template fold_packed<T>(registers)) ==
            static_cast<long long>(wf::reduce(wf::seq, all, op)));
  }
}

// An op of one's own that is one of the library's does not inherit how that folds.
struct other_maximum : wf::maximum {};
static_assert(!wf::folds_packed<other_maximum, signed char>);
static_assert(!wf::folds_packed<wf::maximum, int>);
static_assert(!wf::folds_packed<wf::multiplies, signed char>);
static_assert(!wf::folds_packed<wf::plus, bool>);
static_assert(!wf::packable<bool>);

}  // namespace

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

TEST_CASE("ops fold packed elements as they fold them one by one") {
  check_fold<signed char>(wf::plus{});
  check_fold<unsigned char>(wf::plus{});
  check_fold<signed char>(wf::minimum{});
  check_fold<unsigned char>(wf::minimum{});
  check_fold<short>(wf::minimum{});
  check_fold<unsigned short>(wf::minimum{});
  check_fold<signed char>(wf::maximum{});
  check_fold<unsigned char>(wf::maximum{});
  check_fold<short>(wf::maximum{});
  check_fold<unsigned short>(wf::maximum{});
}

TEST_CASE("packed ranges are those of one and two bytes") {
  const std::vector<signed char> v = {1, -7, 3};
  CHECK(wf::reduce(wf::seq, wf::packed(v), wf::minimum{}) == -7);
  CHECK(wf::reduce(wf::seq,
                   wf::project(wf::zip(wf::packed(v), wf::packed(v)),
                               [](const auto& p) { return wf::get<0>(p) * wf::get<1>(p); }),
                   wf::plus{}) == 59);
}
