// Folds each row and each column of a small matrix to one value.
// needs: cccl
#include <iostream>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>

namespace wf = warpfold;

int main() {
  const std::vector<float> values{1, 2, 3,  //
                                  4, 5, 9};
  const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(values.data(), 2, 3);

  // With wf::device instead of wf::seq, and device memory, the same lines run on the GPU.
  std::vector<float> rows(2);
  wf::reduce_axis<1>(wf::seq, m, wf::plus{}, rows);

  // Mean and variance of each column, in one read.
  std::vector<wf::moments> columns(3);
  wf::reduce_axis<0>(wf::seq, m, wf::moments_op{}, columns);

  // The index of the greatest element of each row; indices count along the axis.
  std::vector<wf::indexed<float>> greatest(2);
  wf::reduce_axis<1>(wf::seq, m, wf::arg(wf::maximum{}), greatest);

  std::cout << rows[0] << ' ' << rows[1] << ' ' << columns[2].mean << ' ' << columns[2].variance()
            << ' ' << greatest[1].index << '\n';
  return rows[0] == 6 && rows[1] == 18 && columns[2].mean == 6 && columns[2].variance() == 9 &&
                 greatest[1].index == 2
             ? 0
             : 1;
}
