// with_finish: the folds and bits of the op, with a function of the result, on hosts and the
// emulated GPU.
// needs: tbb
#include <warpfold/op/with_finish.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/squares.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>

namespace wf = warpfold;

namespace {

struct mean_of {
  WARPFOLD_HD double operator()(const wf::moments& m) const { return m.mean; }
};
struct half {
  template <class T>
  WARPFOLD_HD double operator()(const T& x) const {
    return static_cast<double>(x) / 2;
  }
};

template <class T>
std::vector<T> numbers(std::size_t n) {
  std::vector<T> v(n);
  unsigned random = 1;
  for (auto& x : v) {
    random = random * 1664525 + 1013904223;
    x = static_cast<T>(static_cast<double>(random % 2001) * 0.013 - 11);
  }
  return v;
}

// The results of `with_finish(op, f)` are f of those of `op`, bit for bit.
template <class T, class Policy, class Op, class F>
void check(const Policy& policy, const Op& op, const F& f) {
  const auto finished_op = wf::with_finish(op, f);
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{7}, std::size_t{33}, std::size_t{1000}, std::size_t{70'001}}) {
    const auto v = numbers<T>(n);
    CHECK(wf::reduce(policy, v, finished_op) == f(wf::reduce(wf::seq, v, op)));
  }
  const auto v = numbers<T>(5000);
  const std::vector<int> offsets{0, 0, 1, 9, 42, 42, 1500, 5000};
  std::vector<double> found(7);
  wf::reduce_segments(policy, v, offsets, finished_op, found);
  for (std::size_t s = 0; s < 7; ++s) {
    const std::vector<T> segment(v.begin() + offsets[s], v.begin() + offsets[s + 1]);
    CHECK(found[s] == f(wf::reduce(wf::seq, segment, op)));
  }
}

template <class Policy>
void check_ops(const Policy& policy) {
  check<float>(policy, wf::moments_op{}, mean_of{});
  check<short>(policy, wf::moments_op{}, mean_of{});
  check<double>(policy, wf::moments_op{}, mean_of{});
  check<float>(policy, wf::squares_op{}, half{});
  check<float>(policy, wf::plus{}, half{});
  check<int>(policy, wf::plus{}, half{});
  check<float>(policy, wf::maximum{}, half{});
}

}  // namespace

TEST_CASE("bits are those of the op") {
  check_ops(wf::seq);
  check_ops(wf::par);
  check<float>(wf::emulated, wf::moments_op{}, mean_of{});
}

TEST_CASE("a function of the result of another finish") {
  const std::vector<float> v{1, 2, 3, 6};
  const auto eighth =
      wf::with_finish(wf::with_finish(wf::plus{}, half{}), [](double x) { return x / 4; });
  CHECK(wf::reduce(wf::seq, v, eighth) == 1.5);
  CHECK(wf::reduce(wf::par, v, eighth) == 1.5);
}

TEST_CASE("function objects of the standard and of the user, and functions with state") {
  const std::vector<int> v{3, 4, 5};
  const double divisor = 6;
  CHECK(wf::reduce(wf::seq, v,
                   wf::with_finish(std::multiplies<>{}, [&](int x) { return x / divisor; })) == 10);
  const auto longer = [](const auto& a, const auto& b) { return a < b ? b : a; };
  CHECK(wf::reduce(wf::seq, v, wf::with_finish(longer, half{})) == 2.5);
}

TEST_CASE("lists of arrays") {
  const std::vector<std::vector<float>> arrays{numbers<float>(10), numbers<float>(3000), {}};
  std::vector<double> found(3);
  wf::reduce_many(wf::seq, arrays, wf::with_finish(wf::squares_op{}, half{}), found);
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(found[s] == wf::reduce(wf::seq, arrays[s], wf::squares_op{}) / 2);
  }
}
