// Folds along an axis with the host policies.
// needs: tbb cccl
// slow: runs for seconds
#include <warpfold/policy/par.hpp>

#include "contract/axis_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return Policy{}; }
};
using seq = fixture<wf::seq_policy>;
using par = fixture<wf::par_policy>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(axis_matrices, test::axis_folds<seq>);
TEST_CASE_TEMPLATE_APPLY(axis_matrices, test::axis_folds<par>);
TEST_CASE_TEMPLATE_APPLY(axis_long, test::axis_folds<par>);
TEST_CASE_TEMPLATE_INVOKE(axis_ranks, seq, par);
TEST_CASE_TEMPLATE_INVOKE(axis_outputs, seq, par);
TEST_CASE_TEMPLATE_INVOKE(axis_empty, seq, par);
TEST_CASE_TEMPLATE_INVOKE(axis_errors, seq, par);
TEST_CASE_TEMPLATE_INVOKE(axis_repeats, seq, par);

namespace {

struct huge {
  double x[20000];
};
struct add_last {
  WARPFOLD_HD huge operator()(const huge& a, const huge& b) const {
    huge c = a;
    c.x[19999] += b.x[19999];
    return c;
  }
};

}  // namespace

TEST_CASE("accumulators of 160 KB do not fill the stack") {
  std::vector<huge> in(4), out(2);
  for (std::size_t i = 0; i < 4; ++i) in[i].x[19999] = static_cast<double>(i + 1);
  const test::cs::mdspan<const huge, test::cs::dextents<std::size_t, 2>> m(in.data(), 2, 2);
  wf::reduce_axis<0>(wf::seq, m, add_last{}, out);
  CHECK(out[0].x[19999] == 4);
  CHECK(out[1].x[19999] == 6);
}
