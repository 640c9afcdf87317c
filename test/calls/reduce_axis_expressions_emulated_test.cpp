// Folds of expressions of several arrays with wf::emulated.
// needs: boost_context cccl
#include <cstring>

#include <cuda/std/mdspan>

#include <warpfold/policy/emulated.hpp>

#include "contract/expression_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(expression_products, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_broadcasts, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_functions, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_axes, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_accumulates, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_errors, fixture);

TEST_CASE("rows of several arrays that start at no words: chunks of neighbors, in the order") {
  using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
  for (const int width : {1, 3, 5, 33, 130, 333, 1025, 4097}) {
    for (const int height : {1, 40}) {
      INFO(height, " x ", width);
      const auto n = static_cast<std::size_t>(width * height),
                 rows = static_cast<std::size_t>(height);
      std::vector<float> v(2 * n), expected(rows), out(rows);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i * 7919 % 1013) / 8;
      const auto products =
          wf::project(wf::zip(matrix(v.data(), height, width), matrix(v.data() + n, height, width)),
                      [] WARPFOLD_HD(float a, float b) { return a * b; });
      wf::reduce_axis<1>(wf::seq, products, wf::plus{}, expected);
      wf::reduce_axis<1>(wf::emulated, products, wf::plus{}, out);
      CHECK(std::memcmp(out.data(), expected.data(), rows * sizeof(float)) == 0);
    }
  }
}
