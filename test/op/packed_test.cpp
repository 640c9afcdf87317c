// Ops that fold small integers packed in registers, and those that do not.
#include <warpfold/op/packed.hpp>

#include <doctest/doctest.h>

#include <cstring>

#include <warpfold/reduce.hpp>

#include "contract/oracle.hpp"

namespace {

namespace wf = warpfold;

template <class T, class Op>
void check_fold(Op op) {
  static_assert(wf::folds_packed<Op, T>);
  constexpr int n = 16 / sizeof(T);
  test::random_bits random;
  for (int i = 0; i < 1000; ++i) {
    T elements[n];
    for (T& e : elements) e = static_cast<T>(random());
    std::uint32_t registers[4];
    std::memcpy(registers, elements, sizeof registers);
    const std::span<const T> all(elements, n);
    REQUIRE(static_cast<long long>(op.template fold_packed<T>(registers)) ==
            static_cast<long long>(wf::reduce(wf::seq, all, op)));
  }
}

// A user's op that derives from one of the library's does not inherit how that folds.
struct other_maximum : wf::maximum {};
static_assert(!wf::folds_packed<other_maximum, signed char>);
static_assert(!wf::folds_packed<wf::maximum, int>);
static_assert(!wf::folds_packed<wf::multiplies, signed char>);
static_assert(!wf::folds_packed<wf::plus, bool>);

}  // namespace

TEST_CASE("ops fold packed elements as they fold them one by one") {
  check_fold<signed char>(wf::plus{});
  check_fold<unsigned char>(wf::plus{});
  check_fold<signed char>(wf::minimum{});
  check_fold<unsigned char>(wf::minimum{});
  check_fold<short>(wf::minimum{});
  check_fold<unsigned short>(wf::minimum{});
  check_fold<signed char>(wf::maximum{});
  check_fold<unsigned char>(wf::maximum{});
  check_fold<short>(wf::maximum{});
  check_fold<unsigned short>(wf::maximum{});
}
