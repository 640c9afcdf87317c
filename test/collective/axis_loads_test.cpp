// The word loads of folds along an axis: which elements fill words, which loads a chunk takes, and
// the fold of a word, packed or element by element.
#include <warpfold/collective/axis_loads.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

struct three_floats {
  float x, y, z;
};
struct five_words {
  word w[5];
};

/// Counts its loads.
struct counting_loads {
  int* words;
  int* elements;

  word load_word(const void* from) const {
    ++*words;
    word w;
    std::memcpy(&w, from, sizeof w);
    return w;
  }
  template <class T>
  T load(const T* from) const {
    ++*elements;
    return *from;
  }
};

template <class T, class Op>
wf::axis_reduction<T, Op, int> axis_of() {
  return {nullptr, nullptr, {}, 0, 0, Op{}};
}

/// The fold of one word's elements, by the library and one after the other.
template <class T, class Op>
void check_word(const T (&values)[16 / sizeof(T)]) {
  constexpr int n = elements_of_word<T>;
  const auto axis = axis_of<T, Op>();
  using A = typename decltype(axis_of<T, Op>())::accumulator;
  chunk<T, n> c;
  std::memcpy(&c, values, sizeof values);
  A expected = static_cast<A>(values[0]);
  for (int k = 1; k < n; ++k) expected = static_cast<A>(Op{}(expected, static_cast<A>(values[k])));
  CHECK(fold_axis_word(axis, c, 0) == expected);
}

}  // namespace

TEST_CASE("elements that divide a word fill it; others are alone") {
  static_assert(elements_of_word<char> == 16);
  static_assert(elements_of_word<short> == 8);
  static_assert(elements_of_word<float> == 4);
  static_assert(elements_of_word<double> == 2);
  static_assert(elements_of_word<word> == 1);
  static_assert(elements_of_word<three_floats> == 1);
  static_assert(elements_of_word<five_words> == 1);
  static_assert(fills_words<char>);
  static_assert(fills_words<double>);
  static_assert(fills_words<word>);
  static_assert(!fills_words<three_floats>);
  static_assert(!fills_words<five_words>);
}

TEST_CASE("a chunk takes one load of a word, or one of each element") {
  alignas(16) const float values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  int words = 0, elements = 0;
  const counting_loads loads{&words, &elements};
  chunk<float, 4> c;
  load_axis_chunk<true>(c, values + 4, loads);
  for (int k = 0; k < 4; ++k) CHECK(c.elements[k] == static_cast<float>(5 + k));
  CHECK(words == 1);
  CHECK(elements == 0);
  chunk<float, 4> d;
  load_axis_chunk<false>(d, values + 1, loads);
  for (int k = 0; k < 4; ++k) CHECK(d.elements[k] == static_cast<float>(2 + k));
  CHECK(words == 1);
  CHECK(elements == 4);
}

TEST_CASE("at_word is true at multiples of 16 bytes") {
  alignas(16) const short values[16] = {};
  for (int k = 0; k < 16; ++k) CHECK(warpfold::detail::at_word(values + k) == (k % 8 == 0));
}

TEST_CASE("a word's fold is that of its elements") {
  // Sums of the greatest chars do not fit a char, nor two shorts a short.
  check_word<signed char, plus>(
      {127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127});
  check_word<signed char, plus>(
      {-128, 1, -128, 2, -128, 3, -128, 4, -128, 5, -128, 6, -128, 7, -128, 127});
  check_word<unsigned char, plus>(
      {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 254});
  check_word<short, plus>({32767, 32767, 32767, 32767, 32767, 32767, 32767, 32766});
  check_word<short, minimum>({3, 1, -32768, 5, 6, 7, 32767, 0});
  check_word<signed char, maximum>(
      {-5, -4, -7, -9, -1, -2, -3, -6, -5, -4, -7, -9, -8, -2, -3, -6});
  check_word<int, plus>({2147483647, 2147483647, -1, 5});
  check_word<float, maximum>({1, 4, 3, 2});
  check_word<double, plus>({1.5, -4});
}

TEST_CASE("indexes count from the word's first element") {
  using op_type = decltype(wf::arg(wf::minimum{}));
  const auto axis = axis_of<float, op_type>();
  for (int at = 0; at < 4; ++at) {
    chunk<float, 4> c;
    for (int k = 0; k < 4; ++k) c.elements[k] = k == at ? -1.0f : 1.0f;
    const auto found = fold_axis_word(axis, c, 1000);
    CHECK(found.value == -1);
    CHECK(found.index == 1000 + static_cast<std::size_t>(at));
  }
}
