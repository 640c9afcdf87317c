/// @file
/// Sums of numbers in double, and whether they are exact: the processor's flag says if an addition
/// rounded.
///
/// The numbers are added as for a plain sum, in several accumulators, and then the flag is read. So
/// an exact sum costs what a plain one costs while the exponents of the numbers are similar: in an
/// array of some thousand, floats may differ by a factor of about 2^22, doubles by 2^20. A double
/// is added as two numbers, its upper and its lower digits.
///
/// Source of the flag: IEEE 754, "inexact". x86-64 has it in the register MXCSR; elsewhere no sum
/// is said to be exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <warpfold/op/exact_rounding.hpp>
#include <warpfold/op/split_products.hpp>

namespace warpfold::detail {

// The sums of the upper, the middle and the lower digits of some numbers. Some have fewer parts.
struct sums_in_double {
  double parts[3] = {};
  bool are_exact = false;
};

// Numbers in memory.
template <class T>
struct exact_numbers {
  static constexpr int parts = std::is_same_v<T, float> ? 1 : 2;
  const T* data;
};
// Products of the numbers of two arrays. Those of floats are doubles, whose exponents differ more.
template <class T>
struct exact_products {
  static constexpr int parts = 3;
  const T* a;
  const T* b;
};
// The rounded products of doubles, and their errors.
struct exact_rounded_products : exact_numbers<double> {
  static constexpr int parts = 3;
};

// A compiler may assume that no number is NaN, or that a difference of sums is a sum of
// differences.
#if __FINITE_MATH_ONLY__ || defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__)
inline constexpr bool computes_as_written = false;
#else
inline constexpr bool computes_as_written = true;
#endif

#if defined(__x86_64__) && defined(__GNUC__)

// Arithmetic of this thread as IEEE 754 has it: it rounds to nearest, keeps small numbers, and
// stops at no exception. The destructor restores the caller's, flags included.
class ieee_arithmetic {
 public:
  ieee_arithmetic() : before_(state()) { set_state(initial); }
  ~ieee_arithmetic() { set_state(before_); }
  ieee_arithmetic(const ieee_arithmetic&) = delete;
  ieee_arithmetic& operator=(const ieee_arithmetic&) = delete;

  // True if the caller's arithmetic rounds to nearest and keeps small numbers.
  static bool is_usual() { return (state() & modes) == 0; }

  // True if an operation has rounded since the constructor.
  static bool has_rounded() { return (state() & inexact) != 0; }

  // False where an emulation of the processor has no flag.
  static bool tells_rounding() {
    static const bool tells = [] {
      const ieee_arithmetic own;
      volatile double x = 1;
      x = x + 0x1p-60;
      return has_rounded();
    }();
    return tells;
  }

 private:
  static constexpr unsigned initial = 0x1f80, inexact = 0x20, modes = 0xe040;

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

// The compiler does not know that additions set the flag. They start from a number, and end in
// numbers, that pass through here, and so stay between the accesses to the flag.
__attribute__((always_inline)) inline void keep_here(double& x) {
  __asm__ __volatile__("" : "+x"(x) : : "memory");
}

// Accumulators in vectors of `Bytes` bytes. All functions of vectors are inlined into code for one
// instruction set.
template <int Bytes, int Parts>
struct exact_accumulators {
  using numbers = typename vector_register<double, Bytes>::type;
  using bits = typename vector_register<long long, Bytes>::type;
  static constexpr std::size_t count = Bytes / sizeof(double);
  static constexpr std::size_t rows =
      Parts == 1 ? 8 : 4;  // independent additions hide their latency
  static constexpr std::size_t line = rows * count;
  // The digits that a part leaves to the next one.
  static constexpr long long left_mask = (1LL << (Parts == 2 ? 27 : 35)) - 1;
  static constexpr long long last_mask = (1LL << 17) - 1;

  numbers sums[rows][std::size_t{Parts}];

  // Element by element, which GCC 12 makes one vcvtps2pd.
  template <class T, std::size_t... l>
  __attribute__((always_inline)) static void load(numbers& to, const T* from,
                                                  std::index_sequence<l...>) {
    to = numbers{static_cast<double>(from[l])...};
  }
  template <class T>
  __attribute__((always_inline)) static void load(numbers& to, const exact_numbers<T>& from,
                                                  std::size_t i) {
    load(to, from.data + i, std::make_index_sequence<count>{});
  }
  __attribute__((always_inline)) static void load(numbers& to, const exact_products<float>& from,
                                                  std::size_t i) {
    numbers b;
    load(to, from.a + i, std::make_index_sequence<count>{});
    load(b, from.b + i, std::make_index_sequence<count>{});
    to *= b;
  }

