// reduce_axis_async by the policies that write before they return.
// needs: tbb boost_context cccl
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>

namespace wf = warpfold;
namespace cs = cuda::std;

using matrix = cs::mdspan<const int, cs::dextents<std::size_t, 2>>;

TEST_CASE_TEMPLATE("reduce_axis_async", Policy, wf::seq_policy, wf::par_policy,
                   wf::emulated_policy<>) {
  const std::vector<int> values = {-9, -2, 5, 12, 19, -5};
  std::vector<long long> out(2);
  wf::reduce_axis_async<1>(Policy{}, matrix(values.data(), 2, 3), wf::plus{}, out);
  CHECK(out[0] == values[0] + values[1] + values[2]);
  CHECK(out[1] == values[3] + values[4] + values[5]);
}
