/// @file
/// Turns the faults of instrumented headers on and off at run time. test/mutate/instrument.py
/// writes the calls, and every compilation includes this file first.
///
/// A fault has a number and is off, unless the environment has WARPFOLD_FAULT=<number>. With
/// WARPFOLD_FAULT_REACH=<file> the process appends the numbers of the faults that it reached to
/// that file. In constant expressions every fault is off.
///
/// A binary operator `a + b` is instrumented as `a + ::wf_fault::op<17>() + b`: `a + op` holds `a`,
/// and that `+ b` evaluates the original or the fault. Both `+` have the precedence of the
/// original, so the instrumenter need not know where operands begin or end.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace wf_fault {

inline constexpr int most_faults = 1 << 18;

// In a run with a fault on, only its flag is set. In a run that records what it reaches, all flags
// are set, and the first reach of a fault clears its flag.
inline unsigned char flags[most_faults];
inline int active = -1;
inline const char* reach_file = nullptr;

// Whether the fault is on. Call only where its flag is set.
[[gnu::noinline, gnu::cold]] inline bool slow(int k) {
  if (k == active) return true;
  flags[k] = 0;
  return false;
}

void start();
// Every translation unit calls it before it initializes its own variables; only the first call has
// an effect.
static const bool started = (start(), true);

// The number of an instrumented place goes into a section of the executable, if code is generated
// for it. mutate.py tells from it which faults exist at run time.
template <int K>
[[gnu::always_inline]] constexpr bool on() {
  if (std::is_constant_evaluated()) return false;
  asm volatile(".pushsection .wf_faults,\"\",@progbits\n\t.long %c0\n\t.popsection" : : "i"(K));
  return __builtin_expect(flags[K] != 0, 0) && slow(K);
}
// The same for a number known at run time only.
[[gnu::always_inline]] constexpr bool is_on(int k) {
  if (std::is_constant_evaluated()) return false;
  return __builtin_expect(flags[k] != 0, 0) && slow(k);
}

template <int K, int Count>
[[gnu::always_inline]] constexpr void mark() {
  if (!std::is_constant_evaluated()) {
    asm volatile(".pushsection .wf_faults,\"\",@progbits\n\t.long %c0\n\t.popsection" : : "i"(K));
    if constexpr (Count > 1) mark<K + 1, Count - 1>();
  }
}

// --- literals, conditions, arguments
// -----------------------------------------------------------------

template <int K, class T>
[[gnu::always_inline]] constexpr T next(T value) {
  return on<K>() ? static_cast<T>(value + T(1)) : value;
}

template <int K, class T>
[[gnu::always_inline]] constexpr bool turned(T&& condition) {
  const bool value = static_cast<bool>(static_cast<T&&>(condition));
  return on<K>() ? !value : value;
}

// `f(swapped<K>(a, b), swapped<K>(b, a))`
template <int K, class A, class B>
[[gnu::always_inline]] constexpr A&& swapped(A&& a, B&& b) {
  if constexpr (std::is_same_v<A, B>) {
    if (on<K>()) return static_cast<A&&>(b);
  }
  return static_cast<A&&>(a);
}

// --- binary operators
// --------------------------------------------------------------------------------

struct operator_place {
  int k;
};
template <int K, int Count>
[[gnu::always_inline]] constexpr operator_place op() {
  mark<K, Count>();
  return {K};
}

template <class A>
struct held {
  A&& a;
  int k;
};
template <class B>
struct held_right {
  B&& b;
  int k;
};

#define WF_FAULT_A static_cast<A&&>(l.a)
#define WF_FAULT_B static_cast<B&&>(b)

// A fault that does not compile for these operands counts as not reached.
#define WF_FAULT_ELSE(N, EXPRESSION)                                     \
  if constexpr (requires { static_cast<R>(EXPRESSION); }) {              \
    if (::wf_fault::is_on(l.k + (N))) return static_cast<R>(EXPRESSION); \
  }

#define WF_FAULT_OPERATOR(OP, FIRST, SECOND)                                        \
  template <class A>                                                                \
  [[gnu::always_inline]] constexpr held<A> operator OP(A && a, operator_place at) { \
    return {static_cast<A&&>(a), at.k};                                             \
  }                                                                                 \
  template <class A, class B>                                                       \
  [[gnu::always_inline]] constexpr auto operator OP(held<A> l, B&& b)               \
      ->decltype(WF_FAULT_A OP WF_FAULT_B) {                                        \
    using R = decltype(WF_FAULT_A OP WF_FAULT_B);                                   \
    if (!std::is_constant_evaluated()) {                                            \
      WF_FAULT_ELSE(0, FIRST)                                                       \
      WF_FAULT_ELSE(1, SECOND)                                                      \
    }                                                                               \
    return WF_FAULT_A OP WF_FAULT_B;                                                \
  }

