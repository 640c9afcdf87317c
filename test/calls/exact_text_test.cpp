// The states of exact sums as text: the same sum after reading it, and one error for each text that
// is none.
#include <warpfold/exact_text.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <warpfold/op/exact.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

bool is_same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <class T, int Factors>
void check_sum(const wf::exact_sum<T, Factors>& sum) {
  const std::string text = wf::to_text(sum);
  CAPTURE(text);
  CHECK(text.size() <= 1200);
  CHECK(text.find('\n') == std::string::npos);
  wf::exact_sum<T, Factors> read = wf::exact_sum_from_text<T, Factors>(text);
  CHECK(wf::to_text(read) == text);
  CHECK(is_same(read.template rounded<double>(), sum.template rounded<double>()));
  wf::exact_sum<T, Factors> more = sum;
  for (const T x : {T(1), -std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()}) {
    more.add(x);
    read.add(x);
  }
  CHECK(wf::to_text(read) == wf::to_text(more));
}

}  // namespace

TEST_CASE("the text of a few sums, as it was written first") {
  wf::exact_sum<float> sum;
  CHECK(wf::to_text(sum) ==
        "exact_sum 1 float 1 digits 0p0 added 0 negative_zeros 0 infinities 0 0 nans 0");
  sum.add(-0.0f);
  CHECK(wf::to_text(sum) ==
        "exact_sum 1 float 1 digits 0p0 added 0 negative_zeros 1 infinities 0 0 nans 0");
  for (const float x : {-1.5f, 0x1p-149f, -0.25f}) sum.add(x);
  CHECK(wf::to_text(sum) ==
        "exact_sum 1 float 1 digits -37ffffffffffffffffffffffffffffffffffffp-149 added 1 "
        "negative_zeros 0 infinities 0 0 nans 0");
  sum = wf::exact_sum<float>(1.5f);
  CHECK(wf::to_text(sum) ==
        "exact_sum 1 float 1 digits 3p-1 added 1 negative_zeros 0 infinities 0 0 nans 0");
  wf::exact_sum<double, 2> products;
  products.add(0x1p-1074, 0x1p-1072);
  products.add(1, -std::numeric_limits<double>::infinity());
  CHECK(wf::to_text(products) ==
        "exact_sum 1 double 2 digits 4p-2148 added 1 negative_zeros 0 infinities 0 1 nans 0");
}

TEST_CASE_TEMPLATE("every state comes back", T, float, double) {
  using limits = std::numeric_limits<T>;
  std::mt19937_64 random(1);
  using bits = typename wf::detail::float_format<T>::bits;
  for (int round = 0; round < 200; ++round) {
    wf::exact_sum<T> sum;
    wf::exact_sum<T, 2> products;
    for (std::size_t n = random() % 9; n != 0; --n) {
      const T x = __builtin_bit_cast(T, static_cast<bits>(random()));
      const T y = __builtin_bit_cast(T, static_cast<bits>(random()));
      sum.add(x);
      products.add(x, y);
    }
    check_sum(sum);
    check_sum(products);
  }
  // The longest sums: 2^62 of the largest numbers.
  wf::exact_sum<T> sum;
  sum.add(limits::max());
  for (int i = 0; i < 62; ++i) {
    sum.add(sum);
    sum.normalize();
  }
  check_sum(sum);
  for (int i = 0; i < wf::exact_sum<T>::word_count; ++i) sum.words()[i] = 0;
  sum.add(-limits::max());
  for (int i = 0; i < 62; ++i) {
    sum.add(sum);
    sum.normalize();
  }
  check_sum(sum);
}

TEST_CASE_TEMPLATE("the text does not depend on how the numbers were added", T, float, double) {
  std::vector<T> with_zero(100, 1);
  with_zero[50] = T(-0.0);
  for (const std::vector<T>& v :
       {with_zero, std::vector<T>(100, -std::numeric_limits<T>::denorm_min()),
        std::vector<T>(100, T(-0.0))}) {
    wf::exact_sum<T> one_by_one, by_batches;
    for (const T x : v) one_by_one.add(x);
    wf::reduce_async(wf::seq, v, wf::plus{}.exact(), &by_batches);
    CHECK(wf::to_text(one_by_one) == wf::to_text(by_batches));
  }
}

TEST_CASE("other exponents and blanks are read too") {
  const auto of = [](const char* digits) {
    return wf::exact_sum_from_text<float>(std::string("exact_sum  1 float\t1 digits ") + digits +
                                          " added 1 negative_zeros 0 infinities 0 0 nans 0\n")
        .rounded();
  };
  CHECK(of("0003p0") == 3);
  CHECK(of("-ap4") == -160);
  CHECK(of("10p-1") == 8);
  CHECK(of("8p-149") == 0x1p-146f);
  CHECK(of("10p-153") == 0x1p-149f);  // the last digit is 0
}

TEST_CASE("texts that are none") {
  const std::string good =
      "exact_sum 1 float 1 digits -3p-149 added 1 negative_zeros 0 infinities 0 0 nans 0";
  CHECK(wf::exact_sum_from_text<float>(good).rounded() == -3 * 0x1p-149f);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  const auto says = [](const char* part, const std::string& text) {
    try {
      (void)wf::exact_sum_from_text<float>(text);
    } catch (const wf::invalid_argument& e) {
      const std::string said = e.what();
      CAPTURE(said);
      CHECK(said.starts_with("warpfold: the text of an exact sum "));
      return said.find(part) != std::string::npos;
    }
    return false;
  };
  CHECK(says("has \"\" in place of \"exact_sum\"", ""));
  CHECK(says("has \"2\" in place of \"1\"", with("exact_sum 1", "exact_sum 2")));
  CHECK(says("has \"double\" in place of \"float\"", with("float", "double")));
  CHECK(says("has \"2\" in place of \"1\"", with("float 1", "float 2")));
  CHECK(says("has \"-3p\" in place of a number", with("-3p-149", "-3p")));
  CHECK(says("has \"-p3\" in place of a number", with("-3p-149", "-p3")));
  CHECK(says("has \"3g1p0\" in place of a number", with("-3p-149", "3g1p0")));
  CHECK(says("has \"3P0\" in place of a number", with("-3p-149", "3P0")));
  CHECK(says("has \"3p123456\" in place of a number", with("-3p-149", "3p123456")));
  CHECK(says("has digits beyond those of this type", with("-3p-149", "3p-150")));
  CHECK(says("has digits beyond those of this type", with("-3p-149", "3p99999")));
  CHECK(
      says("has digits beyond those of this type", with("-3p-149", std::string(200, 'f') + "p0")));
  CHECK(says("has digits, but nothing added", with("added 1", "added 0")));
  CHECK(says("has \"7\" in place of 0 or 1", with("nans 0", "nans 7")));
  CHECK(says("has \"\" in place of 0 or 1", with("nans 0", "nans")));
  CHECK(says("goes on after its end", good + " 1"));
  CHECK(
      says("has \"?\?"
           "abc\" in place of \"exact_sum\"",
           "\x01\xff"
           "abc"));
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK_THROWS_AS(wf::exact_sum_from_text<float>(good.substr(0, length)), wf::invalid_argument);
  }
}
