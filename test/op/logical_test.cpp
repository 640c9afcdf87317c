// logical_and and logical_or: any type with a truth value, and the empty range.
#include <warpfold/op/logical.hpp>

#include <doctest/doctest.h>

#include <memory>
#include <span>

#include "contract/oracle.hpp"

TEST_CASE("logical ops take any truth value and give a bool") {
  static_assert(std::is_same_v<decltype(wf::logical_and{}(1, 2.5)), bool>);
  CHECK(wf::logical_and{}(1, 2));  // not 1 & 2
  CHECK_FALSE(wf::logical_and{}(0.0, true));
  CHECK_FALSE(wf::logical_and{}(true, 0));
  CHECK(wf::logical_or{}(0, 0.25));
  CHECK(wf::logical_or{}(256, 0));
  CHECK_FALSE(wf::logical_or{}(0, 0.0f));
  const std::span<const int> nothing;
  CHECK(wf::reduce(wf::seq, nothing, wf::logical_and{}));
  CHECK_FALSE(wf::reduce(wf::seq, nothing, wf::logical_or{}));
}

namespace {

/// Has a truth value only where one is asked for explicitly, like a smart pointer.
struct explicit_truth {
  bool value;
  explicit operator bool() const { return value; }
};

}  // namespace

TEST_CASE("elements that convert explicitly are folded in a bool") {
  static_assert(!std::is_invocable_v<wf::logical_and, std::vector<int>, bool>);
  static_assert(std::is_same_v<wf::op_traits<wf::logical_or, double>::accumulator, bool>);
  const std::vector<explicit_truth> all(5, explicit_truth{true});
  CHECK(wf::reduce(wf::seq, all, wf::logical_and{}));
  CHECK_FALSE(wf::reduce(wf::seq, all, false, wf::logical_and{}));
  CHECK(wf::reduce(wf::seq, all, false, wf::logical_or{}));
  const std::vector<std::unique_ptr<int>> pointers(3);
  CHECK_FALSE(wf::logical_or{}(pointers[0], pointers[1]));
}
