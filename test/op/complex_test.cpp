// Complex numbers are recognized by their members, and split into parts by their bytes.
#include <warpfold/op/complex.hpp>

#include <doctest/doctest.h>

#include <complex>

namespace wf = warpfold;

namespace {

/// Another library's complex number.
template <class R>
struct own_complex {
  R re, im;
  R real() const { return re; }
  R imag() const { return im; }
};
/// The same members, but more bytes than two parts.
struct with_more {
  double re, im, norm;
  double real() const { return re; }
  double imag() const { return im; }
};
struct of_two_types {
  double re;
  float im;
  double real() const { return re; }
  float imag() const { return im; }
};
struct real_only {
  float re, im;
  float real() const { return re; }
};
struct not_trivial : own_complex<float> {
  not_trivial(const not_trivial& z) : own_complex<float>(z) {}
};
/// Returns its parts by reference.
struct by_reference {
  float re, im;
  const float& real() const { return re; }
  const float& imag() const { return im; }
};

}  // namespace

static_assert(wf::complex_number<std::complex<float>>);
static_assert(wf::complex_number<std::complex<double>>);
static_assert(wf::complex_number<std::complex<long double>>);
static_assert(wf::complex_number<own_complex<float>>);
static_assert(wf::complex_number<by_reference>);
static_assert(std::is_same_v<wf::complex_part_t<by_reference>, float>);

static_assert(!wf::complex_number<double>);
static_assert(!wf::complex_number<own_complex<int>>);  // integers round nothing
static_assert(!wf::complex_number<with_more>);
static_assert(!wf::complex_number<of_two_types>);
static_assert(!wf::complex_number<real_only>);
static_assert(!wf::complex_number<not_trivial>);
static_assert(std::is_void_v<wf::complex_part_t<real_only>>);

TEST_CASE("parts are the real and the imaginary one, in this order") {
  const auto of_standard = wf::detail::parts_of(std::complex<double>(3, -4));
  CHECK(of_standard.first == 3);
  CHECK(of_standard.second == -4);
  const auto of_own = wf::detail::parts_of(own_complex<float>{0.5f, 2});
  CHECK(of_own.first == 0.5f);
  CHECK(of_own.second == 2);
}
