/// @file
/// The processor's flag that says if an operation rounded, in a floating-point environment of its
/// own.
///
/// Source: IEEE 754, "inexact". x86-64 has the flag in the register MXCSR.
#pragma once

#include <limits>

#include <warpfold/core/config.hpp>

namespace warpfold::detail {

// False with -ffast-math and the like: then the compiler may reorder additions, or assume that no
// number is NaN.
#if __FINITE_MATH_ONLY__ || defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
inline constexpr bool has_strict_math = false;
#else
inline constexpr bool has_strict_math = true;
#endif

#if defined(__x86_64__) && defined(__GNUC__)

#define WARPFOLD_HAS_INEXACT_FLAG 1

// The default environment in this thread: rounds to nearest, keeps small numbers, stops at no
// exception. The destructor restores the caller's, flags included.
class default_fp_environment {
 public:
  default_fp_environment() : before_(state()) { set_state(initial); }
  ~default_fp_environment() { set_state(before_); }
  default_fp_environment(const default_fp_environment&) = delete;
  default_fp_environment& operator=(const default_fp_environment&) = delete;

  // True if an operation has rounded since the constructor.
  static bool is_inexact() { return (state() & inexact) != 0; }

  // False where an emulation of the processor has no flag, and without strict math.
  static bool has_inexact_flag() {
    static const bool has = [] {
      const default_fp_environment own;
      volatile double x = 1;
      x = x + 0x1p-60;
      return is_inexact();
    }();
    return has_strict_math && has;
  }

 private:
  static constexpr unsigned initial = 0x1f80, inexact = 0x20;

  static unsigned state() {
    unsigned s;
    __asm__ __volatile__("stmxcsr %0" : "=m"(s) : : "memory");
    return s;
  }
  static void set_state(const unsigned& s) {
    __asm__ __volatile__("ldmxcsr %0" : : "m"(s) : "memory");
  }

  unsigned before_;
};

// The compiler does not know that operations depend on the environment. Those whose operands and
// results pass through here stay between the accesses to it: of a number, or of memory.
__attribute__((always_inline)) inline void keep_here(double& x) {
  __asm__ __volatile__("" : "+x"(x) : : "memory");
}
template <class T>
__attribute__((always_inline)) inline void keep_here(T*& memory) {
  __asm__ __volatile__("" : "+r"(memory) : : "memory");
}

#else

#define WARPFOLD_HAS_INEXACT_FLAG 0

#endif

// True if this thread rounds to nearest, and takes no small number for zero.
inline bool has_default_rounding() {
  volatile double one = 1, little = 0x1p-60, least = (std::numeric_limits<double>::min)();
  return one + little == 1 && one - little == 1 && least * 0.5 > 0;
}

}  // namespace warpfold::detail
