// Calls without a policy: one error with the remedy.
// expect: the policy is missing; pass wf::seq, wf::par or wf::device as the first argument
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

auto half(float x) { return x / 2; }
auto is_zero(float x) { return x == 0; }

void call(const std::vector<float>& v, const std::vector<float>& w, float* out) {
  (void)wf::reduce(v);
  (void)wf::reduce(v, wf::plus{});
  (void)wf::reduce(v, 0.0f, wf::plus{});
  wf::reduce_async(v, wf::plus{}, out);
  wf::reduce_async(v, 0.0f, wf::plus{}, out);
  wf::transform(v, out, half);
  wf::transform_async(v, out, half);
  wf::copy(v, out);
  wf::copy_async(v, out);
  (void)wf::transform_reduce(v, wf::plus{}, half);
  (void)wf::transform_reduce(v, 0.0f, wf::plus{}, half);
  wf::transform_reduce_async(v, wf::plus{}, half, out);
  wf::sum_async(v, out);
  wf::product_async(v, out);
  wf::min_async(v, out);
  wf::max_async(v, out);
  wf::minmax_async(v, out);
  wf::argmin_async(v, out);
  wf::argmax_async(v, out);
  wf::argminmax_async(v, out);
  wf::norm_1_async(v, out);
  wf::norm_2_async(v, out);
  wf::norm_infinity_async(v, out);
  wf::mean_async(v, out);
  wf::variance_async(v, out);
  wf::stddev_async(v, out);
  wf::count_async(v, 1.0f, out);
  wf::count_if_async(v, is_zero, out);
  wf::all_of_async(v, is_zero, out);
  wf::any_of_async(v, is_zero, out);
  wf::none_of_async(v, is_zero, out);
  wf::norm_p_async(v, 3, out);
  wf::dot_async(v, w, out);
  wf::inner_product_async(v, w, 0.0f, out);
  (void)wf::sum(v);
  (void)wf::product(v);
  (void)wf::min(v);
  (void)wf::max(v);
  (void)wf::minmax(v);
  (void)wf::argmin(v);
  (void)wf::argmax(v);
  (void)wf::argminmax(v);
  (void)wf::count(v, 1.0f);
  (void)wf::count_if(v, is_zero);
  (void)wf::all_of(v, is_zero);
  (void)wf::any_of(v, is_zero);
  (void)wf::none_of(v, is_zero);
  (void)wf::dot(v, w);
  (void)wf::inner_product(v, w, 0.0f);
  (void)wf::norm_1(v);
  (void)wf::norm_2(v);
  (void)wf::norm_infinity(v);
  (void)wf::norm_p(v, 3);
  (void)wf::mean(v);
  (void)wf::variance(v);
  (void)wf::stddev(v, wf::variance_of::sample);
  (void)wf::explain(v, wf::plus{});
  wf::reduce_axis<0>(v, wf::plus{}, w);
  wf::reduce_axis_async<0>(v, wf::plus{}, w);
}
