// A container or a value in the place of an address: one error each.
// expect: value_at takes the address of an init.*pass &value or container.data\(\)
// errors: 2
#include <vector>

#include <warpfold/reduce.hpp>

void call(const std::vector<float>& v, float& x) {
  using namespace warpfold;
  reduce_async(seq, v, value_at(v), plus{}, &x);
  (void)reduce(seq, v, value_at(x), plus{});
}
