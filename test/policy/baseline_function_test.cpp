// The function and the output of a transformation as other libraries take them.
#include <warpfold/policy/baseline_function.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>

namespace wf = warpfold;

namespace {

struct half {
  double operator()(int x) const { return x / 2.0; }
};
struct point {
  int x, y;
};

template <class In, class Out, class F>
using of = wf::transformation<wf::contiguous_view<In>, wf::contiguous_output<Out>, F>;

static_assert(wf::baseline::has_output_pointer<of<int, int, half>>);

}  // namespace

TEST_CASE("the function returns the output's element, converted as by transform") {
  const wf::baseline::function_of<of<int, int, half>> to_int{{}};
  static_assert(std::is_same_v<decltype(to_int(3)), int>);
  CHECK(to_int(7) == 3);
  const wf::baseline::function_of<of<int, double, half>> to_double{{}};
  CHECK(to_double(7) == 3.5);
  const wf::baseline::function_of<of<point, long, int point::*>> member{&point::y};
  CHECK(member(point{1, 2}) == 2);
}
