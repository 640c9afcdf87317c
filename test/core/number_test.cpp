// is_number_v: what counts as a number, with CUDA's 16-bit floats, of which only the names are
// known.
#include <warpfold/core/number.hpp>

#include <doctest/doctest.h>

#include <complex>

namespace wf = warpfold;

namespace {

enum class color { red };
struct wrapped {
  int value;
};

template <class T>
constexpr bool is_number = wf::is_number_v<T>;
template <class T>
constexpr bool is_half = wf::is_half_v<T>;

}  // namespace

TEST_CASE("numbers are arithmetic types and 16-bit floats") {
  CHECK(is_number<bool>);
  CHECK(is_number<char>);
  CHECK(is_number<unsigned long long>);
  CHECK(is_number<long double>);
  CHECK(is_number<__half>);
  CHECK(is_number<__nv_bfloat16>);
  CHECK_FALSE(is_number<color>);
  CHECK_FALSE(is_number<wrapped>);
  CHECK_FALSE(is_number<std::complex<float>>);
  CHECK_FALSE(is_number<int*>);
}

TEST_CASE("only 16-bit floats are summed in float") {
  CHECK(is_half<__half>);
  CHECK(is_half<__nv_bfloat16>);
  CHECK_FALSE(is_half<float>);
  CHECK_FALSE(is_half<short>);
}
