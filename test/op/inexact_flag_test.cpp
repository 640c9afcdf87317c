// The flag of the processor, and the environment of the thread, which is the same afterwards.
#include <warpfold/op/inexact_flag.hpp>

#include <doctest/doctest.h>

#include <cfenv>
#include <initializer_list>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace detail = warpfold::detail;

TEST_CASE("the rounding of the thread") {
  CHECK(detail::has_default_rounding());
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const bool has = detail::has_default_rounding();
    std::fesetround(FE_TONEAREST);
    CHECK_FALSE(has);
  }
}

#if defined(__SSE2__) && WARPFOLD_HAS_INEXACT_FLAG
TEST_CASE("additions that round set the flag, in any environment of the caller") {
  const unsigned before = _mm_getcsr();
  const auto flag_of = [](double a, double b) {
    const detail::default_fp_environment own;
    detail::keep_here(a);
    detail::keep_here(b);
    double sum = a + b;
    detail::keep_here(sum);
    return own.is_inexact();
  };
  // The usual one; rounding upward; small numbers are zeros; all exceptions raise a signal; all
  // flags are set.
  for (const unsigned state : {before, 0x5f80u, 0x9fc0u, 0u, 0x1fbfu}) {
    CAPTURE(state);
    _mm_setcsr(state);
    const bool is_exact = !flag_of(1, 0x1p-52) && !flag_of(0x1p-1070, 0x1p-1074);
    const bool is_inexact = flag_of(1, 0x1p-53);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    CHECK(after == state);
    CHECK(is_exact);
    CHECK(is_inexact == detail::default_fp_environment::has_inexact_flag());
  }
  _mm_setcsr(before | 0x8040);
  const bool has = detail::has_default_rounding();
  _mm_setcsr(before);
  CHECK_FALSE(has);
}
#endif
