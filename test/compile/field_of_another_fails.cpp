// A member of another structure than the elements.
// expect: the member that field was given is not one of the range's elements
#include <vector>

#include <warpfold/reduce.hpp>

struct particle {
  float mass;
};
struct body {
  float mass;
};

float call(const std::vector<particle>& v) {
  return warpfold::reduce(warpfold::seq, warpfold::field<&body::mass>(v), warpfold::plus{});
}
