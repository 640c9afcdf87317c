// check_not_volatile: elements that can be loaded pass, and pointers to volatile ones are among
// them. The error about others: test/compile/volatile_cases.cpp.
#include <warpfold/view/element_check.hpp>

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include "contract/oracle.hpp"

namespace {

struct holds_volatile {
  volatile int value;
};

}  // namespace

static_assert(wf::detail::check_not_volatile<int>());
static_assert(wf::detail::check_not_volatile<const double>());
static_assert(wf::detail::check_not_volatile<volatile int*>());
static_assert(wf::detail::check_not_volatile<holds_volatile>());

TEST_CASE("ranges of constants and of pointers to volatile values are ranges") {
  volatile int x = 3, y = 4;
  volatile int* const pointers[] = {&x, &y};
  CHECK(wf::reduce(wf::seq,
                   wf::project(pointers, [](const volatile int* p) -> int { return *p; })) == 7);
  static_assert(!wf::reducible_range<std::span<volatile int>>);
}
