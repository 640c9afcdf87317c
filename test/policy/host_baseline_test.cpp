// What the host baselines give to other libraries, and what they check first.
#include <warpfold/policy/host_baseline.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <vector>

#include <warpfold/op/extrema.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>

namespace wf = warpfold;

namespace {

struct larger {
  int operator()(int a, int b) const { return a < b ? b : a; }
};
struct next {
  int operator()(int x) const { return x + 1; }
};

template <class T, class Op, class Init = wf::no_init>
wf::reduction<wf::contiguous_view<T>, Op, Init> reduction_of(const std::vector<T>& v, Op op,
                                                             Init init = {}) {
  return {wf::contiguous_view<T>(v.data(), v.size()), op, init};
}

const auto accumulate = [](auto first, auto last, const auto& start, const auto& op) {
  return std::accumulate(first, last, start, op);
};

}  // namespace

TEST_CASE("sums of floating-point numbers are std::plus, which other libraries recognize") {
  const std::vector<float> floats{1};
  const std::vector<int> ints{1};
  static_assert(std::is_same_v<decltype(wf::baseline::op_for(reduction_of(floats, wf::plus{}))),
                               std::plus<float>>);
  static_assert(std::is_same_v<decltype(wf::baseline::op_for(reduction_of(ints, wf::plus{}))),
                               wf::baseline::op_in<long long, wf::plus>>);
}

TEST_CASE("two elements are combined in the type of the result") {
  const wf::baseline::op_in<long long, wf::plus> op{};
  const signed char a = 100;
  CHECK(op(a, a) == 200);
  static_assert(std::is_same_v<decltype(op(a, a)), long long>);
}

TEST_CASE("the start is the init, or the first element, which is then left out") {
  const std::vector<int> v{5, 2, 9};
  int elements = 0;
  const auto counted = [&](auto first, auto last, const auto& start, const auto& op) {
    elements = static_cast<int>(last - first);
    static_assert(std::is_same_v<decltype(first), const int*>);
    return accumulate(first, last, start, op);
  };
  CHECK(wf::baseline::run_on_host(reduction_of(v, larger{}), counted) == 9);
  CHECK(elements == 2);
  CHECK(wf::baseline::run_on_host(reduction_of(v, larger{}, 11), counted) == 11);
  CHECK(elements == 3);
}

TEST_CASE("an empty range never reaches the other library") {
  const std::vector<int> none;
  const auto never = [](auto, auto, const auto& start, const auto&) {
    FAIL_CHECK("it was called");
    return start;
  };
  CHECK(wf::baseline::run_on_host(reduction_of(none, wf::plus{}), never) == 0);
  CHECK(wf::baseline::run_on_host(reduction_of(none, larger{}, 3), never) == 3);
  CHECK_THROWS_AS((void)wf::baseline::run_on_host(reduction_of(none, larger{}), never),
                  wf::empty_range);
}

TEST_CASE("a transformation is checked before the other library runs it") {
  std::vector<int> v{1, 2, 3, 4};
  using work = wf::transformation<wf::contiguous_view<int>, wf::contiguous_output<int>, next>;
  const auto transform = [](auto first, auto last, auto* out, const auto& f) {
    for (; first != last; ++first) *out++ = f(*first);
  };
  std::vector<int> out(4);
  wf::baseline::transform_on_host(work{{v.data(), 4}, {out.data(), 4}, {}}, transform);
  CHECK(out == std::vector<int>{2, 3, 4, 5});
  CHECK_THROWS_AS(
      wf::baseline::transform_on_host(work{{v.data(), 4}, {out.data(), 3}, {}}, transform),
      wf::invalid_range);
  CHECK_THROWS_AS(
      wf::baseline::transform_on_host(work{{v.data(), 3}, {v.data() + 1, 3}, {}}, transform),
      wf::invalid_range);
  CHECK(v == std::vector<int>{1, 2, 3, 4});
}
