// expect: the function cannot be called with an element
#include <vector>

#include <warpfold/count.hpp>

struct particle {
  bool is_fast() const { return true; }
};

auto call(const std::vector<particle>& v) {
  return warpfold::count_if(warpfold::seq, v, &particle::is_fast);
}
