// When to try again.
#include <warpfold/op/trial_backoff.hpp>

#include <doctest/doctest.h>

using warpfold::detail::trial_backoff;

namespace {

/// Fails until it has, `failures` times; returns the items that were left out before the last one.
int left_out_until(trial_backoff& trials, int failures) {
  int left_out = 0;
  while (failures > 0) {
    if (!trials.may_try()) {
      ++left_out;
      continue;
    }
    left_out = --failures == 0 ? left_out : 0;
    trials.failed();
  }
  return left_out;
}

}  // namespace

TEST_CASE("one failure leaves nothing out; further ones in succession leave out more") {
  trial_backoff trials;
  CHECK(left_out_until(trials, 1) == 0);
  CHECK(left_out_until(trials, 1) == 0);
  CHECK(left_out_until(trials, 1) == 1);
  CHECK(left_out_until(trials, 1) == 2);
  CHECK(left_out_until(trials, 1) == 4);
  CHECK(left_out_until(trials, 1) == 8);
  for (int i = 0; i < 5; ++i) CHECK(left_out_until(trials, 1) == 16);
  for (int i = 0; i < 16; ++i) CHECK_FALSE(trials.may_try());
  CHECK(trials.may_try());
  trials.succeeded();
  CHECK(trials.may_try());
  trials.failed();
  CHECK(trials.may_try());
}
