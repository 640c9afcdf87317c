// The work object of reduce_segments: types, checks of bounds and memory, and what it writes.
#include <warpfold/work/segmented_reduction.hpp>

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

template <class T>
using array = wf::contiguous_view<const T>;
template <class T, class Op, class Out, class Init = wf::no_init>
using work = wf::segmented_reduction<array<T>, wf::segments_by_offsets<array<int>>, Op, Init,
                                     wf::contiguous_output<Out>>;

template <class Op, class T, class Out, class Init = wf::no_init>
work<T, Op, Out, Init> segments_of(const std::vector<T>& v, const std::vector<int>& offsets,
                                   std::vector<Out>& out, Init init = {}) {
  return {wf::as_view(v),
          wf::segments_by_offsets(wf::as_view(offsets)),
          Op{},
          init,
          {wf::as_output(out, out.size())}};
}

static_assert(wf::segmented_reduction_work<work<int, wf::plus, long long>>);
static_assert(!wf::segmented_reduction_work<wf::reduction<array<int>, wf::plus>>);
// A policy that does not read sizes in memory must not take it.
using counted_ints = wf::counted_view<array<int>, int>;
template <class View, class Segments>
using sums = wf::segmented_reduction<View, Segments, wf::plus, wf::no_init,
                                     wf::contiguous_output<long long>>;
using of_counted_elements = sums<counted_ints, wf::segments_by_offsets<array<int>>>;
using of_counted_segments = sums<array<int>, wf::counted_segments<counted_ints>>;
static_assert(wf::sized_in_memory<of_counted_elements> && wf::sized_in_memory<of_counted_segments>);
static_assert(!wf::segmented_reduction_work<of_counted_elements> &&
              !wf::segmented_reduction_work<of_counted_segments>);
static_assert(!wf::reduction_work<work<int, wf::plus, long long>>);
static_assert(std::is_same_v<work<short, wf::plus, int>::accumulator, long long>);
// As for reduce with an init: the type of op(init, x), folded in the wide type.
static_assert(std::is_same_v<work<short, wf::plus, int, short>::result_type, int>);
static_assert(std::is_same_v<work<short, wf::plus, int, short>::accumulator, long long>);

}  // namespace

TEST_CASE("the first segment with wrong bounds is found in any part of the segments") {
  const std::vector<int> v(10);
  std::vector<int> out(5000), offsets(5001, 4);
  const auto first_invalid_segment = []<class Work>(const Work& t, std::size_t first,
                                                    std::size_t last) {
    return wf::detail::first_invalid_segment<Work::takes_empty_segments>(t.segments, t.elements(),
                                                                         first, last);
  };
  const auto wrong_of = [&](std::size_t first, std::size_t last) {
    return first_invalid_segment(segments_of<wf::plus>(v, offsets, out), first, last);
  };
  CHECK(wrong_of(0, 5000) == 5000);
  offsets[3001] = 3;
  CHECK(wrong_of(0, 5000) == 3000);
  CHECK(wrong_of(3001, 5000) == 5000);
  CHECK(wrong_of(0, 2999) == 2999);
  offsets[3001] = 11;  // beyond the range, and more than the next
  CHECK(wrong_of(0, 5000) == 3000);
  CHECK(wrong_of(3001, 3002) == 3001);
  CHECK(wrong_of(3002, 3002) == 3002);
  // Without an identity, every segment here is empty and wrong.
  CHECK(first_invalid_segment(segments_of<larger>(v, offsets, out), 7, 4000) == 7);
  CHECK(first_invalid_segment(segments_of<larger>(v, offsets, out, 5), 7, 40) == 40);
}

TEST_CASE("results are written as for an axis: finish, unless the output has the accumulator") {
  const std::vector<float> v{1};
  const std::vector<int> offsets{0, 1};
  const wf::compensated_sum<float> sum{1.0f, 0.25f};
  std::vector<float> rounded(1);
  std::vector<wf::compensated_sum<float>> exact(1);
  segments_of<wf::compensated_plus>(v, offsets, rounded).write(0, sum, wf::host_stores{});
  segments_of<wf::compensated_plus>(v, offsets, exact).write(0, sum, wf::host_stores{});
  CHECK(rounded[0] == 1.25f);
  CHECK(exact[0].dropped == 0.25f);
  std::vector<short> places(1);
  segments_of<wf::arg_op<wf::maximum>>(v, offsets, places)
      .write(0, wf::indexed<float>{3, 17}, wf::host_stores{});
  CHECK(places[0] == 17);
}

TEST_CASE("an empty segment gets the init, the identity, or what is there") {
  const std::vector<int> v{1}, offsets{1, 1};
  std::vector<int> out{9};
  const auto plain = segments_of<wf::plus>(v, offsets, out);
  const wf::accumulating_segmented_reduction accumulating(plain);
  static_assert(wf::segmented_reduction_work<std::remove_const_t<decltype(accumulating)>>);
  accumulating.write_empty(0, wf::host_stores{});
  CHECK(out[0] == 9);
  accumulating.write(0, 5, wf::host_stores{});
  CHECK(out[0] == 14);
  plain.write_empty(0, wf::host_stores{});
  CHECK(out[0] == 0);
  segments_of<wf::plus>(v, offsets, out, 7).write_empty(0, wf::host_stores{});
  CHECK(out[0] == 7);
}

TEST_CASE("outputs overlap neither the elements nor the bounds") {
  std::vector<int> memory{0, 2, 4, 0, 0, 0, 0, 0};
  int* const p = memory.data();
  using outs = wf::contiguous_output<int>;
  const auto check = [&](int* elements, int* offsets, int* out) {
    const wf::segmented_reduction<array<int>, wf::segments_by_offsets<array<int>>, wf::plus,
                                  wf::no_init, outs>
        s{{elements, 2}, wf::segments_by_offsets(array<int>(offsets, 3)), {}, {}, {outs(out, 2)}};
    s.require_valid();
  };
  CHECK_NOTHROW(check(p + 6, p, p + 4));
  CHECK_NOTHROW(check(p + 4, p, p + 6));
  CHECK_THROWS_WITH_AS(check(p + 5, p, p + 4), doctest::Contains("overlaps the input"),
                       wf::invalid_range);
  CHECK_THROWS_AS(check(p + 6, p, p + 2), wf::invalid_range);
}

TEST_CASE("the reduction of a segment has indices from 0 on") {
  const std::vector<int> v{9, 3, 8}, offsets{1, 3};
  std::vector<wf::indexed<int>> out(1);
  const auto r = segments_of<wf::arg_op<wf::maximum>>(v, offsets, out).reduction_of(1, 3);
  CHECK(r.view.size() == 2);
  CHECK(r.view[1].value == 8);
  CHECK(r.view[1].index == 1);
}
