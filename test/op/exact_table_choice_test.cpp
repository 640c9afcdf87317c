// The tables of the accumulators of exact sums: which table each has, and those of several sums.
#include <warpfold/op/exact_table_choice.hpp>

#include <complex>
#include <cstring>
#include <type_traits>
#include <vector>

#include <warpfold/op/exact.hpp>

#include "op/table_columns.hpp"

namespace wf = warpfold;

namespace {

template <class Op, class A, class T>
using table_of = typename Op::template thread_table<A, T, test::vector_column>;

using plus = wf::exact_plus<void>;
using squares = wf::exact_squares_op<double>;
template <template <class> class Moments>
using moments = wf::exact_moments_op<Moments>;

/// The state of `elements` by tables of two threads.
template <class Op, class State, class T>
State state_in_tables(const std::vector<T>& elements) {
  using table = table_of<Op, State, T>;
  test::table_columns<table> columns(2);
  for (std::size_t i = 0; i < elements.size(); i += 4) {
    columns.template add_group<false>(
        i / 4 % 2, elements.size() - i, [&](auto& slot, std::size_t k) {
          Op{}.fold_element(slot, elements[i + k < elements.size() ? i + k : i]);
        });
  }
  std::vector<std::int64_t> words = columns.settled(elements.size());
  if (table::counts) words.insert(words.begin(), static_cast<std::int64_t>(elements.size()));
  State state;
  REQUIRE(sizeof state == words.size() * sizeof words[0]);
  std::memcpy(static_cast<void*>(&state), words.data(), sizeof state);
  return state;
}
template <class Op, class State, class T>
State state_one_by_one(const std::vector<T>& elements) {
  State state = Op{}.template identity<State>();
  for (const T& x : elements) Op{}.fold_element(state, x);
  return state;
}

template <class T>
std::vector<std::complex<T>> complex_numbers(std::size_t n) {
  const auto real = test::numbers_of<T>(n, -20, 50), imag = test::numbers_of<T>(n + 1, -3, 9);
  std::vector<std::complex<T>> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = {real[i], imag[i]};
  return numbers;
}

}  // namespace

TEST_CASE("each accumulator has the table of its numbers") {
  using namespace wf::detail;
  using column = test::vector_column;
  if constexpr (adds_doubles) {
    static_assert(std::is_same_v<table_of<plus, wf::exact_sum<float>, float>, float_table<column>>);
    static_assert(std::is_same_v<table_of<plus, wf::exact_sum<double>, double>,
                                 windowed_table<wf::exact_sum<double>, column>>);
    static_assert(std::is_same_v<table_of<squares, wf::exact_sum<float, 2>, std::complex<float>>,
                                 windowed_table<wf::exact_sum<float, 2>, column, 2>>);
  }
  static_assert(std::is_same_v<table_of<squares, wf::exact_sum<double, 2>, double>,
                               digit_table<wf::exact_sum<double, 2>, column>>);
  // Host and GPU must agree on the room of a table, whichever they use.
  static_assert(plus::table_room<wf::exact_sum<float>, float> >= float_table<column>::words);
  static_assert(plus::table_room<wf::exact_sum<float>, float> >=
                digit_table<wf::exact_sum<float>, column>::words);
}

TEST_CASE_TEMPLATE("complex numbers, and their squares", T, float, double) {
  for (const std::size_t n : {0, 1, 5, 1000}) {
    const auto numbers = complex_numbers<T>(n);
    using state = wf::exact_complex_sum<std::complex<T>>;
    CHECK(state_in_tables<plus, state>(numbers).rounded() ==
          state_one_by_one<plus, state>(numbers).rounded());
    using sum = wf::exact_sum<T, 2>;
    CHECK(state_in_tables<squares, sum>(numbers).template root<double>() ==
          state_one_by_one<squares, sum>(numbers).template root<double>());
  }
}

TEST_CASE_TEMPLATE("products of complex numbers", T, float, double) {
  const auto numbers = complex_numbers<T>(1003);
  std::vector<wf::exact_product<std::complex<T>>> products;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    products.push_back({numbers[i], numbers[numbers.size() - 1 - i]});
  }
  using state = wf::exact_complex_sum<std::complex<T>, 2>;
  CHECK(state_in_tables<plus, state>(products).rounded() ==
        state_one_by_one<plus, state>(products).rounded());
}

TEST_CASE_TEMPLATE("means and variances", T, float, double) {
  for (const std::size_t n : {1, 2, 999}) {
    const auto numbers = test::numbers_of<T>(n, -8, 40);
    using mean = wf::exact_mean<T>;
    CHECK(state_in_tables<moments<wf::exact_mean>, mean>(numbers).mean() ==
          state_one_by_one<moments<wf::exact_mean>, mean>(numbers).mean());
    using both = wf::exact_moments<T>;
    CHECK(state_in_tables<moments<wf::exact_moments>, both>(numbers).variance() ==
          state_one_by_one<moments<wf::exact_moments>, both>(numbers).variance());
  }
}
