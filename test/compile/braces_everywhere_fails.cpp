// A braced list, passed to every function: one error with the remedy.
// expect: the range is a braced list, or missing; name the elements
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

auto half(float x) { return x / 2; }
auto is_zero(float x) { return x == 0; }

void call(const std::vector<float>& w, float* out) {
  (void)wf::reduce(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::reduce(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{});
  (void)wf::reduce(wf::seq, {1.0f, 2.0f, 3.0f}, 0.0f, wf::plus{});
  wf::reduce_async(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{}, out);
  wf::reduce_async(wf::seq, {1.0f, 2.0f, 3.0f}, 0.0f, wf::plus{}, out);
  wf::transform(wf::seq, {1.0f, 2.0f, 3.0f}, out, half);
  wf::transform_async(wf::seq, {1.0f, 2.0f, 3.0f}, out, half);
  wf::copy(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::copy_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  (void)wf::transform_reduce(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{}, half);
  (void)wf::transform_reduce(wf::seq, {1.0f, 2.0f, 3.0f}, 0.0f, wf::plus{}, half);
  wf::transform_reduce_async(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{}, half, out);
  wf::sum_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::product_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::min_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::max_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::minmax_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::argmin_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::argmax_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::argminmax_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::norm_1_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::norm_2_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::norm_infinity_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::mean_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::variance_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::stddev_async(wf::seq, {1.0f, 2.0f, 3.0f}, out);
  wf::count_async(wf::seq, {1.0f, 2.0f, 3.0f}, 1.0f, out);
  wf::count_if_async(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero, out);
  wf::all_of_async(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero, out);
  wf::any_of_async(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero, out);
  wf::none_of_async(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero, out);
  wf::norm_p_async(wf::seq, {1.0f, 2.0f, 3.0f}, 3, out);
  wf::dot_async(wf::seq, {1.0f, 2.0f, 3.0f}, w, out);
  wf::inner_product_async(wf::seq, {1.0f, 2.0f, 3.0f}, w, 0.0f, out);
  (void)wf::sum(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::product(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::min(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::max(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::minmax(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::argmin(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::argmax(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::argminmax(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::count(wf::seq, {1.0f, 2.0f, 3.0f}, 1.0f);
  (void)wf::count_if(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero);
  (void)wf::all_of(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero);
  (void)wf::any_of(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero);
  (void)wf::none_of(wf::seq, {1.0f, 2.0f, 3.0f}, is_zero);
  (void)wf::dot(wf::seq, {1.0f, 2.0f, 3.0f}, w);
  (void)wf::dot(wf::seq, w, {1.0f, 2.0f, 3.0f});
  (void)wf::inner_product(wf::seq, {1.0f, 2.0f, 3.0f}, w, 0.0f);
  (void)wf::norm_1(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::norm_2(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::norm_infinity(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::norm_p(wf::seq, {1.0f, 2.0f, 3.0f}, 3);
  (void)wf::mean(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::variance(wf::seq, {1.0f, 2.0f, 3.0f});
  (void)wf::stddev(wf::seq, {1.0f, 2.0f, 3.0f}, wf::variance_of::sample);
  (void)wf::explain(wf::seq, {1.0f, 2.0f, 3.0f}, wf::plus{});
  (void)wf::reduce(wf::seq, wf::project({1.0f, 2.0f, 3.0f}, half), wf::plus{});
  (void)wf::sum(wf::seq, wf::zip({1.0f, 2.0f, 3.0f}, w));
  (void)wf::sum(wf::seq, wf::zip(w, {1.0f, 2.0f, 3.0f}));
  (void)wf::sum(wf::seq, wf::staged({1.0f, 2.0f, 3.0f}));
  (void)wf::sum(wf::seq, wf::aligned<16>({1.0f, 2.0f, 3.0f}));
  (void)wf::sum(wf::seq, wf::packed({1.0f, 2.0f, 3.0f}));
}
