// Applies a function to every element: into another array, in place, or only for a reduction.
#include <cmath>
#include <iostream>
#include <vector>

#include <warpfold/copy.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_reduce.hpp>

namespace wf = warpfold;

int main() {
  const std::vector<double> x{1, 2, 3, 4}, y{10, 20, 30, 40};

  // With wf::device instead of wf::seq, and device memory, the same lines run on the GPU.
  std::vector<float> roots(4);  // each result is converted to the output's type
  wf::transform(wf::seq, x, roots, [](double a) { return std::sqrt(a); });

  std::vector<double> z = y;  // z = 2 x + z, in place
  wf::transform(wf::seq, wf::zip(x, z), z, [](const auto& both) {
    const auto& [a, b] = both;
    return 2 * a + b;
  });

  std::vector<int> places(4);
  wf::copy(wf::seq, wf::counting(0, 4), places);

  const double squares =
      wf::transform_reduce(wf::seq, x, 0.0, wf::plus{}, [](double a) { return a * a; });

  std::cout << roots[3] << ' ' << z[3] << ' ' << places[3] << ' ' << squares << '\n';
  return roots[3] == 2 && z[3] == 48 && places[3] == 3 && squares == 30 ? 0 : 1;
}
