// expect: field takes a pointer to a data member
#include <vector>

#include <warpfold/reduce.hpp>

struct particle {
  float mass() const { return 1; }
};

auto call(const std::vector<particle>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::field<&particle::mass>(v), warpfold::plus{});
}