// Must agree with `operator_faults` of instrument.py. If both faults are the same, only one is
// listed.
WF_FAULT_OPERATOR(<, WF_FAULT_A <= WF_FAULT_B, WF_FAULT_A >= WF_FAULT_B)
WF_FAULT_OPERATOR(>, WF_FAULT_A >= WF_FAULT_B, WF_FAULT_A <= WF_FAULT_B)
WF_FAULT_OPERATOR(<=, WF_FAULT_A<WF_FAULT_B, WF_FAULT_A> WF_FAULT_B)
WF_FAULT_OPERATOR(>=, WF_FAULT_A > WF_FAULT_B, WF_FAULT_A < WF_FAULT_B)
WF_FAULT_OPERATOR(+, WF_FAULT_A - WF_FAULT_B, WF_FAULT_A)
WF_FAULT_OPERATOR(-, WF_FAULT_A + WF_FAULT_B, WF_FAULT_A)
#undef WF_FAULT_OPERATOR

#define WF_FAULT_OPERATOR(OP, FIRST)                                                \
  template <class A>                                                                \
  [[gnu::always_inline]] constexpr held<A> operator OP(A && a, operator_place at) { \
    return {static_cast<A&&>(a), at.k};                                             \
  }                                                                                 \
  template <class A, class B>                                                       \
  [[gnu::always_inline]] constexpr auto operator OP(held<A> l, B&& b)               \
      ->decltype(WF_FAULT_A OP WF_FAULT_B) {                                        \
    using R = decltype(WF_FAULT_A OP WF_FAULT_B);                                   \
    if (!std::is_constant_evaluated()) {                                            \
      WF_FAULT_ELSE(0, FIRST)                                                       \
    }                                                                               \
    return WF_FAULT_A OP WF_FAULT_B;                                                \
  }

WF_FAULT_OPERATOR(==, WF_FAULT_A != WF_FAULT_B)
WF_FAULT_OPERATOR(!=, WF_FAULT_A == WF_FAULT_B)
WF_FAULT_OPERATOR(*, WF_FAULT_A)
WF_FAULT_OPERATOR(/, WF_FAULT_A)
WF_FAULT_OPERATOR(%, WF_FAULT_A)
WF_FAULT_OPERATOR(<<, WF_FAULT_A)
WF_FAULT_OPERATOR(>>, WF_FAULT_A)
WF_FAULT_OPERATOR(&, WF_FAULT_A | WF_FAULT_B)
WF_FAULT_OPERATOR(|, WF_FAULT_A& WF_FAULT_B)
WF_FAULT_OPERATOR(^, WF_FAULT_A)
#undef WF_FAULT_OPERATOR

#define WF_FAULT_ASSIGNMENT(OP, FIRST)                                                    \
  template <class B>                                                                      \
  [[gnu::always_inline]] constexpr held_right<B> operator OP(operator_place at, B && b) { \
    return {static_cast<B&&>(b), at.k};                                                   \
  }                                                                                       \
  template <class A, class B>                                                             \
  [[gnu::always_inline]] constexpr auto operator OP(A&& a, held_right<B> r)               \
      ->decltype(static_cast<A&&>(a) OP static_cast<B&&>(r.b)) {                          \
    if constexpr (requires { static_cast<A&&>(a) FIRST static_cast<B&&>(r.b); }) {        \
      if (::wf_fault::is_on(r.k)) return static_cast<A&&>(a) FIRST static_cast<B&&>(r.b); \
    }                                                                                     \
    return static_cast<A&&>(a) OP static_cast<B&&>(r.b);                                  \
  }

WF_FAULT_ASSIGNMENT(+=, -=)
WF_FAULT_ASSIGNMENT(-=, +=)
WF_FAULT_ASSIGNMENT(|=, &=)
WF_FAULT_ASSIGNMENT(&=, |=)
#undef WF_FAULT_ASSIGNMENT
#undef WF_FAULT_ELSE
#undef WF_FAULT_A
#undef WF_FAULT_B

// --- what a process reached
// --------------------------------------------------------------------------

// Appends a line `<name> <tab> <seconds> <tab> <numbers>`, and forgets what was reached.
inline void write_reached(const char* name, double seconds) {
  std::FILE* const file = std::fopen(reach_file, "a");
  if (file == nullptr) std::abort();
  std::fprintf(file, "%s\t%.6f\t", name, seconds);
  for (int k = 0; k < most_faults; ++k) {
    if (flags[k] == 0) std::fprintf(file, "%d ", k);
    flags[k] = 1;
  }
  std::fprintf(file, "\n");
  std::fclose(file);
}

inline void start() {
  if (active != -1 || reach_file != nullptr) return;
  if (const char* const number = std::getenv("WARPFOLD_FAULT")) {
    active = std::atoi(number);
    if (active < 0 || active >= most_faults) std::abort();
    flags[active] = 1;
  }
  reach_file = std::getenv("WARPFOLD_FAULT_REACH");
  if (reach_file != nullptr) {
    std::memset(flags, 1, sizeof flags);
    std::atexit([] { write_reached("-", 0); });
  }
}

}  // namespace wf_fault
