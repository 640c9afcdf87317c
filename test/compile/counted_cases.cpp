// Wrong uses of counted ranges.
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/view/strided.hpp>

// expect: the count of counted is not an integer in memory; pass a raw pointer to an integer
// errors: 2
// A count that is not the address of an integer: one error each.
namespace counted_by_a_container {
void call(const std::vector<float>& v, const std::vector<int>& counts, const float* number) {
  (void)warpfold::sum(warpfold::seq, warpfold::counted(v, counts));
  (void)warpfold::sum(warpfold::seq, warpfold::counted(v, number));
}
}  // namespace counted_by_a_container

// expect: the count of counted is a number, not its address
// errors: 1
// A count in the place of its address.
namespace counted_number {
auto call(const std::vector<int>& v) {
  return warpfold::sum(warpfold::seq, warpfold::counted(v, 2));
}
}  // namespace counted_number

// expect: a counted range may have no element
// errors: 1
// A counted range may have no element.
namespace counted_without_identity {
struct least {
  int operator()(int a, int b) const { return a < b ? a : b; }
};

int call(const std::vector<int>& v, const int* count) {
  return warpfold::reduce(warpfold::seq, warpfold::counted(v, count), least{});
}
}  // namespace counted_without_identity

// expect: strided was given a counted range
// errors: 1
// A step through a counted range would lose the count.
namespace strided_counted {
auto call(const std::vector<int>& v, const int* count) {
  return warpfold::sum(warpfold::seq, warpfold::strided(warpfold::counted(v, count), 2));
}
}  // namespace strided_counted
