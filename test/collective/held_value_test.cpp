// held_value: what is held as words, and that the value comes back.
#include <warpfold/collective/held_value.hpp>

#include <doctest/doctest.h>

#include <array>
#include <type_traits>

#include <warpfold/op/fold.hpp>

using namespace warpfold::collective;

namespace {

template <std::size_t Bytes>
using bytes = std::array<unsigned char, Bytes>;

struct without_default {
  explicit without_default(short x) : of{x, 2, 3} {}
  short of[3];
  friend bool operator==(const without_default&, const without_default&) = default;
};

struct add_bytes {
  bytes<50> operator()(const bytes<50>& a, const bytes<50>& b) const {
    bytes<50> c{};
    for (std::size_t i = 0; i < 50; ++i) c[i] = static_cast<unsigned char>(a[i] + b[49 - i]);
    return c;
  }
};

}  // namespace

TEST_CASE("structs of bytes and shorts are held as words") {
  static_assert(std::is_same_v<held<float>, float>);
  static_assert(std::is_same_v<held<bytes<4>>, bytes<4>>);
  static_assert(sizeof(held<bytes<5>>) == 8 && alignof(held<bytes<5>>) == 4);
  static_assert(sizeof(held<bytes<50>>) == 52);
  static_assert(sizeof(held<without_default>) == 8);
}

TEST_CASE("the value comes back") {
  bytes<50> b{};
  for (unsigned i = 0; i < 50; ++i) b[i] = static_cast<unsigned char>(7 * i + 1);
  CHECK(value_in<bytes<50>>(hold(b)) == b);
  CHECK(value_in<float>(hold(1.5f)) == 1.5f);
  const without_default w(9);
  CHECK(value_in<without_default>(hold(w)) == w);
}

TEST_CASE("held_fold combines held values") {
  using plain = warpfold::fold<add_bytes, bytes<50>>;
  const held_fold<plain, bytes<50>> fold{plain{}};
  bytes<50> a{}, b{};
  for (unsigned i = 0; i < 50; ++i) a[i] = static_cast<unsigned char>(i), b[i] = 5;
  b[0] = 77;
  CHECK(value_in<bytes<50>>(fold.apply(hold(a), hold(b))) == add_bytes{}(a, b));
  static_assert(held_fold<plain, bytes<50>>::is_long);
}
