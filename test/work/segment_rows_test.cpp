// Which segments are rows of matrices, and the folds along an axis that they become.
#include <warpfold/work/segment_rows.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/reverse.hpp>

namespace wf = warpfold;

namespace {

template <class View, class Init = wf::no_init, class... Outs>
using folds = wf::segmented_reduction<View, wf::segments_by_size, wf::plus, Init, Outs...>;
using floats = wf::contiguous_view<float>;
using squares = wf::transform_view<floats, float (*)(float)>;
using products = wf::transform_view<wf::zip_view<floats, squares>, float (*)(float, float)>;
using out = wf::contiguous_output<float>;

static_assert(wf::has_segment_rows<folds<floats, wf::no_init, out>>);
static_assert(wf::has_segment_rows<folds<squares, double, out>>);
static_assert(wf::has_segment_rows<folds<products, wf::no_init, wf::strided_output<float>>>);
static_assert(wf::has_segment_rows<folds<floats, wf::no_init, out, out>>);
// No init for several arrays or outputs, and only views of arrays.
static_assert(!wf::has_segment_rows<folds<products, float, out>>);
static_assert(!wf::has_segment_rows<folds<floats, float, out, out>>);
static_assert(!wf::has_segment_rows<folds<wf::counting_view<int>, wf::no_init, out>>);
static_assert(
    !wf::has_segment_rows<folds<decltype(wf::reverse(std::declval<floats>())), wf::no_init, out>>);
// Only segments of one size.
static_assert(
    !wf::has_segment_rows<wf::segmented_reduction<
        floats, wf::segments_by_offsets<wf::contiguous_view<int>>, wf::plus, wf::no_init, out>>);

}  // namespace

TEST_CASE("the rows have the memory, the strides and the op of the segments") {
  const std::vector<float> in(12, 2);
  std::vector<float> sums(7);
  const wf::strided_output<float> to(sums.data(), wf::detail::shape_of_line(3, 3));
  const folds<floats, double, wf::strided_output<float>> work{
      {in.data(), 12}, {4, 3}, {}, 0.5, {to}};
  const auto rows = wf::segment_rows_of(work);
  static_assert(wf::axis_reduction_work<std::remove_const_t<decltype(rows)>>);
  static_assert(std::is_same_v<decltype(rows)::accumulator, double>);
  CHECK(rows.in == in.data());
  CHECK(rows.out == sums.data());
  CHECK(rows.layout.outputs == 3);
  CHECK(rows.layout.length == 4);
  CHECK(rows.layout.step == 1);
  CHECK(rows.layout.kept.place(2).of[0] == 8);
  CHECK(rows.layout.kept.place(2).of[1] == 6);
  CHECK(rows.in_span == 12);
  CHECK(rows.out_span == 7);
  CHECK(rows.result(8.0, sums.data()) == 8.5f);

  float stored = 1;
  const folds<floats, wf::stored_value<float>, wf::strided_output<float>> from_memory{
      {in.data(), 12}, {4, 3}, {}, {&stored}, {to}};
  int read = 0;
  wf::segment_rows_of(from_memory).visit_read([&](const void* p, std::size_t, std::size_t) {
    read += p == in.data() || p == &stored;
  });
  CHECK(read == 2);
  const folds<floats, wf::stored_value<float>, wf::strided_output<float>> in_output{
      {in.data(), 12}, {4, 3}, {}, {sums.data() + 3}, {to}};
  CHECK_THROWS_WITH_AS(wf::segment_rows_of(in_output).require_valid(),
                       doctest::Contains("overlaps the input"), wf::invalid_range);
}

TEST_CASE("rows of several arrays are an expression") {
  const std::vector<float> in(12, 2);
  std::vector<float> sums(3);
  const auto twice = [](float x) { return 2 * x; };
  const auto view =
      wf::project(wf::zip(in, wf::project(in, twice)), [](float x, float y) { return x + y; });
  const wf::segmented_reduction<std::remove_const_t<decltype(view)>, wf::segments_by_size, wf::plus,
                                wf::no_init, out>
      work{view, {4, 3}, {}, {}, {out(sums.data(), 3)}};
  const auto rows = wf::segment_rows_of(work);
  static_assert(!decltype(rows)::is_one_line);
  CHECK(rows.layout.outputs == 3);
  CHECK(rows.layout.length == 4);
  CHECK(rows.span[1] == 12);
  CHECK(rows.span[2] == 3);
  const std::size_t at[] = {5, 5};
  CHECK(rows.source.value(at) == 6);
}

TEST_CASE("an output of two dimensions is refused") {
  const std::vector<float> in(4);
  std::vector<float> sums(8);
  const wf::detail::array_shape two{2, {2, 2}, {4, 1}};
  const folds<floats, wf::no_init, wf::strided_output<float>> work{
      {in.data(), 4}, {1, 4}, {}, {}, {wf::strided_output<float>(sums.data(), two)}};
  CHECK_THROWS_WITH_AS((void)wf::segment_rows_of(work), doctest::Contains("has 2 dimensions"),
                       wf::invalid_range);
}
