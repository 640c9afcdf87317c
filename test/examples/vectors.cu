// Vectors on the GPU: the mean of an array, its norm, and its scalar product with another, each by
// one call.
#include <iostream>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/statistics.hpp>

namespace wf = warpfold;

int main() try {
  // 3, 4, 3, 4, ... and 1, 2, 1, 2, ...: a pair adds 25 to the square of the norm, and 3 + 8 to the
  // product.
  constexpr std::size_t pairs = 1 << 20;
  std::vector<float> a, b;
  for (std::size_t i = 0; i < pairs; ++i) {
    a.insert(a.end(), {3, 4});
    b.insert(b.end(), {1, 2});
  }
  const wf::device_buffer<float> x(a), y(b);

  const float mean = wf::mean(wf::device, x);
  const double norm = wf::norm_2(wf::device, x);  // squared while loading; the root is taken once
  const float product = wf::dot(wf::device, x, y);

  std::cout << "mean " << mean << ", norm " << norm << ", scalar product " << product << '\n';
  return mean == 3.5f && norm == 5 * 1024 && product == 11 * pairs ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
