// Which ops have terms, and which of them keep terms for the function of the fold.
#include <warpfold/op/group_terms.hpp>

#include <cuda_fp16.h>

#include <doctest/doctest.h>

#include <warpfold/op/normalization.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/softmax.hpp>
#include <warpfold/op/with_finish.hpp>

namespace wf = warpfold;

namespace {

struct half_of {
  WARPFOLD_HD double operator()(double x) const { return x / 2; }
};
// An op that derives from one with terms, and lifts its own elements.
struct of_squares : wf::moments_op {
  template <class T>
  WARPFOLD_HD constexpr wf::moments lift(const T& x) const {
    return {1, static_cast<double>(x) * static_cast<double>(x), 0};
  }
};
using halved = wf::op_with_finish<wf::log_sum_exp_op, half_of>;
using of_element = wf::detail::call_fold;

}  // namespace

static_assert(wf::detail::has_group_terms<wf::softmax_op, float>);
static_assert(wf::detail::has_group_terms<wf::log_softmax_op, __half>);
static_assert(wf::detail::has_group_terms<halved, float>);
static_assert(wf::detail::has_group_terms<wf::layer_norm_op, __half>);
static_assert(wf::detail::has_group_terms<wf::rms_norm_op, int>);
static_assert(!wf::detail::has_group_terms<wf::softmax_op, double>);
static_assert(!wf::detail::has_group_terms<wf::layer_norm_op, double>);
static_assert(!wf::detail::has_group_terms<wf::plus, float>);
static_assert(!wf::detail::has_group_terms<of_squares, float>);

static_assert(wf::detail::keeps_terms<wf::softmax_op, float, wf::exponential_sum, of_element>);
static_assert(!wf::detail::keeps_terms<wf::softmax_op, float, wf::exponential_sum, half_of>);
static_assert(!wf::detail::has_group_terms<wf::op_with_finish<of_squares, half_of>, float>);
static_assert(!wf::detail::keeps_terms<wf::log_softmax_op, float, wf::exponential_sum, of_element>);
static_assert(!wf::detail::keeps_terms<wf::layer_norm_op, float, wf::moments, of_element>);

TEST_CASE("elements that exist") {
  CHECK(wf::detail::exists(7, wf::detail::all_terms{}));
  CHECK(wf::detail::exists(2, 3u));
  CHECK_FALSE(wf::detail::exists(3, 3u));
  CHECK(wf::detail::number_of<8>(wf::detail::all_terms{}) == 8);
  CHECK(wf::detail::number_of<8>(5u) == 5);
}