  template <class Source>
  __attribute__((always_inline)) void add_row(std::size_t row, const Source& from, std::size_t i) {
    numbers x;
    load(x, from, i + row * count);
    if constexpr (Parts == 1) {
      sums[row][0] += x;
    } else {
      const numbers upper = (numbers)((bits)x & ~left_mask);
      sums[row][0] += upper;
      if constexpr (Parts == 2) {
        sums[row][1] += x - upper;
      } else {
        const numbers both = (numbers)((bits)x & ~last_mask);
        sums[row][1] += both - upper;
        sums[row][2] += x - both;
      }
    }
  }
  template <class Source, std::size_t... row>
  __attribute__((always_inline)) void add_line(const Source& from, std::size_t i,
                                               std::index_sequence<row...>) {
    (add_row(row, from, i), ...);
  }

  // The last numbers, filled up with -0, which changes no sum.
  template <class T>
  __attribute__((always_inline)) void add_rest(const exact_numbers<T>& from, std::size_t i,
                                               std::size_t n) {
    T own[line];
    for (std::size_t k = 0; k < line; ++k) own[k] = k < n - i ? from.data[i + k] : T(-0.0);
    add_line(exact_numbers<T>{own}, 0, std::make_index_sequence<rows>{});
  }
  __attribute__((always_inline)) void add_rest(const exact_products<float>& from, std::size_t i,
                                               std::size_t n) {
    float a[line], b[line];
    for (std::size_t k = 0; k < line; ++k) {
      a[k] = k < n - i ? from.a[i + k] : -0.0f;
      b[k] = k < n - i ? from.b[i + k] : 1.0f;
    }
    add_line(exact_products<float>{a, b}, 0, std::make_index_sequence<rows>{});
  }

  template <std::size_t... i>
  __attribute__((always_inline)) void start(const numbers& x, std::index_sequence<i...>) {
    ((sums[i / Parts][i % Parts] = x), ...);
  }
  // The sum of a part: rows, then lanes.
  template <std::size_t... row>
  __attribute__((always_inline)) void add_upper_rows(std::size_t part,
                                                     std::index_sequence<row...>) {
    ((sums[row][part] += sums[row + sizeof...(row)][part]), ...);
    if constexpr (sizeof...(row) > 1) {
      add_upper_rows(part, std::make_index_sequence<sizeof...(row) / 2>{});
    }
  }
  __attribute__((always_inline)) double total(std::size_t part) {
    add_upper_rows(part, std::make_index_sequence<rows / 2>{});
    double sum = sums[0][part][0];
    for (std::size_t l = 1; l < count; ++l) sum += sums[0][part][l];
    keep_here(sum);
    return sum;
  }

  template <class Source>
  __attribute__((always_inline)) static void sum(const Source& from, std::size_t n,
                                                 sums_in_double& to) {
    double zero = -0.0;
    keep_here(zero);
    numbers zeros;
    for (std::size_t l = 0; l < count; ++l) zeros[l] = zero;
    exact_accumulators all;
    all.start(zeros, std::make_index_sequence<rows * Parts>{});
    std::size_t i = 0;
    for (; n - i >= line; i += line) all.add_line(from, i, std::make_index_sequence<rows>{});
    if (i < n) all.add_rest(from, i, n);
    to.parts[0] = all.total(0);
    if constexpr (Parts > 1) to.parts[1] = all.total(1);
    if constexpr (Parts > 2) to.parts[2] = all.total(2);
  }
};

#if !defined(__AVX2__)
template <class Source>
__attribute__((target("avx2"))) void sum_in_double_avx2(const Source& from, std::size_t n,
                                                        sums_in_double& to) {
  exact_accumulators<32, Source::parts>::sum(from, n, to);
}
#endif

inline bool is_finite(double x) {
  using format = float_format<double>;
  return (__builtin_bit_cast(std::uint64_t, x) & ~format::sign_bit) < format::infinity;
}

// The sums of `n` numbers, at least one.
template <class Source>
sums_in_double sum_in_double(const Source& from, std::size_t n) {
  sums_in_double s;
  if (!computes_as_written || !ieee_arithmetic::tells_rounding()) return s;
  const ieee_arithmetic own;
#if defined(__AVX2__)
  exact_accumulators<32, Source::parts>::sum(from, n, s);
#else
  if (__builtin_cpu_supports("avx2")) {
    sum_in_double_avx2(from, n, s);
  } else {
    exact_accumulators<16, Source::parts>::sum(from, n, s);
  }
#endif
  s.are_exact = is_finite(s.parts[0]) && !own.has_rounded();
  return s;
}

inline bool has_ieee_arithmetic() { return ieee_arithmetic::is_usual(); }

#else

// False if the processor takes numbers below the normal ones for zero.
inline bool has_ieee_arithmetic() {
  volatile double least = (std::numeric_limits<double>::min)();
  return least * 0.5 > 0;
}

template <class Source>
sums_in_double sum_in_double(const Source&, std::size_t) {
  return {};
}

#endif

}  // namespace warpfold::detail
