// Likewise a part of several reductions at once.
// expect: calling a __host__ function
// errors: 4
#include <span>

#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

struct forgot_device {
  float operator()(float x) const { return x * x; }
};
struct forgot_too {
  float operator()(float a, float b) const { return a + b; }
};

auto call(std::span<const float> v) {
  return wf::reduce(wf::device, v,
                    wf::all(wf::projected(wf::plus{}, forgot_device{}), forgot_too{}));
}
