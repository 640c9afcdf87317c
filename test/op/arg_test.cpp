// arg: the extremum and its lowest index, in pairs, runs and a warp's states. NaN, zeros of both
// signs, and elements without keys.
#include <warpfold/op/arg.hpp>

#include <doctest/doctest.h>

#include <string>

#include "contract/oracle.hpp"
#include "op/listed_batch.hpp"

namespace {

template <class T>
struct keyed {
  T key;
  int name;

  friend bool operator<(const keyed& a, const keyed& b) { return a.key < b.key; }
  friend bool operator==(const keyed& a, const keyed& b) {
    return a.key == b.key && a.name == b.name;
  }
};

/// Whether `a` is found and not `b`, wherever they are: the words of the documentation.
template <class Extremum, class T>
bool is_before(T a, T b) {
  constexpr bool ignores = wf::arg_op<Extremum>::ignores_nan;
  constexpr bool least = wf::arg_op<Extremum>::is_least;
  if (std::isnan(a) || std::isnan(b)) {
    return std::isnan(a) != std::isnan(b) && std::isnan(a) != ignores;
  }
  if (a == b) return std::signbit(a) != std::signbit(b) && std::signbit(a) == least;
  return least ? a < b : b < a;
}

template <class Extremum, class T>
void check_pairs() {
  using limits = std::numeric_limits<T>;
  constexpr T nan = limits::quiet_NaN();
  const T values[] = {T(0),
                      -T(0),
                      T(1),
                      -T(1),
                      T(1.5),
                      -T(1.5),
                      nan,
                      -nan,
                      limits::max(),
                      limits::lowest(),
                      limits::infinity(),
                      -limits::infinity(),
                      limits::denorm_min(),
                      -limits::denorm_min()};
  const wf::arg_op<Extremum> op;
  for (const T a : values) {
    for (const T b : values) {
      INFO(a, " and ", b);
      const bool second = is_before<Extremum>(b, a);
      const bool same = !second && !is_before<Extremum>(a, b);
      CHECK(op(op.lift(a, 3), op.lift(b, 5)).index == (second ? 5 : 3));
      CHECK(op(op.lift(a, 5), op.lift(b, 3)).index == (second || same ? 3 : 5));
      CHECK(op.is_better(b, a) == second);
      // As a run, and as states.
      CHECK(op.fold_batch(wf::indexed<T>{a, 3}, test::run_of<64>(std::vector<T>{b}, 5)).index ==
            (second ? 5 : 3));
      CHECK(op.fold_batch(wf::indexed<T>{T(0), wf::indexed<T>::nowhere},
                          test::run_of<64>(std::vector<T>{a, b}, 5))
                .index == (second ? 6 : 5));
      if constexpr (sizeof(T) <= 8) {
        CHECK(op.fold_states(test::states_of(std::vector<wf::indexed<T>>{{a, 9}, {b, 5}, {a, 7}}))
                  .index == (second || same ? 5 : 7));
      }
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("arg of floating-point numbers, in twos, in runs and of states", T, float,
                   double, long double) {
  check_pairs<wf::minimum, T>();
  check_pairs<wf::maximum, T>();
  check_pairs<wf::ignoring_nan_op<wf::minimum>, T>();
  check_pairs<wf::ignoring_nan_op<wf::maximum>, T>();
}

TEST_CASE_TEMPLATE("arg of integers", T, signed char, unsigned char, int, unsigned, long long,
                   unsigned long long) {
  const auto least = wf::arg(wf::minimum{});
  const auto greatest = wf::arg(wf::maximum{});
  const T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const std::vector<T> v = {5, high, low, 5, low, high};
  const auto of_least = least.fold_batch(wf::indexed<T>{T(5), 2}, test::run_of<64>(v, 10));
  CHECK(of_least == wf::indexed<T>{low, 12});
  const auto of_greatest = greatest.fold_batch(wf::indexed<T>{T(5), 2}, test::run_of<64>(v, 10));
  CHECK(of_greatest == wf::indexed<T>{high, 11});
  // What was seen is as good: it stays.
  CHECK(least.fold_batch(wf::indexed<T>{low, 2}, test::run_of<64>(v, 10)) ==
        wf::indexed<T>{low, 2});
  CHECK(greatest.fold_batch(wf::indexed<T>{high, 2}, test::run_of<64>(v, 10)) ==
        wf::indexed<T>{high, 2});
  // Nothing was seen: an element that equals the identity is found.
  const auto nothing = least.identity<wf::indexed<T>>();
  CHECK(nothing == wf::indexed<T>{high, wf::indexed<T>::nowhere});
  CHECK(least.fold_batch(nothing, test::run_of<64>(std::vector<T>{high, high}, 4)) ==
        wf::indexed<T>{high, 4});
  CHECK(greatest.identity<wf::indexed<T>>() == wf::indexed<T>{low, wf::indexed<T>::nowhere});

  CHECK(least(wf::indexed<T>{5, 3}, {6, 2}) == wf::indexed<T>{5, 3});
  CHECK(greatest(wf::indexed<T>{5, 3}, {6, 4}) == wf::indexed<T>{6, 4});
  CHECK(greatest(wf::indexed<T>{6, 3}, {6, 2}) == wf::indexed<T>{6, 2});
  CHECK_FALSE(wf::indexed<T>{6, 3} == wf::indexed<T>{6, 2});
  CHECK_FALSE(wf::indexed<T>{6, 3} == wf::indexed<T>{5, 3});

  const std::vector<wf::indexed<T>> states = {{5, 8}, {3, 7}, {9, 6}, {3, 5}, {9, 4}, {3, 9}};
  CHECK(least.fold_states(test::states_of(states)) == wf::indexed<T>{3, 5});
  CHECK(greatest.fold_states(test::states_of(states)) == wf::indexed<T>{9, 4});
}

TEST_CASE("arg of elements that are compared with <") {
  const auto least = wf::arg(wf::minimum{});
  const auto greatest = wf::arg(wf::maximum{});
  using place = wf::indexed<std::string>;
  CHECK(least(place{"b", 1}, place{"a", 2}) == place{"a", 2});
  CHECK(least(place{"a", 2}, place{"b", 1}) == place{"a", 2});
  CHECK(greatest(place{"b", 2}, place{"a", 1}) == place{"b", 2});
  CHECK(greatest(place{"a", 1}, place{"b", 2}) == place{"b", 2});
  CHECK(least(place{"a", 5}, place{"a", 2}) == place{"a", 2});
  CHECK(greatest(place{"a", 5}, place{"a", 2}) == place{"a", 2});
  // Of equal ones the first, and it itself.
  using item = keyed<int>;
  const wf::indexed<item> early{{4, 100}, 3}, late{{4, 200}, 8};
  CHECK(least(early, late) == early);
  CHECK(least(late, early) == early);
  CHECK(greatest(early, late) == early);
  CHECK(greatest(late, early) == early);
  const std::vector<item> v = {{6, 1}, {4, 2}, {4, 3}, {9, 4}, {9, 5}};
  CHECK(least.fold_batch(wf::indexed<item>{{5, 0}, 1}, test::run_of<64>(v, 10)) ==
        wf::indexed<item>{{4, 2}, 11});
  CHECK(greatest.fold_batch(wf::indexed<item>{{5, 0}, 1}, test::run_of<64>(v, 10)) ==
        wf::indexed<item>{{9, 4}, 13});
  CHECK(least.fold_batch(wf::indexed<item>{{4, 0}, 1}, test::run_of<64>(v, 10)) ==
        wf::indexed<item>{{4, 0}, 1});
}
