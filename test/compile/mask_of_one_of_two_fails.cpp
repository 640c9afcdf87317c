// A range with a mask beside another range: one error each.
// expect: a range with a mask cannot be combined with another range
// errors: 4
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/transform.hpp>

float add(float a, float b);

void call(const std::vector<float>& v, const std::vector<unsigned>& bits, std::vector<float>& out) {
  using namespace warpfold;
  const auto some = where(v, bits);
  (void)dot(seq, some, v);
  (void)inner_product(seq, v, some, 0.0f);
  (void)reduce(seq, zip(v, some));
  transform(seq, v, some, out, add);
}
