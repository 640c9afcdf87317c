// Writes the softmax of each row of a matrix, and normalizes its columns, in one call each.
// needs: cccl
#include <cmath>
#include <iostream>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/op/normalization.hpp>
#include <warpfold/op/softmax.hpp>
#include <warpfold/transform_axis.hpp>

namespace wf = warpfold;

int main() {
  using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
  const std::vector<float> values{1, 2, 3,  //
                                  4, 5, 9};
  const matrix m(values.data(), 2, 3);

  // With wf::device, use device memory and device-callable functions. The first call is then one
  // launch; the second one folds the columns to scratch memory first.
  std::vector<float> softmax(values.size());
  wf::transform_axis<1>(wf::seq, m, wf::softmax_op{}, softmax);

  std::vector<float> normalized(values.size());
  wf::transform_axis<0>(wf::seq, m, wf::layer_norm_op{0}, normalized);

  std::cout << softmax[0] + softmax[1] + softmax[2] << ' ' << normalized[0] << ' ' << normalized[3]
            << '\n';
  return std::abs(softmax[0] + softmax[1] + softmax[2] - 1) < 1e-6f &&
                 std::abs(softmax[2] / softmax[1] - std::exp(1.0f)) < 1e-5f &&
                 normalized[0] == -1 && normalized[3] == 1
             ? 0
             : 1;
}
