// What the GPU baselines give to other libraries: iterators, an op, and a value to start from.
#include <warpfold/policy/gpu_baseline.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/view/contiguous.hpp>

namespace wf = warpfold;

namespace {

struct larger {
  WARPFOLD_HD int operator()(int a, int b) const { return a < b ? b : a; }
};

template <class T, class Op, class Init = wf::no_init>
wf::reduction<wf::contiguous_view<T>, Op, Init> reduction_of(const std::vector<T>& v, Op op,
                                                             Init init = {}) {
  return {wf::contiguous_view<T>(v.data(), v.size()), op, init};
}

// Another library's reduction, as a loop on the host.
template <class Reduction, class Out>
void reduce_into(const Reduction& r, Out* out) {
  wf::baseline::detail::as_iterators(r, out,
                                     [&](auto first, auto to, const auto& op, const auto& start) {
                                       auto total = start;
                                       for (std::size_t i = 0; i < r.view.size(); ++i)
                                         total = op(total, first[static_cast<std::ptrdiff_t>(i)]);
                                       *to = total;
                                     });
}

}  // namespace

TEST_CASE("an op with an identity gets raw pointers, itself and the identity") {
  const std::vector<int> v{3, 1, 2};
  const auto r = reduction_of(v, wf::plus{});
  long long sum = -1;
  wf::baseline::detail::as_iterators(
      r, &sum, [&](auto first, auto to, const auto& op, const auto& start) {
        static_assert(std::is_same_v<decltype(first), const int*>);
        static_assert(std::is_same_v<decltype(to), long long*>);
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(op)>, wf::plus>);
        CHECK(start == 0);
      });
  reduce_into(r, &sum);
  CHECK(sum == 6);
}

TEST_CASE("an op without identity is folded as optional values, which start empty") {
  int largest = -1;
  reduce_into(reduction_of(std::vector<int>{-3, -1, -2}, larger{}), &largest);
  CHECK(largest == -1);
  // Into memory of another type.
  double as_double = 0;
  reduce_into(reduction_of(std::vector<int>{-3, -7}, larger{}), &as_double);
  CHECK(as_double == -3.0);
}

TEST_CASE("an init is the start, in the result's type") {
  int largest = 0;
  reduce_into(reduction_of(std::vector<int>{-3, -7}, larger{}, -2), &largest);
  CHECK(largest == -2);
  float sum = 0;
  reduce_into(reduction_of(std::vector<int>{1, 2}, wf::plus{}, 10), &sum);
  CHECK(sum == 13.0f);
}
