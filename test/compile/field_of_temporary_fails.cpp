// expect: field would refer to a temporary container
#include <vector>

#include <warpfold/reduce.hpp>

struct particle {
  float mass;
};

float call() {
  const auto view = warpfold::field<&particle::mass>(std::vector<particle>(3));  // dangles
  return warpfold::reduce(warpfold::seq, view, warpfold::plus{});
}
