// Thrust's order of arguments, with a range, with iterators and without waiting: one error each.
// expect: in Thrust's order: function, init, op; pass.*in Thrust's order.*in Thrust's order
// errors: 3
#include <vector>

#include <warpfold/transform_reduce.hpp>

void call(const std::vector<int>& v, int* out) {
  using namespace warpfold;
  (void)transform_reduce(seq, v, [](int x) { return x * x; }, 0, plus{});
  (void)transform_reduce(seq, v.begin(), v.end(), [](int x) { return x + x; }, 0, plus{});
  transform_reduce_async(seq, v, [](int x) { return x - 1; }, 0, plus{}, out);
}
