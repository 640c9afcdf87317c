// reduce and reduce_async before and after the policy: what a policy is given, which results come
// back in which type, and policies of another library. The contract of policies runs both by every
// policy.
#include <warpfold/reduce.hpp>

#include <deque>
#include <span>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

/// What a policy was given last.
struct given {
  const char* call = "";
  std::size_t size = 0;
  bool has_init = false;
  const void* out = nullptr;
};
given last;

/// A policy of one's own, which notes what it is given and lets wf::seq do it.
struct noting_policy {
  static constexpr const char* name() { return "noting"; }
  template <class Reduction>
  typename Reduction::result_type run(const Reduction& r) const {
    last = {"run", r.view.size(), Reduction::has_init, nullptr};
    return wf::seq.run(r);
  }
  template <class Reduction, class Out>
  void enqueue(const Reduction& r, Out* out) const {
    last = {"enqueue", r.view.size(), Reduction::has_init, out};
    wf::seq.enqueue(r, out);
  }
};

/// A policy of another library.
struct theirs {
  int number;
};

/// The mean of integers: a sum and a count, divided at the end.
struct sum_and_count {
  long long sum;
  long long count;
};
struct mean_op {
  sum_and_count lift(int x) const { return {x, 1}; }
  sum_and_count operator()(const sum_and_count& a, const sum_and_count& b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  double finish(const sum_and_count& a) const {
    return static_cast<double>(a.sum) / static_cast<double>(a.count);
  }
};

}  // namespace

template <>
struct warpfold::adopted_policy<theirs> {
  static auto convert(const theirs&) { return noting_policy{}; }
};

TEST_CASE("a policy is given the view, the op, and the init where there is one") {
  const std::vector<int> v = {3, 4, 5};
  const noting_policy policy;
  CHECK(wf::reduce(policy, v) == 12);
  CHECK(last.call == doctest::String("run"));
  CHECK(last.size == 3);
  CHECK_FALSE(last.has_init);
  CHECK(wf::reduce(policy, v, 1, wf::multiplies{}) == 60);
  CHECK(last.has_init);
  CHECK(wf::reduce(policy, v.begin() + 1, v.end()) == 9);
  CHECK(last.size == 2);
  CHECK_FALSE(last.has_init);
  long long out = 0;
  wf::reduce_async(policy, v, wf::plus{}, &out);
  CHECK(last.call == doctest::String("enqueue"));
  CHECK(last.out == &out);
  CHECK(out == 12);
  wf::reduce_async(policy, std::span<const int>(v).first(2), 100, wf::plus{}, &out);
  CHECK(last.has_init);
  CHECK(out == 107);
}

TEST_CASE("policies of another library are converted first") {
  const std::vector<int> v = {3, 4};
  last = {};
  CHECK(wf::reduce(theirs{1}, v) == 7);
  CHECK(last.size == 2);
  float out = 0;
  wf::reduce_async(theirs{1}, v, wf::plus{}, &out);
  CHECK(out == 7);
  CHECK(last.out == &out);
}

TEST_CASE("iterators: in the element's type, or in the init's, rounded once") {
  const std::deque<unsigned char> bytes(300, 255);
  static_assert(
      std::is_same_v<decltype(wf::reduce(wf::seq, bytes.begin(), bytes.end())), unsigned char>);
  CHECK(wf::reduce(wf::seq, bytes.begin(), bytes.end()) == 300 * 255 % 256);
  CHECK(wf::reduce(wf::seq, bytes.begin(), bytes.end(), 0u) == 300 * 255);
  const std::vector<double> v = {0.5, 0.75, 0.875};
  CHECK(wf::reduce(wf::seq, v.begin(), v.end(), 0) == 2);  // not 0, as in steps of int
  static_assert(std::is_same_v<decltype(wf::reduce(wf::seq, v.begin(), v.end(), 0)), int>);
  CHECK(wf::reduce(wf::seq, v.begin(), v.begin()) == 0);
  CHECK_THROWS_WITH_AS((void)wf::reduce(wf::seq, v.end(), v.begin()),
                       doctest::Contains("3 elements before its first; swap the iterators"),
                       wf::invalid_range);
}

TEST_CASE("reduce finishes what an op lifted; reduce_async leaves the accumulator") {
  const std::vector<int> v = {3, 4, 6};
  const auto mean = wf::reduce(wf::seq, v, mean_op{});
  static_assert(std::is_same_v<decltype(mean), const double>);
  CHECK(mean == doctest::Approx(13 / 3.0));
  CHECK(wf::reduce(wf::seq, v, sum_and_count{7, 1}, mean_op{}) == 5);
  sum_and_count out{};
  wf::reduce_async(wf::seq, v, mean_op{}, &out);
  CHECK(out.sum == 13);
  CHECK(out.count == 3);
}
