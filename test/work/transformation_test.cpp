// What a transformation accepts as output, and what it writes.
#include <warpfold/work/transformation.hpp>

#include <doctest/doctest.h>

#include <array>

#include <warpfold/transform.hpp>
#include <warpfold/view/counted.hpp>

namespace wf = warpfold;

namespace {

struct square {
  int operator()(int x) const { return x * x; }
};

template <class In, class Out>
auto squares(In in, Out out) {
  return wf::transformation<In, Out, square>{in, out, {}};
}

using in_view = wf::contiguous_view<int>;
using out_view = wf::contiguous_output<int>;
static_assert(wf::transformation_work<wf::transformation<in_view, out_view, square>>);
static_assert(!wf::transformation_work<in_view>);
// A policy that does not read sizes in memory must not take it.
using of_counted = wf::transformation<wf::counted_view<in_view, int>, out_view, square>;
static_assert(wf::sized_in_memory<of_counted> && !wf::transformation_work<of_counted>);
static_assert(!wf::sized_in_memory<wf::transformation<in_view, out_view, square>>);

}  // namespace

TEST_CASE("an output may be the range itself, but may not overlap it otherwise") {
  std::array<int, 8> memory{1, 2, 3, 4, 5, 6, 7, 8};
  int* const p = memory.data();
  CHECK_NOTHROW(squares(in_view(p, 4), out_view(p, 4)).require_valid());
  CHECK_NOTHROW(squares(in_view(p, 4), out_view(p + 4, 4)).require_valid());
  CHECK_THROWS_WITH_AS(squares(in_view(p, 4), out_view(p + 1, 4)).require_valid(),
                       doctest::Contains("not element for element"), wf::invalid_range);
  CHECK_THROWS_AS(squares(in_view(p + 3, 4), out_view(p, 4)).require_valid(), wf::invalid_range);
  // Only the elements that are written count.
  CHECK_NOTHROW(squares(in_view(p + 4, 4), out_view(p, 8)).require_valid());
  CHECK_NOTHROW(squares(in_view(p, 0), out_view(p + 1, 4)).require_valid());
}

TEST_CASE("in place needs elements of the same size") {
  std::array<int, 8> memory{};
  auto* const shorts = reinterpret_cast<short*>(memory.data());
  CHECK_THROWS_AS(
      squares(in_view(memory.data(), 4), wf::contiguous_output<short>(shorts, 4)).require_valid(),
      wf::invalid_range);
}

TEST_CASE("a short output is refused with both sizes") {
  std::array<int, 8> in{}, out{};
  CHECK_THROWS_WITH_AS(squares(in_view(in.data(), 8), out_view(out.data(), 5)).require_valid(),
                       doctest::Contains("5 elements, but the range has 8"), wf::invalid_range);
}

TEST_CASE("only the given part is written") {
  std::array<int, 5> in{1, 2, 3, 4, 5}, out{};
  const auto t = squares(in_view(in.data(), 5), out_view(out.data(), 5));
  t.run_on_host(1, 3);
  CHECK(out == std::array<int, 5>{0, 4, 9, 0, 0});
  std::size_t bytes = 0;
  t.visit_written_elements([&](const void* p, std::size_t n) {
    CHECK(p == out.data());
    bytes += n;
  });
  CHECK(bytes == 5 * sizeof(int));
}
