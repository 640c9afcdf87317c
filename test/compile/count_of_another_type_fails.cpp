// A string or a predicate in the place of the value: one error each.
// expect: count cannot compare the elements with the value by ==.*call count_if with a predicate
// errors: 3
#include <vector>

#include <warpfold/count.hpp>

bool is_odd(int x);

void call(const std::vector<int>& v, std::size_t* out) {
  (void)warpfold::count(warpfold::seq, v, "1");
  (void)warpfold::count(warpfold::seq, v, is_odd);
  warpfold::count_async(warpfold::seq, v, is_odd, out);
}
