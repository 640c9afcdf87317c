// Ranges whose size lies in memory, with the host policies and in the emulation.
// needs: tbb boost_context
// slow: runs for seconds
#include <warpfold/policy/counted_range.hpp>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

#include <limits>
#include <span>

#include "contract/counted_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return Policy{}; }
};

// Does not say that it reads sizes on the host, as a GPU policy cannot.
struct reads_in_kernel {
  static const char* name() { return "reads_in_kernel"; }
  auto run(const auto& work) const { return wf::seq.run(work); }
  void enqueue(const auto& work, auto* out) const { wf::seq.enqueue(work, out); }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(counted_ranges, fixture<wf::seq_policy>, fixture<wf::par_policy>,
                          fixture<wf::emulated_policy<>>);
TEST_CASE_TEMPLATE_INVOKE(counted_rounds, fixture<wf::emulated_policy<>>);
TEST_CASE_TEMPLATE_INVOKE(counted_transforms, fixture<wf::seq_policy>, fixture<wf::par_policy>,
                          fixture<wf::emulated_policy<>>);
TEST_CASE_TEMPLATE_INVOKE(counted_in_place, fixture<wf::seq_policy>, fixture<wf::par_policy>,
                          fixture<wf::emulated_policy<>>);

TEST_CASE_TEMPLATE("a count that the range does not have", Policy, wf::seq_policy, wf::par_policy,
                   wf::emulated_policy<>) {
  const std::vector<int> v = {1, 2, 3};
  const auto sum_of = [&](auto count) { (void)wf::sum(Policy{}, wf::counted(v, &count)); };
  test::check_throws<wf::invalid_range>([&] { sum_of(4); }, "is 4, but the range has 3");
  test::check_throws<wf::invalid_range>([&] { sum_of(-1); }, "is -1");
  test::check_throws<wf::invalid_range>(
      [&] { (void)wf::sum(Policy{}, wf::counted(v, static_cast<const int*>(nullptr))); },
      "null pointer");
  const int two = 2;
  CHECK(wf::sum(Policy{}, wf::counted(v, &two)) == 3);
}

TEST_CASE("a count of 0 that only the kernel reads: no index") {
  const std::vector<int> v = {3, 1, 2};
  const int count = 0;
  const auto some = wf::counted(v, &count);
  const reads_in_kernel policy;
  test::check_throws<wf::empty_range>([&] { (void)wf::argmax(policy, some); }, "no greatest");
  test::check_throws<wf::empty_range>([&] { (void)wf::argminmax(policy, some); }, "no least and");
  CHECK(wf::min(policy, some) == std::numeric_limits<int>::max());
  CHECK(wf::minmax(policy, some).max == std::numeric_limits<int>::min());
}

TEST_CASE_TEMPLATE("a count of 0 has no extremum", Policy, wf::seq_policy, wf::par_policy,
                   wf::emulated_policy<>) {
  const std::vector<int> v = {3, 1, 2};
  int count = 0;
  const auto some = wf::counted(v, &count);
  const auto refuses = [](const auto& f, const char* what) {
    test::check_throws<wf::empty_range>(f, what);
  };
  refuses([&] { (void)wf::min(Policy{}, some); }, "has no least element");
  refuses([&] { (void)wf::max(Policy{}, some); }, "has no greatest element");
  refuses([&] { (void)wf::minmax(Policy{}, some); }, "has no least and greatest element");
  refuses([&] { (void)wf::argmin(Policy{}, some); }, "has no least element");
  refuses([&] { (void)wf::argmax(Policy{}, some); }, "has no greatest element");
  refuses([&] { (void)wf::argminmax(Policy{}, some); }, "has no least and greatest element");
  refuses([&] { (void)wf::min(Policy{}, wf::project(some, [](int x) { return -x; })); },
          "no least");
  int out = 7;
  wf::indexed<int> place{};
  wf::min_async(Policy{}, some, &out);
  wf::argmin_async(Policy{}, some, &place);
  CHECK(out == std::numeric_limits<int>::max());
  CHECK(place.index == wf::indexed<int>::nowhere);
  count = -1;
  test::check_throws<wf::invalid_range>([&] { (void)wf::min(Policy{}, some); }, "is -1");
  count = 2;
  CHECK(wf::min(Policy{}, some) == 1);
  CHECK(wf::argmax(Policy{}, some).index == 0);
  CHECK(wf::argminmax(Policy{}, some).min.index == 1);
  // The result of an element that is the identity.
  const int most = std::numeric_limits<int>::max();
  const int one = 1;
  CHECK(wf::argmin(Policy{}, wf::counted(std::span(&most, 1), &one)).index == 0);
}

TEST_CASE_TEMPLATE("a transformation of a count that the range does not have writes nothing",
                   Policy, wf::seq_policy, wf::par_policy, wf::emulated_policy<>) {
  const std::vector<int> v = {1, 2, 3};
  std::vector<int> out(3, 7);
  const auto refuses = [&](const auto* count, const auto& to, const char* what) {
    test::check_throws<wf::invalid_range>(
        [&] { wf::transform(Policy{}, wf::counted(v, count), to, test::plus_one{}); }, what);
    test::check_throws<wf::invalid_range>(
        [&] { wf::copy_async(Policy{}, wf::counted(v, count), to); }, what);
    CHECK(out == std::vector<int>(3, 7));
  };
  const int four = 4, negative = -1, two = 2;
  refuses(&four, out.data(), "is 4, but the range has 3");
  refuses(&negative, out.data(), "is -1");
  refuses(static_cast<const int*>(nullptr), out.data(), "null pointer");
  // The output has room for every count.
  refuses(&two, std::span(out).first(2), "has 2 elements, but the range has 3");
}

TEST_CASE_TEMPLATE("the output of a counted range overlaps neither the count nor other elements",
                   Policy, wf::seq_policy, wf::par_policy, wf::emulated_policy<>) {
  std::vector<int> all = {1, 2, 3, 2, 7};
  const auto refuses = [&](const auto& range, int* out) {
    test::check_throws<wf::invalid_range>(
        [&] { wf::copy(Policy{}, wf::counted(range, all.data() + 3), out); }, "overlaps");
    CHECK(all == std::vector<int>{1, 2, 3, 2, 7});
  };
  refuses(std::span(all).first(3), all.data() + 1);  // elements that are read later
  refuses(std::span(all).first(2), all.data() + 2);  // the count
  refuses(std::span(all).first(4), all.data());      // the count is an element
  wf::copy(Policy{}, wf::counted(std::span(all).first(1), all.data()), all.data() + 4);
  CHECK(all.back() == 1);
}
