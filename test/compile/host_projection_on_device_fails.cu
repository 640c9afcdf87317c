// Likewise a projection.
// expect: calling a __host__ function.*forgot_device::operator.*mark_the_called_function_host_device
// errors: 2
#include <span>

#include <warpfold/reduce.hpp>

struct forgot_device {
  float operator()(float x) const { return x * x; }
};

float call(std::span<const float> v) {
  return warpfold::reduce(warpfold::device, warpfold::project(v, forgot_device{}),
                          warpfold::plus{});
}
