// Elements behind a mask, which only the host converts to the accumulator.
// expect: calling a __host__ function
// errors: 2
#include <span>

#include <warpfold/reduce.hpp>

struct item {
  int value;
  operator long long() const { return value; }
};
struct adds {
  template <class T>
  using accumulator = long long;
  WARPFOLD_HD long long operator()(long long a, long long b) const { return a + b; }
  WARPFOLD_HD long long identity() const { return 0; }
};

long long call(std::span<const item> v, std::span<const unsigned> bits) {
  return warpfold::reduce(warpfold::device, warpfold::where(v, bits), adds{});
}
