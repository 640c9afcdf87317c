// Wrong uses of transform_reduce.
#include <vector>

#include <warpfold/transform_reduce.hpp>

// expect: in Thrust's order: function, init, op; pass.*in Thrust's order.*in Thrust's order
// errors: 3
// Thrust's order of arguments, with a range, with iterators and without waiting: one error each.
namespace transform_reduce_in_order_of_thrust {
void call(const std::vector<int>& v, int* out) {
  using namespace warpfold;
  (void)transform_reduce(seq, v, [](int x) { return x * x; }, 0, plus{});
  (void)transform_reduce(seq, v.begin(), v.end(), [](int x) { return x + x; }, 0, plus{});
  transform_reduce_async(seq, v, [](int x) { return x - 1; }, 0, plus{}, out);
}
}  // namespace transform_reduce_in_order_of_thrust

// expect: cannot be called with an element of the range
namespace transform_reduce_takes_no_elements {
int call(const std::vector<int>& in) {
  return warpfold::transform_reduce(warpfold::seq, in, 0, warpfold::plus{},
                                    [](int* x) { return *x; });
}
}  // namespace transform_reduce_takes_no_elements
