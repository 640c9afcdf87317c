// partial_results: one slot for each result and piece, neighbors of one piece side by side.
#include <warpfold/host/partial_results.hpp>

#include <doctest/doctest.h>

#include <new>

namespace {

/// No default constructor: a slot holds nothing until one is made in it.
struct value {
  explicit value(int x) : of(x) {}
  int of;
};

}  // namespace

TEST_CASE("each result and piece has a slot of its own") {
  const warpfold::host::partial_results<value> partials(3, 2);
  CHECK(partials.pieces() == 2);
  for (std::size_t o = 0; o < 3; ++o) {
    for (std::size_t p = 0; p < 2; ++p) {
      ::new (partials.at(o, p)) value(static_cast<int>(10 * o + p));
    }
  }
  for (std::size_t o = 0; o < 3; ++o) {
    for (std::size_t p = 0; p < 2; ++p)
      CHECK(partials.at(o, p)->of == static_cast<int>(10 * o + p));
  }
  CHECK(partials.at(1, 1) == partials.at(0, 1) + 1);
}
