// Folds expressions of several arrays along an axis, and writes a softmax of each row.
// needs: cccl
#include <cmath>
#include <iostream>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

int main() {
  using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
  const std::vector<float> a_values{1, 2, 3,  //
                                    4, 5, 9};
  const std::vector<float> b_values{1, 0, 1,  //
                                    2, 2, 0};
  const matrix a(a_values.data(), 2, 3), b(b_values.data(), 2, 3);
  const auto times = [](float x, float y) { return x * y; };

  // With wf::device instead of wf::seq, and device memory, the same lines run on the GPU.
  // The dot product of each row of `a` with the same row of `b`.
  std::vector<float> dots(2);
  wf::reduce_axis<1>(wf::seq, wf::project(wf::zip(a, b), times), wf::plus{}, dots);

  // A matrix times a vector: element (i, j) beside v[j], along dimension 1.
  const std::vector<float> v{1, 10, 100};
  std::vector<float> product(2);
  wf::reduce_axis<1>(wf::seq, wf::project(wf::zip(a, wf::broadcast<1>(v)), times), wf::plus{},
                     product);

  // The greatest element of each row and its index, into two outputs.
  using floats = cuda::std::mdspan<float, cuda::std::dextents<int, 1>>;
  using ints = cuda::std::mdspan<int, cuda::std::dextents<int, 1>>;
  std::vector<float> greatest(2);
  std::vector<int> places(2);
  wf::reduce_axis<1>(wf::seq, a, wf::all(wf::maximum{}, wf::arg(wf::maximum{})),
                     wf::zip(floats(greatest.data(), 2), ints(places.data(), 2)));

  // A softmax of each row: the sum of exp(x - greatest), then exp(x - greatest) / sum.
  const auto per_row = wf::broadcast<0>(greatest);
  std::vector<float> sums(2), softmax(6);
  wf::reduce_axis<1>(
      wf::seq,
      wf::project(wf::zip(a, per_row), [](float x, float top) { return std::exp(x - top); }),
      wf::plus{}, sums);
  wf::transform(wf::seq, wf::zip(a, per_row, wf::broadcast<0>(sums)), softmax,
                [](float x, float top, float sum) { return std::exp(x - top) / sum; });

  std::cout << dots[0] << ' ' << dots[1] << ' ' << product[1] << ' ' << places[1] << ' '
            << softmax[0] + softmax[1] + softmax[2] << '\n';
  return dots[0] == 4 && dots[1] == 18 && product[0] == 321 && product[1] == 954 &&
                 places[1] == 2 && std::abs(softmax[3] + softmax[4] + softmax[5] - 1) < 1e-6f
             ? 0
             : 1;
}
