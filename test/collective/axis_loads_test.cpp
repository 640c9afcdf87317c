// The loads of folds along axes: which elements fill words, which loads chunks take, and the fold
// of a chunk, packed or element by element.
#include <warpfold/collective/axis_loads.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <utility>
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
  using source = wf::array_source<wf::detail::array_value, T>;
  CHECK(fold_chunk<n>(axis, source{}, {c}, 0) == expected);
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

TEST_CASE("chunks take one load of a word each, one of each element, or one if it repeats") {
  alignas(16) const float values[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  using source = wf::array_source<wf::detail::array_value, float>;
  const source from{{values}, {}};
  source::chunk_type<4> c[2];
  const std::size_t one = 1, none = 0;
  const auto load = [&](std::size_t first, std::size_t second, const std::size_t& step,
                        wf::array_load how, int here) {
    int words = 0, elements = 0;
    const wf::array_offsets<1> at[2] = {{{first}}, {{second}}};
    from.load<4>(c, at, &step, &how, here, counting_loads{&words, &elements});
    return std::pair{words, elements};
  };
  const auto holds = [&](int u, float a, float b, float d, float e) {
    const float* const own = c[u].head.elements;
    return own[0] == a && own[1] == b && own[2] == d && own[3] == e;
  };
  CHECK(load(4, 8, one, wf::array_load::words, 4) == std::pair{2, 0});
  CHECK(holds(0, 5, 6, 7, 8));
  CHECK(holds(1, 9, 10, 11, 12));
  CHECK(load(1, 4, one, wf::array_load::elements, 4) == std::pair{0, 8});
  CHECK(holds(0, 2, 3, 4, 5));
  CHECK(holds(1, 5, 6, 7, 8));
  CHECK(load(8, 0, one, wf::array_load::words, 2) == std::pair{0, 8});
  CHECK(holds(0, 9, 10, 10, 10));
  CHECK(load(3, 0, none, wf::array_load::elements, 4) == std::pair{0, 2});
  CHECK(holds(0, 4, 4, 4, 4));
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

TEST_CASE("a few elements, and the first of them, are folded as by a loop") {
  const int in[7] = {3, -1, 4, 1, -5, 9, 2};
  const auto a = axis_of<int, wf::plus>();
  const auto element = [&](int k) { return in[k]; };
  const auto index = [](int k) { return static_cast<std::size_t>(k); };
  CHECK(fold_few<7>(a, element, index) == 13);
  for (int n = 1; n <= 7; ++n) {
    long long sum = 0;
    for (int k = 0; k < n; ++k) sum += in[k];
    CHECK(fold_first<7>(a, element, index, [&](int k) { return k < n; }) == sum);
  }
}

TEST_CASE("indexes count from the word's first element") {
  using op_type = decltype(wf::arg(wf::minimum{}));
  const auto axis = axis_of<float, op_type>();
  for (int at = 0; at < 4; ++at) {
    chunk<float, 4> c;
    for (int k = 0; k < 4; ++k) c.elements[k] = k == at ? -1.0f : 1.0f;
    using source = wf::array_source<wf::detail::array_value, float>;
    const auto found = fold_chunk<4>(axis, source{}, {c}, 1000);
    CHECK(found.value == -1);
    CHECK(found.index == 1000 + static_cast<std::size_t>(at));
    const auto apart = fold_chunk<4>(axis, source{}, {c}, 1000, 7);
    CHECK(apart.index == 1000 + 7 * static_cast<std::size_t>(at));
  }
}
