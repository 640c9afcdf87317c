// Vectors of doubles: loads that convert, upper digits, and kernels with the widest vectors.
#include <warpfold/op/double_vectors.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace detail = warpfold::detail;

namespace {

template <class T, int Left>
struct kernel {
  template <int Bytes>
  __attribute__((always_inline)) static void run(const T* const& from, double* const& loaded,
                                                 double* const& upper, std::size_t& bytes) {
    using vectors = detail::double_vectors<Bytes>;
    for (std::size_t i = 0; i < 8; i += vectors::count) {
      typename vectors::numbers x{}, y{};
      vectors::load(x, from + i);
      vectors::template take_upper<Left>(y, x);
      __builtin_memcpy(loaded + i, &x, Bytes);
      __builtin_memcpy(upper + i, &y, Bytes);
    }
    bytes = Bytes;
  }
};

template <class T, int Left>
void check_vectors() {
  const T numbers[9] = {0, 1, -2.5f, 0.1f, -0.3f, 1e30f, -1e-40f, 7, 9};
  for (const bool is_narrow : {false, true}) {
    double loaded[8], upper[8];
    double *to = loaded, *parts = upper;
    const T* from = numbers + 1;  // not aligned
    std::size_t bytes = 0;
    if (is_narrow) {
      kernel<T, Left>::template run<16>(from, to, parts, bytes);
    } else {
      detail::run_in_vectors<kernel<T, Left>>(from, to, parts, bytes);
    }
    CHECK((bytes == 16 || (!is_narrow && bytes == 32)));
    for (std::size_t i = 0; i < 8; ++i) {
      const double x = static_cast<double>(numbers[i + 1]);
      CHECK(loaded[i] == x);
      CHECK(upper[i] == detail::upper_digits<Left>(x));
    }
  }
}

}  // namespace

TEST_CASE("loads and upper digits of floats and doubles") {
  check_vectors<float, 27>();
  check_vectors<double, 27>();
  check_vectors<double, 35>();
  CHECK(detail::upper_digits<27>(1 + 0x1p-25 + 0x1p-26) == 1 + 0x1p-25);
  CHECK(detail::upper_digits<51>(-1.75) == -1.5);
}
