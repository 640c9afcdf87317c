// Wrong uses of ops.
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

// expect: the op's accumulator is not trivially copyable
// The op's result is not trivially copyable, cannot be made from an element, and is not an argument
// of the op: one error.
namespace accumulator_not_trivial {
void call(const std::vector<float>& v) {
  const auto names = [](float a, float b) { return std::to_string(a) + std::to_string(b); };
  (void)warpfold::reduce(warpfold::seq, v, names);
}
}  // namespace accumulator_not_trivial

// expect: bit_and, bit_or and bit_xor are for integers
// Floats have no bits to combine.
namespace bit_and_of_floats {
auto bits(const std::vector<float>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::bit_and{});
}
}  // namespace bit_and_of_floats

// expect: the range is a braced list, or missing; name the elements
// A braced list, passed to every function: one error with the remedy.
namespace braces_everywhere {
namespace wf = warpfold;

auto half(float x) { return x / 2; }
auto is_zero(float x) { return x == 0; }

void call(const std::vector<float>& w, float* out) {
  (void)wf::reduce(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::reduce(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{});
  (void)wf::reduce(wf::seq, {1.0f, 2.0f, 3.0f}, 0.0f, wf::plus{});
  wf::reduce_async(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{}, out);
  wf::reduce_async(wf::seq, {1.0f, 2.0f, 3.0f}, 0.0f, wf::plus{}, out);
  wf::transform(wf::seq, {1.0f, 2.0f, 3.0f}, out, half);
  wf::transform_async(wf::seq, {1.0f, 2.0f, 3.0f}, out, half);
  wf::copy(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::copy_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  (void)wf::transform_reduce(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{}, half);
  (void)wf::transform_reduce(wf::seq, {1.0f, 2.0f, 3.0f}, 0.0f, wf::plus{}, half);
  wf::transform_reduce_async(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{}, half, out);
  wf::sum_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::product_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::min_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::max_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::minmax_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::argmin_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::argmax_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::argminmax_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::norm_1_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::norm_2_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::norm_infinity_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::mean_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::variance_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::stddev_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::count_async(wf::seq, {1.0f, 2.0f, 3.0f}, 1.0f, out);
  wf::count_if_async(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero, out);
  wf::all_of_async(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero, out);
  wf::any_of_async(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero, out);
  wf::none_of_async(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero, out);
  wf::norm_p_async(wf::seq, {1.0f, 2.0f, 3.0f}, 3, out);
  wf::dot_async(wf::seq, {1.0f, 2.0f, 3.0f}, w, out);
  wf::inner_product_async(wf::seq, {1.0f, 2.0f, 3.0f}, w, 0.0f, out);
  (void)wf::sum(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::product(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::min(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::max(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::minmax(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::argmin(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::argmax(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::argminmax(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::count(wf::seq, {1.0f, 2.0f, 3.0f}, 1.0f);
  (void)wf::count_if(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero);
  (void)wf::all_of(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero);
  (void)wf::any_of(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero);
  (void)wf::none_of(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero);
  (void)wf::dot(wf::seq, {1.0f, 2.0f, 3.0f}, w);
  (void)wf::dot(wf::seq, w, {1.0f, 2.0f, 3.0f});
  (void)wf::inner_product(wf::seq, {1.0f, 2.0f, 3.0f}, w, 0.0f);
  (void)wf::norm_1(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::norm_2(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::norm_infinity(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::norm_p(wf::seq, {1.0f, 2.0f, 3.0f}, 3);
  (void)wf::mean(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::variance(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::stddev(wf::seq, {1.0f, 2.0f, 3.0f}, wf::variance_of::sample);
  (void)wf::explain(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{});
  (void)wf::reduce(wf::seq, wf::project({1.0f, 2.0f, 3.0f}, half), wf::plus{});
  (void)wf::sum(wf::seq, wf::zip({1.0f, 2.0f, 3.0f}, w));
  (void)wf::sum(wf::seq, wf::zip(w, {1.0f, 2.0f, 3.0f}));
  (void)wf::sum(wf::seq, wf::staged({1.0f, 2.0f, 3.0f}));
  (void)wf::sum(wf::seq, wf::aligned<16>({1.0f, 2.0f, 3.0f}));
  (void)wf::sum(wf::seq, wf::packed({1.0f, 2.0f, 3.0f}));
}
}  // namespace braces_everywhere

// expect: the op's lift returns nothing
// An op whose lift returns nothing.
namespace lift_gives_nothing {
struct forgetful {
  void lift(float) const {}
  float operator()(float a, float b) const { return a + b; }
};

void call(const std::vector<float>& v) { (void)warpfold::reduce(warpfold::seq, v, forgetful{}); }
}  // namespace lift_gives_nothing

// expect: the op.s lift is not const
// errors: 1
// A lift that is not const would be ignored.
namespace lift_not_const {
struct squares {
  int lift(int x) { return x * x; }
  int operator()(int a, int b) const { return a + b; }
};

int call(const std::vector<int>& v) { return warpfold::reduce(warpfold::seq, v, squares{}); }
}  // namespace lift_not_const

// expect: are for elements that convert to bool
// A struct does not convert to bool.
namespace logical_and_of_structs {
struct point {
  float x, y;
};

bool all(const std::vector<point>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::logical_and{});
}
}  // namespace logical_and_of_structs

// expect: minimum and maximum need operator<
// Complex numbers have no order.
namespace minimum_of_complex {
auto least(const std::vector<std::complex<float>>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::minimum{});
}
}  // namespace minimum_of_complex

// expect: a number stands where the op goes; pass an init and an op
// An init without an op, as std::reduce takes it.
namespace number_as_op {
auto call(const std::vector<float>& v) { return warpfold::reduce(warpfold::seq, v, 0.0f); }
}  // namespace number_as_op

// expect: the op cannot be copied; let it hold a pointer
// An op that can be moved only.
namespace op_cannot_be_copied {
struct adds_scaled {
  std::unique_ptr<float> scale;
  float operator()(float a, float b) const { return a + *scale * b; }
};

auto call(const std::vector<float>& v) { return warpfold::reduce(warpfold::seq, v, adds_scaled{}); }
}  // namespace op_cannot_be_copied

// expect: the op returns nothing; return
namespace op_gives_nothing {
void call(const std::vector<int>& v) {
  (void)warpfold::reduce(warpfold::seq, v, [](int, int) {});
}
}  // namespace op_gives_nothing

// expect: the op returns nothing.*the op takes an argument by a reference to non-const.*the op takes one argument, but.*op_combines<.*float, float>.*the op takes three arguments, but.*the op takes one argument, but
// errors: 5
// An op that returns nothing, changes an argument, or takes another number of arguments: one error
// each, which says which and shows the types.
namespace op_of_wrong_arguments {
struct no_result {
  void operator()(float a, float b) const;
};
struct changes_first {
  float operator()(float& a, const float& b) const;
};
struct of_one {
  float operator()(float x) const;
};
struct of_three {
  float operator()(float a, float b, float c) const;
};

void call(const std::vector<float>& v) {
  using namespace warpfold;
  (void)reduce(seq, v, no_result{});
  (void)reduce(seq, v, changes_first{});
  (void)reduce(seq, v, of_one{});
  (void)reduce(seq, v, of_three{});
  (void)reduce(seq, v, 1.0f, of_one{});
}
}  // namespace op_of_wrong_arguments

// expect: the op cannot combine two of its own results
// An op that cannot take its own results.
namespace op_result_not_combinable {
struct pair {
  int low, high;
  explicit pair(int x) : low(x), high(x) {}
};
struct pairs_up {
  pair operator()(int a, int) const { return pair(a); }
};

auto paired(const std::vector<int>& v) { return warpfold::reduce(warpfold::seq, v, pairs_up{}); }
}  // namespace op_result_not_combinable

// expect: the op cannot be called as op\(x, x\)
// A member of the user's own with a name that the library's ops use.
namespace op_with_member_needs {
struct own_op {
  int needs = 3;
  int operator()(int a, int b) const { return a < b ? a : b * needs; }
};

struct thing {};

void f(std::span<const thing> things) { (void)warpfold::reduce(warpfold::seq, things, own_op{}); }
}  // namespace op_with_member_needs

// expect: plus needs operator\+ for the elements
// A struct without an addition, with and without an init.
namespace plus_of_structs {
struct point {
  float x, y;
};

point total(const std::vector<point>& v) { return warpfold::sum(warpfold::seq, v); }
}  // namespace plus_of_structs

// expect: value_at takes the address of an init.*pass &value or container.data\(\)
// errors: 2
// A container or a value in the place of an address: one error each.
namespace value_at_container {
void call(const std::vector<float>& v, float& x) {
  using namespace warpfold;
  reduce_async(seq, v, value_at(v), plus{}, &x);
  (void)reduce(seq, v, value_at(x), plus{});
}
}  // namespace value_at_container
