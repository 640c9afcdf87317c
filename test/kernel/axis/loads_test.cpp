// The choice of loads for each array of an expression.
#include <warpfold/kernel/axis/loads.hpp>

#include <doctest/doctest.h>

#include <cstddef>

#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

namespace {

using source =
    wf::array_source<wf::detail::zipped_value<wf::detail::array_value, wf::detail::array_value>,
                     float, double>;
using work = wf::expression_reduction<source, wf::plus, float>;
using how = wf::array_load;

// Eight words in flight: fewer chunks of several words, and fewer for large states.
static_assert(wf::kernel::chunks_in_flight<source, float, 4> == 2);  // one word and two
static_assert(wf::kernel::chunks_in_flight<source, float, 1> == 4);
struct large {
  double x[9];
};
static_assert(wf::kernel::chunks_in_flight<source, large, 4> == 1);

// Eight rows of `extent` elements, `x_row` and `y_row` apart; the first double is at `y_first`.
wf::kernel::array_loads<2> loads(std::size_t extent, std::size_t x_row, std::size_t y_row,
                                 std::size_t x_step = 1, std::size_t y_step = 1,
                                 std::size_t y_first = 0) {
  alignas(16) static float x[4];
  alignas(16) static double y[4];
  work w{{{x, {y + y_first}}, {}}, {nullptr}, {}, {}, {}};
  w.layout.kept.append({8, {x_row, y_row, 1}});
  w.layout.folded.append({extent, {x_step, y_step, 1}});
  return wf::kernel::loads_of(w, wf::kernel::chunks_along::folded);
}

}  // namespace

TEST_CASE("words need a stride of 1, and addresses and other strides at multiples of 16 bytes") {
  CHECK(loads(8, 8, 8).of[0] == how::words);
  CHECK(loads(8, 8, 8).of[1] == how::words);
  CHECK(loads(8, 6, 6).of[0] == how::elements);
  CHECK(loads(8, 6, 6).of[1] == how::words);
  CHECK(loads(8, 8, 8, 1, 1, 1).of[1] == how::elements);
  CHECK(loads(8, 16, 8, 2, 1).of[0] == how::elements);
  CHECK(loads(3, 4, 4).of[0] == how::elements);
  CHECK(loads(8, 8, 0, 1, 0).of[1] == how::elements);
  CHECK(loads(8, 8, 8).any_words());
  CHECK(!loads(8, 6, 5).any_words());
}
