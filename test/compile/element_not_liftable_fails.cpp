// An op whose accumulator cannot be constructed from an element.
// expect: elements do not convert to the op's accumulator
#include <vector>

#include <warpfold/reduce.hpp>

struct total {
  long sum;
  int count;
};
struct totals {
  template <class T>
  using accumulator = total;
  total operator()(total a, total b) const { return {a.sum + b.sum, a.count + b.count}; }
  int operator()(int a, int b) const { return a + b; }
};

auto average(const std::vector<int*>& v) {
  struct over_pointers : totals {
    using totals::operator();
    total operator()(int*, int*) const { return {}; }
  };
  return warpfold::reduce(warpfold::seq, v, over_pointers{});
}
