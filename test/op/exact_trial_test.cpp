// The op of trials: its states, elements, batches and lanes against the exact op, for real and
// complex numbers, products, norms and moments.
#include <warpfold/op/exact_trial.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include "op/exact_kinds.hpp"
#include "op/listed_batch.hpp"

namespace wf = warpfold;

namespace {

template <class T>
struct batch_of : test::listed_batch<16, T> {
  void each(const auto& f) const {
    for (const T& x : this->elements) f(x);
  }
};

template <class T>
bool are_same(const T& a, const T& b) {
  return test::is_same_sum(a, b);
}
template <class T>
bool are_same(const wf::exact_moments<T>& a, const wf::exact_moments<T>& b) {
  return are_same(a.mean(), b.mean()) && are_same(a.variance(), b.variance());
}
template <class T>
bool are_same(const wf::exact_mean<T>& a, const wf::exact_mean<T>& b) {
  return are_same(a.mean(), b.mean());
}

/// Folds by lift, by batches and by lanes.
template <class Op, class T>
void check_folds(const Op& op, const std::vector<T>& v) {
  using trial_op = typename Op::trial;
  static_assert(std::is_same_v<typename trial_op::tried_op, Op>);
  const trial_op trial{op};
  using exact_state = decltype(op.lift(v[0]));
  using state = typename trial_op::template state<exact_state>;
  exact_state want = op.template identity<exact_state>();
  auto by_lift = trial.template identity<state>(), by_batch = by_lift;
  test::listed_states<state> lanes;
  for (std::size_t i = 0; i < v.size(); i += 16) {
    batch_of<T> batch;
    for (std::size_t k = i; k < v.size() && k < i + 16; ++k) {
      batch.elements.push_back(v[k]);
      want = op(want, op.lift(v[k]));
      by_lift = trial(by_lift, trial.lift(v[k]));
    }
    by_batch = trial.fold_batch(by_batch, batch);
    lanes.states.push_back(trial.fold_batch(trial.template identity<state>(), batch));
  }
  const auto check = [&](const state& s) {
    if (!s.is_marked()) CHECK(are_same(trial.finished(s), wf::finished(op, want)));
  };
  check(by_lift);
  check(by_batch);
  if constexpr (requires { trial.fold_states(lanes); }) check(trial.fold_states(lanes));
}

}  // namespace

TEST_CASE_TEMPLATE("sums, norms and moments of real numbers", T, float, double) {
  for (const test::exact_kind kind : test::all_exact_kinds) {
    for (const std::size_t n : {1u, 16u, 37u, 400u}) {
      const auto v = test::numbers_of_kind<T>(kind, n, n);
      check_folds(wf::plus{}.exact(), v);
      check_folds(wf::plus{}.exact<double>(), v);
      check_folds(wf::plus{}.exact<float>(), v);
      check_folds(wf::exact_squares_op<double>{}, v);
      check_folds(wf::exact_moments_op<wf::exact_mean>{}, v);
      check_folds(wf::exact_moments_op<wf::exact_moments>{}, v);
    }
  }
}

TEST_CASE_TEMPLATE("sums of complex numbers and of products", T, float, double) {
  for (const test::exact_kind kind : test::all_exact_kinds) {
    const auto real = test::numbers_of_kind<T>(kind, 200, 200),
               imag = test::numbers_of_kind<T>(test::exact_kind::similar, 200, 200);
    std::vector<std::complex<T>> z;
    std::vector<wf::exact_product<T>> products;
    std::vector<wf::exact_product<std::complex<T>>> complex_products;
    for (std::size_t i = 0; i < real.size(); ++i) {
      z.emplace_back(real[i], imag[i]);
      products.push_back(wf::exact_multiplies{}(real[i], imag[i]));
      complex_products.push_back(wf::exact_multiplies{}(z[i], std::complex<T>(imag[i], 2)));
    }
    check_folds(wf::plus{}.exact(), z);
    check_folds(wf::plus{}.exact(), products);
    check_folds(wf::plus{}.exact(), complex_products);
    check_folds(wf::exact_squares_op<double>{}, z);
  }
}

TEST_CASE("the trial of no number is that of an exact op") {
  const wf::plus sum;
  const auto trial = wf::detail::exact_trial<wf::exact_plus<void>>{sum.exact()};
  using state = wf::detail::trial_sum<float>;
  const float none = trial.finished(trial.identity<state>());
  CHECK(none == 0);
  CHECK(!std::signbit(none));
  state negative_zero;
  negative_zero.add(-0.0f);
  CHECK(std::signbit(trial.finished(trial(trial.identity<state>(), negative_zero))));
  CHECK(!std::signbit(trial.finished(trial(trial.identity<state>(), trial.identity<state>()))));
}

TEST_CASE("moments are marked if only their sum is") {
  wf::detail::trial_moments<double> m;
  for (const double x : {1.0, 0x1p-60, 0x1p-120}) {
    m.sum.add(x);
    m.squares.add(x, x);
  }
  CHECK(m.sum.is_marked());
  CHECK_FALSE(m.squares.is_marked());
  CHECK(m.is_marked());
}
