// Ranges whose size lies in memory, with the host policies and in the emulation.
// needs: tbb boost_context
#include <warpfold/policy/counted_range.hpp>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

#include "contract/counted_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory {
  static auto policy() { return Policy{}; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(counted_ranges, fixture<wf::seq_policy>, fixture<wf::par_policy>,
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
