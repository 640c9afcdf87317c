// Writes the softmax of each row of a matrix, and normalizes its columns, in one call each.
// needs: cccl
#include <cmath>
#include <iostream>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/op/moments.hpp>
#include <warpfold/transform_axis.hpp>

namespace wf = warpfold;

// The greatest element seen, and the sum of exp(x - greatest) of all elements seen.
struct exponentials {
  float greatest, sum;
};
struct sum_of_exponentials {
  WARPFOLD_HD static exponentials identity() { return {-INFINITY, 0}; }
  WARPFOLD_HD static exponentials lift(float x) { return {x, 1}; }
  WARPFOLD_HD exponentials operator()(const exponentials& a, const exponentials& b) const {
    const exponentials& more = a.greatest < b.greatest ? b : a;
    const exponentials& less = a.greatest < b.greatest ? a : b;
    if (less.sum == 0) return more;
    return {more.greatest, more.sum + less.sum * std::exp(less.greatest - more.greatest)};
  }
};

int main() {
  using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
  const std::vector<float> values{1, 2, 3,  //
                                  4, 5, 9};
  const matrix m(values.data(), 2, 3);

  // With wf::device, use device memory and device-callable functions. The first call is then one
  // launch; the second one folds the columns to scratch memory first.
  std::vector<float> softmax(values.size());
  wf::transform_axis<1>(wf::seq, m, sum_of_exponentials{}, softmax,
                        [](float x, const exponentials& of_row) {
                          return std::exp(x - of_row.greatest) / of_row.sum;
                        });

  std::vector<float> normalized(values.size());
  wf::transform_axis<0>(wf::seq, m, wf::moments_op{}, normalized, [](float x, const auto& column) {
    return static_cast<float>((x - column.mean) / std::sqrt(column.variance()));
  });

  std::cout << softmax[0] + softmax[1] + softmax[2] << ' ' << normalized[0] << ' ' << normalized[3]
            << '\n';
  return std::abs(softmax[0] + softmax[1] + softmax[2] - 1) < 1e-6f &&
                 std::abs(softmax[2] / softmax[1] - std::exp(1.0f)) < 1e-5f &&
                 normalized[0] == -1 && normalized[3] == 1
             ? 0
             : 1;
}
