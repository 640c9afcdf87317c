/// @file
/// The state of an exact sum as text, to store and to send: another machine and another version of
/// the library read the same sum. Host only; no launches.
///
///     exact_sum 1 float 1 digits -37p-5 added 1 negative_zeros 0 infinities 0 0 nans 0
///
/// After the name: the version of the format, the type of the numbers, and 1, or 2 for products.
/// The sum is an integer in hexadecimal digits times a power of 2. Each flag is 1 if such a number
/// was added: a finite number other than -0; if there is none, -0; infinity, -infinity, NaN. Of a
/// complex sum, write `real` and `imag`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/core/shown_word.hpp>
#include <warpfold/op/exact_sum.hpp>

namespace warpfold {

/// Returns the text of a state. States of the same numbers have the same text, in whatever order
/// and parts they were added.
///
/// @param sum the state; any, also of no number
/// @return one line without its end, of at most 1200 characters
///
/// Cost: some microseconds. Errors: `std::bad_alloc`.
///
/// ```cpp
/// #include <warpfold/exact_text.hpp>
///
/// wf::exact_sum<float> sum;
/// sum.add(0.1f);
/// std::string text = wf::to_text(sum);
/// ```
template <class T, int Factors>
std::string to_text(exact_sum<T, Factors> sum) {
  using sum_type = exact_sum<T, Factors>;
  const auto [is_negative, size] = sum.magnitude();
  std::string digits;
  for (int i = sum_type::digit_words * 8 - 1; i >= 0; --i) {
    const unsigned digit = size.words[i / 8] >> (i % 8 * 4) & 15U;
    if (digit != 0 || !digits.empty() || i == 0) digits += "0123456789abcdef"[digit];
  }
  const std::size_t last = digits.find_last_not_of('0');
  int exponent = 0;
  if (last != std::string::npos) {
    exponent = sum_type::least_exponent + 4 * static_cast<int>(digits.size() - 1 - last);
    digits.resize(last + 1);
  }
  // Beside other numbers, -0 does not matter.
  if (sum.words()[sum_type::additions] != 0) sum.words()[sum_type::negative_zeros] = 0;
  const auto has = [&](int word) { return sum.words()[word] != 0 ? " 1" : " 0"; };
  return std::string("exact_sum 1 ") + (sizeof(T) == sizeof(float) ? "float " : "double ") +
         std::to_string(Factors) + " digits " + (is_negative ? "-" : "") + digits + 'p' +
         std::to_string(exponent) + " added" + has(sum_type::additions) + " negative_zeros" +
         has(sum_type::negative_zeros) + " infinities" + has(sum_type::infinities) +
         has(sum_type::negative_infinities) + " nans" + has(sum_type::nans);
}

namespace detail {

// Reads the text of a state, word by word.
template <class T, int Factors>
class exact_text_reader {
  using sum_type = exact_sum<T, Factors>;

 public:
  explicit exact_text_reader(std::string_view text) : rest_(text) {}

  sum_type read() {
    expect("exact_sum");
    expect("1");
    expect(sizeof(T) == sizeof(float) ? "float" : "double");
    expect(Factors == 1 ? "1" : "2");
    expect("digits");
    sum_type sum = digits(word());
    const bool has_digits = sum.words()[sum_type::additions] != 0;
    expect("added");
    sum.words()[sum_type::additions] = flag();
    if (has_digits && sum.words()[sum_type::additions] == 0) fail("has digits, but nothing added");
    expect("negative_zeros");
    sum.words()[sum_type::negative_zeros] = flag();
    expect("infinities");
    sum.words()[sum_type::infinities] = flag();
    sum.words()[sum_type::negative_infinities] = flag();
    expect("nans");
    sum.words()[sum_type::nans] = flag();
    if (!word().empty()) fail("goes on after its end");
    return sum;
  }

 private:
  std::string_view word() {
    const std::size_t from = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(from == std::string_view::npos ? rest_.size() : from);
    const std::string_view w = rest_.substr(0, rest_.find_first_of(" \t\r\n"));
    rest_.remove_prefix(w.size());
    return w;
  }
  void expect(std::string_view wanted) {
    const std::string_view w = word();
    if (w != wanted) fail("has \"", shown_word(w), "\" in place of \"", wanted, "\"");
  }

  std::int64_t flag() {
    const std::string_view w = word();
    if (w != "0" && w != "1") fail("has \"", shown_word(w), "\" in place of 0 or 1");
    return w[0] - '0';
  }

  // An integer times a power of two, with all its digits in the sum.
  sum_type digits(std::string_view w) {
    const std::string_view all = w;
    const bool is_negative = !w.empty() && w[0] == '-';
    if (is_negative) w.remove_prefix(1);
    const std::size_t p = w.find('p');
    if (p == 0 || p == std::string_view::npos) fail_at(all);
    std::string_view exponent = w.substr(p + 1);
    const bool is_below_one = !exponent.empty() && exponent[0] == '-';
    if (is_below_one) exponent.remove_prefix(1);
    int place = 0;
    if (exponent.empty() || exponent.size() > 5) fail_at(all);
    if (p > 16 * sum_type::digit_words) fail("has digits beyond those of this type");
    for (const char c : exponent) {
      if (c < '0' || c > '9') fail_at(all);
      place = 10 * place + (c - '0');
    }
    place = (is_below_one ? -place : place) - sum_type::least_exponent;
    sum_type sum;
    for (std::size_t i = p; i-- > 0; place += 4) {
      const char c = w[i];
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) fail_at(all);
      if (digit == 0) continue;
      if (place < 0 || place + 4 >= 32 * sum_type::digit_words) {
        fail("has digits beyond those of this type");
      }
      const std::int64_t two_words = std::int64_t{digit} << place % 32;
      const std::int64_t sign = is_negative ? -1 : 1;
      std::int64_t* const to = sum.words() + place / 32;
      to[0] += sign * (two_words & 0xffffffff);
      if (two_words >> 32 != 0) to[1] += sign * (two_words >> 32);
      sum.words()[sum_type::additions] = 1;
    }
    return sum;
  }

  [[noreturn]] static void fail_at(std::string_view w) {
    fail("has \"", shown_word(w), "\" in place of a number");
  }
  template <class... Pieces>
  [[noreturn]] static void fail(const Pieces&... pieces) {
    std::string what;
    ((what += pieces), ...);
    throw_error<invalid_argument>("warpfold: the text of an exact sum ", what.c_str(),
                                  "; pass what to_text returned");
  }

  std::string_view rest_;
};

}  // namespace detail

/// Reads the text of a state.
///
/// @tparam T,Factors the type of the sum, as the text names it
/// @param text what `to_text` returned, of this version of the library or of another one
/// @return the state; its sum, and those with further numbers, are those of the original
///
/// Cost: some microseconds.
/// @throws invalid_argument if the text is another one
///
/// ```cpp
/// #include <warpfold/exact_text.hpp>
///
/// wf::exact_sum<double> sum;
/// for (double x : {1e300, 1.0, -1e300}) sum.add(x);
/// double one = wf::exact_sum_from_text<double>(wf::to_text(sum)).rounded();  // 1
/// ```
template <class T, int Factors = 1>
exact_sum<T, Factors> exact_sum_from_text(std::string_view text) {
  return detail::exact_text_reader<T, Factors>(text).read();
}

}  // namespace warpfold
