// Wrong uses of policies.
// alone
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform.hpp>

#include "compile/any_mdspan.hpp"

// expect: part_of_all
// Only ops can be parts of several reductions at once.
namespace all_of_a_policy {
auto call() { return warpfold::all(warpfold::seq, warpfold::plus{}); }
}  // namespace all_of_a_policy

// expect: the policy is missing
// The range in the policy's place.
namespace not_a_policy {
auto sum(const std::vector<int>& v) { return warpfold::reduce(v, v, warpfold::plus{}); }
}  // namespace not_a_policy

// expect: this policy does not run reduce_axis; use
namespace policy_folds_no_axis {
struct reduces_only {
  static constexpr const char* name() { return "reduces_only"; }
  template <class Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return warpfold::seq.run(r);
  }
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    *out = static_cast<Out>(run(r));
  }
};
static_assert(warpfold::policy<reduces_only>);

void call(const matrix& m, std::vector<float>& out) {
  warpfold::reduce_axis<1>(reduces_only{}, m, warpfold::plus{}, out);
}
}  // namespace policy_folds_no_axis

// expect: the policy is missing; pass wf::seq, wf::par or wf::device as the first argument
// Calls without a policy: one error with the remedy.
namespace policy_missing_everywhere {
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
}  // namespace policy_missing_everywhere

// expect: the first argument is not a policy.*include warpfold/drop_in.hpp
// The standard library's policy without drop_in.hpp.
namespace policy_of_std {
struct parallel_policy {};  // stands for std::execution's, whose header needs oneTBB

auto total(const std::vector<float>& v) { return warpfold::reduce(parallel_policy{}, v); }
}  // namespace policy_of_std

// expect: this policy does not run transform; use wf::seq, wf::par, wf::device
// A policy that runs reductions only.
namespace policy_transforms_not {
struct reduces_only {
  static constexpr const char* name() { return "reduces_only"; }
  template <class Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    return warpfold::seq.run(r);
  }
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    *out = static_cast<Out>(run(r));
  }
};
static_assert(warpfold::policy<reduces_only>);

void call(const std::vector<int>& in, std::vector<int>& out) {
  warpfold::transform(reduces_only{}, in, out, [](int x) { return x; });
}
}  // namespace policy_transforms_not
