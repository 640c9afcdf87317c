// Ops with finish, by the policies of the host: what their outputs hold.
// needs: tbb
#include "contract/finish_contract.hpp"

#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_by_key.hpp>

namespace {

template <class Policy, class Result>
struct fixture : test::host_memory, test::target_in<test::host_memory> {
  using result = Result;
  static auto policy() { return Policy{}; }
};
using seq = fixture<wf::seq_policy, float>;
using seq_wider = fixture<wf::seq_policy, double>;
using par = fixture<wf::par_policy, float>;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(finish_results, seq, seq_wider, par);
TEST_CASE_TEMPLATE_INVOKE(finish_states, seq, par);

TEST_CASE("runs of equal keys write the result of finish") {
  const std::vector<int> keys{1, 1, 2};
  const std::vector<float> values{1, 2, 4};
  std::vector<int> found(3);
  std::vector<float> halves(3);
  CHECK(wf::reduce_by_key(wf::seq, keys, values, test::half_of_sum<float>{}, found, halves) == 2);
  CHECK(halves[0] == 1.5f);
  CHECK(halves[1] == 2);
}

TEST_CASE("accumulate(out) of a number holds the accumulator") {
  const std::vector<float> values{1, 2, 3};
  float total = 4;
  wf::reduce_async(wf::seq, values, test::half_of_sum<float>{}, wf::accumulate(&total));
  CHECK(total == 10);
}
