// Computes the mean and the norm of an array on the GPU, and its dot product with another array,
// with one call each.
#include <iostream>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/statistics.hpp>

namespace wf = warpfold;

int main() try {
  // 3, 4, 3, 4, ... and 1, 2, 1, 2, ...: each pair adds 25 to the squared norm and 3 + 8 to the dot
  // product.
  constexpr std::size_t pairs = 1 << 20;
  std::vector<float> a, b;
  for (std::size_t i = 0; i < pairs; ++i) {
    a.insert(a.end(), {3, 4});
    b.insert(b.end(), {1, 2});
  }
  const wf::device_buffer<float> x(a), y(b);

  const float mean = wf::mean(wf::device, x);
  const double norm =
      wf::norm_2(wf::device, x);  // squares each element after its load; takes the root once
  const float product = wf::dot(wf::device, x, y);

  std::cout << "mean " << mean << ", norm " << norm << ", scalar product " << product << '\n';
  return mean == 3.5f && norm == 5 * 1024 && product == 11 * pairs ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
