// The window of exponents: what it holds, and when it moves, goes and returns.
#include <warpfold/op/exponent_window.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>

using warpfold::detail::exponent_window;

namespace {

// Sizes with an exponent field of 8 bits, above 24 others.
constexpr unsigned field_bits = 24;
constexpr std::uint32_t size_of(unsigned field) { return field << field_bits; }

/// Numbers that are their sizes.
struct sizes {
  static std::uint32_t size_of(std::uint32_t size) { return size; }
  static bool is_zero(std::uint32_t size) { return size == 0; }
};

bool holds(const exponent_window& w, std::uint32_t size) {
  const std::uint32_t group[] = {size};
  return w.holds<sizes, false>(group);
}

}  // namespace

TEST_CASE("32 exponents, seven of them above the largest number") {
  exponent_window w;
  CHECK_FALSE(holds(w, size_of(100)));
  CHECK(w.moves(size_of(100), size_of(240)));
  w.move(size_of(100), 1, 200, 32, field_bits);
  CHECK(holds(w, size_of(107) + (size_of(1) - 1)));
  CHECK_FALSE(holds(w, size_of(108)));
  CHECK(holds(w, size_of(76)));
  CHECK_FALSE(holds(w, size_of(76) - 1));
  CHECK_FALSE(holds(w, 0));
}

TEST_CASE("a group is inside if all of its numbers are, but for zeros") {
  exponent_window w;
  w.move(size_of(100), 1, 200, 32, field_bits);
  const std::uint32_t inside[] = {size_of(90), size_of(107)}, below[] = {size_of(90), size_of(75)},
                      zero[] = {size_of(90), 0};
  CHECK(w.holds<sizes, false>(inside));
  CHECK_FALSE(w.holds<sizes, false>(below));
  CHECK_FALSE(w.holds<sizes, false>(zero));
  CHECK(w.holds<sizes, true>(zero));
  CHECK_FALSE(w.holds<sizes, true>(below));
}

TEST_CASE("it stays between two exponents") {
  exponent_window w;
  w.move(size_of(3), 1, 200, 32, field_bits);
  CHECK(w.first == size_of(1));
  w.move(size_of(254), 1, 200, 32, field_bits);
  CHECK(w.first == size_of(200));
}

TEST_CASE("it goes after 16 groups below, and returns after a pause that doubles") {
  exponent_window w;
  for (const int pause : {4, 8, 16}) {
    w.move(size_of(100), 1, 200, 32, field_bits);
    for (int k = 0; k < 16; ++k) {
      CHECK(w.width != 0);
      CHECK_FALSE(w.moves(size_of(50), size_of(240)));
    }
    CHECK(w.width == 0);
    for (int k = 0; k < pause; ++k) CHECK(w.rests());
    CHECK_FALSE(w.rests());
    CHECK_FALSE(w.moves(0, size_of(240)));  // a group of zeros is none to move to
    CHECK(w.moves(size_of(50), size_of(240)));
  }
}

TEST_CASE("a number above moves it, but not again and again") {
  exponent_window w;
  w.move(size_of(50), 1, 200, 32, field_bits);
  CHECK(w.moves(size_of(90), size_of(240)));
  w.move(size_of(90), 1, 200, 32, field_bits);
  w.settle();                                        // some hundred numbers later
  CHECK_FALSE(w.moves(size_of(245), size_of(240)));  // above all windows
  w.settle();
  for (int k = 0; k < 3; ++k) CHECK(w.moves(size_of(150), size_of(240)));
  CHECK_FALSE(w.moves(size_of(150), size_of(240)));
  CHECK(w.width == 0);
}
