// A pointer to a member function as a key or a comparison: one error each.
// expect: the function is a pointer to a member function, which the GPU cannot call
// errors: 3
#include <vector>

#include <warpfold/extrema.hpp>

struct particle {
  float energy() const { return 1; }
};

void call(const std::vector<particle>& v, warpfold::indexed<particle>* out) {
  using namespace warpfold;
  (void)argmin(seq, v, {}, &particle::energy);
  (void)argmax(seq, v, &particle::energy);
  argmax_async(seq, v, {}, &particle::energy, out);
}
