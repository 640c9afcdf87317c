// What a fold along an axis refuses, how it lifts elements, and its results.
#include <warpfold/work/axis_reduction.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

namespace {

struct larger {
  int operator()(int a, int b) const { return a < b ? b : a; }
};

// `outputs` rows of `length` elements.
template <class T, class Op, class Out>
wf::axis_reduction<T, Op, Out> rows(const T* in, Out* out, std::size_t outputs,
                                    std::size_t length) {
  wf::axis_layout layout;
  layout.outputs = outputs;
  layout.length = length;
  layout.kept.dims[0] = {outputs, {length, 1}};
  return {in, out, layout, outputs * length, outputs, Op{}};
}

static_assert(wf::axis_reduction_work<wf::axis_reduction<int, wf::plus, long long>>);
static_assert(!wf::axis_reduction_work<wf::axis_layout>);
static_assert(std::is_same_v<wf::axis_reduction<short, wf::plus, int>::accumulator, long long>);

}  // namespace

TEST_CASE("an axis without elements needs an identity, unless there are no results") {
  const std::vector<int> in(6);
  std::vector<int> out(3);
  CHECK_NOTHROW(rows<int, wf::plus>(in.data(), out.data(), 3, 0).require_valid());
  CHECK_THROWS_WITH_AS((rows<int, larger>(in.data(), out.data(), 3, 0).require_valid()),
                       doctest::Contains("extent 0"), wf::empty_range);
  CHECK_NOTHROW(rows<int, larger>(in.data(), out.data(), 0, 0).require_valid());
}

TEST_CASE("an output that overlaps the input is refused") {
  std::vector<int> memory(12);
  int* const p = memory.data();
  CHECK_NOTHROW(rows<int, wf::plus>(p, p + 8, 2, 4).require_valid());
  CHECK_NOTHROW(rows<int, wf::plus>(p + 2, p, 2, 4).require_valid());
  CHECK_THROWS_AS((rows<int, wf::plus>(p, p + 7, 2, 4).require_valid()), wf::invalid_range);
  CHECK_THROWS_AS((rows<int, wf::plus>(p + 1, p, 2, 4).require_valid()), wf::invalid_range);
  CHECK_THROWS_AS((rows<int, wf::plus>(p, p, 2, 4).require_valid()), wf::invalid_range);
}

TEST_CASE("elements are lifted with their index along the axis") {
  const int x = 0;
  int out = 0;
  using argmax = wf::axis_reduction<int, wf::arg_op<wf::maximum>, int>;
  static_assert(argmax::is_lifted);
  const argmax a{&x, &out, {}, 1, 1, wf::arg(wf::maximum{})};
  CHECK(a.lift(5, 3).index == 3);
  CHECK(a.lift(5, 3).value == 5);
  static_assert(!wf::axis_reduction<int, wf::plus, int>::is_lifted);
}

TEST_CASE("finish is called unless the output has the accumulator's type") {
  const float x = 0;
  float rounded = 0;
  wf::compensated_sum<float> exact{};
  using op = wf::compensated_plus;
  const wf::compensated_sum<float> sum{1.0f, 0.25f};
  const wf::axis_reduction<float, op, float> to_float{&x, &rounded, {}, 1, 1, {}};
  const wf::axis_reduction<float, op, wf::compensated_sum<float>> to_sum{&x, &exact, {}, 1, 1, {}};
  CHECK(to_float.result(sum, &rounded) == 1.25f);
  CHECK(to_sum.result(sum, &exact).dropped == 0.25f);
}

TEST_CASE("an accumulating fold starts from what the output holds, in the accumulator") {
  const float x = 0;
  float held = 3;
  const wf::axis_reduction<float, wf::compensated_plus, float> plain{&x, &held, {}, 1, 1, {}};
  const auto accumulating = wf::detail::accumulated(plain);
  static_assert(wf::axis_reduction_work<std::remove_const_t<decltype(accumulating)>>);
  CHECK(accumulating.result({1e-8f, 1.0f}, &held) == 4);
  CHECK(plain.result({1e-8f, 1.0f}, &held) == 1);
}

TEST_CASE("bytes read and written") {
  const std::vector<short> in(12);
  std::vector<double> out(3);
  const auto a = rows<short, wf::plus>(in.data(), out.data(), 3, 4);
  CHECK(a.bytes() == 24);
  CHECK(a.bytes_written() == 24);
  a.visit_read([&](const void* p, std::size_t bytes, std::size_t alignment) {
    CHECK(p == in.data());
    CHECK(bytes == 24);
    CHECK(alignment == alignof(short));
  });
}
