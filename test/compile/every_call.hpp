// Calls every function that takes a range with an `argument`, a type that the including file
// defines.
#pragma once

#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

inline auto half(float x) { return x / 2; }
inline auto is_zero(float x) { return x == 0; }

inline void call(argument v, const std::vector<float>& w, float* out) {
  (void)wf::reduce(wf::seq, v);
  (void)wf::reduce(wf::seq, v, wf::plus{});
  (void)wf::reduce(wf::seq, v, 0.0f, wf::plus{});
  wf::reduce_async(wf::seq, v, wf::plus{}, out);
  wf::reduce_async(wf::seq, v, 0.0f, wf::plus{}, out);
  wf::transform(wf::seq, v, out, half);
  wf::transform_async(wf::seq, v, out, half);
  wf::copy(wf::seq, v, out);
  wf::copy_async(wf::seq, v, out);
  (void)wf::transform_reduce(wf::seq, v, wf::plus{}, half);
  (void)wf::transform_reduce(wf::seq, v, 0.0f, wf::plus{}, half);
  wf::transform_reduce_async(wf::seq, v, wf::plus{}, half, out);
  wf::sum_async(wf::seq, v, out);
  wf::product_async(wf::seq, v, out);
  wf::min_async(wf::seq, v, out);
  wf::max_async(wf::seq, v, out);
  wf::minmax_async(wf::seq, v, out);
  wf::argmin_async(wf::seq, v, out);
  wf::argmax_async(wf::seq, v, out);
  wf::argminmax_async(wf::seq, v, out);
  wf::norm_1_async(wf::seq, v, out);
  wf::norm_2_async(wf::seq, v, out);
  wf::norm_infinity_async(wf::seq, v, out);
  wf::mean_async(wf::seq, v, out);
  wf::variance_async(wf::seq, v, out);
  wf::stddev_async(wf::seq, v, out);
  wf::count_async(wf::seq, v, 1.0f, out);
  wf::count_if_async(wf::seq, v, is_zero, out);
  wf::all_of_async(wf::seq, v, is_zero, out);
  wf::any_of_async(wf::seq, v, is_zero, out);
  wf::none_of_async(wf::seq, v, is_zero, out);
  wf::norm_p_async(wf::seq, v, 3, out);
  wf::dot_async(wf::seq, v, w, out);
  wf::inner_product_async(wf::seq, v, w, 0.0f, out);
  (void)wf::sum(wf::seq, v);
  (void)wf::product(wf::seq, v);
  (void)wf::min(wf::seq, v);
  (void)wf::max(wf::seq, v);
  (void)wf::minmax(wf::seq, v);
  (void)wf::argmin(wf::seq, v);
  (void)wf::argmax(wf::seq, v);
  (void)wf::argminmax(wf::seq, v);
  (void)wf::count(wf::seq, v, 1.0f);
  (void)wf::count_if(wf::seq, v, is_zero);
  (void)wf::all_of(wf::seq, v, is_zero);
  (void)wf::any_of(wf::seq, v, is_zero);
  (void)wf::none_of(wf::seq, v, is_zero);
  (void)wf::dot(wf::seq, v, w);
  (void)wf::dot(wf::seq, w, v);
  (void)wf::inner_product(wf::seq, v, w, 0.0f);
  (void)wf::norm_1(wf::seq, v);
  (void)wf::norm_2(wf::seq, v);
  (void)wf::norm_infinity(wf::seq, v);
  (void)wf::norm_p(wf::seq, v, 3);
  (void)wf::mean(wf::seq, v);
  (void)wf::variance(wf::seq, v);
  (void)wf::stddev(wf::seq, v, wf::variance_of::sample);
  (void)wf::explain(wf::seq, v, wf::plus{});
  (void)wf::reduce(wf::seq, wf::project(v, half), wf::plus{});
  (void)wf::sum(wf::seq, wf::zip(v, w));
  (void)wf::sum(wf::seq, wf::zip(w, v));
  (void)wf::sum(wf::seq, wf::staged(v));
  (void)wf::sum(wf::seq, wf::aligned<16>(v));
  (void)wf::sum(wf::seq, wf::packed(v));
}
