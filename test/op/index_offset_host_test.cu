// moves_indices under nvcc: it must agree with the host's compiler, or the host launches a kernel
// that nvcc has not made.
#include <warpfold/op/index_offset.hpp>

#include <doctest/doctest.h>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

template <class Op>
using of_floats = wf::reduction<wf::lifted_view<wf::contiguous_view<const float>, Op>, Op>;
template <class Op>
constexpr bool moves =
    wf::moves_indices<Op, typename of_floats<Op>::view_type, typename of_floats<Op>::accumulator>;

constexpr wf::arg_op<wf::minimum> least;
struct index_sum {
  WARPFOLD_HD std::size_t lift(float, std::size_t i) const { return i; }
  WARPFOLD_HD std::size_t operator()(std::size_t a, std::size_t b) const { return a + b; }
};

}  // namespace

static_assert(moves<decltype(wf::all(least, wf::plus{}))>);
static_assert(moves<decltype(wf::all(least, wf::maximum{}, wf::plus{}))>);
static_assert(!moves<decltype(wf::all(least, index_sum{}))>);

TEST_CASE("the compilers agree") { CHECK(moves<decltype(wf::all(least, wf::plus{}))>); }
