// final_result: a reduction that loads for its result does so once, in the threads that may finish;
// others are called with the state alone.
#include <warpfold/collective/final_result.hpp>

#include <doctest/doctest.h>

namespace {

struct plain {
  using state = int;
  int result(const state& s) const { return s + 1; }
};

struct loading {
  using state = int;
  int* loads;
  int load_for_result() const { return ++*loads; }
  int result(const state& s, int loaded) const { return 10 * s + loaded; }
};

}  // namespace

TEST_CASE("the result of a reduction that loads nothing") {
  CHECK(warpfold::collective::final_result(plain{}, true)(4) == 5);
}

TEST_CASE("a reduction that loads for its result") {
  int loads = 0;
  const loading r{&loads};
  const warpfold::collective::final_result result(r, true);
  CHECK(loads == 1);
  CHECK(result(7) == 71);
  CHECK(result(8) == 81);
  CHECK(loads == 1);
  const warpfold::collective::final_result other(r, false);
  CHECK(loads == 1);
}
